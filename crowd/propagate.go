package crowd

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"

	"palate/infer"
	"palate/internal/simd"
	"palate/likelihood"
	"palate/population"
)

// propagation infers voters, consensus and factors being as they are: by EP with factors
// at their means and what is not known of the consensus as noise of the vote, or by the
// bound, in which the uncertainty of the factors acts as a precision of the weights. With
// weights and own tastes integrated out voters are a Gaussian population, and package
// population infers them. The sites of votes are kept from one time to the next.
type propagation struct {
	*engine
	ctx    context.Context
	voters *population.Engine
	stats  infer.Stats // of the last time
}

// newPropagation infers by EP once voters are propagated, else by the bound. The
// tolerance is that of population.Settings.
func newPropagation(ctx context.Context, e *engine, tolerance float64, sweeps int) *propagation {
	s := population.Settings{Likelihood: e.likelihood, Tolerance: tolerance, MaxSweeps: sweeps}
	if !e.propagated {
		s.Rule = infer.VI{}
	}
	voters, err := population.NewEngine(e.people, s)
	if err != nil {
		panic(err) // both rules take every likelihood there is, and votes are in memory
	}
	return &propagation{engine: e, ctx: ctx, voters: voters}
}

// likelihood of a kind of vote, where all voters are of one class.
func (e *engine) likelihood(k population.Observation) likelihood.Scalar {
	return e.lik[slices.Index(e.kinds, k)]
}

// all infers every voter with utilities √x times what they are, and returns the
// logarithm of the evidence with its derivative in log x. Where voters are to be
// noted x is 1: means and covariances of their dimensions, and what every vote says
// of z.
func (g *propagation) all(x float64, note bool) (evidence, slope float64, err error) {
	s := &stretching{tastes: g.tastes(x), propagation: g, note: note}
	evidence, g.stats, err = g.voters.Evaluate(g.ctx, s.tastes, s)
	return evidence, s.slope, err
}

// stretching collects the derivative of the log evidence in log x, and notes voters
// where that is wanted.
type stretching struct {
	*propagation
	tastes *tastes
	note   bool
	slope  float64
}

func (s *stretching) Size(int) int { return 1 }

func (s *stretching) Collect(dst []float64, w *population.Person, u int, items []int32) {
	dst[0] = w.Stretch()
	if s.note {
		s.write(w, u, items)
	}
}

func (s *stretching) Add(src []float64, _ int, _ []int32) { s.slope += src[0] }

// write notes what was found of voter u. With D the precisions of weights and own tastes
// before the votes, J = (V, I) and the pull s and the information W of the votes on the
// voter's items, they have the mean w₀ + D⁻¹Jᵀs and the covariance D⁻¹ − D⁻¹JᵀWJD⁻¹.
func (s *stretching) write(person *population.Person, u int, items []int32) {
	s.writeSites(person, u)
	w, cov := s.weights(u)
	d, c, m := len(w), s.c, len(items)
	pull, info := person.Pull(), person.Info()
	width := make([]float64, d) // D⁻¹
	s.priorPrecisions(u, width)
	s.logDet[u] = person.LogDet()
	for i, x := range width {
		s.logDet[u] -= math.Log(x)
		width[i] = 1 / x
	}
	copy(w, s.tastes.Features[u*c:(u+1)*c])
	place := make([]int, m) // of the own taste for each item; −1 without
	factors := make([]float64, m*c)
	for i, item := range items {
		v := factors[i*c : (i+1)*c]
		copy(v, s.tastes.G[int(item)*c:])
		for k, x := range v {
			w[k] += width[k] * pull[i] * x
		}
		place[i] = -1
		if k, ok := slices.BinarySearch(s.ownItems(u), item); ok {
			place[i] = c + k
			w[c+k] = width[c+k] * pull[i]
		}
	}
	if info == nil { // the covariance of D½ times weights and own tastes
		person.Weights(cov)
		for i, x := range width {
			for j, y := range width {
				cov[i*d+j] *= math.Sqrt(x * y)
			}
		}
		return
	}
	clear(cov)
	through := make([]float64, c) // of one item, VᵀW
	for i, at := range place {
		clear(through)
		for j, x := range info[i*m : i*m+m] {
			for k, v := range factors[j*c : (j+1)*c] {
				through[k] += x * v
			}
			if to := place[j]; at >= 0 && to >= 0 {
				cov[at*d+to] -= x
			}
		}
		for k, x := range through {
			row := cov[k*d : k*d+c]
			for l, v := range factors[i*c : (i+1)*c] {
				row[l] -= x * v
			}
			if at >= 0 {
				cov[k*d+at] -= x
				cov[at*d+k] -= x
			}
		}
	}
	for i, x := range width {
		for j, y := range width {
			cov[i*d+j] *= x * y
		}
		cov[i*d+i] += x
	}
}

