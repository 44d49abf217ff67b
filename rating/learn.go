package rating

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"palate/internal/num"
)

// Options say how ratings are learnt from. The zero value, and nil, are the defaults.
type Options struct {
	Factors   int  // of taste, at most; 0 stands for 10, and a negative number for none
	SameScale bool // people do not differ in their spreads
	MaxRounds int  // 0 stands for 200
	Seed      uint64
	// Progress, if set, is told the round and the penalised evidence.
	Progress func(round int, objective float64)
}

// Fit is what was learnt.
type Fit struct {
	Answering
	Scale     *Scale // nil where there are only votes
	Factors   int
	Items     []float64 // n×(1+k): μ_i, then V_i
	Open      []float64 // n×(1+k)²: the covariance of that, given people
	Offset    float64   // ω²
	Prior     float64   // a, the variance of μ beforehand
	Relevance []float64 // α, of the factors
	Spreads   []float64 // b, by person
	Mean      []float64 // people × (k+1): w_u, then o_u
	Cov       []float64 // people × (k+1)²
	Blur      float64   // variance of the logarithm of the unit of utilities
	Evidence  float64
	Objective float64
	Rounds    int
	Converged bool
	Skipped   int // improper cavities at the end

	rows    *rows
	tau, nu []float64
	cm, cv  []float64
	score   float64
}

// Learn finds how some people rate items, and each of them and of the items. When ctx ends
// before it is done it returns the error of ctx.
func Learn(ctx context.Context, numItems, people int, in []Row, s *Scale, o *Options) (*Fit, error) {
	if o == nil {
		o = &Options{}
	}
	r, err := gather(numItems, people, in, s)
	if err != nil {
		return nil, err
	}
	k := o.Factors
	if k == 0 {
		most := max(numItems, people)
		k = min(defaultFactors, (r.len()+ratingsFactor*most/2)/(ratingsFactor*most)) // the nearest
	}
	k = min(k, numItems-1, people-1)
	plain := start(r, s)
	if k <= 0 {
		return plain, plain.learn(ctx, o, false)
	}
	if err := plain.learn(ctx, o, true); err != nil {
		return nil, err
	}
	f := plain.with(k, o.Seed)
	if err := f.learn(ctx, o, false); err != nil || f.score > plain.score+clearly*float64(r.len()) {
		return f, err
	}
	if err := plain.learn(ctx, o, false); err != nil {
		return nil, err
	}
	if f.score > plain.score {
		return f, nil
	}
	return plain, nil
}

const (
	// Factors are no more than so many, and than one for every so many ratings of an item or a person.
	defaultFactors = 10
	ratingsFactor  = 10
	// charge is what a score takes for each parameter that ratings settled.
	charge = 1.25
	// expanding is the number of rounds in which people's spread along factors is made one by
	// stretching the factors: turns alone would take long to grow them.
	expanding = 12
	// gain is how much of a rating's evidence, beside least of that of all, two rounds must change
	// for the climb to go on.
	gain  = 5e-5
	least = 0.02
	// A fit to begin factors with is rough, and goes on to the end where factors are not clearly worth
	// more: by so much of a rating's evidence.
	roughGain   = 1e-3
	roughRounds = 7
	clearly     = 1e-2
	// Bounds of what is learnt of the prior.
	leastVariance, mostVariance = 1e-4, 1e4
	leastRelevance              = 1e-3
)

