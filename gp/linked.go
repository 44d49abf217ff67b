package gp

import (
	"math"
	"math/rand/v2"
	"sync"
)

// Links join items that are alike, sparsely. Along them a utility spreads: its spread
// part g has the precision Δ + ridge·I, Δ = Σ w (e_i−e_j)(e_i−e_j)ᵀ being the Laplacian
// of the links. It is the inverse of the regularised Laplacian, LINK (3), and no
// covariance is ever made of it.
type Links struct {
	n      int
	pairs  Rows
	weight []float64

	mu    sync.Mutex
	l     *Laplacian // Δ + ridge
	m     *Messages
	whole bool // the trace is from solves, since belief propagation does not do
	ridge float64
	trace float64    // ridge·tr (Δ+ridge)⁻¹
	deter [2]float64 // a ridge, and log |Δ+ridge|
}

// NewLinks returns links between so many items, each between the two of a row, no two of
// them between the same.
func NewLinks(items int, pairs Rows, weight []float64) *Links {
	sites := make([]Site, len(weight))
	for k, w := range weight {
		sites[k].Tau = w
	}
	return &Links{n: items, pairs: pairs, weight: weight, l: NewComparisons(items, &pairs).Laplacian(make([]float64, items), sites, nil)}
}

// Len returns the number of links.
func (k *Links) Len() int { return len(k.weight) }

// at sets the ridge.
func (k *Links) at(ridge float64) *Laplacian {
	for i := range k.l.prec {
		k.l.prec[i], k.l.base[i] = ridge, ridge
	}
	k.l.add()
	if k.m == nil {
		k.m = k.l.NewMessages()
	}
	return k.l
}

// linkProbes is how many random vectors a trace is found from, where belief propagation
// does not do.
const linkProbes = 16

// Trace returns ridge·tr (Δ+ridge)⁻¹: as a posterior of these items is found, by the
// inverse for few, by belief propagation for many, and by solves where that does not do.
func (k *Links) Trace(ridge float64, solved bool) float64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ridge == k.ridge && solved == k.whole {
		return k.trace
	}
	l := k.at(ridge)
	var sum float64
	switch {
	case 2*k.n <= wholeItems:
		in := inner{item: make([]float64, k.n), pair: make([]float64, len(l.pairs))}
		in.invert(l)
		for _, v := range in.item {
			sum += v
		}
	case solved:
		x, b := make([]float64, k.n*linkProbes), make([]float64, k.n*linkProbes)
		rng := rand.New(rand.NewPCG(linkProbes, 3))
		for i := range b {
			b[i] = float64(2*rng.IntN(2) - 1)
		}
		l.Solve(x, b, linkProbes, 1e-4)
		for i, v := range x {
			sum += b[i] * v / linkProbes
		}
	default:
		l.Propagate(k.m, 1e-7)
		c := l.NewCommon()
		c.Find(l, k.m)
		for i, x := range k.m.Total {
			sum += 1/x + c.Item[c.of[i]]
		}
	}
	k.ridge, k.whole, k.trace = ridge, solved, ridge*sum
	return k.trace
}

// logDet returns log |Δ + ridge|.
func (k *Links) logDet(ridge float64) float64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if ridge == k.deter[0] {
		return k.deter[1]
	}
	l := k.at(ridge)
	var logDet float64
	if 2*k.n <= wholeItems {
		_, logDet = l.inverseRoot()
	} else {
		l.Propagate(k.m, 1e-10)
		logDet = l.LogDet(k.m, l.NewCommon())
	}
	k.deter = [2]float64{ridge, logDet}
	return logDet
}

// Spread is a prior along links: precision·(Δ + ridge·I) is that of the spread parts, and
// every item has a part of its own beside, of variance Own.
type Spread struct {
	*Links
	Precision, Ridge, Own float64
}

// Linked returns the prior of items f = g + r, with g the spread parts and r the items'
// own. Inference goes along the graph of comparisons and links, in which the spread part
// of every item is one more node: see Prior.Latent and Spread.Rows.
func Linked(s Spread) *Prior { return &Prior{n: s.n, owned: true, spread: &s} }

// Spread returns how items vary along links; nil: they do not.
func (p *Prior) Spread() *Spread { return p.spread }

// Rows returns the differences that a prior along links makes small: of spread parts that
// are linked, and of every item and its spread part. The spread part of item i is
// numbered as far after it as there are items.
func (s *Spread) Rows() *Rows {
	rows := &Rows{}
	for r := range s.pairs.Len() {
		index, _ := s.pairs.Row(r)
		rows.AppendPair(s.n+index[0], s.n+index[1])
	}
	for i := range s.n {
		rows.AppendPair(i, s.n+i)
	}
	return rows
}

// Precisions returns those of Rows, at scale 1.
func (s *Spread) Precisions() []float64 {
	prec := make([]float64, 0, s.Len()+s.n)
	for _, w := range s.weight {
		prec = append(prec, s.Precision*w)
	}
	for range s.n {
		prec = append(prec, 1/s.Own)
	}
	return prec
}

// Nodes returns how many items there are with the spread parts of linked ones.
func (p *Prior) Nodes() int {
	if p.spread != nil {
		return 2 * p.n
	}
	return p.n
}

// Latent returns the prior with what items have beside: their spread parts if they are
// linked, then so many of which nothing is known but what rows say.
func (p *Prior) Latent(flat int) *Prior {
	if p.spread == nil {
		return p.beside(flat)
	}
	return &Prior{n: 2*p.n + flat, owned: true, flat: p.n + flat, along: p.spread}
}

// LogPrec returns the log determinant of the precision at scale 1, of what has some.
func (p *Prior) LogPrec() (sum float64) {
	if s := p.along; s != nil {
		return float64(s.n)*math.Log(s.Precision) + s.logDet(s.Ridge)
	}
	for _, v := range p.OwnVariances() {
		if !math.IsInf(v, 1) {
			sum -= math.Log(v)
		}
	}
	return sum
}

// LinkNorm returns the log of what the Gaussians of all differences along links, without
// their norms, integrate to at scale s, each by itself: their norm is in LogPrec, as they
// are not independent.
func (p *Prior) LinkNorm(s float64) (sum float64) {
	if p.along == nil {
		return 0
	}
	for _, w := range p.along.weight {
		sum += 0.5 * math.Log(2*math.Pi/(s*p.along.Precision*w))
	}
	return sum
}
