package report

import (
	"fmt"
	"math"

	"palate/evaluate"
	"palate/internal/draw"
	"palate/metric"
)

// Held is how a model predicts votes that it has not seen.
type Held struct {
	How     string           // the votes were held out, in a few words
	Result  *evaluate.Result // its first method is the model
	Lessons []Lesson         // by the number of votes; nil when there are too few
}

// score is how the model did.
func (h *Held) score() evaluate.Score { return h.Result.Scores[0] }

// Reliability compares predicted chances with what came about.
func Reliability(h *Held) *Chart {
	score := h.score()
	curve := score.Reliability
	c := &Chart{
		Name: "reliability", Title: "Are the chances right?",
		Head: []string{"predicted", "came about", "lo", "hi", "votes"},
		Note: fmt.Sprintf("Votes that the model had not seen (%s), sorted by the chance it gave the favourite of the two items, against the share that the favourite won, ties counted half. On the diagonal chances are right; lines are %s intervals, bars the number of votes.", h.How, percent(h.Result.Level)),
	}
	if len(h.Result.Scores) > 1 {
		c.Note += " " + h.Result.Verdict()
	}
	for _, b := range curve {
		if b.Weight > 0 {
			lo, hi := b.Interval(h.Result.Level)
			c.Rows = append(c.Rows, []string{fixed(b.Predicted, 3), fixed(b.Observed, 3), fixed(lo, 3), fixed(hi, 3), amount(b.Weight)})
		}
	}
	c.Alt = fmt.Sprintf("Reliability curve over %s: %s of winners foreseen, calibration error %s", count(float64(h.Result.Cases), "held-out vote"), chance(score.Accuracy.Value), fixed(score.ECE.Value, 3))
	measures := [][3]string{
		{"winners foreseen", chance(score.Accuracy.Value), spread(score.Accuracy)},
		{"cross-entropy (a coin: 0.693)", fixed(score.CrossEntropy.Value, 3), spread(score.CrossEntropy)},
		{"Brier score (a coin: 0.250)", fixed(score.Brier.Value, 3), spread(score.Brier)},
		{"calibration error", fixed(score.ECE.Value, 3), spread(score.ECE)},
	}
	c.draw = func(width float64) *draw.Scene {
		s := drawReliability(curve, h.Result.Level, width)
		drawMeasures(s, measures)
		return s
	}
	return c
}

// spread shows the interval of an estimate.
func spread(e evaluate.Estimate) string {
	if math.IsNaN(e.Lo) {
		return ""
	}
	return fixed(e.Lo, 3) + " … " + fixed(e.Hi, 3)
}

// besides is the room for measures beside the curve.
const besides = 250

// drawMeasures shows numbers beside the curve, or below it on narrow screens.
func drawMeasures(s *draw.Scene, measures [][3]string) {
	x, y, column := s.Width-besides+20, 50.0, 0.0
	if s.Width < 2*besides {
		x, y, column = 0, s.Height+20, s.Width/2
		s.Height += 136
	}
	for k, m := range measures {
		at := draw.Point{X: x, Y: y + 84*float64(k)}
		if column > 0 {
			at = draw.Point{X: x + column*float64(k%2), Y: y + 66*float64(k/2)}
		}
		s.Add(draw.Label{X: at.X, Y: at.Y, Text: m[0], Size: 11.5, Ink: draw.Muted},
			draw.Label{X: at.X, Y: at.Y + 25, Text: m[1], Size: 22, Bold: true},
			draw.Label{X: at.X, Y: at.Y + 42, Text: m[2], Size: 11.5, Ink: draw.Muted})
	}
}

func drawReliability(curve []metric.Bin, level, width float64) *draw.Scene {
	s := draw.New(width)
	a := &draw.Axes{Left: 46, Right: width - 18, Top: 30, X1: 0.5, X2: 1, Y1: 0, Y2: 1}
	if width >= 2*besides {
		a.Right = width - besides
	}
	a.Bottom = a.Top + min(a.Right-a.Left, 440)
	n := 5
	if width < 500 {
		n = 4
	}
	a.Grid(s, percents(0.5, 1, n), percents(0, 1, n))
	a.Titles(s, "chance of the favourite", "share that it won")
	s.Add(draw.Path{Points: []draw.Point{a.At(0.5, 0.5), a.At(1, 1)}, Stroke: draw.Muted, Width: 1, Dashed: true})
	var heaviest float64
	for _, b := range curve {
		heaviest = max(heaviest, b.Weight)
	}
	var line []draw.Point
	var dots []draw.Mark
	for _, b := range curve {
		if b.Weight == 0 {
			continue
		}
		tall := b.Weight / heaviest * 0.18 * (a.Bottom - a.Top)
		s.Add(draw.Rect{X: a.X(b.Lo) + 2, Y: a.Bottom - tall, W: a.X(b.Hi) - a.X(b.Lo) - 4, H: tall, Fill: draw.Quiet, Opacity: 0.45})
		lo, hi := b.Interval(level)
		p := a.At(b.Predicted, b.Observed)
		line = append(line, p)
		dots = append(dots, draw.Group{
			Title: fmt.Sprintf("predicted %s, came about %s (%s to %s), %s", chance(b.Predicted), chance(b.Observed), chance(lo), chance(hi), count(math.Round(b.Weight), "vote")),
			Marks: []draw.Mark{
				draw.Rect{X: p.X - 1.5, Y: a.Y(hi), W: 3, H: max(3, a.Y(lo)-a.Y(hi)), Radius: 1.5, Fill: draw.Accent, Opacity: 0.45},
				draw.Disc{X: p.X, Y: p.Y, R: 5, Fill: draw.Accent, Stroke: draw.Paper, Width: 1.5},
			},
		})
	}
	s.Add(draw.Path{Points: line, Stroke: draw.Accent, Width: 1.5, Opacity: 0.7})
	s.Add(dots...)
	s.Height = a.Bottom + 44
	return s
}

// percents are ticks of a share.
func percents(lo, hi float64, n int) []draw.Tick {
	ticks := draw.Ticks(100*lo, 100*hi, n)
	for k := range ticks {
		ticks[k].Value /= 100
		ticks[k].Text += " %"
	}
	return ticks
}
