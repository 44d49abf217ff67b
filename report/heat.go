package report

import (
	"strconv"

	"palate/internal/draw"
)

// heatLayout is a table of colours with names at its left.
type heatLayout struct {
	names        []string
	columns      int
	most         float64  // the largest width of a cell
	numbered     bool     // rows and columns have numbers
	heads        []string // names of the columns, where there is room for them
	left, top    float64
	cell, height float64 // size of a cell
	size         float64 // of the names
}

// fit chooses sizes for a width.
func (h *heatLayout) fit(width float64) {
	h.size = 12
	var longest float64
	for _, n := range h.names {
		longest = max(longest, draw.TextWidth(n, h.size, false))
	}
	h.left, h.top = min(longest+1, 0.3*width)+10, 6
	if h.numbered {
		h.left, h.top = h.left+24, 20
	}
	h.cell = min(h.most, (width-h.left-1)/float64(max(1, h.columns)))
	h.height = min(h.cell, 34)
	if !h.numbered {
		h.height = min(max(h.cell, 15), 22) // names are always legible
	}
	if h.named() {
		for _, n := range h.heads {
			h.top = max(h.top, draw.TextWidth(draw.Fit(n, headRoom, 11, false), 11, false)+10)
		}
	}
}

// headRoom is the longest name of a column.
const headRoom = 90

// named reports whether there is room for names of columns.
func (h *heatLayout) named() bool { return len(h.heads) > 0 && h.cell >= 13 }

// every is how many rows or columns apart names or numbers are.
func every(cell, room float64) int {
	for _, k := range []int{1, 2, 5, 10, 20, 50} {
		if float64(k)*cell >= room {
			return k
		}
	}
	return 100
}

func (h *heatLayout) draw(s *draw.Scene, inks [][]draw.Ink) {
	s.Add(draw.Cells{X: h.left, Y: h.top, W: h.cell, H: h.height, Inks: inks, Live: true})
	step := every(h.height, 12)
	for i, name := range h.names {
		if i%step > 0 {
			continue
		}
		y := h.top + (float64(i)+0.5)*h.height + 4
		room := h.left - 10
		if h.numbered {
			s.Add(draw.Label{X: 18, Y: y, Text: strconv.Itoa(i + 1), Size: 11, Ink: draw.Muted, Anchor: draw.End})
			room -= 24
		}
		s.Add(draw.Label{X: h.left - 8, Y: y, Text: draw.Fit(name, room, h.size, false), Size: h.size, Anchor: draw.End})
	}
	if h.numbered {
		step := every(h.cell, 16)
		for j := 0; j < h.columns; j += step {
			s.Add(draw.Label{X: h.left + (float64(j)+0.5)*h.cell, Y: h.top - 7, Text: strconv.Itoa(j + 1), Size: 11, Ink: draw.Muted, Anchor: draw.Middle})
		}
	}
	if h.named() {
		for j, n := range h.heads {
			s.Add(draw.Label{X: h.left + (float64(j)+0.5)*h.cell + 4, Y: h.top - 5, Text: draw.Fit(n, headRoom, 11, false), Size: 11, Ink: draw.Muted, Turn: -90})
		}
	}
	s.Height = h.top + float64(len(h.names))*h.height
}

// key draws the scale of colours below, with words at its ends and middle.
func (h *heatLayout) key(s *draw.Scene, low, middle, high string) {
	y := s.Height + 16
	const step = 7
	wide := float64(step * draw.Levels)
	from, room := h.left, draw.TextWidth(low, 11, false)+8
	scale := make([]draw.Ink, draw.Levels)
	for k := range scale {
		scale[k] = draw.Level(float64(k) / (draw.Levels - 1))
	}
	say := func(x, y float64, text string, a draw.Anchor) {
		s.Add(draw.Label{X: x, Y: y, Text: text, Size: 11, Ink: draw.Muted, Anchor: a})
	}
	if from < room {
		from = room
	}
	if from+wide+8+draw.TextWidth(high, 11, false) <= s.Width { // words beside the scale
		say(from-6, y+8, low, draw.End)
		say(from+wide+6, y+8, high, draw.Start)
		say(from+wide/2, y+21, middle, draw.Middle)
		s.Height = y + 26
	} else { // words below it
		from = (s.Width - wide) / 2
		say(from+wide/2, y+21, middle, draw.Middle)
		say(0, y+38, low, draw.Start)
		say(s.Width, y+38, high, draw.End)
		s.Height = y + 43
	}
	s.Add(draw.Cells{X: from, Y: y, W: step, H: 8, Inks: [][]draw.Ink{scale}})
}
