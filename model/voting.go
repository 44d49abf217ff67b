package model

import (
	"math"
	"slices"

	"palate/internal/num"
	"palate/likelihood"
)

// voting is the likelihood of all outcomes of a vote.
type voting struct {
	family    Likelihood
	threshold float64            // of ties, of voters whose habit is as the others'; 0: no ties
	repeat    float64            // the part of the noise's variance that a voter repeats, see infer.Effects
	habits    *likelihood.Habits // of calling ties; nil: all have the same
	sides     Sides
	lean      float64   // the deviation of voters' own bonuses for the left item; 0: it was not learnt
	learnt    []float64 // of every effect of the context, where these are learnt and not integrated out; nil: they are not
}

// as returns the likelihoods of a win of the first item of a row and of a tie, for voters
// of a habit; noise is that of a probit.
func (v voting) as(h likelihood.Habit, noise float64) (win, tie likelihood.Scalar) {
	t := v.threshold * h.Margin
	switch v.family {
	case Logit:
		win, tie = likelihood.Logit{Offset: t}, likelihood.RaoKupper{Threshold: t}
	case Davidson:
		win, tie = likelihood.Davidson{Ties: t}, likelihood.Davidson{Ties: t, Draw: true}
		if t == 0 {
			win = likelihood.Logit{}
		}
	default:
		win, tie = likelihood.Probit{Offset: t, Noise: noise}, likelihood.Tie{Threshold: t, Noise: noise}
	}
	if h.Lapse > 0 {
		win, tie = likelihood.Lapse{Of: win, Share: h.Lapse}, likelihood.Lapse{Of: tie, Share: h.Lapse, Draw: true}
	}
	return win, tie
}

// wider returns the same with margins whose logarithms are larger by d.
func (v voting) wider(d float64) voting {
	v.threshold *= math.Exp(d)
	return v
}

// plain is the habit of those who have the common margin.
var plain = likelihood.Habit{Margin: 1}

// win returns the likelihood that the first item of a row wins, for voters of the common
// margin.
func (v voting) win() likelihood.Scalar {
	win, _ := v.as(plain, 0)
	return win
}

// tie returns that of a tie.
func (v voting) tie() likelihood.Scalar {
	_, tie := v.as(plain, 0)
	return tie
}

// of returns the likelihood of each row of o.
func (v voting) of(o *observations) []likelihood.Scalar {
	habits := []likelihood.Habit{plain}
	if v.habits != nil {
		habits = v.habits.Of
	}
	win, tie := v.steps()
	shared := math.Sqrt(1 - v.repeat)                  // the rest of the noise is the voter's
	kinds := make([][4]likelihood.Scalar, len(habits)) // with all noise and with what is left, a win and a tie
	out := make([]likelihood.Scalar, len(o.outcome))
	for r, kind := range o.outcome {
		if o.inAnswer(r) {
			if out[r] = win; kind == tied {
				out[r] = tie
			}
			continue
		}
		at, of := 0, int(kind)
		if v.habits != nil {
			at = o.habit[r]
		}
		noise := 0.0
		if v.together(o, r) {
			noise, of = shared, of+2
		}
		if kinds[at][of] == nil {
			win, tie := v.as(habits[at], noise)
			kinds[at][of&2], kinds[at][of&2+1] = win, tie
		}
		out[r] = v.at(kinds[at][of], o, r)
	}
	return out
}

// steps are the likelihoods of a win and of a tie between what an answer about several items
// drew of their utilities, which has all of the noise.
func (v voting) steps() (win, tie likelihood.Scalar) {
	return likelihood.Step{Offset: v.threshold}, likelihood.Within{Threshold: v.threshold}
}

// together reports whether the votes of row r of o are one observation: those of a voter
// who met the pair again share noise, and near to all of it makes of each but a step.
func (v voting) together(o *observations, r int) bool {
	return v.repeat > 0 && o.group[r] >= 0 && !o.inAnswer(r)
}

// counts are how often each row of o was observed.
func (v voting) counts(o *observations) []float64 {
	if v.repeat == 0 {
		return o.count
	}
	out := slices.Clone(o.count)
	for r := range out {
		if v.together(o, r) {
			out[r] = 1
		}
	}
	return out
}

// at is a likelihood as row r of o has it: with its weight, and effects that are learnt.
func (v voting) at(l likelihood.Scalar, o *observations, r int) likelihood.Scalar {
	weight := 1.0
	if o.power != nil {
		weight = o.power[r]
	}
	if v.together(o, r) {
		weight *= o.count[r]
	}
	l = likelihood.Raised(l, weight)
	if v.learnt != nil && o.context != nil {
		if by := o.context.Dot(r, v.learnt); by != 0 {
			l = likelihood.Shifted{Of: l, By: by}
		}
	}
	return l
}

// prefer returns the probability of a win given that there is no tie, for a
// difference with mean m and variance v.
func (v voting) prefer(m, variance float64) float64 {
	win, lose := v.chances(m, variance)
	return win / (win + lose)
}

// chances returns the probabilities of a win of the first and of the second, of a vote by
// somebody whose habits are not known.
func (v voting) chances(m, variance float64) (win, lose float64) {
	if v.habits == nil {
		return v.chancesOf(plain, m, variance)
	}
	x, w := num.GaussHermite(habitPoints)
	for k := range x {
		a, b := v.chancesOf(likelihood.Habit{Margin: math.Exp(v.habits.Spread * x[k]), Lapse: v.habits.Lapse}, m, variance)
		win, lose = win+w[k]*a, lose+w[k]*b
	}
	return win, lose
}

// habitPoints is how many margins stand for those of people like the voters.
const habitPoints = 5

// chancesOf is chances for voters of a habit.
func (v voting) chancesOf(h likelihood.Habit, m, variance float64) (win, lose float64) {
	if v.family == Probit { // in closed form
		t, r := v.threshold*h.Margin, math.Sqrt(1+variance)
		if win = (1 - h.Lapse) * num.Phi((m-t)/r); v.threshold == 0 {
			return win, 1 - win
		}
		return win, (1 - h.Lapse) * num.Phi((-m-t)/r)
	}
	first, _ := v.as(h, 0)
	win = math.Exp(likelihood.Tilt(first, m, variance).LogZ)
	if v.threshold == 0 {
		return win, 1 - win
	}
	return win, math.Exp(likelihood.Tilt(first, -m, variance).LogZ)
}
