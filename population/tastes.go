package population

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// tastes fits one Gaussian to everybody, f_u ~ N(Mx, LVVᵀLᵀ + σ²(hK + (1−h)I)), with σ² held,
// in absolute units; K and L are those of Items, M that of what is known of the mean, and all are I
// without features. It climbs
//
//	J = Σ_u log Z_u/ρ − |x|²/2a − (n/2) log a − ½ Σ_k α_k|V_k|² + (n/2) Σ_k log α_k − (log σ² + 1)²/8 − (logit h)²/8
//
// over x, V and h; a, and the precision α_k of each column, are learnt between the climbs
// from what the curvature leaves open (MacKay's γ), so that columns which are not needed
// go, or all columns have one α, and small ones stay. ρ is the redundancy of the votes. Without columns all tastes are people's own.
type tastes struct {
	engine *Engine
	prior  *LowRank
	n, k   int
	own    float64   // σ²
	spread float64   // a
	alpha  []float64 // by column
	alike  bool      // all columns have one α
	temper float64   // 1/ρ
	ties   bool
	point  []float64 // x, V (n×k), then logit h with features, and the logarithm of the threshold where there are ties

	bent      *metric // about its curvature there
	told      *curvature
	score     float64
	converged bool
	run       *run
}

// Bounds of a and α, and sizes of columns below which they are not in use.
const (
	leastSpread, mostSpread = 0.01, 300
	leastAlpha, mostAlpha   = 0.0005, 100
	unused                  = 1e-4
	// closing is how little a climb must gain before it ends, in nats: evidences are
	// compared in units of several.
	closing     = 0.05
	tasteRounds = 7
	settled     = 0.1 // change of the logarithms of a and α below which rounds end
	tasteSteps  = 30
	// wholeCurvature is the number of coordinates of V up to which their curvature is
	// whole; above, it is that of each item's alone.
	wholeCurvature = 800
)

// logOwnPrior is that of σ².
func logOwnPrior(own float64) float64 { d := math.Log(own) + 1; return -d * d / 8 }

// newTastes starts without columns.
func (r *run) newTastes(own float64) (*tastes, error) {
	e, err := r.engine()
	if err != nil {
		return nil, err
	}
	n := r.people.items
	t := &tastes{engine: e, n: n, own: own, spread: 1, temper: r.temper, ties: r.people.Ties(), run: r}
	t.prior = &LowRank{Items: r.items, Scale: own, T: make([]float64, n)}
	t.point = make([]float64, n)
	if r.items.K != nil {
		t.point = append(t.point, 0)
	}
	if t.ties {
		t.point = append(t.point, math.Log(typicalThreshold))
	}
	return t, nil
}

// from starts where another fit ended, columns and all.
func (t *tastes) from(o *tastes) {
	t.spread, t.k = o.spread, o.k
	t.alpha = append([]float64(nil), o.alpha...)
	t.point = append([]float64(nil), o.point...)
	copy(t.engine.Tau, o.engine.Tau)
	copy(t.engine.Nu, o.engine.Nu)
}

// split returns x, V and the rest of a point.
func (t *tastes) split(x []float64) (mean, v, rest []float64) {
	return x[:t.n], x[t.n : t.n+t.n*t.k], x[t.n+t.n*t.k:]
}

func (t *tastes) threshold() float64 {
	if !t.ties {
		return 0
	}
	return math.Exp(t.point[len(t.point)-1])
}

// set moves the prior to a point.
func (t *tastes) set(x []float64) {
	mean, v, rest := t.split(x)
	it := t.prior.Items
	it.OfMean().colour(t.prior.T, mean, 1)
	t.prior.D = t.k
	resize(&t.prior.A, len(v))
	it.colour(t.prior.A, v, t.k)
	root := 1 / math.Sqrt(t.own)
	for i := range t.prior.A {
		t.prior.A[i] *= root
	}
	if it.K != nil {
		t.prior.Share = maxShare * sigmoid(rest[0])
	}
	if t.ties {
		t.engine.setThreshold(math.Exp(last(rest)))
	}
}

