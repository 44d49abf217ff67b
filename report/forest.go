package report

import (
	"math"

	"palate/internal/draw"
)

// forestRow is an estimate with its interval, as a row of a list.
type forestRow struct {
	name          string
	against       string // another name, of a pair
	value, lo, hi float64
	text          string // at the right
	title         string // for those who point at it
	ink           draw.Ink
}

// dash is between the names of a pair.
const dash = " – "

// whole is the name of a row.
func (r forestRow) whole() string {
	if r.against == "" {
		return r.name
	}
	return r.name + dash + r.against
}

// drawForest draws estimates with their intervals below each other on one scale, which has a
// number least on it, with an upright line at what is usual. Factors, which are above zero, lie by
// their logarithms.
func drawForest(s *draw.Scene, w speech, rows []forestRow, least, usual float64, factors bool) {
	row, size := 22.0, 12.5
	if len(rows) > 60 {
		row, size = 15, 11
	}
	lo, hi := min(least, usual), max(least, usual)
	var longest, texts float64
	var names, others []string
	for _, r := range rows {
		lo, hi = min(lo, r.lo), max(hi, r.hi)
		longest, texts = max(longest, draw.TextWidth(r.whole(), size, false)), max(texts, draw.TextWidth(r.text, size, false))
		names, others = append(names, r.name), append(others, r.against)
	}
	if hi == lo {
		hi++
	}
	room := min(longest, 0.42*s.Width)
	if len(rows) > 0 && rows[0].against != "" {
		half := (room - draw.TextWidth(dash, size, false)) / 2
		names, others = draw.Names(names, half, size, false), draw.Names(others, half, size, false)
		for i, r := range rows {
			if names[i] += dash + others[i]; draw.TextWidth(r.whole(), size, false) <= room {
				names[i] = r.whole()
			}
		}
	} else {
		names = draw.Names(names, room, size, false)
	}
	top := s.Height + 4
	a := &draw.Axes{Left: room + 16, Right: s.Width - texts - 14, Top: top, Bottom: top + row*float64(len(rows)), X1: lo, X2: hi, Y1: 0, Y2: 1}
	ticks, at := w.ticks(lo, hi, int(max(3, (a.Right-a.Left)/60))), a.X
	if factors {
		ticks = w.factors(lo, hi, int(max(3, (a.Right-a.Left)/60)))
		for k := range ticks {
			ticks[k].Value = math.Log(ticks[k].Value)
		}
		a.X1, a.X2 = math.Log(lo), math.Log(hi)
		at = func(x float64) float64 { return a.X(math.Log(x)) }
	}
	a.Grid(s, ticks, nil)
	s.Add(draw.Line(at(usual), a.Top, at(usual), a.Bottom, 1.5, draw.Quiet))
	for i, r := range rows {
		y := top + row*(float64(i)+0.5)
		s.Add(draw.Label{X: 0, Y: y + 4, Text: names[i], Size: size},
			draw.Group{Title: r.title, Marks: []draw.Mark{
				draw.Disc{X: at(r.value), Y: y, R: min(4, 0.2*row), Fill: r.ink}, whisker(at(r.lo), at(r.hi), y, min(5.5, row/2-2), r.ink),
			}},
			draw.Label{X: s.Width, Y: y + 4, Text: r.text, Size: size, Ink: draw.Muted, Anchor: draw.End})
	}
	s.Height = a.Bottom + 24
}
