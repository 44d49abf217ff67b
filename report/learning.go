package report

import (
	"fmt"
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
	c := &Chart{
		Name: "learning", Title: "Would more votes help?",
		Head: []string{"votes", "accuracy", "interval", "cross-entropy", "interval"},
		Note: fmt.Sprintf("How well votes that the model had not seen are predicted (%s), by how many it had learnt from; bands are %s intervals. Where the curves are flat, more votes of this kind hardly help.", h.How, percent(h.Result.Level)),
	}
	for _, l := range lessons {
		a, e := l.Score.Accuracy, l.Score.CrossEntropy
		c.Rows = append(c.Rows, []string{fixed(l.Votes, 0), fixed(a.Value, 3), spread(a), fixed(e.Value, 3), spread(e)})
	}
	first, last := lessons[0], lessons[len(lessons)-1]
	c.Alt = fmt.Sprintf("Learning curve: with %s votes %s of winners are foreseen, with %s votes %s; the cross-entropy goes from %s to %s",
		fixed(first.Votes, 0), chance(first.Score.Accuracy.Value), fixed(last.Votes, 0), chance(last.Score.Accuracy.Value), fixed(first.Score.CrossEntropy.Value, 3), fixed(last.Score.CrossEntropy.Value, 3))
	c.draw = func(width float64) *draw.Scene { return drawLearning(lessons, width) }
	return c
}

func drawLearning(lessons []Lesson, width float64) *draw.Scene {
	s := draw.New(width)
	const gap = 36
	panels := []struct {
		title string
		value func(evaluate.Score) evaluate.Estimate
		ink   draw.Ink
		coin  float64
		ticks func(lo, hi float64, n int) []draw.Tick
	}{
		{"winners foreseen", func(s evaluate.Score) evaluate.Estimate { return s.Accuracy }, draw.Accent, 0.5, percents},
		{"cross-entropy, nats (less is better)", func(s evaluate.Score) evaluate.Estimate { return s.CrossEntropy }, draw.Second, math.Ln2, draw.Ticks},
	}
	each := (width - gap) / 2
	if width < 600 {
		each = width
	}
	for k, p := range panels {
		panel := draw.New(each)
		drawLesson(panel, lessons, p.title, p.value, p.ink, p.coin, p.ticks)
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

func drawLesson(s *draw.Scene, lessons []Lesson, title string, value func(evaluate.Score) evaluate.Estimate, ink draw.Ink, coin float64, ticks func(lo, hi float64, n int) []draw.Tick) {
	a := &draw.Axes{Left: 46, Right: s.Width - 12, Top: 30, Bottom: 230, LogX: true, Y1: coin, Y2: coin}
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
		t := draw.Tick{Value: l.Votes, Text: fixed(l.Votes, 0)}
		if w := draw.TextWidth(t.Text, 11, false); a.X(l.Votes)-w/2 > end+6 {
			xs, end = append(xs, t), a.X(l.Votes)+w/2
		}
	}
	a.Grid(s, xs, ticks(a.Y1, a.Y2, 5))
	a.Titles(s, "votes learnt from", title)
	s.Add(draw.Path{Points: []draw.Point{{X: a.Left, Y: a.Y(coin)}, {X: a.Right, Y: a.Y(coin)}}, Stroke: draw.Muted, Width: 1, Dashed: true},
		draw.Label{X: a.Right - 4, Y: a.Y(coin) - 5, Text: "a coin", Size: 11, Ink: draw.Muted, Anchor: draw.End})
	var line, upper, lower []draw.Point
	var dots []draw.Mark
	for _, l := range lessons {
		e := value(l.Score)
		p := a.At(l.Votes, e.Value)
		line, upper = append(line, p), append(upper, a.At(l.Votes, e.Hi))
		lower = append([]draw.Point{a.At(l.Votes, e.Lo)}, lower...)
		dots = append(dots, draw.Group{Title: fmt.Sprintf("%s votes: %s (%s)", fixed(l.Votes, 0), fixed(e.Value, 3), spread(e)),
			Marks: []draw.Mark{draw.Disc{X: p.X, Y: p.Y, R: 4.5, Fill: ink, Stroke: draw.Paper, Width: 1.5}}})
	}
	s.Add(draw.Path{Points: append(upper, lower...), Fill: ink, Opacity: 0.15}, draw.Path{Points: line, Stroke: ink, Width: 2})
	s.Add(dots...)
	s.Height = a.Bottom + 50
}
