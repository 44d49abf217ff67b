package report

import (
	"math"

	"palate/internal/draw"
	"palate/model"
)

// courseMost is the number of items of a group that a chart of courses shows.
const courseMost = 60

// Trajectories shows how the score of every item went, a panel each, the best at the end first.
func Trajectories(c *model.Trajectories, o Options) *Chart {
	most := courseMost
	if o.Top > 0 {
		most = min(most, o.Top)
	}
	var shown []model.Path
	seen, size := map[int]int{}, map[int]int{}
	for _, p := range c.Items {
		size[p.Group]++
	}
	hidden := 0
	for _, p := range c.Items {
		switch seen[p.Group]++; {
		case size[p.Group] < 2: // there is nothing to compare it with
		case seen[p.Group] > most:
			hidden++
		default:
			shown = append(shown, p)
		}
	}
	if len(shown) == 0 {
		return nil
	}
	w, s := in(o.Language), o.scale()
	last := len(c.Labels) - 1
	out := &Chart{
		Name: "course", Title: w.Say("chart-course"),
		Head: []string{w.Say("chart-item"), w.Say("chart-score-in", c.Labels[0]), w.Say("chart-interval"), w.Say("chart-score-in", c.Labels[last]), w.Say("chart-interval")},
		Note: w.Say("chart-course-note", c.Labels[0], c.Labels[last], w.percent(c.Level)),
	}
	number := func(x float64) string { return w.fixed(s.at(x), s.decimals) }
	var said []string
	for _, p := range shown {
		out.Rows = append(out.Rows, []string{label(p.ID), number(p.Score[0]), number(p.Lo[0]) + " … " + number(p.Hi[0]), number(p.Score[last]), number(p.Lo[last]) + " … " + number(p.Hi[last])})
		said = append(said, w.Say("chart-course-item", label(p.ID), number(p.Score[0]), number(p.Score[last])))
	}
	out.Alt = w.Say("chart-course-alt", len(shown), c.Labels[0], c.Labels[last], w.list(said, 6))
	out.list(w, len(shown), len(shown)+hidden, func(width float64, n int) *draw.Scene { return drawTrajectories(w, c, shown[:n], s, width) })
	return out
}

// drawTrajectories sets a panel for every item beside and below each other, all of one scale.
func drawTrajectories(w speech, c *model.Trajectories, shown []model.Path, s scale, width float64) *draw.Scene {
	const gap, height, least = 22, 140, 160
	columns := max(1, min(len(shown), int((width+gap)/(least+gap))))
	each := (width - gap*float64(columns-1)) / float64(columns)
	lo, hi := s.at(0), s.at(0)
	for _, p := range shown {
		for t := range p.Score {
			lo, hi = min(lo, s.at(p.Lo[t])), max(hi, s.at(p.Hi[t]))
		}
	}
	room := 0.05 * (hi - lo)
	lo, hi = lo-room, hi+room
	ys := w.ticks(lo, hi, 5)
	var numbers float64
	for _, t := range ys {
		numbers = max(numbers, draw.TextWidth(t.Text, 11, false))
	}
	out := draw.New(width)
	var ids []string
	for _, p := range shown {
		ids = append(ids, legible(p.ID))
	}
	ids = draw.Names(ids, each-56, 12.5, true)
	for k, p := range shown {
		panel := draw.New(each)
		drawTrajectory(w, panel, ids[k], c, p, s, &draw.Axes{Left: numbers + 10, Right: each - 4, Top: 20, Bottom: height - 34, X1: 0, X2: math.Max(1, float64(len(c.Labels)-1)), Y1: lo, Y2: hi}, ys)
		out.Put(panel, float64(k%columns)*(each+gap), float64(k/columns)*height)
	}
	out.Height = float64((len(shown)+columns-1)/columns) * height
	return out
}

// drawTrajectory draws the panel of one item.
func drawTrajectory(w speech, s *draw.Scene, name string, c *model.Trajectories, p model.Path, by scale, a *draw.Axes, ys []draw.Tick) {
	last := len(c.Labels) - 1
	score := w.fixed(by.at(p.Score[last]), by.decimals)
	s.Add(draw.Label{X: 0, Y: 13, Text: name, Size: 12.5, Bold: true},
		draw.Label{X: a.Right, Y: 13, Text: score, Size: 12, Anchor: draw.End})
	for _, t := range ys {
		y := a.Y(t.Value)
		s.Add(draw.Line(a.Left, y, a.Right, y, 1, draw.Grid), draw.Label{X: a.Left - 6, Y: y + 4, Text: t.Text, Size: 11, Ink: draw.Muted, Anchor: draw.End})
	}
	s.Add(draw.Path{Points: []draw.Point{a.At(a.X1, by.at(0)), a.At(a.X2, by.at(0))}, Stroke: draw.Muted, Width: 1, Dashed: true, Opacity: 0.7})
	var line, upper, lower []draw.Point
	for t := range p.Score {
		x := float64(t)
		line, upper = append(line, a.At(x, by.at(p.Score[t]))), append(upper, a.At(x, by.at(p.Hi[t])))
		lower = append([]draw.Point{a.At(x, by.at(p.Lo[t]))}, lower...)
	}
	number := func(x float64) string { return w.fixed(by.at(x), by.decimals) }
	s.Add(draw.Group{Title: w.Say("chart-course-title", label(p.ID), number(p.Score[0]), c.Labels[0], number(p.Score[last]), number(p.Lo[last]), number(p.Hi[last]), c.Labels[last]),
		Marks: []draw.Mark{
			draw.Path{Points: append(upper, lower...), Fill: draw.Accent, Opacity: 0.18},
			draw.Path{Points: line, Stroke: draw.Accent, Width: 2},
			draw.Disc{X: line[last].X, Y: line[last].Y, R: 2.5, Fill: draw.Accent},
		}})
	half := (a.Right-a.Left)/2 - 4
	s.Add(draw.Label{X: a.Left, Y: a.Bottom + 13, Text: draw.Fit(c.Labels[0], half, 10.5, false), Size: 10.5, Ink: draw.Muted},
		draw.Label{X: a.Right, Y: a.Bottom + 13, Text: draw.Fit(c.Labels[last], half, 10.5, false), Size: 10.5, Ink: draw.Muted, Anchor: draw.End})
}
