package paper

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/lab/internal/worlds"
)

// regress is logistic regression of decided votes on differences of features, in units of their deviations, with a penalty on the
// squares of the weights that is chosen by four-fold cross-validation.
func regress(ctx context.Context, d *worlds.Drawn, o StudyOptions) ([]float64, float64, error) {
	const folds = 4
	f := d.Votes.ItemFeatures()
	sd := make([]float64, f.Cols)
	for k := range sd {
		column := make([]float64, f.Rows)
		for i := range column {
			column[i] = f.At(i, k)
		}
		_, se := meanAndError(column)
		sd[k] = se * math.Sqrt(float64(f.Rows))
	}
	row := func(item int) []float64 {
		if item < f.Rows {
			return f.Row(item)
		}
		return d.Later.Row(item - f.Rows)
	}
	gap := func(a, b int) []float64 {
		x, y, z := row(a), row(b), make([]float64, f.Cols)
		for k := range z {
			z[k] = (x[k] - y[k]) / sd[k]
		}
		return z
	}
	rng := rand.New(rand.NewPCG(o.Seed, 6))
	var won [][]float64 // what winners have more than losers
	var fold []int
	for _, v := range d.Votes.Votes() {
		if v.Outcome == palate.Right {
			v.Left, v.Right = v.Right, v.Left
		}
		won, fold = append(won, gap(v.Left, v.Right)), append(fold, rng.IntN(folds))
	}
	best, least := 0.0, math.Inf(1)
	for _, penalty := range []float64{0.01, 0.1, 1, 10, 100} {
		var loss float64
		for part := range folds {
			var some [][]float64
			for k, x := range won {
				if fold[k] != part {
					some = append(some, x)
				}
			}
			w := regression(some, f.Cols, penalty)
			for k, x := range won {
				if fold[k] == part {
					loss -= num.LogSigmoid(num.Dot(w, x))
				}
			}
		}
		if loss < least {
			best, least = penalty, loss
		}
	}
	w := regression(won, f.Cols, best)
	p := make([]float64, len(d.Asked))
	for k, q := range d.Asked {
		p[k] = num.Sigmoid(num.Dot(w, gap(q.Left, q.Right)))
	}
	return p, 0, ctx.Err()
}

// regression finds the weights by Newton's method; under a penalty there is one best, and it is near.
func regression(won [][]float64, dims int, penalty float64) []float64 {
	w, step := make([]float64, dims), make([]float64, dims)
	for range 25 {
		g, h := make([]float64, dims), mat.NewSymDense(dims, nil)
		for k := range dims {
			g[k] = -penalty * w[k]
			h.SetSym(k, k, penalty)
		}
		for _, x := range won {
			p := num.Sigmoid(num.Dot(w, x))
			for k, v := range x {
				g[k] += (1 - p) * v
			}
			h.SymRankOne(h, p*(1-p), mat.NewVecDense(dims, x))
		}
		factor, err := num.NewCholesky(h)
		if err != nil {
			break
		}
		factor.SolveVecTo(step, g)
		for k, v := range step {
			w[k] += v
		}
		if num.Dot(step, step) < 1e-16 {
			break
		}
	}
	return w
}
