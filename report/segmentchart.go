package report

import (
	"fmt"
	"strconv"
	"strings"

	"palate/internal/draw"
)

// segmentItems is the number of items of each segment that its panel shows.
const segmentItems = 10

// Segments shows the board of each segment of voters, a panel each, with the items on which it
// departs most from the others set apart.
func Segments(s *Segmentation, o Options) *Chart {
	by := o.scale()
	c := &Chart{Name: "segments", Title: "Segments of voters", Head: []string{"item"}}
	var said []string
	for k, seg := range s.Segments {
		c.Head = append(c.Head, "segment "+strconv.Itoa(k+1), "sd")
		said = append(said, fmt.Sprintf("segment %d, %s of voters, %s", k+1, chance(seg.Share), s.Name(k)))
	}
	order := s.order()
	for _, i := range order {
		row := []string{label(s.Model.ItemID(i))}
		for _, seg := range s.Segments {
			row = append(row, fixed(by.factor*seg.Score[i], by.decimals), fixed(by.factor*seg.SD[i], by.decimals))
		}
		c.Rows = append(c.Rows, row)
	}
	for _, says := range s.about() {
		c.Note += strings.ToUpper(says[:1]) + says[1:] + ". "
	}
	c.Note += fmt.Sprintf("Dots are scores of the mean of each segment, lines %s intervals; filled dots are of items that it surely likes more or less than the others do. A segment is named for what it likes more.", percent(s.Level))
	c.Alt = fmt.Sprintf("Boards of %s: %s", count(float64(len(s.Segments)), "segment"), list(said, 6))
	c.draw = func(width float64) *draw.Scene { return drawSegments(s, by, width) }
	return c
}

// drawSegments sets a panel for every segment beside and below each other, all of one scale, with the
// same items: those on which segments depart most.
func drawSegments(s *Segmentation, by scale, width float64) *draw.Scene {
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
	out := draw.New(width)
	for k := range s.Segments {
		seg := &s.Segments[k]
		panel := draw.New(each)
		panel.Add(draw.Disc{X: 6, Y: 8, R: 5, Fill: draw.Kind(k)},
			draw.Label{X: 18, Y: 13, Text: draw.Fit(fmt.Sprintf("%d: %s", k+1, s.Name(k)), each-18, 12.5, true), Size: 12.5, Bold: true},
			draw.Label{X: 18, Y: 29, Text: fmt.Sprintf("%s of voters", chance(seg.Share)), Size: 11, Ink: draw.Muted})
		a := &draw.Axes{Left: names + 12, Right: each - 6, Top: 40, Bottom: 40 + row*float64(len(shown)), X1: lo, X2: hi, Y1: 0, Y2: 1}
		a.Grid(panel, draw.Ticks(lo, hi, 4), nil)
		panel.Add(draw.Line(a.X(0), a.Top, a.X(0), a.Bottom, 1, draw.Muted))
		for at, i := range shown {
			y, x, reach := a.Top+row*(float64(at)+0.5), seg.Score[i], s.z()*seg.SD[i]
			mark := draw.Disc{X: a.X(by.factor * x), Y: y, R: 4, Fill: draw.Paper, Stroke: draw.Kind(k), Width: 1.5}
			if sure := seg.More[i]*seg.More[i] > s.z()*s.z()*seg.MoreSD[i]*seg.MoreSD[i]; sure {
				mark.Fill = draw.Kind(k)
			}
			panel.Add(draw.Label{X: 0, Y: y + 4, Text: short[at], Size: size},
				draw.Group{Title: fmt.Sprintf("%s: %s, between %s and %s", label(s.Model.ItemID(i)), fixed(by.factor*x, by.decimals), fixed(by.factor*(x-reach), by.decimals), fixed(by.factor*(x+reach), by.decimals)), Marks: []draw.Mark{
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
