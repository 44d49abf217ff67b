package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
	"palate/kernel"
)

// openKernel is what votes leave open of the hyper-parameters of a kernel over features that they
// settled.
type openKernel struct {
	mu     sync.Mutex
	search *search
	top    []float64            // of the density of the logarithms, length-scales at those of the fit
	root   *mat.Dense           // of their covariance there
	drawn  map[int][]kernelDraw // by the first of the features whose length-scales are open
}

// kernelDraw is a posterior under drawn hyper-parameters.
type kernelDraw struct {
	kernel    kernel.Kernel
	posterior *gp.Posterior // in units of a new voter's vote
}

// kernelDraws is how many there are of each feature.
const kernelDraws = 12

// Slopes at hyper-parameters that are bendStep away tell how the objective bends; where it bends
// less than leastBend, logarithms are as open as a deviation of two leaves them. The top of the
// density is approached in topSteps steps. Length-scales are looked at in steps of lengthStep to
// either side, at so many.
const (
	bendStep    = 0.05
	leastBend   = 1.0 / (pull * pull)
	topSteps    = 4
	lengthStep  = 0.8
	lengthSteps = 3
)

// opensKernel reports whether the hyper-parameters of the kernel are to be drawn: it was settled by
// the evidence, with a weight an item, by a rule with slopes.
func (m *Single) opensKernel() bool {
	_, linearised := m.rule().(infer.Linearised)
	return m.features != nil && m.z == nil && m.links == nil && m.trained <= shapedItems && m.options.Kernel == nil && m.options.Features == nil &&
		!linearised && !m.meanField() && m.voting.habits == nil && m.settledShape() != nil
}

// settledShape is the term of the kernel that is not linear, where the kernel is one that the evidence
// settled; else nil.
func (m *Single) settledShape() *kernel.Relevance {
	all := kernel.Relevances(m.kernel)
	_, own := kernel.Parts(m.kernel)
	if len(all) != 2 || all[0].Linear || !all[1].Linear || own == 0 || len(m.kernel.Params()) != 3+2*m.x.Dim() {
		return nil
	}
	return &all[0]
}

// kernels returns posteriors under draws of the hyper-parameters: variances and the like from the
// Gaussian that the objective and its slopes tell at the top of their density, and the length-scales
// of some features, together, from the density along them. Those of others stay as they were
// learnt: shorter ones of features that do not matter are ruled out by all of them together.
func (m *Single) kernels(ctx context.Context, columns []int) ([]kernelDraw, error) {
	o := m.open
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.search == nil {
		s, x := m.searchAgain()
		top, root, err := s.laplace(ctx, x)
		if err != nil {
			return nil, err
		}
		o.search, o.top, o.root, o.drawn = s, top, root, map[int][]kernelDraw{}
	}
	if d, ok := o.drawn[columns[0]]; ok {
		return d, nil
	}
	all, err := o.draw(ctx, columns, rand.New(rand.NewPCG(m.options.Seed, 11+uint64(columns[0]))))
	if err == nil {
		o.drawn[columns[0]] = all
	}
	return all, err
}

// draw draws hyper-parameters, the length-scales of some columns among them.
func (o *openKernel) draw(ctx context.Context, columns []int, rng *rand.Rand) ([]kernelDraw, error) {
	s, n := o.search, len(o.top)
	s.start = nil // whatever was drawn before
	lengths := s.lengthsOf(columns)
	shifts, err := o.shifts(ctx, lengths)
	if err != nil {
		return nil, err
	}
	rng.Shuffle(len(shifts), func(i, j int) { shifts[i], shifts[j] = shifts[j], shifts[i] })
	var all []kernelDraw
	white, by := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for k, shift := range shifts {
		for i := range n {
			if k%2 == 0 {
				white.SetVec(i, rng.NormFloat64())
			} else {
				white.SetVec(i, -white.AtVec(i))
			}
		}
		simd.MulVec(by, o.root, white)
		for _, i := range lengths {
			by.SetVec(i, shift)
		}
		at := s.moved(o.top, by.RawVector().Data)
		_, r, err := s.value(ctx, at)
		if err != nil {
			return nil, err
		}
		_, _, taste, of := s.at(at)
		q, err := rescaled(r.Posterior, Dependence{Taste: taste}.unit())
		if err != nil {
			return nil, err
		}
		all = append(all, kernelDraw{of, q})
	}
	return all, nil
}

