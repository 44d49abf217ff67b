package report

import (
	"math"

	"palate/evaluate"
	"palate/internal/draw"
)

// Lesson is how well held-out votes are predicted after some number of votes.
type Lesson struct {
	Votes float64
	Score evaluate.Score
}

// Learning shows how predictions improve with the number of votes.
func Learning(h *Held) *Chart {
	lessons := h.Lessons
	if len(lessons) == 0 {
		return nil
	}
	w := in(h.Language)
	c := &Chart{
		Name: "learning", Title: w.Say("chart-learning"),
		Head: []string{w.Say("chart-votes"), w.Say("chart-foreseen"), w.Say("chart-interval"), w.Say("chart-cross-entropy"), w.Say("chart-interval")},
		Note: w.Say("chart-learning-note", h.how(w), w.percent(h.Result.Level)),
	}
	for _, l := range lessons {
		a, e := l.Score.Accuracy, l.Score.CrossEntropy
		c.Rows = append(c.Rows, []string{w.cell(math.Round(l.Votes)), w.fixed(a.Value, 3), w.spread(a), w.fixed(e.Value, 3), w.spread(e)})
	}
	first, last := lessons[0], lessons[len(lessons)-1]
	c.Alt = w.Say("chart-learning-alt", w.amount(math.Round(first.Votes)), w.Chance(first.Score.Accuracy.Value), w.amount(math.Round(last.Votes)), w.Chance(last.Score.Accuracy.Value), w.fixed(first.Score.CrossEntropy.Value, 3), w.fixed(last.Score.CrossEntropy.Value, 3))
	c.draw = func(width float64) *draw.Scene { return drawLearning(w, lessons, width) }
	return c
}

func drawLearning(w speech, lessons []Lesson, width float64) *draw.Scene {
	s := draw.New(width)
	const gap = 36
	panels := []struct {
		title string
		value func(evaluate.Score) evaluate.Estimate
		ink   draw.Ink
		coin  float64
		ticks func(lo, hi float64, n int) []draw.Tick
	}{
		{w.Say("chart-foreseen"), func(s evaluate.Score) evaluate.Estimate { return s.Accuracy }, draw.Accent, 0.5, w.percents},
		{w.Say("chart-cross-entropy-less"), func(s evaluate.Score) evaluate.Estimate { return s.CrossEntropy }, draw.Second, math.Ln2, w.ticks},
	}
	each := (width - gap) / 2
	if width < 600 {
		each = width
	}
	for k, p := range panels {
		panel := draw.New(each)
		drawLesson(w, panel, lessons, p.title, p.value, p.ink, p.coin, p.ticks)
		if each == width {
			s.Put(panel, 0, s.Height)
			s.Height += panel.Height
			continue
		}
		s.Put(panel, float64(k)*(each+gap), 0)
		s.Height = panel.Height
	}
	return s
}

func drawLesson(w speech, s *draw.Scene, lessons []Lesson, title string, value func(evaluate.Score) evaluate.Estimate, ink draw.Ink, coin float64, ticks func(lo, hi float64, n int) []draw.Tick) {
	last := w.amount(math.Round(lessons[len(lessons)-1].Votes))
	a := &draw.Axes{Left: 46, Right: s.Width - max(12, draw.TextWidth(last, 11, false)/2), Top: 30, Bottom: 230, LogX: true, Y1: coin, Y2: coin}
	a.X1, a.X2 = lessons[0].Votes/1.15, lessons[len(lessons)-1].Votes*1.15
	for _, l := range lessons {
		e := value(l.Score)
		a.Y1, a.Y2 = min(a.Y1, e.Lo), max(a.Y2, e.Hi)
	}
	room := 0.08 * (a.Y2 - a.Y1)
	a.Y1, a.Y2 = a.Y1-room, a.Y2+room
	var xs []draw.Tick
	end := math.Inf(-1)
	for _, l := range lessons {
		t := draw.Tick{Value: l.Votes, Text: w.amount(math.Round(l.Votes))}
		if half := draw.TextWidth(t.Text, 11, false) / 2; a.X(l.Votes)-half > end+6 {
			xs, end = append(xs, t), a.X(l.Votes)+half
		}
	}
	a.Grid(s, xs, ticks(a.Y1, a.Y2, 5))
	a.Titles(s, w.Say("chart-votes-learnt-from"), title)
	s.Add(draw.Path{Points: []draw.Point{{X: a.Left, Y: a.Y(coin)}, {X: a.Right, Y: a.Y(coin)}}, Stroke: draw.Muted, Width: 1, Dashed: true},
		draw.Label{X: a.Right - 4, Y: a.Y(coin) - 5, Text: w.Say("chart-a-coin"), Size: 11, Ink: draw.Muted, Anchor: draw.End})
	var line, upper, lower []draw.Point
	var dots []draw.Mark
	for _, l := range lessons {
		e := value(l.Score)
		p := a.At(l.Votes, e.Value)
		line, upper = append(line, p), append(upper, a.At(l.Votes, e.Hi))
		lower = append([]draw.Point{a.At(l.Votes, e.Lo)}, lower...)
		dots = append(dots, draw.Group{Title: w.Say("chart-learning-title", w.amount(math.Round(l.Votes)), w.fixed(e.Value, 3), w.spread(e)),
			Marks: []draw.Mark{draw.Disc{X: p.X, Y: p.Y, R: 3, Fill: ink}}})
	}
	s.Add(draw.Path{Points: append(upper, lower...), Fill: ink, Opacity: 0.15}, draw.Path{Points: line, Stroke: ink, Width: 2})
	s.Add(dots...)
	s.Height = a.Bottom + 50
}
