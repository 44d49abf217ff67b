package model

import (
	"cmp"
	"context"
	"math"
	"slices"

	crowds "palate/crowd"
	"palate/internal/num"
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

// Traits returns what the left side is worth to each voter, where it is worth something, and how
// reliable each is, where voters more likely than not differ in that, with intervals of a level. It fails only when ctx ends.
func (m *Population) Traits(ctx context.Context, level float64) (all []Trait, err error) {
	if l := m.family.Leans; l != nil {
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
		all = append(all, t)
	}
	if f := m.family.Reliable(); f != nil && f.Weight >= 0.5 {
		levels, chance, err := f.Reliability(ctx)
		if err != nil {
			return nil, err
		}
		t := reliability()
		for u, k := range m.person {
			if k < 0 {
				continue
			}
			of := make([]float64, len(levels))
			for c := range chance {
				of[c] = f.Weight * chance[c][k]
			}
			t.Of = append(t.Of, reliabilityEstimate(m.UserID(u), levels, of, level))
		}
		all = append(all, t)
	}
	return all, ctx.Err()
}

// reliability is that trait, of nobody yet.
func reliability() Trait {
	return Trait{Name: reliabilityTrait, Says: "how far votes follow the voter's own likings: 1 as usual, 0 not at all", Usual: 1}
}

// Traits returns how careful voters are, and how readily they call a tie, as far as the crowd tells
// classes of them apart, with intervals of a level.
func (m *Crowd) Traits(ctx context.Context, level float64) (all []Trait, err error) {
	for _, t := range []struct {
		Trait
		of func(crowds.Class) float64
	}{
		{reliability(), func(c crowds.Class) float64 { return c.Slope }},
		{Trait{Name: marginTrait, Says: "the margin below which the voter calls a tie, in units of the noise of one vote", Usual: m.learnt.Threshold}, func(c crowds.Class) float64 { return c.Margin }},
	} {
		differ := false
		for u, k := range m.voter {
			if k < 0 {
				continue
			}
			var levels, chance []float64
			for _, c := range m.learnt.Classes(k) {
				levels, chance = append(levels, t.of(c)), append(chance, c.Share)
			}
			e := levelEstimate(m.UserID(u), levels, chance, level)
			differ = differ || e.Lo != t.Usual || e.Hi != t.Usual
			t.Of = append(t.Of, e)
		}
		if differ {
			all = append(all, t.Trait)
		}
	}
	return all, ctx.Err()
}

// levelEstimate is the mean of a number that has one of several levels, each with its chance, and what
// is between its quantiles.
func levelEstimate(voter string, levels, chance []float64, level float64) Estimate {
	order := num.Indices(len(levels))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(levels[a], levels[b]) })
	e := Estimate{Voter: voter, Lo: math.NaN()}
	var below float64
	for _, k := range order {
		e.Value += chance[k] * levels[k]
		if below < (1+level)/2 {
			e.Hi = levels[k]
		}
		if below += chance[k]; math.IsNaN(e.Lo) && below > (1-level)/2 {
			e.Lo = levels[k]
		}
	}
	return e
}

// reliabilityEstimate is what is known of a reliability that has one of several levels, each with its
// chance, and is as usual otherwise. A level stands for all that is nearer to it than to others: the
// logarithm is anywhere there.
func reliabilityEstimate(voter string, levels, chance []float64, level float64) Estimate {
	half := math.Log(levels[1]/levels[0]) / 2
	usual := 1.0
	for _, p := range chance {
		usual -= p
	}
	below := func(x float64) (sum float64) { // the chance that the logarithm is at most x
		for k, c := range levels {
			sum += chance[k] * min(max((x-math.Log(c))/(2*half)+0.5, 0), 1)
		}
		if x >= 0 {
			sum += usual
		}
		return sum
	}
	quantile := func(p float64) float64 {
		lo, hi := math.Log(levels[0])-half, math.Log(levels[len(levels)-1])+half
		for range 60 {
			if mid := (lo + hi) / 2; below(mid) < p {
				lo = mid
			} else {
				hi = mid
			}
		}
		return math.Exp(hi)
	}
	e := Estimate{Voter: voter, Value: usual, Lo: quantile((1 - level) / 2), Hi: quantile((1 + level) / 2)}
	for k, c := range levels {
		e.Value += chance[k] * c
	}
	return e
}
