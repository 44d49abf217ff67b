package drift

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/likelihood"
)

// Options are the settings of Learn.
type Options struct {
	// Margin is that of ties to begin with, and Kinds what it makes of the likelihoods; nil:
	// they are what they are.
	Margin float64
	Kinds  func(margin float64) []likelihood.Scalar
	// Report is told of every round, if there is one.
	Report func(member, round int, evidence float64)
}

// Said is what votes say under one kind of process: Tau and Nu are what every state is told,
// and Site is what every pair says.
type Said struct {
	Tau, Nu []float64
	Site    []gp.Site
}

// Member is one process, and what votes say under it or one like it.
type Member struct {
	Process Process
	Weight  float64 // by evidence
	*Said
	Hops []Hop // of states, how they were reached, under a process that jumps
}

// Fit is what Learn found.
type Fit struct {
	Posterior
	Likeliest Process
	Evidence  float64 // of the likeliest kind of process, its parameters integrated out
	Margin    float64 // of ties
	Converged bool
	Sweeps    int
	Change    float64 // of the last sweep
}

// Members and their priors: that nothing moves, that utilities move and return, roughly or
// smoothly, that they walk away, and that they jump. A movement may be as small as votes want it, so that
// stillness needs no more than its share.
var (
	members = []Process{{Stay: 1}, {Stay: 1, Move: 0.5}, {Stay: 1, Move: 0.5, Smooth: true}, {Stay: 1, Move: 0.2, Walk: true}, {Stay: 1, Move: 1, Jumps: true}}
	prior   = []float64{0.18, 0.4, 0.15, 0.17, 0.1}
)

// jumpStates is the number of states up to which jumps are among what is tried: their sites take
// most of the time.
const jumpStates = 20_000

// leastWeight is the share of the evidence below which a member is left out.
const leastWeight = 5e-3

// Learn fits processes to votes, and weighs them by their evidence.
func Learn(ctx context.Context, v *Votes, o Options) (*Fit, error) {
	own := *v
	g := newGraph(&own)
	f := &Fit{Margin: o.Margin, Converged: true}
	l := &learning{graph: g, o: o, span: 1, fit: f}
	if n := len(v.Times); n > 1 {
		l.span = v.Times[n-1] - v.Times[0]
	}
	best := math.Inf(-1)
	var start, rough Process
	for k, p := range members {
		if k > 0 && len(v.Times) < 2 || p.Jumps && len(g.chain.time) > jumpStates {
			break
		}
		switch k {
		case 1:
			p.Stay, p.Move, p.Length = start.Stay, 0.3*start.Stay, l.span/4
		case 2:
			p.Stay, p.Move, p.Length = rough.Stay, rough.Move, max(rough.Length/2, l.span/100)
		case 3:
			p.Stay, p.Move = rough.Stay, rough.Move*math.Sqrt(2/max(rough.Length, l.span/100))
		case 4:
			p.Length = 0.5 * l.span
			p.Stay, p.Move = start.Stay, start.Move*math.Sqrt(p.Length)
		}
		p, about, log, err := l.member(ctx, k, p)
		if err != nil {
			return nil, err
		}
		if start = p; k == 1 {
			rough = p
		}
		log += math.Log(prior[k])
		if log > best {
			for j := range f.Members {
				f.Members[j].Weight *= math.Exp(best - log)
			}
			best, f.Likeliest, f.Evidence, f.Margin = log, p, log, l.margin
		}
		for _, m := range about {
			m.Weight *= math.Exp(log - best)
			f.Members = append(f.Members, m)
		}
	}
	pairs := make([][2]int32, len(g.pairs))
	for k, p := range g.pairs {
		pairs[k] = [2]int32{p.a, p.b}
	}
	q, err := NewPosterior(v.Times, g.period, pairs, g.chain.stay, heavy(f.Members))
	if err != nil {
		return nil, err
	}
	f.Posterior = *q
	if v.Shown > 0 {
		f.Shown = v.Shown
	}
	return f, nil
}

// heavy returns the members with some weight, which is made to sum to one.
func heavy(all []Member) (kept []Member) {
	var sum, left float64
	for _, m := range all {
		sum += m.Weight
	}
	for _, m := range all {
		if m.Weight >= leastWeight*sum {
			kept = append(kept, m)
			left += m.Weight
		}
	}
	for k := range kept {
		kept[k].Weight /= left
	}
	return kept
}

