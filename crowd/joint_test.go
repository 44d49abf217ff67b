package crowd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
)

// The consensus with tastes integrated out, and a voter drawn with it, are those of
// the whole matrix of consensus and all voters; without tastes it is that of q.
func TestJoint(t *testing.T) {
	const items, voters, n = 6, 8, 20000
	each(t, func(t *testing.T, w way, prior func(*mat.Dense) *gp.Prior) {
		tallies, o := w.world(8, voters, items, 8)
		g := infer.Gamma{Shape: 3, Rate: 3}
		o.Tolerance, o.MaxSweeps, o.ConsensusScale, o.FactorScale, o.OwnScale = -1, 60, g, g, g
		p := prior(features(items))
		l := mustFit(t, mustVotes(t, items, tallies), p, &o)
		cov, at := l.wholeCovariance()
		const u = 2
		form := func(a, b int, voter bool) *mat.VecDense { // of t, or of a voter's utilities at the factors' means
			out := mat.NewVecDense(cov.SymmetricDim(), nil)
			for item, sign := range map[int]float64{a: 1, b: -1} {
				out.SetVec(item, sign)
				for c := range l.c {
					if voter {
						out.SetVec(at[u]+c, out.AtVec(at[u]+c)+sign*l.Factor(c)[item])
					}
				}
				if voter && l.own {
					for k, i := range l.ownItem[l.ownStart[u]:l.ownStart[u+1]] {
						if int(i) == item {
							out.SetVec(at[u]+l.c+k, sign)
						}
					}
				}
			}
			return out
		}
		for a := range items - 1 {
			_, got := l.Consensus(pair(a, a+1))
			want := mat.Inner(form(a, a+1, false), cov, form(a, a+1, false))
			if r := p.Residuals(pair(a, a+1)); r != nil && l.common == nil {
				want += r[0] / l.scale[0].Mean()
			}
			if math.Abs(got-want) > 1e-8*want {
				t.Errorf("items %d, %d: variance %.12g, by the whole matrix %.12g", a, a+1, got, want)
			}
		}
		if p.Sparse() && l.common == nil {
			return // a voter follows what inducing points leave, too
		}
		a, b := 0, 1
		if l.own { // which the voter has compared
			a, b = int(l.ownItem[l.ownStart[u]]), int(l.ownItem[l.ownStart[u]+1])
		}
		want := mat.Inner(form(a, b, true), cov, form(a, b, true))
		mean, _ := l.Form(u, pair(a, b))
		for c := range l.c {
			x, _ := l.Weights(u)
			_, v := l.q[c+1].Forms(pair(a, b))
			want += (x[c]*x[c] + cov.At(at[u]+c, at[u]+c)) * v[0]
		}
		f, err := l.Draws(t.Context(), u, n, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			t.Fatal(err)
		}
		var sum, square float64
		for k := range n {
			z := f.At(k, a) - f.At(k, b) - mean
			sum += z / n
			square += z * z / n
		}
		if math.Abs(sum) > 0.05*math.Sqrt(want) || math.Abs(square-want) > 0.06*want {
			t.Errorf("a voter's draws are off by %g and vary by %g, by the whole matrix by %g", sum, square, want)
		}
	})
}

// wholeCovariance inverts the precision of consensus utilities and all voters, and
// says where each voter begins.
func (l *Learnt) wholeCovariance() (*mat.SymDense, []int) {
	n := l.prior.Len()
	at := []int{n}
	for u := range l.Voters() {
		at = append(at, at[u]+l.dim(u))
	}
	size := at[l.Voters()]
	// Where features are few utilities have no precision: begin with the covariance
	// before the votes, which each vote narrows.
	cov := mat.NewDense(size, size, nil)
	phi := l.prior.Features()
	_, d := phi.Dims()
	base := make([]float64, d+1)
	for i := range d {
		base[i] = 1 / l.scale[0].Mean()
	}
	if l.common != nil {
		for i, s := range l.common.spread(infer.Gamma.Mean) {
			base[i] = 1 / s
		}
	}
	for i := range n {
		for j := range n {
			for c := range d {
				cov.Set(i, j, cov.At(i, j)+phi.At(i, c)*phi.At(j, c)*base[c])
			}
		}
		cov.Set(i, i, cov.At(i, i)+base[d])
	}
	for u := range l.Voters() {
		for i, s := range l.storedPrior(u) {
			cov.Set(at[u]+i, at[u]+i, 1/s)
		}
	}
	for u := range l.Voters() {
		for p := l.sites.start[u]; p < l.sites.start[u+1]; p++ {
			row := mat.NewVecDense(size, nil)
			for side, sign := range []float64{1, -1} {
				item := int(l.sites.pair[p][side])
				row.SetVec(item, sign)
				for c := range l.c {
					row.SetVec(at[u]+c, row.AtVec(at[u]+c)+sign*l.Factor(c)[item])
				}
				if !l.own {
					continue
				}
				for k, i := range l.ownItem[l.ownStart[u]:l.ownStart[u+1]] {
					if int(i) == item {
						row.SetVec(at[u]+l.c+k, sign)
					}
				}
			}
			var v mat.VecDense
			v.MulVec(cov, row)
			tau := l.sites.tau[p]
			cov.RankOne(cov, -tau/(1+tau*mat.Dot(row, &v)), &v, &v)
		}
	}
	return symmetric(cov), at
}
