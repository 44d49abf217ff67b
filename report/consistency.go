package report

import (
	"context"
	"math"

	"palate/internal/draw"
)

// Consistency shows how well every voter's answers follow from their others; nil where the model
// does not tell.
func Consistency(ctx context.Context, s *Survey, o Options) (*Chart, error) {
	if s.Care == nil {
		return nil, ctx.Err()
	}
	w := in(o.Language)
	c := &Chart{Name: "consistency", Title: w.Say("chart-consistency"), Head: []string{w.Say("chart-voter"), w.Say("chart-answers"), w.Say("chart-rlh"), w.Say("chart-guessing"), w.Say("chart-consistent")}}
	h := histogram{low: 1}
	for u, x := range s.Care {
		if x.Answers == 0 {
			continue
		}
		is := w.Say("chart-yes")
		if !x.Consistent() {
			is = w.Say("chart-no")
		}
		c.Rows = append(c.Rows, []string{label(s.Model.UserID(u)), w.amount(x.Answers), w.fixed(x.RLH, 3), w.fixed(x.Chance, 3), is})
		h.add(x.RLH, x.Consistent())
		h.usual += x.Chance
	}
	if len(h.of) == 0 {
		return nil, ctx.Err()
	}
	h.usual /= float64(len(h.of))
	c.Note = w.Say("chart-consistency-note") + s.leftOut(w)
	c.Alt = w.Say("chart-consistency-alt", w.Count(len(h.of)), w.fixed(h.low, 2), w.fixed(h.high, 2), w.Count(h.not))
	c.draw = func(width float64) *draw.Scene { return h.draw(w, width, 240) }
	c.fill = func(width, height float64) *draw.Scene { return h.draw(w, width, max(240, height-90)) }
	return c, ctx.Err()
}

// histogram is how many have each number, those who are not consistent apart.
type histogram struct {
	of        []float64
	is        []bool
	not       int
	low, high float64
	usual     float64 // what guessing gets
}

func (h *histogram) add(x float64, is bool) {
	h.of, h.is = append(h.of, x), append(h.is, is)
	h.low, h.high = min(h.low, x), max(h.high, x)
	if !is {
		h.not++
	}
}

func (h *histogram) draw(w speech, width, tall float64) *draw.Scene {
	step := 0.01
	for _, s := range []float64{0.02, 0.05, 0.1} {
		if max(h.high, h.usual)/step > width/24 {
			step = s
		}
	}
	bins := int(math.Floor(max(h.high, h.usual)/step)) + 1
	counts := make([][2]float64, bins) // of those who are not, and who are
	var most float64
	for k, x := range h.of {
		b, kind := int(math.Floor(x/step)), 0
		if h.is[k] {
			kind = 1
		}
		counts[b][kind]++
		most = max(most, counts[b][0]+counts[b][1])
	}
	s := draw.New(width)
	x := 6.0
	for _, key := range []struct {
		ink  draw.Ink
		text string
	}{{draw.Accent, w.Say("chart-careful", w.Count(len(h.of)-h.not))}, {draw.Second, w.Say("chart-careless", w.Count(h.not))}} {
		s.Add(draw.Disc{X: x, Y: 8, R: 5, Fill: key.ink}, draw.Label{X: x + 12, Y: 12, Text: key.text, Size: 12})
		x += 36 + draw.TextWidth(key.text, 12, false)
	}
	a := &draw.Axes{Left: 46, Right: width - 12, Top: 46, Bottom: 46 + tall, X1: 0, X2: float64(bins) * step, Y1: 0, Y2: most * tall / (tall - 18)} // the label of the line is above all bars
	ys := w.ticks(0, a.Y2, 4)
	for k := len(ys) - 1; k >= 0; k-- {
		if ys[k].Value != math.Round(ys[k].Value) { // voters are whole
			ys = append(ys[:k], ys[k+1:]...)
		}
	}
	a.Grid(s, w.ticks(0, a.X2, int(max(4, width/110))), ys)
	a.Titles(s, w.Say("chart-rlh"), w.Say("chart-number-of-voters"))
	for b, count := range counts {
		from := 0.0
		for kind, n := range count {
			if n > 0 {
				left, right := a.X(float64(b)*step), a.X(float64(b+1)*step)
				s.Add(draw.Rect{X: left + 1, Y: a.Y(from + n), W: right - left - 2, H: a.Y(from) - a.Y(from+n), Fill: []draw.Ink{draw.Second, draw.Accent}[kind]})
				from += n
			}
		}
	}
	at := a.X(h.usual)
	s.Add(draw.Path{Points: []draw.Point{{X: at, Y: a.Top}, {X: at, Y: a.Bottom}}, Stroke: draw.Text, Width: 1.5, Dashed: true},
		draw.Label{X: at + 5, Y: a.Top + 10, Text: w.Say("chart-guessing"), Size: 11, Ink: draw.Muted})
	s.Height = a.Bottom + 44
	return s
}