// penalty is J without the votes.
func (t *tastes) penalty(x []float64) float64 {
	mean, v, rest := t.split(x)
	f := logOwnPrior(t.own) - 0.5*num.Dot(mean, mean)/t.spread - 0.5*float64(t.n)*math.Log(t.spread)
	for i, y := range v {
		f -= 0.5 * t.alpha[i%t.k] * y * y
	}
	for _, a := range t.alpha {
		f += 0.5 * float64(t.n) * math.Log(a)
	}
	if t.prior.Items.K != nil {
		f -= rest[0] * rest[0] / 8
	}
	if t.ties {
		d := last(rest) - math.Log(typicalThreshold)
		f -= d * d / 8
	}
	return f
}

func last(x []float64) float64 { return x[len(x)-1] }

// evaluate is J and its gradient.
func (t *tastes) evaluate(ctx context.Context, x []float64) (value float64, grad []float64, err error) {
	t.set(x)
	edge := &margin{people: t.engine.People, threshold: 1}
	var also []Collector
	if t.ties {
		edge.threshold = math.Exp(x[len(x)-1])
		also = append(also, edge)
	}
	told, stats, err := t.engine.statistics(ctx, t.prior, also...)
	t.run.evaluated(stats)
	if err != nil {
		if ctx.Err() == nil {
			return math.Inf(-1), nil, nil // a step too far
		}
		return 0, nil, err
	}
	grad = make([]float64, len(x))
	mean, v, rest := t.split(x)
	gm, gv, gr := t.split(grad)
	it := t.prior.Items
	it.OfMean().shrink(gm, told.Mean, 1)
	for i, s := range gm {
		gm[i] = t.temper*s - mean[i]/t.spread
	}
	root := t.temper / math.Sqrt(t.own)
	it.shrink(gv, told.Factors, t.k)
	for i, s := range gv {
		gv[i] = root*s - t.alpha[i%t.k]*v[i]
	}
	if it.K != nil {
		gr[0] = t.temper*told.Share*maxShare*bell(rest[0]) - rest[0]/4
	}
	if t.ties {
		gr[len(gr)-1] = t.temper*edge.sum - (last(rest)-math.Log(typicalThreshold))/4
	}
	t.run.evidence = told.Evidence
	return t.temper*told.Evidence + t.penalty(x), grad, nil
}

// bend finds the curvature at the point, and the score there: a parameter counts as far as
// votes, and not its prior, settled it.
func (t *tastes) bend(ctx context.Context) error {
	t.set(t.point)
	_, v, _ := t.split(t.point)
	factors := make([]float64, len(v))
	t.prior.Items.colour(factors, v, t.k)
	c := newCurvature(t.n, t.k, factors)
	evidence, stats, err := t.engine.Evaluate(ctx, t.prior, c)
	t.run.evaluated(stats)
	if err != nil {
		return err
	}
	c.within(t.prior.Items)
	t.told, t.bent = c, c.metric(t)
	settled := float64(t.k) // precisions
	if t.alike {
		settled = min(1, settled)
	}
	for i, open := range t.bent.variances()[:t.n*(1+t.k)] {
		before := t.spread
		if i >= t.n {
			before = 1 / t.alpha[(i-t.n)%t.k]
		}
		settled += 1 - open/before
	}
	t.score = score(t.temper*evidence, settled)
	return nil
}

// relearn sets a and α to what the curvature says, and returns by how much the largest
// of their logarithms changed.
func (t *tastes) relearn() (change float64) {
	mean, v, _ := t.split(t.point)
	open := t.bent.variances()
	set := func(x *float64, to, least, most float64) {
		to = min(max(to, least), most)
		change = max(change, math.Abs(math.Log(to / *x)))
		*x = to
	}
	var trace float64
	for _, x := range open[:t.n] {
		trace += x
	}
	gamma := max(float64(t.n)-trace/t.spread, 0.5)
	set(&t.spread, (num.Dot(mean, mean)+0.05)/(gamma+0.05), leastSpread, mostSpread)
	told, size := make([]float64, t.k), make([]float64, t.k)
	for c := range t.k {
		var trace float64
		for i := range t.n {
			size[c] += v[i*t.k+c] * v[i*t.k+c]
			trace += open[t.n+i*t.k+c]
		}
		told[c] = max(float64(t.n)-t.alpha[c]*trace, 1e-3)
	}
	t.level(told)
	t.level(size)
	for c := range t.k {
		set(&t.alpha[c], (told[c]+0.1)/(size[c]+0.001), leastAlpha, mostAlpha)
	}
	return change
}

// level sets what columns have to the mean of all if they are alike.
func (t *tastes) level(x []float64) {
	if !t.alike {
		return
	}
	var mean float64
	for _, y := range x {
		mean += y / float64(len(x))
	}
	for i := range x {
		x[i] = mean
	}
}

