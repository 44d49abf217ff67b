package crowd

import (
	"math"
	"slices"

	"palate/internal/num"
	"palate/likelihood"
)

// classes tell voters apart by how they vote: a voter of class k picks a over b
// with probability Φ(a_k z − h_k T) and calls a tie with Φ(h_k T − a_k z) −
// Φ(−h_k T − a_k z), T the common threshold. The slope a_k is how careful the voter
// is, the margin h_k how readily a tie is called. Which class a voter is of has a
// posterior of its own, q(k_u); shares of classes are set to the best, as in EM.
type classes struct {
	slope, margin []float64
	share         []float64
	of            []float64 // q(k_u), voters × classes
	told          []float64 // what the votes of each voter say of each class, in logs
	seen          []float64 // expectations of every vote by class, with derivatives; nil where that is too much
}

// maxSeen bounds the votes times classes whose expectations are kept between
// finding out what votes say and using it: 100 MB.
const maxSeen = 4 << 20

// slopes and margins are grids from the careless to the careful and from those
// who hardly call a tie to those who do often.
func slopes() []float64  { return []float64{0.2, 0.6, 1, 1.8} }
func margins() []float64 { return []float64{0.1, 0.5, 1, 2} }

// newClasses returns the classes that options ask for, nil for none. Margins are
// of no use without ties.
func newClasses(v *Votes, o *Options) *classes {
	k := &classes{}
	a, h := []float64{1}, []float64{1}
	if o.Reliability {
		a = slopes()
	}
	if o.Habits && v.ties() {
		h = margins()
	}
	if len(a)*len(h) == 1 {
		return nil
	}
	for _, x := range a {
		for _, y := range h {
			k.slope, k.margin = append(k.slope, x), append(k.margin, y)
			k.share = append(k.share, 1/float64(len(a)*len(h)))
		}
	}
	k = k.ofNewVoters(v.Voters())
	// Until the first look at the votes everybody is of the class in the middle.
	clear(k.of)
	for c := range k.share {
		if k.slope[c] == 1 && k.margin[c] == 1 {
			for u := range v.Voters() {
				k.voter(u)[c] = 1
			}
		}
	}
	return k
}

// ofNewVoters returns the classes with voters of whom nothing is known.
func (k *classes) ofNewVoters(voters int) *classes {
	if k == nil {
		return nil
	}
	out := *k
	out.seen = nil
	out.of, out.told = slices.Repeat(k.share, voters), make([]float64, voters*len(k.share))
	return &out
}

// number of classes.
func (k *classes) number() int {
	if k == nil {
		return 1
	}
	return len(k.share)
}

// voter returns q(k_u).
func (k *classes) voter(u int) []float64 {
	n := len(k.share)
	return k.of[u*n : u*n+n]
}

// updateShares sets the shares of classes to the best for what the votes told
// last, together with all q(k_u): steps of EM, each of which costs nothing beside
// finding out what the votes tell. Of most classes the best share is none, which EM
// only comes near to: such classes are dropped, and cost less until votes call for
// them again.
func (k *classes) updateShares() {
	n := len(k.share)
	rel := make([]float64, len(k.told)) // probabilities of a voter's votes by class, relative to the best
	for lo := 0; lo < len(rel); lo += n {
		top := slices.Max(k.told[lo : lo+n])
		for c := range n {
			rel[lo+c] = math.Exp(k.told[lo+c] - top)
		}
	}
	share := slices.Clone(k.share)
	evidence, gain := assess(share, rel)
	try := func(c int, x float64) { // gives class c a share of x, where that raises the evidence
		next := slices.Clone(share)
		for d := range next {
			next[d] *= (1 - x) / (1 - share[c])
		}
		next[c] = x
		if e, g := assess(next, rel); e >= evidence {
			share, evidence, gain = next, e, g
		}
	}
	for c := range share {
		if share[c] == 0 && gain[c] > 1 {
			try(c, rareClass)
		}
	}
	for range shareSteps {
		for c := range share {
			share[c] *= gain[c]
		}
		evidence, gain = assess(share, rel)
	}
	for c, x := range share {
		if x > 0 && x < rareClass {
			try(c, 0)
		}
	}
	k.share = share
	for u := range len(rel) / n {
		k.weigh(u)
	}
}

// assess returns the log evidence of shares, and by what EM would multiply each.
func assess(share, rel []float64) (evidence float64, gain []float64) {
	n := len(share)
	gain = make([]float64, n)
	voters := float64(len(rel) / n)
	for lo := 0; lo < len(rel); lo += n {
		of := rel[lo : lo+n]
		mix := num.Dot(share, of)
		evidence += math.Log(mix)
		for c, x := range of {
			gain[c] += x / mix / voters
		}
	}
	return evidence, gain
}

// shareSteps is the steps of EM between looks at the votes; rareClass is the share
// below which a class is a candidate to be dropped.
const (
	shareSteps = 50
	rareClass  = 1e-2
)

