package report

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"palate/evaluate"
	"palate/internal/draw"
	"palate/metric"
)

// Held is how a model predicts votes that it has not seen.
type Held struct {
	Parts   int              // in which votes were held out in turn
	Of      int              // parts that there are, where only some votes were held out; 0: all were
	Result  *evaluate.Result // its first method is the model
	Lessons []Lesson         // by the number of votes; nil when there are too few
	// Language is that of charts, of Languages; empty: English.
	Language string
}

// how says how votes were held out.
func (h *Held) how(w speech) string {
	if h.Of > 0 {
		return w.Say("chart-held-some", h.Result.Cases, strconv.Itoa(h.Parts), strconv.Itoa(h.Of))
	}
	return w.Say("chart-held", strconv.Itoa(h.Parts))
}

// score is how the model did.
func (h *Held) score() evaluate.Score { return h.Result.Scores[0] }

// Reliability compares predicted chances with what came about.
func Reliability(h *Held) *Chart {
	w := in(h.Language)
	score := h.score()
	curve := score.Reliability
	c := &Chart{
		Name: "reliability", Title: w.Say("chart-reliability"),
		Head: []string{w.Say("chart-predicted"), w.Say("chart-came-about"), w.Say("chart-from"), w.Say("chart-to"), w.Say("chart-votes")},
		Note: w.Say("chart-reliability-note", h.how(w), w.percent(h.Result.Level)),
	}
	if len(h.Result.Scores) > 1 {
		c.Note += " " + w.verdict(h.Result.Finding())
	}
	for _, b := range curve {
		if b.Weight > 0 {
			lo, hi := b.Interval(h.Result.Level)
			c.Rows = append(c.Rows, []string{w.fixed(b.Predicted, 3), w.fixed(b.Observed, 3), w.fixed(lo, 3), w.fixed(hi, 3), w.cell(b.Weight)})
		}
	}
	c.Alt = w.Say("chart-reliability-alt", h.Result.Cases, w.Chance(score.Accuracy.Value), w.fixed(score.ECE.Value, 3))
	measures := [][3]string{
		{w.Say("chart-foreseen"), w.Chance(score.Accuracy.Value), w.spread(score.Accuracy)},
		{w.Say("chart-cross-entropy-coin", w.fixed(math.Ln2, 3)), w.fixed(score.CrossEntropy.Value, 3), w.spread(score.CrossEntropy)},
		{w.Say("chart-brier-coin", w.fixed(0.25, 3)), w.fixed(score.Brier.Value, 3), w.spread(score.Brier)},
		{w.Say("chart-calibration-error"), w.fixed(score.ECE.Value, 3), w.spread(score.ECE)},
	}
	c.draw = func(width float64) *draw.Scene {
		s := drawReliability(w, curve, h.Result.Level, width)
		drawMeasures(s, measures)
		return s
	}
	return c
}