// learning is a fit under way.
type learning struct {
	*graph
	o      Options
	span   float64
	margin float64
	fit    *Fit
}

// Of the rounds of a member: how far messages settle before its process is changed and at
// last, how many there are of them at most, and the change of a parameter's logarithm that
// ends them.
const (
	roughly   = 0.03
	finely    = 1e-3
	maxRounds = 30
	settled   = 0.01
	maxSweeps = 200
)

// member finds the likeliest process of a kind, processes that stand for what is not known of
// its parameters, and the log of the evidence with these integrated out.
func (l *learning) member(ctx context.Context, k int, p Process) (Process, []Member, float64, error) {
	l.margin = l.fit.Margin
	if l.o.Kinds != nil {
		l.Kinds = l.o.Kinds(l.margin)
	}
	l.w.set(p)
	for round := range maxRounds {
		if _, err := l.converge(ctx, roughly, 10); err != nil {
			return p, nil, 0, err
		}
		l.add()
		next, _ := l.climb(p)
		far := l.distance(p, next)
		p = next
		l.w.set(p)
		far = max(far, l.moveMargin())
		if l.o.Report != nil {
			l.o.Report(k, round, l.chains(p))
		}
		if far < settled {
			break
		}
	}
	done, err := l.converge(ctx, finely, maxSweeps)
	if err != nil {
		return p, nil, 0, err
	}
	l.fit.Converged, l.fit.Change, l.fit.Sweeps = l.fit.Converged && done, l.change, l.sweeps
	log := l.evidence() + l.logPrior(p)
	said := &Said{Tau: slices.Clone(l.tau), Nu: slices.Clone(l.nu), Site: slices.Clone(l.site)}
	_, h := l.climb(p)
	if h == nil {
		return p, []Member{{Process: p, Weight: 1, Said: said}}, log, nil
	}
	points, volume, err := l.integrate(ctx, p, log, h)
	if err != nil {
		return p, nil, 0, err
	}
	var sum float64
	for _, x := range points {
		sum += math.Exp(x.value - log)
	}
	var about []Member
	for _, x := range represent(points) {
		about = append(about, Member{x.process, x.value, said, x.hops})
	}
	return p, about, log + math.Log(sum) + volume, nil
}

// value is the log evidence of a process under the messages as they are, up to a constant.
func (l *learning) value(p Process) float64 { return l.chains(p) + l.logPrior(p) }

// numbers are the parameters of a process that are learnt, their logarithms.
func (l *learning) numbers(p Process) (x []float64) {
	if l.Links == nil {
		x = append(x, math.Log(p.Stay))
	}
	if p.Move > 0 {
		x = append(x, math.Log(p.Move))
	}
	if p.Length > 0 {
		x = append(x, math.Log(p.Length))
	}
	return x
}

// with returns the process with these numbers.
func (l *learning) with(p Process, x []float64) Process {
	if l.Links == nil {
		p.Stay, x = math.Exp(x[0]), x[1:]
	}
	if p.Move > 0 {
		p.Move, x = math.Exp(x[0]), x[1:]
	}
	if p.Length > 0 {
		p.Length = math.Exp(x[0])
	}
	return p
}

// logPrior is the log density of the numbers: infer.LogSpread for deviations, of a walk that at its
// end, and for the length a normal logarithm about a quarter of the time that there is.
func (l *learning) logPrior(p Process) (sum float64) {
	spread := func(d float64) float64 {
		lp, _ := infer.LogSpread(-2 * math.Log(d))
		return lp + math.Ln2
	}
	if l.Links == nil {
		sum += spread(p.Stay)
	}
	switch {
	case p.Walk:
		sum += spread(p.Move * math.Sqrt(l.span))
	case p.Move > 0:
		x := (math.Log(p.Length) - math.Log(0.25*l.span)) / lengthSpread
		sum += spread(p.Move) - 0.5*x*x - 0.5*math.Log(2*math.Pi) - math.Log(lengthSpread)
	}
	return sum
}