// learn climbs from where the fit is: to the end, or roughly.
func (f *Fit) learn(ctx context.Context, o *Options, roughly bool) error {
	r, enough, fewest := f.rows, gain, expanding+4
	if roughly {
		enough, fewest = roughGain, roughRounds
	}
	rounds := o.MaxRounds
	rounds = cmp.Or(rounds, 200)
	before, last := math.Inf(-1), math.Inf(-1) // spreads are renewed every other round
	for f.Rounds = 1; f.Rounds <= rounds; f.Rounds++ {
		if err := f.infer(ctx, 1, 1); err != nil {
			return err
		}
		if f.Objective = f.Evidence - f.penalty(); o.Progress != nil {
			o.Progress(f.Rounds, f.Objective)
		}
		if math.Abs(f.Objective-before) < enough*float64(r.len())+least && f.Rounds >= fewest {
			f.Converged = true
			break
		}
		before, last = last, f.Objective
		if f.Rounds <= expanding {
			f.expand()
		}
		f.regress()
		f.relearn()
		if f.Rounds > 2 {
			f.rescale(f.answer(r, f.Prior+f.Offset, f.Spreads, f.cm, f.cv, 0.5))
		}
		if !o.SameScale && r.rated && f.Rounds > 4 && f.Rounds%2 == 1 {
			f.turnSpreads(r, f.Spreads, f.cm, f.cv)
		}
		f.recentre()
		f.prune()
	}
	f.Rounds = min(f.Rounds, rounds)
	if err := f.infer(ctx, 30, 0.9); err != nil {
		return err
	}
	f.regress()
	f.Blur = f.blur(r, f.Prior+f.Offset, f.Spreads, f.cm, f.cv)
	f.score = f.Evidence - charge*f.settled()
	return nil
}

// start begins without factors, and with cut points that would give the classes their shares.
func start(r *rows, s *Scale) *Fit {
	f := &Fit{Scale: s, Offset: 0.3, Prior: 0.5, rows: r}
	f.Vote, f.Spread = 1, typicalSpread
	total := math.Sqrt(noise*noise + f.Offset + f.Prior)
	if r.tied {
		f.Margin = typicalMargin
	}
	if r.rated && s.Numbers() {
		f.Unit = 1 / total
	} else if r.rated {
		count, all := make([]float64, len(s.Values)), 0.0
		for p, c := range r.class {
			if r.other[p] < 0 {
				count[c] += r.weight[p]
				all += r.weight[p]
			}
		}
		var below float64
		for c := range count[:len(count)-1] {
			below += (count[c] + 0.5) / (all + 0.5*float64(len(count)))
			f.Cuts = append(f.Cuts, total*num.Quantile(below))
		}
	}
	f.Items, f.Open = make([]float64, r.items), make([]float64, r.items)
	f.Spreads = make([]float64, r.people)
	for u := range f.Spreads {
		f.Spreads[u] = 1
	}
	f.Mean, f.Cov = make([]float64, r.people), make([]float64, r.people)
	n := r.len()
	f.tau, f.nu, f.cm, f.cv = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	return f
}

// with returns a fit without factors with k small ones.
func (f *Fit) with(k int, seed uint64) *Fit {
	g := *f
	q := 1 + k
	g.Factors, g.Cuts, g.Spreads, g.tau, g.nu = k, slices.Clone(f.Cuts), slices.Clone(f.Spreads), slices.Clone(f.tau), slices.Clone(f.nu)
	g.Items, g.Open = make([]float64, f.rows.items*q), make([]float64, f.rows.items*q*q)
	rng := rand.New(rand.NewPCG(seed, 0x7a))
	for i, mu := range f.Items {
		g.Items[i*q] = mu
		for c := 1; c < q; c++ {
			g.Items[i*q+c] = startFactor * rng.NormFloat64()
		}
	}
	for range k {
		g.Relevance = append(g.Relevance, 1/(startFactor*startFactor))
	}
	g.Mean, g.Cov = make([]float64, f.rows.people*q), make([]float64, f.rows.people*q*q)
	g.Converged = false
	return &g
}

// startFactor is the deviation of factors at the start; at nought they would stay there.
const startFactor = 0.2

// of is what is known of items.
func (f *Fit) of() *items { return &items{f.rows.items, f.Factors, f.Items} }

// infer has everybody inferred, by so many sweeps at most.
func (f *Fit) infer(ctx context.Context, sweeps int, damp float64) error {
	r, t, q := f.rows, f.of(), 1+f.Factors
	logZ, skipped := make([]float64, r.people), make([]int, r.people)
	err := num.ParallelUntil(ctx, r.people, 8, func(from, to int) {
		var w person
		for u := from; u < to; u++ {
			lo, hi := r.start[u], r.start[u+1]
			tau, nu, weight, cm, cv := f.tau[lo:hi], f.nu[lo:hi], r.weight[lo:hi], f.cm[lo:hi], f.cv[lo:hi]
			w.fill(t, r, lo, hi)
			w.solve(weight, tau, nu, f.Offset)
			for range sweeps {
				var change float64
				logZ[u], change, skipped[u] = w.sweep(&f.Answering, r, lo, f.Spreads[u], weight, tau, nu, cm, cv, damp)
				w.solve(weight, tau, nu, f.Offset)
				if change < 1e-6 {
					break
				}
			}
			copy(f.Mean[u*q:(u+1)*q], w.mean)
			copy(f.Cov[u*q*q:(u+1)*q*q], w.cov)
			f.widen(&w, lo, cm, cv)
		}
	})
	f.Evidence, f.Skipped = 0, 0
	for u, z := range logZ {
		f.Evidence += z
		f.Skipped += skipped[u]
	}
	return err
}

