package infer

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/num"
	"palate/internal/simd"
)

// Effects are what rows of one group, such as the votes of one voter, share beside the
// utilities: random effects. A group has a taste of its own, f_i + g_i with
// g_i ~ N(0, Own), and where it meets a pair again, a part of the noise is the same,
// h ~ N(0, Repeat): of the rows' likelihood that much noise is to be left out. Rows of a
// group are then a block whose noise is correlated, and their message to the utilities
// has, with T the precisions of their sites, the precision Bᵀ(T⁻¹ + BOwnBᵀ + Repeat)⁻¹B,
// B being the differences of their pairs. Effects have no posterior outside the run:
// they are integrated out.
//
// Rows are differences of two items, on a prior with a weight an item, or of independent
// items with all of them their own (see Graph), where each is one more node.
type Effects struct {
	Group       []int // of every row, those of one after the other; −1: the row stands alone
	Own, Repeat float64
}

func (e *Effects) any() bool { return e != nil && (e.Own > 0 || e.Repeat > 0) }

// effects is the state of Effects under inference.
type effects struct {
	*Effects
	blocks []block
	alone  []int // rows that stand alone
}

// block is a group, by its items and pairs.
type block struct {
	items []int
	pairs []blockPair
	rows  []blockRow

	eta, mean, shift []float64 // over the items
	lambda           []float64 // Λ = Σ t bbᵀ
	keep             []float64 // A = (I + κ²Λ)⁻¹
	message          []float64 // ΛA
	cov              []float64 // of the group's utilities
	logDet           float64   // log |I + κ²Λ| + Σ log(1 + ρT)
}

// blockPair is a pair of items, by their place in the block.
type blockPair struct {
	a, b           int
	tau, nu        float64 // sums of its sites
	mean, variance float64 // of its rows' forms
}

// blockRow is a row of the problem on a pair, turned round where sign is −1.
type blockRow struct {
	row, pair int
	sign      float64
}

// newEffects sorts the rows into blocks. Effects without variance are none.
func newEffects(p *Problem) *effects {
	if !p.Effects.any() || independent(p.Prior) { // there they are items beside, see besides
		return nil
	}
	e := &effects{Effects: p.Effects}
	if !(e.Own >= 0 && e.Repeat >= 0) || len(e.Group) != p.Rows.Len() {
		panic(fmt.Sprintf("infer: effects with variances %g and %g, %d groups of %d rows", e.Own, e.Repeat, len(e.Group), p.Rows.Len()))
	}
	place, pair := map[int]int{}, map[[2]int]int{}
	for r, g := range e.Group {
		if g < 0 {
			e.alone = append(e.alone, r)
			continue
		}
		if r == 0 || e.Group[r-1] != g {
			e.blocks = append(e.blocks, block{})
			clear(place)
			clear(pair)
		}
		b := &e.blocks[len(e.blocks)-1]
		index, _ := p.Rows.Row(r)
		at := func(item int) int {
			k, ok := place[item]
			if !ok {
				k = len(b.items)
				place[item] = k
				b.items = append(b.items, item)
			}
			return k
		}
		x, y, sign := at(index[0]), at(index[1]), 1.0
		if x > y {
			x, y, sign = y, x, -1
		}
		k, ok := pair[[2]int{x, y}]
		if !ok {
			k = len(b.pairs)
			pair[[2]int{x, y}] = k
			b.pairs = append(b.pairs, blockPair{a: x, b: y})
		}
		b.rows = append(b.rows, blockRow{r, k, sign})
	}
	for k := range e.blocks {
		b := &e.blocks[k]
		m := len(b.items)
		for _, x := range []*[]float64{&b.eta, &b.mean, &b.shift} {
			*x = make([]float64, m)
		}
		for _, x := range []*[]float64{&b.lambda, &b.keep, &b.message, &b.cov} {
			*x = make([]float64, m*m)
		}
	}
	return e
}

// posterior is that of the utilities.
func (e *effects) posterior(p *Problem, scale float64, sites []gp.Site) (*gp.Posterior, error) {
	return gp.NewPosterior(p.Prior, scale, p.Prior.OfItems(e.evidence(p, sites)))
}

// blockGrain is how many blocks one goroutine takes at a time.
const blockGrain = 4

// evidence returns what the sites say of the utilities, effects integrated out, as a
// precision and a pull over the items.
func (e *effects) evidence(p *Problem, sites []gp.Site) (lin []float64, quad *mat.SymDense) {
	num.Parallel(len(e.blocks), blockGrain, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			e.blocks[k].send(e.Own, e.Repeat, p, sites)
		}
	})
	n := p.Prior.Len()
	lin, quad = make([]float64, n), mat.NewSymDense(n, nil)
	for _, r := range e.alone {
		c := p.count(r)
		p.Rows.Scatter(r, c*sites[r].Nu, lin)
		p.Rows.ScatterSquare(r, c*sites[r].Tau, quad)
	}
	raw := quad.RawSymmetric()
	for k := range e.blocks { // in fixed order
		b := &e.blocks[k]
		m := len(b.items)
		for i, x := range b.items {
			lin[x] += b.shift[i]
			for j, y := range b.items {
				if y >= x {
					raw.Data[x*raw.Stride+y] += b.message[i*m+j]
				}
			}
		}
	}
	return lin, quad
}

