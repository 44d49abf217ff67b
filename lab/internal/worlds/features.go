package worlds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"palate"
	"palate/internal/num"
)

// described is a world of items that are known by features as well.
type described struct {
	name, about string
	own         float64 // deviation of what is each item's own, where utilities have one of 1.5
	// of draws a function of the features, of any size; nil: there is none.
	of func(dims int, rng *rand.Rand) func(x []float64) float64
}

// describedDeviation is that of utilities in worlds of features, and describedAsked are the
// pairs of known items that they ask about, and as many of new ones.
const (
	describedDeviation = 1.5
	describedAsked     = 2000
)

// given is a function that is the same in every drawing.
func given(f func(x []float64) float64) func(int, *rand.Rand) func([]float64) float64 {
	return func(int, *rand.Rand) func([]float64) float64 { return f }
}

// Features are the worlds of items with features, uniform on [0, 1]: what they make of
// utilities of a deviation of 1.5, in two sizes. They ask about pairs of known items, and about pairs of new items
// of which only features are known.
func Features() (all []World) {
	truths := []described{
		{"linear", "a random direction", 0, func(dims int, rng *rand.Rand) func([]float64) float64 {
			w := normal(dims, 1, rng)
			return func(x []float64) (u float64) {
				for k, v := range x {
					u += w[k] * v
				}
				return u
			}
		}},
		{"smooth", "2 sin 3x₁ + 12(x₂ − ½)²", 0, given(func(x []float64) float64 {
			return 2*math.Sin(3*x[0]) + 12*(x[1]-0.5)*(x[1]-0.5)
		})},
		{"step", "the sign of x₁ − ½, and .5·N(0, 1) of each item's own", 0.5, given(func(x []float64) float64 {
			return sign(x[0] - 0.5)
		})},
		{"periodic", "sin 4πx₁", 0, given(func(x []float64) float64 { return math.Sin(4 * math.Pi * x[0]) })},
		{"interaction", "(x₁ − ½)(x₂ − ½)", 0, given(func(x []float64) float64 { return (x[0] - 0.5) * (x[1] - 0.5) })},
		{"irrelevant", "nothing: all is each item's own", describedDeviation, nil},
	}
	for _, size := range []struct{ items, dims, votes int }{{50, 3, 200}, {200, 6, 1000}} {
		for _, t := range truths {
			name := fmt.Sprintf("%s-%d", t.name, size.items)
			about := fmt.Sprintf("%d items, %d features, %d votes; %s", size.items, size.dims, size.votes, t.about)
			all = append(all, always("features", name, about, false, func(rng *rand.Rand) *Drawn { return t.draw(size.items, size.dims, size.votes, rng) }))
		}
	}
	return all
}

func sign(x float64) float64 { return math.Copysign(1, x) }

// draw draws as many new items as known ones.
func (t described) draw(n, dims, m int, rng *rand.Rand) *Drawn {
	f := &palate.Features{Rows: 2 * n, Cols: dims}
	for k := range dims {
		f.Names = append(f.Names, "x"+strconv.Itoa(k+1))
	}
	for range 2 * n * dims {
		f.Data = append(f.Data, rng.Float64())
	}
	u := make([]float64, 2*n)
	if t.of != nil {
		shape := t.of(dims, rng)
		var sum, squares float64
		const sample = 20_000
		x := make([]float64, dims)
		for range sample {
			for k := range x {
				x[k] = rng.Float64()
			}
			v := shape(x)
			sum, squares = sum+v, squares+v*v
		}
		mean := sum / sample
		by := math.Sqrt((describedDeviation*describedDeviation - t.own*t.own) / (squares/sample - mean*mean))
		for i := range u {
			u[i] = by * (shape(f.Row(i)) - mean)
		}
	}
	for i := range u {
		u[i] += t.own * rng.NormFloat64()
	}
	votes := make([]vote, m)
	for k := range votes {
		a, b := pair(n, rng)
		votes[k] = vote{-1, a, b, answer(num.Phi(u[a]-u[b]), rng)}
	}
	known, later := *f, *f
	known.Rows, known.Data = n, f.Data[:n*dims]
	later.Rows, later.Data = n, f.Data[n*dims:]
	d := &Drawn{Votes: castWith(n, 0, votes, &known), Later: &later}
	for k := range 2 * describedAsked {
		a, b := pair(n, rng)
		if k >= describedAsked {
			a, b = n+a, n+b
		}
		d.Asked = append(d.Asked, Question{User: -1, Left: a, Right: b, Chance: num.Phi(u[a] - u[b])})
	}
	return d
}
