package paper

import (
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"palate"
	"palate/internal/num"
)

// timeSet are worlds whose utilities move, or do not.
type timeSet struct {
	name, about string
	votes       int // a period
	draw        func(rng *rand.Rand) [][]float64
}

// Items, periods that are learnt from, and the one after them that is predicted.
const (
	timeItems   = 20
	timePeriods = 24
)

func timeSets() []timeSet {
	paths := func(path func(rng *rand.Rand) func(t int) float64) func(rng *rand.Rand) [][]float64 {
		return func(rng *rand.Rand) [][]float64 {
			f := make([][]float64, timeItems)
			for i := range f {
				at := path(rng)
				for t := range timePeriods + 1 {
					f[i] = append(f[i], at(t))
				}
			}
			return f
		}
	}
	still := paths(func(rng *rand.Rand) func(int) float64 {
		x := 0.8 * rng.NormFloat64()
		return func(int) float64 { return x }
	})
	// stepwise adds a step to what was there before every period but the first.
	stepwise := func(start float64, step func(x float64, rng *rand.Rand) float64) func(rng *rand.Rand) [][]float64 {
		return paths(func(rng *rand.Rand) func(int) float64 {
			stays, x := 0.7*rng.NormFloat64(), start*rng.NormFloat64()
			return func(t int) float64 {
				if t > 0 {
					x = step(x, rng)
				}
				return stays + x
			}
		})
	}
	keep := math.Exp(-1.0 / 6)
	back := stepwise(0.6, func(x float64, rng *rand.Rand) float64 {
		return keep*x + 0.6*math.Sqrt(1-keep*keep)*rng.NormFloat64()
	})
	return []timeSet{
		{"walk", "utilities walk, .15 a period", 40, stepwise(0, func(x float64, rng *rand.Rand) float64 { return x + 0.15*rng.NormFloat64() })},
		{"return", "utilities stray by .6 and return over 6 periods", 40, back},
		{"return-few", "the same, 10 votes a period", 10, back},
		{"waves", "utilities are waves of 12 to 40 periods and a height of .7", 40, paths(func(rng *rand.Rand) func(int) float64 {
			stays, period, phase := 0.7*rng.NormFloat64(), 12+28*rng.Float64(), 2*math.Pi*rng.Float64()
			return func(t int) float64 { return stays + 0.7*math.Sin(2*math.Pi*float64(t)/period+phase) }
		})},
		{"jumps", "every 20th step of a utility is a jump of 1", 40, stepwise(0, func(x float64, rng *rand.Rand) float64 {
			if rng.Float64() < 0.05 {
				x += rng.NormFloat64()
			}
			return x
		})},
		{"still", "nothing moves", 40, still},
		{"still-few", "nothing moves, 10 votes a period", 10, still},
	}
}

// timedVote is one of a world: who won over whom, when.
type timedVote struct{ Winner, Loser, Period int }

// MarshalJSON writes it as a list, as programs in Python read it.
func (v timedVote) MarshalJSON() ([]byte, error) {
	return []byte("[" + strconv.Itoa(v.Winner) + "," + strconv.Itoa(v.Loser) + "," + strconv.Itoa(v.Period) + "]"), nil
}

// timedVotes draws votes between random pairs, and makes a dataset of them, a day a period.
func timedVotes(f [][]float64, each int, rng *rand.Rand) ([]timedVote, *palate.Dataset, error) {
	b := palate.NewBuilder()
	for i := range f {
		b.Item(strconv.Itoa(i))
	}
	var all []timedVote
	for t := range timePeriods {
		for k := range each {
			i, j := rng.IntN(len(f)), rng.IntN(len(f)-1)
			if j >= i {
				j++
			}
			v := palate.Vote{User: -1, Left: i, Right: j, Weight: 1, Unsided: true, Time: time.Date(2024, 1, 1+t, 0, 0, 60*k, 0, time.UTC)}
			if rng.Float64() >= num.Phi(f[i][t]-f[j][t]) {
				v.Outcome, i, j = palate.Right, j, i
			}
			all = append(all, timedVote{i, j, t})
			if err := b.Add(v); err != nil {
				return nil, nil, err
			}
		}
	}
	d, err := b.Build()
	return all, d, err
}