// tastes is what is known of voters before their votes, utilities being √x times what
// they are: f_u ~ N(t + Vw₀, VVᵀ + I/s_g), w₀ being what features lead one to expect, or
// under the bound with a precision of every weight.
type tastes struct {
	*engine
	*population.LowRank
	x float64
}

func (g *propagation) tastes(x float64) *tastes {
	n, c, own := g.items, g.c, g.ownVariance()
	p := &population.LowRank{
		Items: &population.Items{N: n}, Scale: x * own, D: c, F: c,
		T: make([]float64, n), A: make([]float64, n*c), G: make([]float64, n*c), Features: make([]float64, g.Voters()*c),
	}
	means := make([]float64, 0, g.columns()*g.prior.Dim())
	for _, q := range g.q {
		means = append(means, q.Mean...)
	}
	k, d := g.columns(), g.prior.Dim()
	values := make([]float64, n*k)
	simd.Gemm(blas.NoTrans, blas.Trans, 1, g.onItems.Features().RawMatrix(),
		simd.General{Rows: k, Cols: d, Stride: d, Data: means}, 0, simd.General{Rows: n, Cols: k, Stride: k, Data: values})
	for i := range n {
		p.T[i] = math.Sqrt(x) * values[i*k]
		if g.common != nil {
			p.T[i] = math.Sqrt(x) * g.common.f[i]
		}
		for j, v := range values[i*k+1 : (i+1)*k] {
			p.A[i*c+j], p.G[i*c+j] = v/math.Sqrt(own), math.Sqrt(x)*v
		}
	}
	before := make([]float64, c)
	for u := range g.Voters() {
		w := p.Features[u*c : (u+1)*c]
		g.expectWeights(u, w)
		if g.priorPrecisions(u, before); !g.propagated {
			for k, x := range before {
				w[k] /= x
			}
		}
	}
	return &tastes{g.engine, p, x}
}

// Fill sets what is known of voter u. A voter who has no taste of their own for some
// items has a covariance that may be singular, and one whose weights have precisions a
// covariance apart: they are seen by a root of it.
func (t *tastes) Fill(w *population.Person, u int, items []int32) {
	own := t.ownItems(u)
	if t.propagated && len(own) == len(items) {
		t.LowRank.Fill(w, u, items)
	} else {
		r := t.c + len(own)
		mean, root, width := w.Mean(), w.Root(r), make([]float64, r)
		t.priorPrecisions(u, width)
		for k, x := range width {
			width[k] = math.Sqrt(t.x / x)
		}
		for i, item := range items {
			mean[i] = t.Mean(u, int(item))
			for c, v := range t.G[int(item)*t.c : (int(item)+1)*t.c] {
				root[i*r+c] = v * width[c] / math.Sqrt(t.x)
			}
			if k, ok := slices.BinarySearch(own, item); ok {
				root[i*r+t.c+k] = width[t.c+k]
			}
		}
	}
	noise, k := w.Noise(), t.columns()
	for p := range noise {
		noise[p] = t.x * t.s[int(t.row[t.voteOfPair(u, t.pairs[u]+p)])*k]
	}
}
