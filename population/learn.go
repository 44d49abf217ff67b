package population

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Options say how a population is learnt. The zero value, and nil, are the
// defaults.
type Options struct {
	Settings
	Rank     int     // columns of A, a cap: the penalty picks the rank; 0 stands for 20
	Penalty  float64 // λ of λ|V|²/2; 0 stands for 6
	Rounds   int     // relearning of the relevances; 0 stands for 2, or 3 with person features
	MaxSteps int     // of the climb, a round; 0 stands for 200
	Gain     float64 // relative gain below which the climb ends; 0 stands for 1e-5
	Seed     uint64
	// Progress, if set, is told after every step.
	Progress func(Progress)
	// Checkpoint, if set, is given the state now and then; Resume takes it up.
	Checkpoint func(*Checkpoint) error
	Resume     *Checkpoint
}

// Progress describes learning under way.
type Progress struct {
	Round, Step, Evaluations int
	Objective                float64 // penalised log evidence
	Stats                    Stats
}

// Bounds and priors of the scale s and the share k. Consistent votes want no
// noise at all, which is right but makes EP hard; a share of one makes items
// with equal features the same.
const (
	minScale, maxScale = 0.01, 100
	typicalScale       = 30 // the prior's median; its log has a deviation of 2
	startScale         = 80
	maxShare           = 0.95
	startRelevance     = 0.1 // of all person features together
	startFactor        = 0.2 // deviation of V at the start; at zero the slope is zero
)

// minRelevance is that of a person feature that does not matter.
const minRelevance = 1e-6

// How well EP must have converged along the way, and in the end. The objective
// is stationary in the sites, so that 1e-3 along the way changes nothing that
// can be measured on SUSHI and MovieLens, for two thirds of the work.
const (
	climbing = 1e-3
	final    = 1e-5
)

// early is how much sooner the rounds before the last may stop.
const early = 5

// enough is how many steps in a row must gain next to nothing.
const enough = 2

// Learnt is a population with how it was learnt.
type Learnt struct {
	*LowRank
	Objective float64
	Evidence  float64
	Rounds    int
	Evals     int
	Converged bool
	Stats     Stats
	// Spread is the prior variance of the mean, over that of the utilities.
	Spread float64
	// Threshold is the margin below which people call a tie; 0 without ties.
	Threshold float64
	// Relevance of each person feature, in the same unit.
	Relevance []float64
}

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
	slopes    *slopes
	work      []float64
	stats     Stats
	evidence  float64
	ties      bool
	threshold float64
}

