package report

import (
	"strconv"
	"strings"

	"palate/internal/draw"
)

// segmentItems is the number of items of each segment that its panel shows.
const segmentItems = 10

// Segments shows the board of each segment of voters, a panel each, with the items on which it
// departs most from the others set apart.
func Segments(s *Segmentation, o Options) *Chart {
	w, by := in(o.Language), o.scale()
	c := &Chart{Name: "segments", Title: w.Say("chart-segments"), Head: []string{w.Say("chart-item")}}
	var said []string
	for k, seg := range s.Segments {
		number := strconv.Itoa(k + 1)
		c.Head = append(c.Head, w.Say("chart-segment", number), w.Say("chart-sd"))
		said = append(said, w.Say("chart-segment-said", number, w.Chance(seg.Share), s.name(w, k)))
	}
	order := s.order()
	for _, i := range order {
		row := []string{label(s.Model.ItemID(i))}
		for _, seg := range s.Segments {
			row = append(row, w.fixed(by.factor*seg.Score[i], by.decimals), w.fixed(by.factor*seg.SD[i], by.decimals))
		}
		c.Rows = append(c.Rows, row)
	}
	c.Note = strings.Join(append(s.about(w), w.Say("chart-segments-note", w.percent(s.Level))), " ")
	c.Alt = w.Say("chart-segments-alt", len(s.Segments), w.list(said, 6))
	c.draw = func(width float64) *draw.Scene { return drawSegments(w, s, by, width) }
	return c
}

// drawSegments sets a panel for every segment beside and below each other, all of one scale, with the
// same items: those on which segments depart most.
func drawSegments(w speech, s *Segmentation, by scale, width float64) *draw.Scene {
	const gap, least, row, size = 28, 260, 20, 12
	shown := s.mostApart(segmentItems)
	columns := max(1, min(len(s.Segments), int((width+gap)/(least+gap))))
	each := (width - gap*float64(columns-1)) / float64(columns)
	var lo, hi, names float64
	for _, i := range shown {
		names = max(names, draw.TextWidth(label(s.Model.ItemID(i)), size, false))
		for _, seg := range s.Segments {
			lo, hi = min(lo, by.factor*(seg.Score[i]-s.z()*seg.SD[i])), max(hi, by.factor*(seg.Score[i]+s.z()*seg.SD[i]))
		}
	}
	names = min(names, 0.4*each)
	var short []string
	for _, i := range shown {
		short = append(short, legible(s.Model.ItemID(i)))
	}
	short = draw.Names(short, names, size, false)
	height := 46 + row*float64(len(shown)) + 30
	titles := s.names(w, each-18, 12.5, true)
	out := draw.New(width)
	for k := range s.Segments {
		seg := &s.Segments[k]
		panel := draw.New(each)
		panel.Add(draw.Disc{X: 6, Y: 8, R: 5, Fill: draw.Kind(k)},
			draw.Label{X: 18, Y: 13, Text: titles[k], Size: 12.5, Bold: true},
			draw.Label{X: 18, Y: 29, Text: w.Say("chart-segment-share", w.Chance(seg.Share)), Size: 11, Ink: draw.Muted})
		a := &draw.Axes{Left: names + 12, Right: each - 6, Top: 40, Bottom: 40 + row*float64(len(shown)), X1: lo, X2: hi, Y1: 0, Y2: 1}
		a.Grid(panel, w.ticks(lo, hi, 4), nil)
		panel.Add(draw.Line(a.X(0), a.Top, a.X(0), a.Bottom, 1, draw.Muted))
		for at, i := range shown {
			y, x, reach := a.Top+row*(float64(at)+0.5), seg.Score[i], s.z()*seg.SD[i]
			mark := draw.Disc{X: a.X(by.factor * x), Y: y, R: 4, Fill: draw.Paper, Stroke: draw.Kind(k), Width: 1.5}
			if sure := seg.More[i]*seg.More[i] > s.z()*s.z()*seg.MoreSD[i]*seg.MoreSD[i]; sure {
				mark.Fill = draw.Kind(k)
			}
			panel.Add(draw.Label{X: 0, Y: y + 4, Text: short[at], Size: size},
				draw.Group{Title: w.Say("chart-traits-title", label(s.Model.ItemID(i)), w.fixed(by.factor*x, by.decimals), w.fixed(by.factor*(x-reach), by.decimals), w.fixed(by.factor*(x+reach), by.decimals)), Marks: []draw.Mark{
					mark, whisker(a.X(by.factor*(x-reach)), a.X(by.factor*(x+reach)), y, 5.5, draw.Kind(k)),
				}})
		}
		out.Put(panel, float64(k%columns)*(each+gap), float64(k/columns)*height)
	}
	out.Height = float64((len(s.Segments)+columns-1)/columns) * height
	return out
}

// mostApart are the items on which segments depart most from each other, in the order of the board of
// the first.
func (s *Segmentation) mostApart(most int) (items []int) {
	far := make([]float64, s.Model.NumItems())
	for i := range far {
		for _, seg := range s.Segments {
			far[i] = max(far[i], seg.More[i]*seg.More[i])
		}
	}
	order := s.order()
	for _, i := range order {
		above := 0
		for j, x := range far {
			if x > far[i] || x == far[i] && j < i {
				above++
			}
		}
		if above < most {
			items = append(items, i)
		}
	}
	return items
}
