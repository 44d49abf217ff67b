package gp

import (
	"math"
	"slices"

	"palate/internal/simd"
	"palate/kernel"
)

// ownFloor is the least share of an item's variance that is its own, so that its
// precision stays finite where an inducing point is the item.
const ownFloor = 1e-9

// Own returns the prior in which what the weights leave of an item is the item's
// own: r_i ~ N(0, λ_i/s), λ_i = K_ii − |φ_i|², independent of other items' but the
// same in all forms that the item is part of. The residual then has a posterior,
// and all forms are seen whole. It is the prior of p itself where the inducing
// points are the items and the kernel gives them no identity (see
// kernel.Nobody), and that of fully independent training conditionals else. All of an
// independent item is its own: White(n).Own() has no weights.
func (p *Prior) Own() *Prior {
	if p.white() {
		return &Prior{n: p.n, owned: true}
	}
	if !p.sparse {
		panic("gp: own parts of a prior that leaves no residual")
	}
	return &Prior{n: p.n, d: p.d, kernel: p.kernel, x: p.x, anchor: p.anchor, chol: p.chol, owned: true}
}

// beside returns the prior of independent items, all their own, with so many further ones
// beside of which nothing is known but what rows say: rows must tie them to the others.
func (p *Prior) beside(flat int) *Prior {
	if !p.owned || p.d > 0 {
		panic("gp: further items beside others than independent ones")
	}
	return &Prior{n: p.n + flat, owned: true, flat: p.flat + flat}
}

// Flat returns how many items nothing is known of beforehand.
func (p *Prior) Flat() int { return p.flat }

// Owned reports whether items have parts of their own beside the weights.
func (p *Prior) Owned() bool { return p.owned }

// Freedom returns the number of Gaussian variables that have a prior: weights, and items
// where they have parts of their own.
func (p *Prior) Freedom() int {
	if p.owned {
		return p.d + p.n - p.flat
	}
	return p.d
}

// OwnVariances returns λ, infinite where nothing is known, not to be modified, or nil
// where items have no own parts.
func (p *Prior) OwnVariances() []float64 {
	if !p.owned {
		return nil
	}
	p.onceOwn.Do(func() {
		if p.d == 0 {
			p.lambda = slices.Repeat([]float64{math.Inf(1)}, p.n)
			from, known := 0, 1.0
			if s := p.along; s != nil { // spread parts
				from, known = s.n, 1/(s.Precision*s.Ridge)
			}
			for i := from; i < from+p.n-p.flat; i++ {
				p.lambda[i] = known
			}
			return
		}
		phi := p.Features()
		p.lambda = kernel.Diag(p.kernel, p.x)
		for i, k := range p.lambda {
			v := simd.Vec(phi.RawRowView(i))
			p.lambda[i] = max(k-simd.Dot(v, v), ownFloor*k)
		}
	})
	return p.lambda
}

// At returns the prior of some items with parts of their own, at their cost.
func (p *Prior) At(items []int) *Prior { return p.Extend(p.x.Subset(items)) }

// Comparisons returns the pairs of rows, kept for the next time.
func (p *Prior) Comparisons(rows *Rows) *Comparisons {
	p.mu.Lock()
	defer p.mu.Unlock()
	if g := p.graph; g != nil && g.rows == rows && len(g.of) == rows.Len() {
		return g
	}
	p.graph = NewComparisons(p.n, rows)
	return p.graph
}