func newLearner(e *Engine, it *Items, features []float64, f int, o *Options) *learner {
	n := it.N
	d := o.Rank
	if d == 0 {
		d = 20
	}
	d = min(d, n-1)
	l := &learner{engine: e, items: it, d: d, f: f, penalty: o.Penalty, spread: 1, ties: o.Likelihood == nil && e.People.ties()}
	if l.penalty == 0 {
		l.penalty = 6
	}
	for range f {
		l.relevance = append(l.relevance, startRelevance/float64(f))
	}
	l.prior = &LowRank{Items: it, D: d, A: make([]float64, n*d), T: make([]float64, n), F: f, G: make([]float64, n*f), Features: features}
	l.slopes = newSlopes(l.prior)
	l.work = make([]float64, n*max(d, f, 1))
	return l
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
	l.items.colour(q.T, x, 1)
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

// evaluate is the objective and its gradient.
func (l *learner) evaluate(ctx context.Context, p []float64) (float64, []float64, error) {
	l.unpack(p)
	l.slopes.reset(l.prior)
	collectors := []Collector{l.slopes}
	edge := &margin{people: l.engine.People, threshold: l.threshold}
	if l.ties {
		collectors = append(collectors, edge)
	}
	f, stats, err := l.engine.Evaluate(ctx, l.prior, collectors...)
	l.stats, l.evidence = stats, f
	if err != nil {
		if ctx.Err() == nil {
			return math.Inf(-1), nil, nil // a step too far
		}
		return 0, nil, err
	}
	grad := make([]float64, len(p))
	x, v, w, rest := l.split(p)
	gx, gv, gw, gr := l.split(grad)
	q, s := l.prior, l.slopes
	l.items.shrink(gx, s.pull, 1)
	root := math.Sqrt(q.Scale * l.spread)
	for i := range gx {
		gx[i] = root*gx[i] - x[i]
		f -= 0.5 * x[i] * x[i]
	}
	l.items.shrink(gv, s.a, l.d)
	for i := range gv {
		gv[i] -= l.penalty * v[i]
		f -= 0.5 * l.penalty * v[i] * v[i]
	}
	if l.f > 0 {
		l.items.shrink(gw, s.g, l.f)
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
	gr[0] = (s.scale + 0.5*s.lean - d/4) * wide * c * (1 - c)
	if l.items.K != nil {
		c := sigmoid(rest[1])
		f -= rest[1] * rest[1] / 8
		gr[1] = s.share*maxShare*c*(1-c) - rest[1]/4
	}
	if l.ties {
		d := rest[2] - math.Log(typicalThreshold)
		f -= d * d / 8
		gr[2] = edge.sum - d/4
	}
	return f, grad, nil
}

// Learn finds the population that people come from. features are those of the
// persons, f a row, nil without.
func Learn(ctx context.Context, people *People, it *Items, features []float64, f int, o *Options) (*Learnt, *Engine, error) {
	if o == nil {
		o = &Options{}
	}
	s := o.Settings
	if s.Likelihood == nil && people.ties() {
		s.Likelihood = Voting(typicalThreshold)
	}
	e, err := NewEngine(people, s)
	if err != nil {
		return nil, nil, err
	}
	if o.Tolerance == 0 {
		e.method.tolerance = climbing
	}
	l := newLearner(e, it, features, f, o)
	rounds, steps, gain := o.Rounds, o.MaxSteps, o.Gain
	if rounds == 0 {
		rounds = 2
		if f > 0 {
			rounds = 3
		}
	}
	if steps == 0 {
		steps = 200
	}
	if gain == 0 {
		gain = 1e-5
	}
	c := &climber{}
	point := l.start(rand.New(rand.NewPCG(o.Seed, 0x909)))
	round, fresh := 0, true
	if o.Resume != nil {
		if round, err = o.Resume.restore(l, c); err != nil {
			return nil, nil, err
		}
		fresh = false
	}
	out := &Learnt{}
	for ; round < rounds; round++ {
		if fresh {
			*c = climber{Evals: c.Evals}
			if err := c.start(ctx, point, l.evaluate); err != nil {
				return nil, nil, err
			}
		}
		fresh = true
		for c.Rounds < steps && c.Quiet < enough {
			up, err := c.step(ctx, l.evaluate)
			if err != nil {
				if ctx.Err() != nil && c.Rounds > 0 {
					break
				}
				return nil, nil, err
			}
			if o.Progress != nil {
				o.Progress(Progress{round, c.Rounds, c.Evals, c.F, l.stats})
			}
			small := gain * math.Abs(c.F)
			if round+1 < rounds {
				small *= early
			}
			if up > small {
				c.Quiet = 0
			} else if c.Quiet++; up == 0 {
				c.Quiet = enough
			}
			if o.Checkpoint != nil {
				if err := o.Checkpoint(capture(l, c, round)); err != nil {
					return nil, nil, err
				}
			}
		}
		point = c.X
		out.Converged = c.Rounds < steps
		if ctx.Err() != nil {
			out.Converged = false
			break
		}
		if round+1 < rounds {
			if err := l.relearn(ctx, point); err != nil {
				return nil, nil, err
			}
		}
	}
	l.unpack(point)
	// Once more, so that sites and population agree.
	if o.Tolerance == 0 {
		e.method.tolerance = final
	}
	out.Evidence, out.Stats, err = e.Evaluate(context.WithoutCancel(ctx), l.prior)
	l.prior.root = &lazy{}
	out.LowRank, out.Objective, out.Evals, out.Rounds = l.prior, c.F, c.Evals, round
	out.Spread, out.Relevance, out.Threshold = l.spread, l.relevance, l.threshold
	return out, e, err
}

// relearn sets the spread a of the mean, and the relevances g, to what the
// posterior of t and G says: a ← (|√a·x|² + Σ1/(1/a+e_i) + 1)/(N+3.3), e_i the
// eigenvalues of s·Lᵀ(ΣW)L. The point keeps t and G.
func (l *learner) relearn(ctx context.Context, p []float64) error {
	n := l.items.N
	l.unpack(p)
	sums := NewSums(n, false)
	if _, _, err := l.engine.Evaluate(ctx, l.prior, sums); err != nil {
		return err
	}
	e := l.curvature(sums.Info)
	x, _, w, _ := l.split(p)
	old := l.spread
	theta := old * dot(x, x)
	for range 5 {
		l.spread = (theta + e.trace(1/l.spread) + 1) / (float64(n) + 3.3)
	}
	for i := range x {
		x[i] *= math.Sqrt(old / l.spread)
	}
	for c, g := range l.relevance {
		var norm float64
		for i := range n {
			norm += w[i*l.f+c] * w[i*l.f+c]
		}
		theta := g * norm
		g2 := g
		for range 5 {
			// MacKay: γ = N − Σ 1/(1+g·e), each feature having mean square one
			gamma := float64(n) - e.trace(1/g2)/g2
			g2 = min(max(theta/max(gamma, 1e-3), minRelevance), 10)
		}
		l.relevance[c] = g2
		for i := range n {
			w[i*l.f+c] *= math.Sqrt(g / g2)
		}
	}
	return nil
}

// spectrum is a weighted list of eigenvalues.
type spectrum struct{ value, weight []float64 }

// trace returns Σ 1/(x + e_i).
func (s spectrum) trace(x float64) (sum float64) {
	for i, e := range s.value {
		sum += s.weight[i] / (x + max(e, 0))
	}
	return sum
}

// denseSpectrum is the number of items up to which all eigenvalues are found;
// above, Lanczos from a few random vectors tells their distribution.
const denseSpectrum = 400

func (l *learner) curvature(info []float64) spectrum {
	n := l.items.N
	mirror(info, n)
	s := l.prior.Scale
	if n <= denseSpectrum {
		m := make([]float64, n*n)
		l.items.shrink(m, info, n)
		transpose(m, n)
		l.items.shrink(m, m, n)
		sym := mat.NewSymDense(n, m)
		var eig mat.EigenSym
		if !eig.Factorize(sym, false) {
			return spectrum{}
		}
		out := spectrum{eig.Values(nil), make([]float64, n)}
		for i := range out.value {
			out.value[i] *= s
			out.weight[i] = 1
		}
		return out
	}
	y := make([]float64, n)
	return lanczosSpectrum(n, 8, 30, rand.New(rand.NewPCG(3, 5)), func(dst, src []float64) {
		l.items.colour(y, src, 1)
		matVec(dst, info, y, n)
		l.items.shrink(dst, dst, 1)
		for i := range dst {
			dst[i] *= s
		}
	})
}

func transpose(a []float64, n int) {
	for i := range n {
		for j := range i {
			a[i*n+j], a[j*n+i] = a[j*n+i], a[i*n+j]
		}
	}
}
