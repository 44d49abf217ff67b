package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	crowds "palate/crowd"
)

// Trait is how voters vote beside what they like, each as far as a model knows.
type Trait struct {
	Name string // in a word or two
	Says string // what its numbers are
	// Usual is the number of somebody who has nothing of it.
	Usual float64
	Of    []Estimate // of voters, by their numbers
}

// Estimate is a number of a voter with an interval.
type Estimate struct {
	Voter         string
	Value, Lo, Hi float64
}

// Names of traits.
const (
	leanTrait        = "left side"
	reliabilityTrait = "reliability"
	marginTrait      = "margin of ties"
)

// Traits returns what the left side is worth to each voter, with intervals of a level, where it is
// worth something. It fails only when ctx ends.
func (m *Population) Traits(ctx context.Context, level float64) ([]Trait, error) {
	l := m.family.Leans
	if l == nil {
		return nil, ctx.Err()
	}
	sd, err := m.family.LeanErrors(ctx)
	if err != nil {
		return nil, err
	}
	t := Trait{Name: leanTrait, Says: "what the left side is worth to a voter, in units of the noise of one vote"}
	z := math.Sqrt2 * math.Erfinv(level)
	for u, k := range m.person {
		if k >= 0 {
			t.Of = append(t.Of, Estimate{m.UserID(u), l.Of[k], l.Of[k] - z*sd[k], l.Of[k] + z*sd[k]})
		}
	}
	return []Trait{t}, nil
}

// Traits returns how careful voters are, and how readily they call a tie, as far as the crowd tells
// classes of them apart, with intervals of a level.
func (m *Crowd) Traits(ctx context.Context, level float64) (all []Trait, err error) {
	for _, t := range []struct {
		Trait
		of func(crowds.Class) float64
	}{
		{Trait{Name: reliabilityTrait, Says: "how far votes follow the voter's own likings: 1 as usual, 0 not at all", Usual: 1}, func(c crowds.Class) float64 { return c.Slope }},
		{Trait{Name: marginTrait, Says: "the margin below which the voter calls a tie, in units of the noise of one vote", Usual: m.learnt.Threshold}, func(c crowds.Class) float64 { return c.Margin }},
	} {
		differ := false
		for u, k := range m.voter {
			if k < 0 {
				continue
			}
			classes := m.learnt.Classes(k)
			e := classEstimate(m.UserID(u), classes, t.of, level)
			differ = differ || e.Lo != t.Usual || e.Hi != t.Usual
			t.Of = append(t.Of, e)
		}
		if differ {
			all = append(all, t.Trait)
		}
	}
	return all, ctx.Err()
}

// classEstimate is the mean of a number of classes by their probability, and what is between its
// quantiles.
func classEstimate(voter string, classes []crowds.Class, of func(crowds.Class) float64, level float64) Estimate {
	classes = slices.Clone(classes)
	slices.SortStableFunc(classes, func(a, b crowds.Class) int { return cmp.Compare(of(a), of(b)) })
	e := Estimate{Voter: voter, Lo: math.NaN()}
	var below float64
	for _, c := range classes {
		e.Value += c.Share * of(c)
		if below < (1+level)/2 {
			e.Hi = of(c)
		}
		if below += c.Share; math.IsNaN(e.Lo) && below > (1-level)/2 {
			e.Lo = of(c)
		}
	}
	return e
}