// shifts are draws of the logarithm by which some length-scales differ from those of the fit, one
// from each part of the same mass of the density along it.
func (o *openKernel) shifts(ctx context.Context, lengths []int) ([]float64, error) {
	const points = 2*lengthSteps + 1
	var at, height [points]float64
	for k := range points {
		at[k] = lengthStep * float64(k-lengthSteps)
		by := make([]float64, len(o.top))
		for _, i := range lengths {
			by[i] = at[k]
		}
		value, _, err := o.search.value(ctx, o.search.moved(o.top, by))
		if err != nil {
			return nil, err
		}
		height[k] = value
	}
	top := slices.Max(height[:])
	// The density is taken to be even within half a step of each.
	var mass, sum float64
	for k := range height {
		height[k] = math.Exp(height[k] - top)
		mass += height[k]
	}
	out, k := make([]float64, kernelDraws), 0
	for d := range out {
		want := (float64(d) + 0.5) / kernelDraws * mass
		for k < points-1 && sum+height[k] < want {
			sum += height[k]
			k++
		}
		within := 0.5
		if height[k] > 0 {
			within = min((want-sum)/height[k], 1)
		}
		out[d] = at[k] + lengthStep*(within-0.5)
	}
	return out, nil
}

// lengthsOf are the logarithms that are length-scales of some columns.
func (s *search) lengthsOf(columns []int) (all []int) {
	first := len(s.params) - len(s.kernel)
	for i, which := range s.kernel {
		if c := which[0] - 1; which[0] <= s.m.x.Dim() && slices.Contains(columns, c) {
			all = append(all, first+i)
		}
	}
	return all
}

// moved is a point with something added, within the bounds.
func (s *search) moved(x, by []float64) []float64 {
	out := slices.Clone(x)
	for i, p := range s.params {
		if by[i] != 0 {
			out[i] = min(max(x[i]+by[i], p.lo), p.hi)
		}
	}
	return out
}

// searchAgain is the search that ended at the model, and where: on the items of the fit, from
// length-scales at the medians, with features in the blocks that the linear term has.
func (m *Single) searchAgain() (*search, []float64) {
	t := *m
	t.Base.ids = m.ids[:m.trained]
	t.features = m.features.Slice(0, m.trained, 0, m.x.Dim()).(*mat.Dense)
	t.x, t.options.Progress = kernel.Dense(t.features), nil
	t.over = featurePrior{settled: true, medians: FeatureKernel{}.lengths(t.x, rand.New(rand.NewPCG(m.options.Seed, 1)))}
	t.over.blocks = m.linearBlocks(t.over.medians)
	t.kernel = t.kernelOf(m.settledShape().Shape)
	s := t.newSearch(m.voting.sides)
	s.repeat, s.lean, s.start, s.rough = m.voting.repeat, m.voting.lean, m.result.Sites, settledRough
	unit, at := m.dependence.unit(), m.kernel.Params()
	var x []float64
	if s.scale {
		x = append(x, math.Log(m.result.Posterior.Scale*unit*unit))
	}
	if s.threshold {
		x = append(x, math.Log(m.voting.threshold/unit))
	}
	if s.taste {
		x = append(x, 2*math.Log(max(m.dependence.Taste, tasteLo)))
	}
	if s.sides == VoterSides {
		x = append(x, 2*math.Log(m.voting.lean))
	}
	for _, which := range s.kernel {
		x = append(x, at[which[0]])
	}
	return s, x
}

// linearBlocks are runs of features that tell items apart and whose length-scales in the linear term
// are in the same proportion to their deviations.
func (m *Single) linearBlocks(medians []float64) (blocks [][]int) {
	cols := m.x.Dim()
	each := make([][]int, cols)
	for k := range each {
		each[k] = []int{k}
	}
	deviation, lengths := deviations(m.features.Slice(0, m.trained, 0, cols).(*mat.Dense), each), kernel.Relevances(m.kernel)[1].Lengths
	last := 0.0
	for k := range cols {
		if !kernel.HasEnd(medians[k]) {
			continue
		}
		if ratio := lengths[k] / deviation[k]; blocks != nil && math.Abs(ratio/last-1) < 1e-9 {
			blocks[len(blocks)-1] = append(blocks[len(blocks)-1], k)
		} else {
			blocks, last = append(blocks, []int{k}), ratio
		}
	}
	return blocks
}

