package report

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"palate/internal/draw"
	"palate/survey"
)

// mostPortfolios is the number of items of the largest portfolio that is shown, and reached
// the reach from which on larger ones are not.
const (
	mostPortfolios = 10
	reached        = 0.995
)

// top is how many items a voter likes best, for reach.
func (s *Survey) top() int { return min(3, max(1, s.Model.NumItems()/4)) }

// portfolio is the one of so many items that reaches most.
func (s *Survey) portfolio(ctx context.Context, size int) (p *survey.Portfolio, err error) {
	if s.reach == nil {
		if s.reach, err = survey.Reaching(ctx, s.Model, s.Users, &survey.Options{Top: s.top(), Seed: s.Seed}); err != nil {
			return nil, err
		}
	}
	return s.reach.Portfolio(ctx, size, nil)
}

// byScore puts items in the order of their scores.
func byScore(all []survey.Item) []survey.Item {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b survey.Item) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// Portfolios shows, for every number of items, which reach most voters.
func Portfolios(ctx context.Context, s *Survey, o Options) (*Chart, error) {
	w := in(o.Language)
	c := &Chart{Name: "portfolios", Title: w.Say("chart-portfolios"), Head: []string{w.Say("chart-size"), w.Say("chart-items"), w.Say("chart-reach"), w.Say("chart-frequency"), w.Say("chart-at-most")}}
	c.Note = w.Say("chart-portfolios-note", w.Count(len(s.Users)), w.Count(s.top()))
	var all []*survey.Portfolio
	var said []string
	inexact := 0 // the first size
	for size := 1; size <= min(mostPortfolios, s.Model.NumItems()); size++ {
		p, err := s.portfolio(ctx, size)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
		if !p.Exact && inexact == 0 {
			inexact = size
		}
		c.Rows = append(c.Rows, []string{w.Count(size), strings.Join(s.names(p), w.Say("comma")), w.Percent(p.Reach), w.fixed(p.Frequency, 2), w.Percent(p.Bound)})
		said = append(said, w.Count(size)+": "+w.Percent(p.Reach))
		if p.Reach >= reached {
			break
		}
	}
	if inexact > 0 {
		c.Note += " " + w.Say("chart-portfolios-bound", w.Count(inexact))
	} else {
		c.Note += " " + w.Say("chart-portfolios-best")
	}
	c.Note += s.leftOut(w)
	c.Alt = w.Say("chart-portfolios-alt", w.list(said, mostPortfolios))
	c.list(w, len(all), len(all), func(width float64, n int) *draw.Scene { return drawPortfolios(w, s, all[:n], width) })
	return c, nil
}

// names are those of the items of a portfolio.
func (s *Survey) names(p *survey.Portfolio) (names []string) {
	for _, i := range p.Items {
		names = append(names, label(s.Model.ItemID(i)))
	}
	return names
}

// drawPortfolios names the items of every portfolio above a bar of what they reach.
func drawPortfolios(w speech, s *Survey, all []*survey.Portfolio, width float64) *draw.Scene {
	const size, left, column = 12.5, 30, 64
	out := draw.New(width)
	bar := width - left - 2*column - 12
	out.Add(draw.Label{X: width - column, Y: 12, Text: draw.Fit(w.Say("chart-reach"), column, 11, false), Size: 11, Ink: draw.Muted, Anchor: draw.End},
		draw.Label{X: width, Y: 12, Text: draw.Fit(w.Say("chart-frequency"), column-4, 11, false), Size: 11, Ink: draw.Muted, Anchor: draw.End})
	y := 18.0
	for _, p := range all {
		lines := draw.Wrap(strings.Join(s.names(p), w.Say("comma")), width-left, size)
		out.Add(draw.Label{X: 0, Y: y + 16, Text: w.Count(len(p.Items)), Size: 15, Bold: true})
		for _, line := range lines {
			out.Add(draw.Label{X: left, Y: y + 15, Text: draw.Fit(line, width-left, size, false), Size: size})
			y += 17
		}
		reach := w.Percent(p.Reach)
		out.Add(draw.Rect{X: left, Y: y + 6, W: bar, H: 10, Radius: 3, Fill: draw.Grid},
			draw.Group{Title: w.list(s.names(p), mostPortfolios) + ": " + reach, Marks: []draw.Mark{draw.Rect{X: left, Y: y + 6, W: bar * p.Reach, H: 10, Radius: 3, Fill: draw.Accent}}},
			draw.Label{X: width - column, Y: y + 16, Text: reach, Size: size, Bold: true, Anchor: draw.End},
			draw.Label{X: width, Y: y + 16, Text: w.fixed(p.Frequency, 2), Size: size, Ink: draw.Muted, Anchor: draw.End})
		y += 32
	}
	out.Height = y
	return out
}
