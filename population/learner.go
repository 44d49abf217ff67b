package population

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
)

// learner climbs the penalised evidence
//
//	Σ_u log Z_u − |x|²/2 − λ|V|²/2 − |w|²/2 − (log s − log 30)²/8 − (logit k)²/8
//
// over x, V, w, s and k: t = √(s·a)·Lx, A = LV, G = √(s·g)·Lw, LLᵀ = (K+I)/2.
// The scale s multiplies means and covariance alike, so that the direction in
// which EM is slow is one coordinate.
type learner struct {
	people    Evaluator
	items     *Items
	d, f      int
	penalty   float64
	spread    float64   // a
	relevance []float64 // g, by person feature
	prior     *LowRank
	told      *Statistics // by everybody, at the last evaluation
	ties      bool        // the threshold of ties is learnt
	threshold float64
	tolerance float64 // to which everybody is inferred
	dense     int     // items up to which the whole of ΣW is asked for
}

func newLearner(people Evaluator, it *Items, features []float64, f int, ties bool, o *Options) *learner {
	n := it.N
	d := o.Rank
	d = cmp.Or(d, 20)
	d = min(d, n-1)
	l := &learner{people: people, items: it, d: d, f: f, penalty: o.Penalty, spread: 1, ties: ties, tolerance: o.Tolerance, dense: o.DenseItems}
	l.penalty = cmp.Or(l.penalty, Penalty)
	l.tolerance = cmp.Or(l.tolerance, climbing)
	l.dense = cmp.Or(l.dense, maxSums)
	for range f {
		l.relevance = append(l.relevance, startRelevance/float64(max(1, telling(features, f))))
	}
	l.prior = &LowRank{Items: it, D: d, A: make([]float64, n*d), T: make([]float64, n), F: f, G: make([]float64, n*f), Features: features}
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

// ask has everybody inferred under the population as it is.
func (l *learner) ask(ctx context.Context, want Want) (*Statistics, error) {
	return l.people.Evaluate(ctx, Query{l.prior, l.threshold, l.tolerance, want})
}

// evaluate is the objective and its gradient.
func (l *learner) evaluate(ctx context.Context, p []float64) (value float64, grad, curve []float64, err error) {
	l.unpack(p)
	told, err := l.ask(ctx, Slopes)
	if errors.Is(err, ErrIndefinite) {
		return math.Inf(-1), nil, nil, nil // a step too far
	} else if err != nil {
		return 0, nil, nil, err
	}
	l.told = told
	f := told.Evidence
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
		gr[2] = s.Margin - d/4
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
