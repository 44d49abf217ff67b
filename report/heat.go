package report

import (
	"strconv"

	"palate/internal/draw"
)

// heatLayout is a table of colours with names at its left.
type heatLayout struct {
	names        []string
	columns      int
	most         float64 // the largest width of a cell
	numbered     bool    // rows and columns have numbers
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
	h.left, h.top = min(longest, 0.3*width)+10, 6
	if h.numbered {
		h.left, h.top = h.left+24, 20
	}
	h.cell = min(h.most, (width-h.left-1)/float64(max(1, h.columns)))
	h.height = h.cell
	if !h.numbered {
		h.height = min(max(h.cell, 15), 20) // names are always legible
	}
}

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
	s.Height = h.top + float64(len(h.names))*h.height
}

// key draws the scale of colours below, with words at its ends and middle.
func (h *heatLayout) key(s *draw.Scene, low, middle, high string) {
	y := s.Height + 16
	const step = 7
	wide := float64(step * draw.Levels)
	from := h.left
	if lowest := draw.TextWidth(low, 11, false) + 8; from+wide+lowest > s.Width || from < lowest {
		from = (s.Width - wide) / 2
	}
	scale := make([]draw.Ink, draw.Levels)
	for k := range scale {
		scale[k] = draw.Level(float64(k) / (draw.Levels - 1))
	}
	s.Add(draw.Cells{X: from, Y: y, W: step, H: 8, Inks: [][]draw.Ink{scale}},
		draw.Label{X: from - 6, Y: y + 8, Text: low, Size: 11, Ink: draw.Muted, Anchor: draw.End},
		draw.Label{X: from + wide/2, Y: y + 21, Text: middle, Size: 11, Ink: draw.Muted, Anchor: draw.Middle},
		draw.Label{X: from + wide + 6, Y: y + 8, Text: high, Size: 11, Ink: draw.Muted})
	s.Height = y + 26
}
