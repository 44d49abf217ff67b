package crowd

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/simd"
)

// blank sets q to what is known before any vote.
func (e *engine) blank() *engine {
	for u := range e.Voters() {
		e.resetVoter(u)
	}
	for k := range e.q {
		e.q[k] = around(e.prior, make([]float64, e.prior.Dim()), 1/startVariance, gp.NewEvidence(e.prior.Dim()))
		e.trace[k] = e.q[k].Trace()
		e.seeColumn(k)
	}
	return e
}

// startVariance is that of an item's utility at the start.
const startVariance = 1

// begin finds a start that does not depend on the order of items or voters. At
// V = 0 the objective is stationary, and bends in the direction of a factor by
// G = Σ_u (g_u g_uᵀ − Σ_p τ_p φ_pφ_pᵀ), g_u the voter's slope: factors start
// along its largest eigenvectors.
func (e *engine) begin() {
	c, keep := e.c, *e
	e.q, e.scale, e.trace, e.scalePrior = e.q[:1], e.scale[:1], e.trace[:1], e.scalePrior[:1]
	e.a, e.s = make([]float64, e.forms.Len()), make([]float64, e.forms.Len())
	e.own, e.c = false, 0
	e.w, e.cov, e.covStart = nil, nil, make([]int, e.Voters()+1)
	e.seeColumn(0)
	e.evaluate()
	rounds := 10
	if c == 0 { // nothing to start but what sweeps do as well
		rounds = 2
	}
	for range rounds {
		if e.common != nil {
			e.updateConsensus()
			continue
		}
		l := e.lookAtRows()
		e.updateMeans(l)
		e.updateCovariances(l)
		e.updateScales()
	}
	start := e.startingFactors(c)
	consensus, trace, scale, common := e.q[0], e.trace[0], e.scale[0], e.common
	*e = keep
	e.q[0], e.trace[0], e.scale[0], e.common = consensus, trace, scale, common
	e.seeColumn(0)
	for k := range start {
		e.q[k+1] = around(e.prior, start[k], 1/startVariance, e.q[k+1].Evidence())
		// As narrow as many votes will make it.
		ev := gp.NewEvidence(len(start[k]))
		for i := range start[k] {
			ev.Quad.SetSym(i, i, 100)
		}
		e.become(k+1, 1/startVariance, ev)
	}
	e.evaluate()
}

func (e *engine) startingFactors(c int) [][]float64 {
	if c == 0 {
		return nil
	}
	d, phi := e.prior.Dim(), e.prior.Features()
	n, _ := phi.Dims()
	l := e.lookAtRows()
	sites := make([]gp.Site, e.forms.Len())
	for r := range sites {
		sites[r].Tau = l.own[r]
	}
	sym := e.prior.Evidence(e.forms, sites, nil).Quad
	sym.ScaleSym(-1, sym)
	const chunk = 256
	for lo := 0; lo < e.Voters(); lo += chunk {
		hi := min(lo+chunk, e.Voters())
		slopes := mat.NewDense(hi-lo, d, nil)
		for u := lo; u < hi; u++ {
			row := simd.Vector{N: d, Data: slopes.RawRowView(u - lo), Inc: 1}
			for p := e.start[u]; p < e.start[u+1]; p++ {
				index, coef := e.forms.Row(int(e.row[p]))
				for t, i := range index {
					simd.Axpy(coef[t]*e.count[p]*e.d1[p], simd.Vector{N: d, Data: phi.RawRowView(i), Inc: 1}, row)
				}
			}
		}
		simd.Syrk(blas.Trans, 1, slopes.RawMatrix(), 1, sym.RawSymmetric())
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		panic("crowd: no eigenvectors of a symmetric matrix")
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	weight := mat.NewVecDense(n, nil) // of items; of rows their votes, as the same pair may be two
	for i := range n {
		weight.SetVec(i, 1)
		if e.spanned {
			weight.SetVec(i, float64(e.rowStart[i+1]-e.rowStart[i]))
		}
	}
	start := make([][]float64, 0, c)
	values := eig.Values(nil)
	least := seenLeast * max(values[d-1], -values[0])
	for k := d - 1; k >= 0 && len(start) < c; k-- {
		if math.Abs(values[k]) <= least {
			continue
		}
		v := mat.Col(nil, k, &vectors)
		f := mat.NewVecDense(n, nil)
		simd.MulVec(f, phi, mat.NewVecDense(d, v))
		f.MulElemVec(f, f)
		size := math.Sqrt(mat.Sum(weight)/simd.Dot(weight.RawVector(), f.RawVector())) * math.Pow(0.8, float64(len(start)))
		for i := range v {
			v[i] *= size
		}
		start = append(start, v)
	}
	for len(start) < c {
		start = append(start, make([]float64, d))
	}
	return start
}

// seenLeast is how much the bound must bend along a direction, beside that along which
// it bends most: along others no vote sees anything, so that rounding would choose
// where a factor starts. Such factors start at zero, and stay there.
const seenLeast = 1e-9
