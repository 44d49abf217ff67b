package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"palate/internal/draw"
	"palate/model"
)

// traitVoters is the number of voters that a chart of traits shows, those who are most unusual.
const traitVoters = 25

// Traits shows how voters vote beside what they like, with intervals of a level; nil where a model
// knows nothing of that. It fails only when ctx ends.
func Traits(ctx context.Context, m model.Model, level float64) (*Chart, error) {
	known, ok := m.(interface {
		Traits(ctx context.Context, level float64) ([]model.Trait, error)
	})
	if !ok {
		return nil, nil
	}
	all, err := known.Traits(ctx, level)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	c := &Chart{Name: "traits", Title: "How voters vote", Head: []string{"voter"}}
	var says []string
	for k, t := range all {
		c.Head = append(c.Head, t.Name, "lo", "hi")
		for u, e := range t.Of {
			if k == 0 {
				c.Rows = append(c.Rows, []string{label(e.Voter)})
			}
			c.Rows[u] = append(c.Rows[u], fixed(e.Value, 2), fixed(e.Lo, 2), fixed(e.Hi, 2))
		}
		c.Note += strings.ToUpper(t.Name[:1]) + t.Name[1:] + ": " + t.Says + ". "
		first := unusual(t)[0]
		says = append(says, fmt.Sprintf("%s of %s: most unusual %s with %s, between %s and %s", t.Name, count(float64(len(t.Of)), "voter"), label(first.Voter), fixed(first.Value, 2), fixed(first.Lo, 2), fixed(first.Hi, 2)))
	}
	c.Note += fmt.Sprintf("Dots are what is known of a voter, lines %s intervals; the upright line is where nothing is unusual.", percent(level))
	if len(all[0].Of) > traitVoters {
		c.Note += fmt.Sprintf(" The %d voters of %d who are most unusual are shown.", traitVoters, len(all[0].Of))
	}
	c.Alt = strings.Join(says, ". ")
	c.draw = func(width float64) *draw.Scene { return drawTraits(all, width) }
	return c, nil
}

// unusual are the voters by how surely they are, the most first.
func unusual(t model.Trait) []model.Estimate {
	far := func(e model.Estimate) float64 { return math.Abs(e.Value-t.Usual) / max(e.Hi-e.Lo, 1e-9) }
	out := slices.Clone(t.Of)
	slices.SortStableFunc(out, func(a, b model.Estimate) int { return cmp.Compare(far(b), far(a)) })
	return out
}

func drawTraits(all []model.Trait, width float64) *draw.Scene {
	s := draw.New(width)
	const row, size = 22, 12.5
	for k, t := range all {
		if k > 0 {
			s.Height += 18
		}
		shown := unusual(t)
		shown = shown[:min(traitVoters, len(shown))]
		slices.SortStableFunc(shown, func(a, b model.Estimate) int { return cmp.Compare(b.Value, a.Value) })
		lo, hi, names := t.Usual, t.Usual, 0.0
		for _, e := range shown {
			lo, hi = min(lo, e.Lo), max(hi, e.Hi)
			names = max(names, draw.TextWidth(label(e.Voter), size, false))
		}
		if hi == lo {
			hi++
		}
		room := min(names, 0.3*width)
		top := s.Height + 40
		s.Add(draw.Label{X: 0, Y: s.Height + 16, Text: t.Name, Size: 13, Bold: true})
		a := &draw.Axes{Left: room + 16, Right: width - 44, Top: top, Bottom: top + row*float64(len(shown)), X1: lo, X2: hi, Y1: 0, Y2: 1}
		a.Grid(s, draw.Ticks(lo, hi, 5), nil)
		s.Add(draw.Line(a.X(t.Usual), a.Top, a.X(t.Usual), a.Bottom, 1.5, draw.Quiet))
		for i, e := range shown {
			y := top + row*(float64(i)+0.5)
			s.Add(draw.Label{X: 0, Y: y + 4, Text: draw.Fit(label(e.Voter), room, size, false), Size: size})
			s.Add(draw.Group{Title: fmt.Sprintf("%s: %s, between %s and %s", label(e.Voter), fixed(e.Value, 2), fixed(e.Lo, 2), fixed(e.Hi, 2)), Marks: []draw.Mark{
				draw.Line(a.X(e.Lo), y, a.X(e.Hi), y, 2, draw.Accent),
				draw.Disc{X: a.X(e.Value), Y: y, R: 4.5, Fill: draw.Accent, Stroke: draw.Paper, Width: 1},
			}})
			s.Add(draw.Label{X: width, Y: y + 4, Text: fixed(e.Value, 2), Size: size, Ink: draw.Muted, Anchor: draw.End})
		}
		s.Height = a.Bottom + 24
	}
	return s
}
