package drift

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// drawWork bounds solves times states and pairs up to which draws are of the joint posterior.
const drawWork = 2e7

// joint reports whether so many draws at so many times are of the joint posterior given the
// sites, and not of items by themselves.
func (q *Posterior) joint(times, draws int) bool {
	return float64(min(draws, q.columns(times)))*q.size(times) <= drawWork
}

// columns is how many solves the covariances of all members take.
func (q *Posterior) columns(times int) int { return times * q.Shown * len(q.Members) }

// Draws returns draws of the utilities of all items at times, ascending, a row each, item after
// item, every member having its share of them: joint ones given the sites where Joint says so,
// else of every item by itself.
func (q *Posterior) Draws(ctx context.Context, times []float64, draws int, rng *rand.Rand) (*mat.Dense, error) {
	v := q.view(times)
	out := mat.NewDense(draws, len(v.at), nil)
	var sum float64
	lo := 0
	for k := range q.Members {
		m := &q.Members[k]
		sum += m.Weight
		hi := min(int(math.Round(sum*float64(draws))), draws)
		if k == len(q.Members)-1 {
			hi = draws
		}
		if hi == lo {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part := out.Slice(lo, hi, 0, len(v.at)).(*mat.Dense)
		var mean, sd []float64
		var err error
		switch joint := q.joint(len(times), draws); {
		case joint && q.columns(len(times)) <= draws:
			mean, sd, err = q.factored(v, m, part, rng)
		case joint:
			mean, err = q.corrected(ctx, v, m, part, rng)
		default:
			mean, err = q.alone(ctx, v, m, part, rng)
		}
		if err != nil {
			return nil, err
		}
		if m.Process.Jumps {
			q.bendDraws(v, m, part, mean, sd)
		}
		lo = hi
	}
	return out, nil
}

// factored sets the rows of out to draws of a member by the factor of the covariance, and returns
// means and deviations.
func (q *Posterior) factored(v *view, m *Member, out *mat.Dense, rng *rand.Rand) (mean, sd []float64, err error) {
	mean, cov := q.system(v, m).moments(v.at)
	c, err := num.NewCholesky(cov)
	if err != nil {
		return nil, nil, err
	}
	rows, cols := out.Dims()
	simd.Gemm(blas.NoTrans, blas.Trans, 1, num.Normals(rows, cols, rng).RawMatrix(), mat.DenseCopyOf(c.L()).RawMatrix(), 0, out.RawMatrix())
	for k := range rows {
		for j, x := range mean {
			out.Set(k, j, out.At(k, j)+x)
		}
	}
	for j := range mean {
		sd = append(sd, math.Sqrt(cov.At(j, j)))
	}
	return mean, sd, nil
}

// corrected sets them to draws of the prior, each corrected by how far what pairs would say of
// it is from what they say (Matheron's rule), and returns means.
func (q *Posterior) corrected(ctx context.Context, v *view, m *Member, out *mat.Dense, rng *rand.Rand) ([]float64, error) {
	s := q.system(v, m)
	mean := make([]float64, len(v.time))
	s.solve(mean, append([]float64(nil), s.pull...), solveFinely)
	for i, x := range s.base {
		mean[i] += x
	}
	return v.pick(mean), each(ctx, out, v, mean, rng, func(y, x, b []float64, rng *rand.Rand) {
		s.draw(x, rng)
		for j, p := range s.pairs {
			t := s.site[j]
			e := t*(x[p.a]-x[p.b]) + math.Sqrt(t)*rng.NormFloat64()
			b[p.a] -= e
			b[p.b] += e
		}
		s.solve(y, b, 1e-3) // far below what draws tell
	})
}

// alone does so with what messages say of every state, which leaves items by themselves.
func (q *Posterior) alone(ctx context.Context, v *view, m *Member, out *mat.Dense, rng *rand.Rand) ([]float64, error) {
	w := q.passage(v, m)
	mean := make([]float64, len(v.time))
	for s, nu := range v.spread(m.Nu) {
		mean[s], _ = w.all(int32(s), nu)
	}
	return v.pick(mean), each(ctx, out, v, mean, rng, func(y, x, b []float64, rng *rand.Rand) {
		w.draw(x, rng)
		for i, t := range w.tau {
			b[i] = -t*x[i] + math.Sqrt(t)*rng.NormFloat64()
		}
		w.solve(y, b)
	})
}

// each fills the rows of out, each by a stream of its own: a mean, a draw x of the prior, and
// its correction y, for which there is room in b.
func each(ctx context.Context, out *mat.Dense, v *view, mean []float64, rng *rand.Rand, draw func(y, x, b []float64, rng *rand.Rand)) error {
	rows, _ := out.Dims()
	seeds := make([]uint64, rows)
	for k := range seeds {
		seeds[k] = rng.Uint64()
	}
	n := len(mean)
	return num.ParallelUntil(ctx, rows, 8, func(lo, hi int) {
		x, y, b := make([]float64, n), make([]float64, n), make([]float64, n)
		for k := lo; k < hi; k++ {
			clear(b)
			draw(y, x, b, rand.New(rand.NewPCG(seeds[k], 1)))
			row := out.RawRowView(k)
			for j, at := range v.at {
				row[j] = mean[at] + x[at] + y[at]
			}
		}
	})
}
