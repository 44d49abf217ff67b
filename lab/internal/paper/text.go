package paper

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"
)

// WriteJSON writes the rows, an object a line.
func (t *Table) WriteJSON(w io.Writer) error { return writeLines(w, t.Rows...) }

// WriteText writes the table for people: our figures with standard errors in brackets and the published ones beside
// them, then the differences between our rows and whether they are as published, then all that was published.
func (t *Table) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s, %s", t.Name(), t.howMany())
	if len(t.Rows[0].Trials) > 1 {
		fmt.Fprint(b, "; standard errors in brackets")
	} else {
		fmt.Fprint(b, "; standard errors over people in brackets")
	}
	fmt.Fprint(b, "\n\n")
	if t.Note != "" {
		fmt.Fprintf(b, "  %s\n\n", t.Note)
	}
	t.writeRows(b)
	if len(t.Rows) > 1 {
		fmt.Fprintf(b, "\nDifference in %s, row minus column, with its paired standard error:\n\n", t.Loss)
		t.writeDifferences(b)
		t.writeOrders(b)
	}
	if len(t.Printed) > 0 {
		fmt.Fprint(b, "\nPublished:\n\n")
		t.writePrinted(b)
	}
	fmt.Fprintln(b)
	return b.Flush()
}

// howMany says on how many splits the table rests.
func (t *Table) howMany() string {
	switch n := len(t.Rows[0].Trials); {
	case n < t.Splits:
		return fmt.Sprintf("%d of %d splits", n, t.Splits)
	case n == 1:
		return "one split"
	default:
		return fmt.Sprintf("%d splits", n)
	}
}

// columns are the measures that apply to some row, without the loss in the other unit.
func (t *Table) columns() (columns []Measure) {
	for _, m := range Measures() {
		if (m == CE || m == Bits) && m != t.Loss {
			continue
		}
		for _, r := range t.Rows {
			if !math.IsNaN(r.Mean[m]) {
				columns = append(columns, m)
				break
			}
		}
	}
	return columns
}

func (t *Table) writeRows(w io.Writer) {
	var grid grid
	columns := t.columns()
	head := []string{"model"}
	for _, m := range columns {
		head = append(head, m.String())
	}
	if len(t.Printed) > 0 {
		head = append(head, "published")
	}
	grid.row(head...)
	for _, r := range t.Rows {
		cells := []string{r.Model}
		for _, m := range columns {
			cells = append(cells, withError(short(m, r.Mean[m]), short(m, r.SE[m])))
		}
		if p := r.Published; p.Method != "" {
			cells = append(cells, fmt.Sprintf("%s: %s", p.Method, t.brief(p.Figures)))
		}
		grid.row(cells...)
	}
	grid.write(w)
}

// brief writes published figures on one line.
func (t *Table) brief(f Figures) string {
	var parts []string
	for _, m := range []Measure{Acc, t.Loss, Tau} {
		if !math.IsNaN(f[m]) {
			parts = append(parts, m.String()+" "+short(m, f[m]))
		}
	}
	return strings.Join(parts, " ")
}

func (t *Table) writeDifferences(w io.Writer) {
	var grid grid
	head := []string{""}
	for _, r := range t.Rows[:len(t.Rows)-1] {
		head = append(head, r.Model)
	}
	grid.row(head...)
	for k, r := range t.Rows[1:] {
		cells := []string{r.Model}
		for _, other := range t.Rows[:k+1] {
			d, se := r.Minus(other, t.Loss)
			cells = append(cells, withError(figure("%+.4f", d), figure("%.4f", se)))
		}
		grid.row(cells...)
	}
	grid.write(w)
}

func (t *Table) writePrinted(w io.Writer) {
	var grid grid
	grid.row("paper", "table", "method", "setting", "figures")
	for _, f := range t.Printed {
		grid.row(f.Paper, f.Table, f.Method, f.Setting, t.brief(f.figures()))
	}
	grid.write(w)
}

// grid lines columns up.
type grid [][]string

func (g *grid) row(cells ...string) { *g = append(*g, cells) }

func (g grid) write(w io.Writer) {
	var widths []int
	for _, row := range g {
		for k, cell := range row {
			if k == len(widths) {
				widths = append(widths, 0)
			}
			widths[k] = max(widths[k], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range g {
		var line strings.Builder
		for k, cell := range row {
			fmt.Fprintf(&line, "  %-*s", widths[k], cell)
		}
		fmt.Fprintln(w, strings.TrimRight(line.String(), " "))
	}
}

// short writes a figure with as many digits as it deserves.
func short(m Measure, x float64) string {
	switch {
	case m == Peak || m == CPU && x >= 100:
		return figure("%.0f", x)
	case m == CPU:
		return figure("%.3g", x)
	}
	return figure("%.3f", x)
}

const unknown = "–"

func figure(format string, x float64) string {
	if math.IsNaN(x) {
		return unknown
	}
	return fmt.Sprintf(format, x)
}

// withError adds the standard error in brackets, where one is known.
func withError(figure, se string) string {
	if se == unknown {
		return figure
	}
	return fmt.Sprintf("%s (%s)", figure, se)
}