// weigh sets q(k_u) to the best.
func (k *classes) weigh(u int) {
	of := k.voter(u)
	told := k.told[u*len(of) : (u+1)*len(of)]
	top := math.Inf(-1)
	for c, x := range k.share {
		of[c] = math.Inf(-1)
		if x > 0 {
			of[c] = told[c] + math.Log(x)
		}
		top = max(top, of[c])
	}
	var sum, kept float64
	for c, x := range of {
		of[c] = math.Exp(x - top)
		sum += of[c]
	}
	for c := range of {
		if of[c] /= sum; of[c] < least {
			of[c] = 0
		}
		kept += of[c]
	}
	for c := range of {
		of[c] /= kept
	}
}

// divergence of q(k_u) from the shares.
func (k *classes) divergence() (sum float64) {
	if k == nil {
		return 0
	}
	for u := range len(k.of) / len(k.share) {
		for c, x := range k.voter(u) {
			if x > 0 {
				sum += x * math.Log(x/k.share[c])
			}
		}
	}
	return sum
}

// least is the probability of a class below which it is none.
const least = 1e-12

// updateClasses sets every q(k_u) to the best, and shares too when they are to
// be learnt. Whether votes call for classes that were dropped it finds out only when
// asked to.
func (e *engine) updateClasses(shares, dropped bool) {
	if e.classes == nil {
		return
	}
	if size := e.Len() * e.classes.number(); size <= maxSeen && e.classes.seen == nil {
		e.classes.seen = make([]float64, 3*size)
	}
	num.Parallel(e.Voters(), voterGrain, func(lo, hi int) {
		v := e.newVoter()
		for u := lo; u < hi; u++ {
			v.fit(e.dim(u))
			e.classEvidence(u, v, dropped)
		}
	})
	if shares {
		e.classes.updateShares()
	} else {
		for u := range e.Voters() {
			e.classes.weigh(u)
		}
	}
	if e.classes.seen == nil {
		e.evaluate()
		return
	}
	n := e.classes.number()
	for u := range e.Voters() {
		of := e.classes.voter(u)
		for p := e.start[u]; p < e.start[u+1]; p++ {
			e.g[p], e.d1[p], e.d2[p] = 0, 0, 0
			for c, r := range of {
				x := e.classes.seen[3*(p*n+c):]
				e.g[p] += r * x[0]
				e.d1[p] += r * x[1]
				e.d2[p] += r * x[2]
			}
		}
	}
}

// classEvidence finds out what the votes of a voter say of every class, or of those that were
// not dropped.
func (e *engine) classEvidence(u int, v *voter, dropped bool) {
	w, cov := e.weights(u)
	n := e.classes.number()
	told := e.classes.told[u*n : (u+1)*n]
	for c, share := range e.classes.share {
		if told[c] = 0; share == 0 && !dropped {
			told[c] = math.Inf(-1)
		}
	}
	for p := e.start[u]; p < e.start[u+1]; p++ {
		mean, variance, rest := e.marginal(p, w, cov, v.sa)
		for c := range told {
			if math.IsInf(told[c], -1) {
				continue
			}
			at := int(e.kind[p])*n + c
			x, d1, d2 := likelihood.Expect(e.lik[at], mean, variance)
			if s := e.classes.seen; s != nil {
				s[3*(p*n+c)], s[3*(p*n+c)+1], s[3*(p*n+c)+2] = x, d1, d2
			}
			told[c] += e.count[p] * (x - 0.5*e.bend[at]*rest)
		}
	}
}

// expectVote returns what is expected of vote p of voter u, whose z has a given
// mean and variance.
func (e *engine) expectVote(u, p int, mean, variance float64) (g, d1, d2 float64) {
	if e.classes == nil {
		return likelihood.Expect(e.lik[e.kind[p]], mean, variance)
	}
	n := e.classes.number()
	for c, r := range e.classes.voter(u) {
		if r > 0 {
			x, y, z := likelihood.Expect(e.lik[int(e.kind[p])*n+c], mean, variance)
			g, d1, d2 = g+r*x, d1+r*y, d2+r*z
		}
	}
	return g, d1, d2
}

// bends returns the most that the log probability of vote p of voter u bends.
func (e *engine) bends(u, p int) (bend float64) {
	if e.propagated && p < len(e.bent) && e.bent[p] > 0 {
		return e.bent[p]
	}
	if e.classes == nil {
		return e.bend[e.kind[p]]
	}
	n := e.classes.number()
	for c, r := range e.classes.voter(u) {
		bend += r * e.bend[int(e.kind[p])*n+c]
	}
	return bend
}

// Class is a kind of voters: one prefers a to b with probability Φ(Slope·z −
// Margin), z the difference in utility, and calls a tie in between.
type Class struct {
	Slope, Margin float64
	Share         float64 // of voters, or the probability that a voter is one of them
}

// Classes returns the classes of voters with their shares; for u ≥ 0 with the
// probabilities that voter u is of each. Without options for them there is one.
func (l *Learnt) Classes(u int) []Class {
	if l.classes == nil {
		return []Class{{1, l.Threshold, 1}}
	}
	share := l.classes.share
	if u >= 0 {
		share = l.classes.voter(u)
	}
	out := make([]Class, len(share))
	for c, x := range share {
		out[c] = Class{l.classes.slope[c], l.classes.margin[c] * l.Threshold, x}
	}
	return out
}
