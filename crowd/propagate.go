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

// propagation infers voters by EP, consensus and factors being as they are: factors
// at their means, and what is not known of the consensus as noise of the vote. With
// weights and own tastes integrated out voters are a Gaussian population, and package
// population infers them. The sites of votes are kept from one time to the next.
type propagation struct {
	*engine
	ctx    context.Context
	voters *population.Engine
	stats  infer.Stats // of the last time
}

func newPropagation(ctx context.Context, e *engine) *propagation {
	voters, err := population.NewEngine(e.people, population.Settings{Likelihood: e.likelihood})
	if err != nil {
		panic(err) // EP takes every likelihood, and votes are in memory
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

// write notes what was found of voter u. With the pull s and the information W of the
// votes on the voter's items, w is w₀ + Vᵀs and g is s/s_g, and they have the
// covariance D⁻¹ − JᵀWJ, D being their precisions before the votes and J = (V, I/s_g).
func (s *stretching) write(person *population.Person, u int, items []int32) {
	for t, z := range person.Forms() {
		p := s.start[u] + t
		tau := s.voters.Tau[p]
		s.d1[p], s.d2[p] = s.voters.Nu[p]-tau*z, -tau
	}
	w, cov := s.weights(u)
	d, c, m, wide := len(w), s.c, len(items), s.ownVariance()
	pull, info := person.Pull(), person.Info()
	s.expectWeights(u, w[:c])
	place := make([]int, m) // of the own taste for each item; −1 without
	factors := make([]float64, m*c)
	for i, item := range items {
		v := factors[i*c : (i+1)*c]
		copy(v, s.tastes.G[int(item)*c:])
		for k, x := range v {
			w[k] += pull[i] * x
		}
		place[i] = -1
		if k, ok := slices.BinarySearch(s.ownItems(u), item); ok {
			place[i] = c + k
			w[c+k] = wide * pull[i]
		}
	}
	if info == nil { // the covariance of w and √s_g·g
		person.Weights(cov)
		for i := range d {
			for j := range d {
				if i >= c {
					cov[i*d+j] *= math.Sqrt(wide)
				}
				if j >= c {
					cov[i*d+j] *= math.Sqrt(wide)
				}
			}
		}
		return
	}
	clear(cov)
	for k := range d {
		cov[k*d+k] = 1
		if k >= c {
			cov[k*d+k] = wide
		}
	}
	through := make([]float64, c) // of one item, VᵀW
	for i, at := range place {
		clear(through)
		for j, x := range info[i*m : i*m+m] {
			for k, v := range factors[j*c : (j+1)*c] {
				through[k] += x * v
			}
			if to := place[j]; at >= 0 && to >= 0 {
				cov[at*d+to] -= wide * wide * x
			}
		}
		for k, x := range through {
			row := cov[k*d : k*d+c]
			for l, v := range factors[i*c : (i+1)*c] {
				row[l] -= x * v
			}
			if at >= 0 {
				cov[k*d+at] -= wide * x
				cov[at*d+k] -= wide * x
			}
		}
	}
}

// tastes is what is known of voters before their votes, utilities being √x times what
// they are: f_u ~ N(t + Vw₀, VVᵀ + I/s_g), w₀ being what features lead one to expect.
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
		for j, v := range values[i*k+1 : (i+1)*k] {
			p.A[i*c+j], p.G[i*c+j] = v/math.Sqrt(own), math.Sqrt(x)*v
		}
	}
	for u := range g.Voters() {
		g.expectWeights(u, p.Features[u*c:(u+1)*c])
	}
	return &tastes{g.engine, p, x}
}

// Fill sets what is known of voter u. A voter who has no taste of their own for some
// items has a covariance that may be singular, and is seen by a root of it.
func (t *tastes) Fill(w *population.Person, u int, items []int32) {
	own := t.ownItems(u)
	if len(own) == len(items) {
		t.LowRank.Fill(w, u, items)
	} else {
		r := t.c + len(own)
		mean, root := w.Mean(), w.Root(r)
		for i, item := range items {
			mean[i] = t.Mean(u, int(item))
			for c, v := range t.A[int(item)*t.c : (int(item)+1)*t.c] {
				root[i*r+c] = math.Sqrt(t.Scale) * v
			}
			if k, ok := slices.BinarySearch(own, item); ok {
				root[i*r+t.c+k] = math.Sqrt(t.Scale)
			}
		}
	}
	noise, k := w.Noise(), t.columns()
	for p := range noise {
		noise[p] = t.x * t.s[int(t.row[t.start[u]+p])*k]
	}
}
