package paper

import (
	"math"
	"math/rand/v2"
	"strconv"

	"palate"
)

// waves are functions of an item's features: consensus and factors are sums of cosines, which are draws from a Gaussian
// process at the cost of the items.
type waves struct {
	features  [][]float64 // by item
	consensus []float64
	factors   [][]float64
	weights   [][]float64 // by voter
}

func drawWaves(n, factors int, rng *rand.Rand) *waves {
	const dims, cosines = 3, 100
	w := &waves{}
	for range n {
		x := make([]float64, dims)
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		w.features = append(w.features, x)
	}
	column := func(size float64) []float64 {
		f := make([]float64, n)
		for range cosines {
			var along [dims]float64
			for k := range along {
				along[k] = rng.NormFloat64() / 1.5
			}
			phase, height := 2*math.Pi*rng.Float64(), size*rng.NormFloat64()*math.Sqrt(2.0/cosines)
			for i, x := range w.features {
				at := phase
				for k, v := range x {
					at += along[k] * v
				}
				f[i] += height * math.Cos(at)
			}
		}
		return f
	}
	w.consensus = column(1)
	for range factors {
		w.factors = append(w.factors, column(1.5))
	}
	for range n {
		x := make([]float64, factors)
		for c := range x {
			x[c] = rng.NormFloat64()
		}
		w.weights = append(w.weights, x)
	}
	return w
}

func (w *waves) utility(voter, item int) float64 {
	f := w.consensus[item]
	for c, v := range w.factors {
		f += w.weights[voter][c] * v[item]
	}
	return f
}

// votes draws each voter's, and votes that are held out, all won by the left item: one of every voter, of 5,000 at the
// most.
func (w *waves) votes(voters, each int, rng *rand.Rand) (*palate.Dataset, []palate.Vote, error) {
	n := len(w.features)
	cast := func(u int) palate.Vote {
		a := rng.IntN(n)
		b := (a + 1 + rng.IntN(n-1)) % n
		if w.utility(u, a)-w.utility(u, b)+rng.NormFloat64() < 0 {
			a, b = b, a
		}
		return palate.Vote{User: u, Left: a, Right: b, Weight: 1}
	}
	b := palate.NewBuilder()
	f := &palate.Features{Names: []string{"x", "y", "z"}, Rows: n, Cols: 3}
	for i, x := range w.features {
		b.Item(strconv.Itoa(i))
		f.Data = append(f.Data, x...)
	}
	b.SetItemFeatures(f)
	var test []palate.Vote
	for u := range voters {
		b.User(strconv.Itoa(u))
		for range each {
			if err := b.Add(cast(u)); err != nil {
				return nil, nil, err
			}
		}
		if len(test) < 5000 {
			test = append(test, cast(u))
		}
	}
	d, err := b.Build()
	return d, test, err
}
