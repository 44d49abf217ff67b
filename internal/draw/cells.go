package draw

import (
	"fmt"
	"strings"
)

// Cells is a table of colours, a row at a time from the top. All of one colour
// are one path, so that ten thousand cells take the room of a photograph.
type Cells struct {
	X, Y float64
	W, H float64 // of one cell
	Inks [][]Ink // None: left out
	// Live marks the table for scripts, which then can tell the cell that is
	// pointed at.
	Live bool
	// At names the columns of the table of numbers behind a live table, where it shows only
	// some of them.
	At []int
}

// roomy is the size of a cell from which on there are gaps between cells.
const roomy = 9

// run is cells of one colour side by side.
type run struct{ row, from, to int }

// runs sorts the cells by colour.
func (c Cells) runs() map[Ink][]run {
	all := map[Ink][]run{}
	for i, row := range c.Inks {
		for j, k := range row {
			if k == None {
				continue
			}
			rs := all[k]
			if last := len(rs) - 1; last >= 0 && rs[last].row == i && rs[last].to == j && !c.apart() {
				rs[last].to = j + 1
				continue
			}
			all[k] = append(rs, run{i, j, j + 1})
		}
	}
	return all
}

func (c Cells) apart() bool { return min(c.W, c.H) >= roomy }

// gap is the room between cells, in pixels.
func (c Cells) gap() float64 {
	if c.apart() {
		return 1
	}
	return 0
}

func (c Cells) svg(w *svgWriter) {
	if len(c.Inks) == 0 {
		return
	}
	gap := c.gap()
	columns := len(c.Inks[0])
	// Units are cells: a run is a thick line through the middle of its row.
	fmt.Fprintf(w, `<g transform="translate(%s %s) scale(%s %s)" stroke-width="%s"`, number(c.X), number(c.Y), number(c.W), number(c.H), number(1-gap/c.H))
	if !c.apart() {
		w.WriteString(` shape-rendering="crispEdges"`)
	}
	if c.Live {
		fmt.Fprintf(w, ` data-rows="%d" data-columns="%d"`, len(c.Inks), columns)
		if c.At != nil {
			fmt.Fprintf(w, ` data-at="%s"`, strings.Trim(fmt.Sprint(c.At), "[]"))
		}
	}
	fmt.Fprintf(w, `><rect fill="none" pointer-events="all" width="%d" height="%d"/>`, columns, len(c.Inks))
	runs := c.runs()
	for k := Ink(1); int(k) < inks; k++ {
		if len(runs[k]) == 0 {
			continue
		}
		if w.theme != nil {
			w.WriteString(`<path stroke="` + w.colour(k) + `" d="`)
		} else {
			w.WriteString(`<path class="` + k.class() + `-s" d="`)
		}
		for _, r := range runs[k] {
			w.WriteString("M" + unit(float64(r.from)+gap/c.W/2) + " " + unit(float64(r.row)+0.5) + "h" + unit(float64(r.to-r.from)-gap/c.W))
		}
		w.WriteString(`"/>`)
	}
	w.WriteString("</g>")
}

// unit shows a coordinate in cells.
func unit(x float64) string {
	s := number(x)
	if strings.HasPrefix(s, "0.") {
		return s[1:]
	}
	return s
}

func (c Cells) paint(w *painter) {
	gap := c.gap()
	runs := c.runs()
	for k := Ink(1); int(k) < inks; k++ {
		var o outline
		for _, r := range runs[k] {
			o = append(o, box(c.X+float64(r.from)*c.W+gap/2, c.Y+float64(r.row)*c.H+gap/2, c.X+float64(r.to)*c.W-gap/2, c.Y+float64(r.row+1)*c.H-gap/2))
		}
		w.fill(o, k, 1)
	}
}
