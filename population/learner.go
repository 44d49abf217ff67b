package population

import (
	"context"
	"math"
	"math/rand/v2"

	"palate/infer"
)

// learner climbs the penalised evidence
//
//	Σ_u log Z_u − |x|²/2 − λ|V|²/2 − |w|²/2 − (log s − log 30)²/8 − (logit k)²/8
//
// over x, V, w, s and k: t = √(s·a)·Lx, A = LV, G = √(s·g)·Lw, LLᵀ = (K+I)/2.
// The scale s multiplies means and covariance alike, so that the direction in
// which EM is slow is one coordinate.
type learner struct {
	engine    *Engine
	items     *Items
	d, f      int
	penalty   float64
	spread    float64   // a
	relevance []float64 // g, by person feature
	prior     *LowRank
	told      *Statistics // by everybody, at the last evaluation
	stats     infer.Stats
	evidence  float64
	ties      bool
	threshold float64
	watch     *watch // nil: nobody watches
}

func newLearner(e *Engine, it *Items, features []float64, f int, o *Options) *learner {
	n := it.N
	d := o.Rank
	if d == 0 {
		d = 20
	}
	d = min(d, n-1)
	l := &learner{engine: e, items: it, d: d, f: f, penalty: o.Penalty, spread: 1, ties: o.Likelihood == nil && e.People.Ties()}
	if l.penalty == 0 {
		l.penalty = Penalty
	}
	for range f {
		l.relevance = append(l.relevance, startRelevance/float64(max(1, telling(features, f))))
	}
	l.prior = &LowRank{Items: it, D: d, A: make([]float64, n*d), T: make([]float64, n), F: f, G: make([]float64, n*f), Features: features}
	l.watch = newWatch(e.People, o.Aside)
	return l
}

// telling counts the features, a row a person, that are not zero for everybody.
func telling(features []float64, f int) (n int) {
	for k := range f {
		for i := k; i < len(features); i += f {
			if features[i] != 0 {
				n++
				break
			}
		}
	}
	return n
}

// The parameters follow one another: x, V, w, then those of s, k and the
// threshold of ties.
func (l *learner) split(p []float64) (x, v, w, rest []float64) {
	n := l.items.N
	x, p = p[:n], p[n:]
	v, p = p[:n*l.d], p[n*l.d:]
	w, rest = p[:n*l.f], p[n*l.f:]
	return x, v, w, rest
}

func (l *learner) start(rng *rand.Rand) []float64 {
	p := make([]float64, l.size())
	_, v, _, rest := l.split(p)
	for i := range v {
		v[i] = startFactor * rng.NormFloat64()
	}
	share := math.Log(startScale/minScale) / math.Log(maxScale/minScale)
	rest[0] = logit(share)
	if l.ties {
		rest[2] = math.Log(typicalThreshold)
	}
	return p
}

// size is the number of parameters.
func (l *learner) size() int {
	n := l.items.N*(1+l.d+l.f) + 2
	if l.ties {
		n++
	}
	return n
}

// unpack sets the prior to the parameters.
func (l *learner) unpack(p []float64) {
	n := l.items.N
	x, v, w, rest := l.split(p)
	q := l.prior
	q.Scale = minScale * math.Exp(math.Log(maxScale/minScale)*sigmoid(rest[0]))
	q.Share = 0
	if l.items.K != nil {
		q.Share = maxShare * sigmoid(rest[1])
	}
	if l.ties {
		l.threshold = math.Exp(rest[2])
		l.engine.setThreshold(l.threshold)
	}
	l.items.OfMean().colour(q.T, x, 1)
	root := math.Sqrt(q.Scale * l.spread)
	for i := range q.T {
		q.T[i] *= root
	}
	l.items.colour(q.A, v, l.d)
	if l.f > 0 {
		l.items.colour(q.G, w, l.f)
		for i := range n {
			for c, g := range l.relevance {
				q.G[i*l.f+c] *= math.Sqrt(q.Scale * g)
			}
		}
	}
}

// watching returns the collector of the loss of votes set aside, ready to begin.
func (l *learner) watching() []Collector {
	if l.watch == nil {
		return nil
	}
	l.watch.prior, l.watch.loss, l.watch.of = l.prior, 0, Voting(l.threshold)
	return []Collector{l.watch}
}

// evaluate is the objective and its gradient.
func (l *learner) evaluate(ctx context.Context, p []float64) (value float64, grad, curve []float64, err error) {
	l.unpack(p)
	collectors := l.watching()
	edge := &margin{people: l.engine.People, threshold: l.threshold}
	if l.ties {
		collectors = append(collectors, edge)
	}
	if l.told, l.stats, err = l.engine.Statistics(ctx, l.prior, collectors...); err != nil {
		if ctx.Err() == nil {
			return math.Inf(-1), nil, nil, nil // a step too far
		}
		return 0, nil, nil, err
	}
	f := l.told.Evidence
	l.evidence = f
	grad = make([]float64, len(p))
	x, v, w, rest := l.split(p)
	gx, gv, gw, gr := l.split(grad)
	q, s := l.prior, l.told
	l.items.OfMean().shrink(gx, s.Mean, 1)
	root := math.Sqrt(q.Scale * l.spread)
	for i := range gx {
		gx[i] = root*gx[i] - x[i]
		f -= 0.5 * x[i] * x[i]
	}
	l.items.shrink(gv, s.Factors, l.d)
	for i := range gv {
		gv[i] -= l.penalty * v[i]
		f -= 0.5 * l.penalty * v[i] * v[i]
	}
	if l.f > 0 {
		l.items.shrink(gw, s.Effects, l.f)
		for i := range gw {
			gw[i] = math.Sqrt(q.Scale*l.relevance[i%l.f])*gw[i] - w[i]
			f -= 0.5 * w[i] * w[i]
		}
	}
	// ∂/∂log s: the means grow as √s.
	wide := math.Log(maxScale / minScale)
	c := sigmoid(rest[0])
	d := math.Log(q.Scale / typicalScale)
	f -= d * d / 8
	gr[0] = (s.Scale + 0.5*s.Lean - d/4) * wide * c * (1 - c)
	if l.items.K != nil {
		c := sigmoid(rest[1])
		f -= rest[1] * rest[1] / 8
		gr[1] = s.Share*maxShare*c*(1-c) - rest[1]/4
	}
	if l.ties {
		d := rest[2] - math.Log(typicalThreshold)
		f -= d * d / 8
		gr[2] = edge.sum - d/4
	}
	return f, grad, l.curvatures(p), nil
}

// curvatures are about those of −F along each coordinate, by the information W
// of everybody's votes on each item: 1 + s·a·diag(LᵀWL) for x, and alike for V
// and w.
func (l *learner) curvatures(p []float64) []float64 {
	n, q := l.items.N, l.prior
	info := l.items.through(l.told.Info)
	h := make([]float64, l.size())
	x, v, w, rest := l.split(h)
	for i, k := range info[:n] {
		k *= q.Scale
		x[i] = 1 + l.spread*k
		for d := range l.d {
			v[i*l.d+d] = l.penalty + k
		}
		for c, g := range l.relevance {
			w[i*l.f+c] = 1 + g*k
		}
	}
	var sum float64
	for _, k := range info[:n] {
		sum += k
	}
	// All votes bear on scale, share and threshold, but little each.
	slope := []float64{math.Log(maxScale/minScale) * bell(p[len(p)-len(rest)]), maxShare * bell(p[len(p)-len(rest)+1]), 1}
	for i := range rest {
		rest[i] = 0.25 + restCurve*slope[i]*slope[i]*q.Scale*sum
	}
	return h
}