// slope is the log density of the logarithms, and its gradient in all but length-scales. The objective
// has deviations of parts by their own density; their logarithms have another.
func (s *search) slope(ctx context.Context, x []float64) (float64, []float64, error) {
	value, grad, err := s.evaluate(ctx, x)
	if err != nil {
		return 0, nil, err
	}
	add := func(i int, by float64) {
		value += by * x[i]
		grad[i] += by
	}
	if s.scale && s.m.scalePrior() == (scalePrior{}) {
		add(0, -0.5)
	}
	for i, p := range s.params {
		switch {
		case p.deviation != 0:
			add(i, 0.5*p.deviation)
			if s.scale {
				add(0, -0.5)
			}
		case i >= len(s.params)-len(s.kernel):
			grad[i] = 0
		}
	}
	return value, grad, nil
}

// laplace returns the top of the log density of the logarithms near x, and a root of their
// covariance there. Length-scales stay.
func (s *search) laplace(ctx context.Context, x []float64) ([]float64, *mat.Dense, error) {
	n := len(x)
	value, grad, err := s.slope(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	stays := func(i int) bool { return i >= n-len(s.kernel) && s.params[i].deviation == 0 }
	bend := mat.NewSymDense(n, nil)
	for i := range x {
		if stays(i) {
			continue
		}
		moved := slices.Clone(x)
		moved[i] += bendStep
		_, there, err := s.slope(ctx, moved)
		if err != nil {
			return nil, nil, err
		}
		for j := range x {
			by := 0.5 * (grad[j] - there[j]) / bendStep
			if i == j {
				by *= 2
			}
			bend.SetSym(i, j, bend.At(i, j)+by)
		}
	}
	var eig mat.EigenSym
	root := mat.NewDense(n, n, nil)
	if !eig.Factorize(bend, true) {
		return x, root, nil
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	values := eig.Values(nil)
	for i, v := range values {
		values[i] = max(v, leastBend)
	}
	for range topSteps {
		along, step := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		simd.Gemv(blas.Trans, 1, vectors.RawMatrix(), mat.NewVecDense(n, grad).RawVector(), 0, along.RawVector())
		for i := range n {
			along.SetVec(i, along.AtVec(i)/values[i])
		}
		simd.MulVec(step, &vectors, along)
		for i := range n {
			step.SetVec(i, min(max(step.AtVec(i), -1), 1))
		}
		moved := s.moved(x, step.RawVector().Data)
		v, g, err := s.slope(ctx, moved)
		if err != nil {
			return nil, nil, err
		}
		if v <= value {
			break
		}
		value, grad, x = v, g, moved
	}
	for i := range n {
		if stays(i) {
			continue
		}
		for j := range n {
			root.Set(i, j, vectors.At(i, j)/math.Sqrt(values[j]))
		}
	}
	return x, root, nil
}

// partialDependenceOfDraws is PartialDependence over the draws of hyper-parameters.
func partialDependenceOfDraws(all []kernelDraw, x *mat.Dense, size int) *PartialDependence {
	var parts []*PartialDependence
	for _, d := range all {
		mean, cov, before := d.posterior.Means(d.posterior.Prior.Means(kernel.OfFeatures(d.kernel), kernel.Dense(x), size))
		parts = append(parts, &PartialDependence{mean, cov, before})
	}
	return mixed(parts, func(int) float64 { return 1 / float64(len(all)) })
}

// mixed are the moments of a mixture.
func mixed(parts []*PartialDependence, weight func(int) float64) *PartialDependence {
	n := len(parts[0].Mean)
	out := &PartialDependence{Mean: make([]float64, n), Cov: mat.NewSymDense(n, nil), Before: mat.NewSymDense(n, nil)}
	for k, p := range parts {
		num.Axpy(weight(k), p.Mean, out.Mean)
		for _, add := range []struct{ to, from *mat.SymDense }{{out.Cov, p.Cov}, {out.Before, p.Before}} {
			var part mat.SymDense
			part.ScaleSym(weight(k), add.from)
			add.to.AddSym(add.to, &part)
		}
	}
	for k, p := range parts {
		for i := range n {
			for j := i; j < n; j++ {
				out.Cov.SetSym(i, j, out.Cov.At(i, j)+weight(k)*(p.Mean[i]-out.Mean[i])*(p.Mean[j]-out.Mean[j]))
			}
		}
	}
	return out
}
