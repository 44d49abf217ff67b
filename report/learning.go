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
	a := &axes{left: 46, right: s.Width - 12, top: 30, bottom: 230, logX: true, y1: coin, y2: coin}
	a.x1, a.x2 = lessons[0].Votes/1.15, lessons[len(lessons)-1].Votes*1.15
	for _, l := range lessons {
		e := value(l.Score)
		a.y1, a.y2 = min(a.y1, e.Lo), max(a.y2, e.Hi)
	}
	room := 0.08 * (a.y2 - a.y1)
	a.y1, a.y2 = a.y1-room, a.y2+room
	var xs []draw.Tick
	end := math.Inf(-1)
	for _, l := range lessons {
		t := draw.Tick{Value: l.Votes, Text: fixed(l.Votes, 0)}
		if w := draw.TextWidth(t.Text, 11, false); a.x(l.Votes)-w/2 > end+6 {
			xs, end = append(xs, t), a.x(l.Votes)+w/2
		}
	}
	a.grid(s, xs, ticks(a.y1, a.y2, 5))
	a.titles(s, "votes learnt from", title)
	s.Add(draw.Path{Points: []draw.Point{{X: a.left, Y: a.y(coin)}, {X: a.right, Y: a.y(coin)}}, Stroke: draw.Muted, Width: 1, Dashed: true},
		draw.Label{X: a.right - 4, Y: a.y(coin) - 5, Text: "a coin", Size: 11, Ink: draw.Muted, Anchor: draw.End})
	var line, upper, lower []draw.Point
	var dots []draw.Mark
	for _, l := range lessons {
		e := value(l.Score)
		p := a.at(l.Votes, e.Value)
		line, upper = append(line, p), append(upper, a.at(l.Votes, e.Hi))
		lower = append([]draw.Point{a.at(l.Votes, e.Lo)}, lower...)
		dots = append(dots, draw.Group{Title: fmt.Sprintf("%s votes: %s (%s)", fixed(l.Votes, 0), fixed(e.Value, 3), spread(e)),
			Marks: []draw.Mark{draw.Disc{X: p.X, Y: p.Y, R: 4.5, Fill: ink, Stroke: draw.Paper, Width: 1.5}}})
	}
	s.Add(draw.Path{Points: append(upper, lower...), Fill: ink, Opacity: 0.15}, draw.Path{Points: line, Stroke: ink, Width: 2})
	s.Add(dots...)
	s.Height = a.bottom + 50
}
