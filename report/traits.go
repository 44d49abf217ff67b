package report

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"palate/internal/draw"
	"palate/model"
)

// traitVoters is the number of voters that a chart of traits shows, those who are most unusual.
const traitVoters = 25

// Traits shows how voters vote beside what they like, with intervals of a level; nil where a model
// knows nothing of that. It fails only when ctx ends.
func Traits(ctx context.Context, m model.Model, level float64, o Options) (*Chart, error) {
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
	w := in(o.Language)
	c := &Chart{Name: "traits", Title: w.Say("chart-traits"), Head: []string{w.Say("chart-voter")}}
	var says []string
	for k, t := range all {
		c.Head = append(c.Head, w.trait(t.Name), w.Say("chart-from"), w.Say("chart-to"))
		for u, e := range t.Of {
			if k == 0 {
				c.Rows = append(c.Rows, []string{label(e.Voter)})
			}
			c.Rows[u] = append(c.Rows[u], w.fixed(e.Value, 2), w.fixed(e.Lo, 2), w.fixed(e.Hi, 2))
		}
		c.Note += w.Say("chart-trait-note", w.trait(t.Name), w.traitSays(t)) + " "
		first := unusual(t)[0]
		says = append(says, w.Say("chart-traits-alt", w.trait(t.Name), len(t.Of), label(first.Voter), w.fixed(first.Value, 2), w.fixed(first.Lo, 2), w.fixed(first.Hi, 2)))
	}
	c.Note += w.Say("chart-traits-note", w.percent(level))
	if len(all[0].Of) > traitVoters {
		c.Note += " " + w.Say("chart-unusual-voters", strconv.Itoa(traitVoters), len(all[0].Of))
	}
	c.Alt = strings.Join(says, ". ")
	c.draw = func(width float64) *draw.Scene { return drawTraits(w, all, width) }
	return c, nil
}

// unusual are the voters by how surely they are, the most first.
func unusual(t model.Trait) []model.Estimate {
	far := func(e model.Estimate) float64 { return math.Abs(e.Value-t.Usual) / max(e.Hi-e.Lo, 1e-9) }
	out := slices.Clone(t.Of)
	slices.SortStableFunc(out, func(a, b model.Estimate) int { return cmp.Compare(far(b), far(a)) })
	return out
}

func drawTraits(w speech, all []model.Trait, width float64) *draw.Scene {
	s := draw.New(width)
	for k, t := range all {
		if k > 0 {
			s.Height += 18
		}
		shown := unusual(t)
		shown = shown[:min(traitVoters, len(shown))]
		slices.SortStableFunc(shown, func(a, b model.Estimate) int { return cmp.Compare(b.Value, a.Value) })
		var rows []forestRow
		for _, e := range shown {
			rows = append(rows, forestRow{legible(e.Voter), "", e.Value, e.Lo, e.Hi, w.fixed(e.Value, 2),
				w.Say("chart-traits-title", label(e.Voter), w.fixed(e.Value, 2), w.fixed(e.Lo, 2), w.fixed(e.Hi, 2)), draw.Accent})
		}
		s.Add(draw.Label{X: 0, Y: s.Height + 16, Text: w.trait(t.Name), Size: 13, Bold: true})
		s.Height += 26
		drawForest(s, w, rows, t.Usual, t.Usual, factors(t, shown))
	}
	return s
}

// factors reports whether numbers of voters are factors of what is usual: all are above zero, and so
// is that.
func factors(t model.Trait, shown []model.Estimate) bool {
	return t.Usual > 0 && !slices.ContainsFunc(shown, func(e model.Estimate) bool { return !(e.Lo > 0) })
}

// trait names a trait, and traitSays what it is; those that there are no words for are said
// in English.
func (s speech) trait(name string) string {
	switch name {
	case "left side":
		return s.Say("trait-left-side")
	case "reliability":
		return s.Say("trait-reliability")
	case "margin of ties":
		return s.Say("trait-margin")
	}
	return name
}

func (s speech) traitSays(t model.Trait) string {
	switch t.Name {
	case "left side":
		return s.Say("trait-left-side-says")
	case "reliability":
		return s.Say("trait-reliability-says")
	case "margin of ties":
		return s.Say("trait-margin-says")
	}
	return t.Says
}