// lengthSpread is the deviation of the logarithm of the length beforehand: most lengths are between
// a twentieth of the time that there is and all of it, as shorter ones are noise and longer ones
// hardly differ from walks.
const lengthSpread = 0.8

// distance is the largest change of a number.
func (l *learning) distance(p, q Process) (far float64) {
	x, y := l.numbers(p), l.numbers(q)
	for k := range x {
		far = max(far, math.Abs(x[k]-y[k]))
	}
	return far
}

// bend is the step of a parameter's logarithm over which slopes are taken, and longest the
// longest that it goes.
const (
	bend    = 0.05
	longest = 1.5
)

// climb takes a step of Newton's towards the likeliest process under the messages as they are,
// no further than goes upwards, and returns the curvature there, its sign turned.
func (l *learning) climb(p Process) (Process, *mat.SymDense) {
	x := l.numbers(p)
	d := len(x)
	if d == 0 {
		return p, nil
	}
	value := func(x []float64) float64 { return l.value(l.with(p, x)) }
	at := value(x)
	up, down, slope := make([]float64, d), make([]float64, d), mat.NewVecDense(d, nil)
	h := mat.NewSymDense(d, nil)
	moved := func(by ...float64) []float64 { // pairs of a place and a step
		y := slices.Clone(x)
		for k := 0; k < len(by); k += 2 {
			y[int(by[k])] += by[k+1]
		}
		return y
	}
	for i := range d {
		up[i], down[i] = value(moved(float64(i), bend)), value(moved(float64(i), -bend))
		slope.SetVec(i, (up[i]-down[i])/(2*bend))
		h.SetSym(i, i, (2*at-up[i]-down[i])/(bend*bend))
		for j := range i {
			both := value(moved(float64(i), bend, float64(j), bend))
			h.SetSym(i, j, (up[i]+up[j]-at-both)/(bend*bend))
		}
	}
	step := mat.NewVecDense(d, nil)
	for ridge := 0.0; ; ridge = max(2*ridge, 0.5) { // until it is positive definite
		for i := range d {
			h.SetSym(i, i, h.At(i, i)+ridge)
		}
		if c, err := num.NewExact(h); err == nil {
			c.SolveVecTo(step, slope)
			break
		}
	}
	scale := 1.0
	for i := range d {
		scale = min(scale, longest/math.Abs(step.AtVec(i)))
	}
	for range 8 {
		y := slices.Clone(x)
		for i := range y {
			y[i] += scale * step.AtVec(i)
		}
		if value(y) >= at {
			return l.with(p, y), h
		}
		scale /= 2
	}
	return p, h
}

// moveMargin moves the margin of ties towards the likeliest under the cavities as they are, and
// returns how far its logarithm went.
func (l *learning) moveMargin() float64 {
	if l.o.Kinds == nil {
		return 0
	}
	up, at, down := l.terms(l.margin*math.Exp(bend)), l.terms(l.margin), l.terms(l.margin*math.Exp(-bend))
	step := 0.0
	if curve := 2*at - up - down; curve > 0 {
		step = 0.5 * bend * (up - down) / curve
	} else if up > down {
		step = longest
	} else {
		step = -longest
	}
	step = max(-longest, min(longest, step))
	l.margin *= math.Exp(step)
	l.Kinds = l.o.Kinds(l.margin)
	return math.Abs(step)
}

// terms is the log likelihood of all votes, each under what others say, at a margin.
func (l *learning) terms(margin float64) (sum float64) {
	kinds := l.o.Kinds(margin)
	of := make([]float64, len(l.block)-1)
	num.Parallel(len(of), 1, func(b, _ int) {
		for k := l.block[b]; k < l.block[b+1]; k++ {
			p := l.pairs[k]
			ma, va, mb, vb := l.cavity(int(k))
			m, v := ma-mb, va+vb
			f := 1 + v*l.site[k].Tau
			zm, zv := (m+v*l.site[k].Nu)/f, v/f
			for r := p.from; r < p.to; r++ {
				if cm, cv, ok := l.sites[r].Cavity(side(l.rows[r])*zm, zv); ok {
					of[b] += l.rows[r].Count * likelihood.Tilt(kinds[l.rows[r].Kind], cm, cv).LogZ
				}
			}
		}
	})
	for _, x := range of {
		sum += x
	}
	return sum
}