// widen sets the cavities of a person's rows to what they are where μ is not known for sure: were
// it taken for sure, ratings would seem to have less noise than they do, and items to differ more.
func (f *Fit) widen(w *person, lo int, cm, cv []float64) {
	q := 1 + f.Factors
	for j := range w.m {
		p := lo + j
		v := w.vv[j] + f.Open[int(f.rows.item[p])*q*q]
		if o := int(f.rows.other[p]); o >= 0 {
			v += f.Open[o*q*q]
		}
		cm[j], cv[j], _ = cavity(w.mm[j], v, f.rows.weight[p], f.tau[p], f.nu[p])
	}
}

// penalty is what the objective takes off the evidence.
func (f *Fit) penalty() (sum float64) {
	q := 1 + f.Factors
	for i := range f.rows.items {
		b := f.Items[i*q : (i+1)*q]
		sum += 0.5 * b[0] * b[0] / f.Prior
		for c, a := range f.Relevance {
			sum += 0.5 * a * b[1+c] * b[1+c]
		}
	}
	return sum
}

// settled is how many parameters of factors the ratings settled, and not their prior.
func (f *Fit) settled() (sum float64) {
	q := 1 + f.Factors
	for i := range f.rows.items {
		for c, a := range f.Relevance {
			sum += 1 - a*f.Open[i*q*q+(1+c)*(q+1)]
		}
	}
	return sum
}

// recentre makes the mean item nought, which spreads are around: cut points and utilities move
// together.
func (f *Fit) recentre() {
	if len(f.Cuts) == 0 {
		return
	}
	q := 1 + f.Factors
	var mean float64
	for i := range f.rows.items {
		mean += f.Items[i*q] / float64(f.rows.items)
	}
	for i := range f.rows.items {
		f.Items[i*q] -= mean
	}
	for k := range f.Cuts {
		f.Cuts[k] -= mean
	}
	for p, o := range f.rows.other {
		if o < 0 {
			f.nu[p] -= f.tau[p] * mean
		}
	}
}

// rescale divides utilities by a unit.
func (f *Fit) rescale(unit float64) {
	if unit == 1 {
		return
	}
	q := 1 + f.Factors
	for i := range f.Items {
		f.Items[i] /= unit
	}
	for i := range f.Open {
		f.Open[i] /= unit * unit
	}
	f.Offset /= unit * unit
	f.Prior /= unit * unit
	for c := range f.Relevance {
		f.Relevance[c] *= unit * unit
	}
	for p := range f.tau {
		f.tau[p] *= unit * unit
		f.nu[p] *= unit
	}
	for u := range f.rows.people {
		f.Mean[u*q+q-1] /= unit
	}
}

// Keep gives items and people the numbers that they have elsewhere: who was people[u] is u. It
// forgets other people, and what is only needed to learn.
func (f *Fit) Keep(items, people []int) {
	q := 1 + f.Factors
	f.rows, f.tau, f.nu, f.cm, f.cv = nil, nil, nil, nil, nil
	f.Items, f.Open = taken(f.Items, items, q), taken(f.Open, items, q*q)
	f.Mean, f.Cov, f.Spreads = taken(f.Mean, people, q), taken(f.Cov, people, q*q), taken(f.Spreads, people, 1)
}

// taken has the rows of x, which are so wide, that are asked for.
func taken(x []float64, rows []int, width int) []float64 {
	out := make([]float64, 0, len(rows)*width)
	for _, r := range rows {
		out = append(out, x[r*width:(r+1)*width]...)
	}
	return out
}
