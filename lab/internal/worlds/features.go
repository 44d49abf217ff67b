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

// linear is along a random direction.
func linear(dims int, rng *rand.Rand) func([]float64) float64 {
	w := normal(dims, 1, rng)
	return func(x []float64) (u float64) {
		for k, v := range x {
			u += w[k] * v
		}
		return u
	}
}

// describedTruths are those of the worlds.
func describedTruths() []described {
	return []described{
		{"linear", "a random direction", 0, linear},
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
}

// Features are the worlds of items with features, uniform on [0, 1]: what they make of
// utilities of a deviation of 1.5, in two sizes; then those of voters who have tastes beside.
// They ask about pairs of known items, and about pairs of new items of which only features
// are known.
func Features() (all []World) {
	truths := describedTruths()
	for _, size := range []struct{ items, dims, votes int }{{50, 3, 200}, {200, 6, 1000}} {
		for _, t := range truths {
			name := fmt.Sprintf("%s-%d", t.name, size.items)
			about := fmt.Sprintf("%d items, %d features, %d votes; %s", size.items, size.dims, size.votes, t.about)
			all = append(all, always("features", name, about, false, func(rng *rand.Rand) *Drawn { return t.draw(size.items, size.dims, size.votes, rng) }))
		}
	}
	return append(all, describedPeople()...)
}

func sign(x float64) float64 { return math.Copysign(1, x) }

// uniform draws the features of items.
func uniform(items, dims int, rng *rand.Rand) *palate.Features {
	f := &palate.Features{Rows: items, Cols: dims}
	for k := range dims {
		f.Names = append(f.Names, "x"+strconv.Itoa(k+1))
	}
	for range items * dims {
		f.Data = append(f.Data, rng.Float64())
	}
	return f
}

// parted are features of known items, and of as many new ones behind them.
func parted(f *palate.Features) (known, later *palate.Features) {
	a, b := *f, *f
	n := f.Rows / 2
	a.Rows, a.Data = n, f.Data[:n*f.Cols]
	b.Rows, b.Data = n, f.Data[n*f.Cols:]
	return &a, &b
}

// utilities are those of items, of a deviation.
func (t described) utilities(f *palate.Features, deviation float64, rng *rand.Rand) []float64 {
	dims := f.Cols
	u := make([]float64, f.Rows)
	own := t.own * deviation / describedDeviation
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
		by := math.Sqrt((deviation*deviation - own*own) / (squares/sample - mean*mean))
		for i := range u {
			u[i] = by * (shape(f.Row(i)) - mean)
		}
	}
	for i := range u {
		u[i] += own * rng.NormFloat64()
	}
	return u
}

// draw draws as many new items as known ones.
func (t described) draw(n, dims, m int, rng *rand.Rand) *Drawn {
	f := uniform(2*n, dims, rng)
	u := t.utilities(f, describedDeviation, rng)
	votes := make([]vote, m)
	for k := range votes {
		a, b := pair(n, rng)
		votes[k] = vote{-1, a, b, answer(num.Phi(u[a]-u[b]), rng)}
	}
	known, later := parted(f)
	d := &Drawn{Votes: castWith(n, 0, votes, known), Later: later}
	for k := range 2 * describedAsked {
		a, b := pair(n, rng)
		if k >= describedAsked {
			a, b = n+a, n+b
		}
		d.Asked = append(d.Asked, Question{User: -1, Left: a, Right: b, Chance: num.Phi(u[a] - u[b])})
	}
	return d
}