// turn brings the columns of V to their principal axes, which changes no covariance, and
// leaves out those that are not in use.
func (t *tastes) turn() {
	if t.k == 0 {
		return
	}
	mean, v, rest := t.split(t.point)
	var eig mat.EigenSym
	gram := mat.NewSymDense(t.k, nil)
	for a := range t.k {
		for b := range a + 1 {
			var s float64
			for i := range t.n {
				s += v[i*t.k+a] * v[i*t.k+b]
			}
			gram.SetSym(a, b, s)
		}
	}
	if !eig.Factorize(gram, true) {
		return
	}
	var q mat.Dense
	eig.VectorsTo(&q)
	var keep []int
	for c, s := range eig.Values(nil) {
		if s > unused {
			keep = append(keep, c)
		}
	}
	out := append(make([]float64, 0, len(t.point)), mean...)
	for i := range t.n {
		for _, c := range keep {
			var s float64
			for b := range t.k {
				s += v[i*t.k+b] * q.At(b, c)
			}
			out = append(out, s)
		}
	}
	alpha := make([]float64, len(keep))
	for at, c := range keep {
		// A column's precision goes with its direction.
		for b, a := range t.alpha {
			alpha[at] += a * q.At(b, c) * q.At(b, c)
		}
	}
	t.point, t.alpha, t.k = append(out, rest...), alpha, len(keep)
}

// learn fits from the point on.
func (t *tastes) learn(ctx context.Context) error {
	if err := t.bend(ctx); err != nil {
		return err
	}
	for round := range tasteRounds {
		var err error
		if t.point, _, t.converged, err = t.run.climbFrom(ctx, t.point, t.bent, t.evaluate, tasteSteps); err != nil {
			return err
		}
		t.turn()
		if err := t.bend(ctx); err != nil {
			return err
		}
		if t.relearn() < settled || round == tasteRounds-1 {
			break
		}
		t.bent = t.told.metric(t)
	}
	more, err := t.engine.amendments(ctx, t.prior)
	for _, x := range more {
		t.score += t.temper * x
	}
	return err
}

// grow gives a fit without columns up to k of them, along the directions in which more
// variance of tastes makes the votes likelier: eigenvectors q of G = ½Σ(ssᵀ − W), as long
// as the curvature ½Σ(qᵀWq)² says.
func (t *tastes) grow(ctx context.Context, k int) error {
	if err := t.bend(ctx); err != nil {
		return err
	}
	slope := make([]float64, t.n*t.n)
	for i := range slope {
		slope[i] = 0.5 * (t.told.square[i] - t.told.info[i])
	}
	num.Mirror(slope, t.n)
	t.prior.Items.within(slope, 1)
	g := mat.NewSymDense(t.n, slope)
	var eig mat.EigenSym
	if !eig.Factorize(g, true) {
		return nil
	}
	values := eig.Values(nil) // ascending
	var q mat.Dense
	eig.VectorsTo(&q)
	var axes []float64 // n×k
	top := 0
	for top < k && values[t.n-1-top] > 0 {
		top++
	}
	for i := range t.n {
		for c := range top {
			axes = append(axes, q.At(i, t.n-1-c))
		}
	}
	if top == 0 {
		return nil
	}
	coloured := make([]float64, len(axes))
	t.prior.Items.colour(coloured, axes, top)
	along := &squares{axes: coloured, k: top, sum: make([]float64, top)}
	if _, _, err := t.engine.Evaluate(ctx, t.prior, along); err != nil {
		return err
	}
	mean, _, rest := t.split(t.point)
	point := append([]float64(nil), mean...)
	size := make([]float64, top)
	t.alpha = make([]float64, top)
	for c := range size {
		size[c] = min(values[t.n-1-c]/(0.5*along.sum[c]), mostFactor*max(1, t.own)*float64(t.n))
	}
	for i, x := range axes {
		point = append(point, x*math.Sqrt(size[i%top]))
	}
	t.level(size)
	for c, s := range size {
		t.alpha[c] = min(max(float64(t.n)/s, leastAlpha), mostAlpha)
	}
	t.k, t.point = top, append(point, rest...)
	return nil
}

// mostFactor is the mean square of a column that a fit starts with, at most, in units of a vote's noise
// or of own tastes, whichever are larger.
const mostFactor = 2