// verdict says which differences between methods are real.
func (s speech) verdict(f evaluate.Finding) string {
	text := s.differences(f)
	if f.Best == "coin" || f.Best == "majority" { // in words, at the head of a sentence
		first, size := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	return text
}

func (s speech) differences(f evaluate.Finding) string {
	method := func(name string) string {
		switch name {
		case "coin":
			return s.Say("chart-a-coin")
		case "majority":
			return s.Say("method-majority")
		}
		return name // of a model
	}
	if len(f.Worse) == 0 && len(f.Close) == 0 {
		return s.Say("verdict-alone", method(f.Best))
	}
	text := s.Say("verdict-best", method(f.Best))
	if len(f.Worse) > 0 {
		var worse []string
		for _, name := range f.Worse {
			worse = append(worse, method(name))
		}
		text = s.Say("verdict-better", method(f.Best), strings.Join(worse, s.Say("comma")))
	}
	var near []string
	for _, d := range f.Close {
		by := s.fixed(d.CrossEntropy.Value, 3)
		if !math.IsNaN(d.CrossEntropy.SE) { // more than one unit was held out
			by += " ± " + s.fixed(d.CrossEntropy.SE, 3)
		}
		near = append(near, method(d.B)+" ("+by+")")
	}
	if len(near) > 0 {
		text += " " + s.Say("verdict-chance", strings.Join(near, s.Say("comma")))
	}
	for _, name := range f.Unknown {
		text += " " + s.Say("verdict-coin", name)
	}
	return text
}

// spread shows the interval of an estimate.
func (s speech) spread(e evaluate.Estimate) string {
	if math.IsNaN(e.Lo) {
		return ""
	}
	return s.span(e.Lo, e.Hi, 3)
}

// besides is the room for measures beside the curve.
const besides = 250

// drawMeasures shows numbers beside the curve, or below it on narrow screens.
func drawMeasures(s *draw.Scene, measures [][3]string) {
	x, y, columns, row := s.Width-besides+20, 50.0, 1, 84.0
	if s.Width < 2*besides {
		x, y, columns, row = 0, s.Height+20, 2, 66
		for _, m := range measures {
			if draw.TextWidth(m[0], 11.5, false) > s.Width/2-8 {
				columns = 1
			}
		}
		s.Height += 4 + row*float64(len(measures)/columns)
	}
	for k, m := range measures {
		at := draw.Point{X: x + s.Width/2*float64(k%columns), Y: y + row*float64(k/columns)}
		s.Add(draw.Label{X: at.X, Y: at.Y, Text: m[0], Size: 11.5, Ink: draw.Muted},
			draw.Label{X: at.X, Y: at.Y + 25, Text: m[1], Size: 22, Bold: true},
			draw.Label{X: at.X, Y: at.Y + 42, Text: m[2], Size: 11.5, Ink: draw.Muted})
	}
}

// drawReliability draws the curve, and below it how many votes there are at every chance,
// on an axis of their own.
func drawReliability(w speech, curve []metric.Bin, level, width float64) *draw.Scene {
	s := draw.New(width)
	a := &draw.Axes{Left: 46, Right: width - 18, Top: 30, X1: 0.5, X2: 1, Y1: 0, Y2: 1}
	if width >= 2*besides {
		a.Right = width - besides
	}
	a.Bottom = a.Top + min(a.Right-a.Left, 380)
	n := 5
	if width < 500 {
		n = 4
	}
	var heaviest float64
	for _, b := range curve {
		heaviest = max(heaviest, b.Weight)
	}
	votes := &draw.Axes{Left: a.Left, Right: a.Right, Top: a.Bottom + 36, Bottom: a.Bottom + 106, X1: a.X1, X2: a.X2, Y1: 0, Y2: max(heaviest, 1)}
	a.Grid(s, nil, w.percents(0, 1, n))
	a.Titles(s, "", w.Say("chart-share-won"))
	counts := w.ticks(0, votes.Y2, 3) // one beside 0 at least
	for k := range counts {
		counts[k].Text = w.amount(counts[k].Value)
	}
	chances := w.percents(0.5, 1, n)
	for _, t := range chances {
		s.Add(draw.Line(a.X(t.Value), a.Top, a.X(t.Value), a.Bottom, 1, draw.Grid))
	}
	votes.Grid(s, chances, counts)
	votes.Titles(s, w.Say("chart-chance-of-favourite"), w.Say("chart-number-of-votes"))
	s.Add(draw.Path{Points: []draw.Point{a.At(0.5, 0.5), a.At(1, 1)}, Stroke: draw.Muted, Width: 1, Dashed: true})
	var line []draw.Point
	var dots []draw.Mark
	for _, b := range curve {
		if b.Weight == 0 {
			continue
		}
		s.Add(draw.Rect{X: votes.X(b.Lo) + 2, Y: votes.Y(b.Weight), W: votes.X(b.Hi) - votes.X(b.Lo) - 4, H: votes.Bottom - votes.Y(b.Weight), Fill: draw.Quiet})
		lo, hi := b.Interval(level)
		p := a.At(b.Predicted, b.Observed)
		line = append(line, p)
		dots = append(dots, draw.Group{
			Title: w.Say("chart-reliability-title", w.Chance(b.Predicted), w.Chance(b.Observed), w.Chance(lo), w.Chance(hi), w.amount(math.Round(b.Weight))),
			Marks: []draw.Mark{draw.Disc{X: p.X, Y: p.Y, R: 4, Fill: draw.Accent}, upright(p.X, a.Y(hi), a.Y(lo))},
		})
	}
	s.Add(draw.Path{Points: line, Stroke: draw.Accent, Width: 1.5, Opacity: 0.5})
	s.Add(dots...)
	s.Height = votes.Bottom + 44
	return s
}