// send sets the message of the block: its precision ΛA and its pull Aη.
func (b *block) send(own, repeat float64, p *Problem, sites []gp.Site) {
	m := len(b.items)
	for k := range b.pairs {
		b.pairs[k].tau, b.pairs[k].nu = 0, 0
	}
	for _, r := range b.rows {
		c := p.count(r.row)
		b.pairs[r.pair].tau += c * sites[r.row].Tau
		b.pairs[r.pair].nu += r.sign * c * sites[r.row].Nu
	}
	clear(b.lambda)
	clear(b.eta)
	b.logDet = 0
	for _, q := range b.pairs {
		left := 1 + repeat*q.tau
		t, n := q.tau/left, q.nu/left
		b.logDet += math.Log(left)
		b.lambda[q.a*m+q.a] += t
		b.lambda[q.b*m+q.b] += t
		b.lambda[q.b*m+q.a] -= t
		b.eta[q.a] += n
		b.eta[q.b] -= n
	}
	num.Mirror(b.lambda, m)
	for i, x := range b.lambda {
		b.message[i] = own * x
	}
	for i := range m {
		b.message[i*m+i]++
	}
	logDet, ok := num.Invert(b.keep, b.message, m)
	if !ok {
		panic("infer: an identity and more is not positive definite")
	}
	b.logDet += logDet
	num.Mirror(b.keep, m)
	simd.BLAS{Serial: true}.Dgemm(blas.NoTrans, blas.NoTrans, m, m, m, 1, b.lambda, m, b.keep, m, 0, b.message, m)
	num.SymVec(b.shift, b.keep, b.eta, m)
}

// forms sets mean and variance of every row's form, effects included, under the
// posterior q of the utilities.
func (e *effects) forms(p *Problem, q *gp.Posterior, mean, variance []float64) {
	f, cov := q.Utilities(), q.Covariance().RawSymmetric()
	at := func(i, j int) float64 { return cov.Data[min(i, j)*cov.Stride+max(i, j)] }
	for _, r := range e.alone {
		mean[r], variance[r] = p.Rows.Dot(r, f), p.Rows.Square(r, at)
	}
	num.Parallel(len(e.blocks), blockGrain, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			e.blocks[k].receive(e.Own, e.Repeat, f, at, mean, variance)
		}
	})
}

// receive finds the group's utilities, N(A(f + κ²η), κ²A + AVA) with V those of the
// utilities f, and what its rows see of them.
func (b *block) receive(own, repeat float64, f []float64, at func(i, j int) float64, mean, variance []float64) {
	m := len(b.items)
	v, half := make([]float64, m*m), make([]float64, m*m)
	for i, x := range b.items {
		b.shift[i] = f[x] + own*b.eta[i]
		for j, y := range b.items[:i+1] {
			v[i*m+j] = at(x, y)
			v[j*m+i] = v[i*m+j]
		}
	}
	num.SymVec(b.mean, b.keep, b.shift, m)
	copy(b.cov, b.keep)
	serial := simd.BLAS{Serial: true}
	serial.Dgemm(blas.NoTrans, blas.NoTrans, m, m, m, 1, b.keep, m, v, m, 0, half, m)
	serial.Dgemm(blas.NoTrans, blas.NoTrans, m, m, m, 1, half, m, b.keep, m, own, b.cov, m)
	for k := range b.pairs {
		q := &b.pairs[k]
		left := 1 / (1 + repeat*q.tau)
		between := b.cov[q.a*m+q.a] + b.cov[q.b*m+q.b] - 2*b.cov[q.b*m+q.a]
		q.mean = left * (b.mean[q.a] - b.mean[q.b] + repeat*q.nu)
		q.variance = left * (repeat + left*between)
	}
	for _, r := range b.rows {
		mean[r.row], variance[r.row] = r.sign*b.pairs[r.pair].mean, b.pairs[r.pair].variance
	}
}

// logDet is that of the effects, which the objective loses half of.
func (e *effects) logDet() (sum float64) {
	for k := range e.blocks {
		sum += e.blocks[k].logDet
	}
	return sum
}

// slope is the derivative of an objective that is stationary in the sites in the
// variance of own tastes: ½Σ(|s|² − tr W) with s = η − Λw, W = Λ − ΛCov(w)Λ.
func (e *effects) slope() (sum float64) {
	for k := range e.blocks {
		b := &e.blocks[k]
		m := len(b.items)
		pull, half := make([]float64, m), make([]float64, m*m)
		num.SymVec(pull, b.lambda, b.mean, m)
		serial := simd.BLAS{Serial: true}
		serial.Dgemm(blas.NoTrans, blas.NoTrans, m, m, m, 1, b.lambda, m, b.cov, m, 0, half, m)
		for i := range m {
			s := b.eta[i] - pull[i]
			sum += s*s - b.lambda[i*m+i]
			for j := range m {
				sum += half[i*m+j] * b.lambda[j*m+i]
			}
		}
	}
	return 0.5 * sum
}

// sensitivity is that of the whole: with the precision Λ and the pull h that the blocks
// leave over the items, αmᵀ − ΛΦC, α = h − ΛΦm.
func (e *effects) sensitivity(r *Result, reach *mat.Dense) gp.Sensitivity {
	q := r.Posterior
	lin, quad := e.evidence(r.problem, r.Sites)
	n, d := reach.Dims()
	grad := mat.NewDense(n, d, nil)
	simd.Symm(blas.Left, -1, quad.RawSymmetric(), reach.RawMatrix(), 0, grad.RawMatrix())
	simd.Symv(-1, quad.RawSymmetric(), simd.Vector{N: n, Data: q.Utilities(), Inc: 1}, 1, simd.Vector{N: n, Data: lin, Inc: 1})
	for i, a := range lin {
		for c, m := range q.Mean {
			grad.Set(i, c, grad.At(i, c)+a*m)
		}
	}
	return gp.Sensitivity{Features: grad}
}

// OwnSlope returns the derivative of the objective in the variance of the groups' own
// tastes; 0 without effects.
func (r *Result) OwnSlope() float64 {
	if r.effects == nil {
		return 0
	}
	return r.effects.slope()
}
