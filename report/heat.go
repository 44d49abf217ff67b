package report

import (
	"strconv"

	"palate/internal/draw"
)

// heatLayout is a table of colours with a name at the left of every row.
type heatLayout struct {
	names        []string
	columns      int
	most         float64  // the largest width of a cell
	numbered     bool     // rows and columns have numbers
	heads        []string // names of the columns
	lying        bool     // these are short enough to be written across
	share        float64  // of the width that names may take
	left, top    float64
	cell, height float64 // size of a cell
	size         float64 // of the names
}

// The least size of a cell that is told from others, and of one with a name above it.
const (
	legibleCell = 9
	namedCell   = 13
)

// headRoom is the longest name of a column.
const headRoom = 90

// fit chooses sizes for a width; names become as short as there is room for them.
func (h *heatLayout) fit(width float64) {
	h.size = 12
	var longest float64
	for _, n := range h.names {
		longest = max(longest, draw.TextWidth(n, h.size, false))
	}
	room := min(longest+1, h.share*width)
	h.left, h.top = room+10, 6
	if h.numbered {
		h.left, h.top = h.left+24, 20
	}
	h.cell = min(h.most, (width-h.left-1)/float64(max(1, h.columns)))
	h.height = min(h.cell, 34)
	if !h.numbered {
		h.height = min(max(h.cell, 15), 22)
	}
	h.size = min(h.size, 0.5*h.height+4.5)
	h.names = draw.Names(h.names, room, h.size, false)
	h.heads = draw.Names(h.heads, headRoom, 11, false)
	var tall float64
	for _, n := range h.heads {
		tall = max(tall, draw.TextWidth(n, 11, false))
	}
	switch h.lying = tall+4 <= h.cell; {
	case h.heads == nil:
	case h.lying:
		h.top = max(h.top, 20)
	default:
		h.top = max(h.top, tall+10)
	}
}

// every is how many columns apart numbers are.
func every(cell, room float64) int {
	for _, k := range []int{1, 2, 5, 10, 20, 50} {
		if float64(k)*cell >= room {
			return k
		}
	}
	return 100
}

// draw draws the table. Of the table of numbers behind the picture at names the columns that
// are shown, nil standing for all; live is whether there is one.
func (h *heatLayout) draw(s *draw.Scene, inks [][]draw.Ink, live bool, at []int) {
	s.Add(draw.Cells{X: h.left, Y: h.top, W: h.cell, H: h.height, Inks: inks, Live: live, At: at})
	for i, name := range h.names {
		y := h.top + (float64(i)+0.5)*h.height + 0.34*h.size
		x := h.left - 8
		if h.numbered {
			s.Add(draw.Label{X: x, Y: y, Text: strconv.Itoa(i + 1), Size: min(11, h.size), Ink: draw.Muted, Anchor: draw.End})
			x -= 24
		}
		s.Add(draw.Label{X: x, Y: y, Text: name, Size: h.size, Anchor: draw.End})
	}
	if h.numbered {
		step := every(h.cell, 18)
		for j := 0; j < h.columns; j += step {
			s.Add(draw.Label{X: h.left + (float64(j)+0.5)*h.cell, Y: h.top - 7, Text: strconv.Itoa(j + 1), Size: 11, Ink: draw.Muted, Anchor: draw.Middle})
		}
	}
	for j, n := range h.heads {
		if h.lying {
			s.Add(draw.Label{X: h.left + (float64(j)+0.5)*h.cell, Y: h.top - 7, Text: n, Size: 11, Ink: draw.Muted, Anchor: draw.Middle})
			continue
		}
		s.Add(draw.Label{X: h.left + (float64(j)+0.5)*h.cell + 4, Y: h.top - 5, Text: n, Size: 11, Ink: draw.Muted, Turn: -90})
	}
	s.Height = h.top + float64(len(h.names))*h.height
}

// say writes in every cell what there is to be said of it.
func (h *heatLayout) say(s *draw.Scene, inks [][]draw.Ink, text func(i, j int) string) {
	for i := range inks {
		for j, k := range inks[i] {
			if k != draw.None {
				s.Add(draw.Label{X: h.left + (float64(j)+0.5)*h.cell, Y: h.top + (float64(i)+0.5)*h.height + 4, Text: text(i, j), Size: min(11, 0.5*h.cell), Ink: k.On(), Anchor: draw.Middle})
			}
		}
	}
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
		below := y + 38
		say(0, below, low, draw.Start)
		if draw.TextWidth(low, 11, false)+draw.TextWidth(high, 11, false)+10 > s.Width {
			below += 15
		}
		say(s.Width, below, high, draw.End)
		s.Height = below + 5
	}
	s.Add(draw.Cells{X: from, Y: y, W: step, H: 8, Inks: [][]draw.Ink{scale}})
}
