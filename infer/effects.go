package infer

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/num"
	"palate/internal/simd"
)

// Effects are what rows share beside the utilities: random effects. Rows of one group,
// such as the votes of one voter, share a taste of its own, f_i + g_i with
// g_i ~ N(0, Own), and where the group meets a pair again, a part of the noise is the
// same, h ~ N(0, Repeat): of the rows' likelihood that much noise is to be left out. All
// rows share effects c of their context, such as the side on which an item was shown,
// which are added to a row's form, xᵀc with x its row of Context and c_k ~ N(0, Spread_k),
// and a group may depart from them by N(0, Vary_k).
//
// Rows of a group are a block whose noise is correlated: with B their forms over utilities
// and context, T the precisions of their sites and D the variances of what is the
// group's own, their message has the precision Bᵀ(T⁻¹ + BDBᵀ + Repeat)⁻¹B. The
// effects of the context are integrated out of the messages of all. Only those have a
// posterior outside the run, see Result.Context.
//
// An answer about several items, such as a ranking, draws the utility of each once,
// u_i = f_i + ε_i with ε_i ~ N(0, Noise), and its rows say what it says of them: they are
// a block of the same form within that of their group, with Noise for Own. The noise is in
// no row's likelihood, so that a comparison is a likelihood.Step. Two draws of variance ½
// are the noise of a probit: an answer about a pair is the row of that pair alone. The
// rows of an answer are counted alike, as often as it was given: by others, each with draws
// of their own.
//
// Rows are differences of two items, on a prior with a weight an item. On independent
// items with all of them their own (see Graph) tastes, repeats and draws of answers are
// further nodes, and there is no context.
type Effects struct {
	Group       []int // of every row, those of one after the other; −1: the row stands alone; nil: all do
	Own, Repeat float64
	Answer      []int // of every row, those of one after the other and of one group; −1: the row is an answer of its own; nil: all are
	Noise       float64
	Context     *gp.Rows  // of every row, by number of the effect; nil: none
	Spread      []float64 // of every effect; one of 0 is not there
	Vary        []float64 // of every effect; nil: none
}

func (e *Effects) any() bool {
	return e != nil && (e.Own > 0 || e.Repeat > 0 || e.Answer != nil || e.context() > 0)
}

// group is that of row r, −1 where it stands alone.
func (e *Effects) group(r int) int {
	if e.Group == nil {
		return -1
	}
	return e.Group[r]
}

// answer is that of row r, −1 where it is one of its own.
func (e *Effects) answer(r int) int {
	if e.Answer == nil {
		return -1
	}
	return e.Answer[r]
}

// context is the number of effects that are there.
func (e *Effects) context() (n int) {
	for _, v := range e.Spread {
		if v > 0 {
			n++
		}
	}
	return n
}

// effects is the state of Effects under inference. Coordinates are the items and after
// them the effects of the context that are there.
type effects struct {
	*Effects
	items  int
	there  []int    // the effects that are there
	place  []int    // of every effect, its coordinate; −1: it is not there
	rows   *gp.Rows // over all coordinates, the two items first
	blocks []block
	alone  []int // rows that stand alone
	given  *Context
	slope  []float64 // see slopes; nil: they have not been asked for
}

// newEffects sorts the rows into blocks. Effects without variance are none.
func newEffects(p *Problem) *effects {
	if !p.Effects.any() || independent(p.Prior) { // there they are items beside, see latent
		return nil
	}
	e := &effects{Effects: p.Effects, items: p.Prior.Len()}
	if rows := p.Rows.Len(); !(e.Own >= 0 && e.Repeat >= 0) || e.Group != nil && len(e.Group) != rows || e.Context != nil && e.Context.Len() != rows || e.Answer != nil && (len(e.Answer) != rows || !(e.Noise > 0)) {
		panic(fmt.Sprintf("infer: effects with variances %g, %g and %g, %d groups and %d answers of %d rows", e.Own, e.Repeat, e.Noise, len(e.Group), len(e.Answer), rows))
	}
	for k, v := range e.Spread {
		if e.place = append(e.place, -1); v > 0 {
			e.place[k] = e.items + len(e.there)
			e.there = append(e.there, k)
		}
	}
	e.rows = e.joined(p.Rows)
	e.gather(p)
	return e
}

// own is the variance of what a group has of its own of a coordinate.
func (e *effects) own(coordinate int) float64 {
	switch {
	case coordinate < e.items:
		return e.Own
	case e.Vary == nil:
		return 0
	}
	return e.Vary[e.there[coordinate-e.items]]
}

// joined returns rows over the items with those of the context that is there.
func (e *effects) joined(items *gp.Rows) *gp.Rows {
	if len(e.there) == 0 {
		return items
	}
	out := &gp.Rows{}
	for r := range items.Len() {
		index, coef := items.Row(r)
		index, coef = slices.Clip(index), slices.Clip(coef)
		effect, x := e.Context.Row(r)
		for k, c := range effect {
			if at := e.place[c]; at >= 0 && x[k] != 0 {
				index, coef = append(index, at), append(coef, x[k])
			}
		}
		out.Append(index, coef)
	}
	return out
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
	e.slope = nil
	num.Parallel(len(e.blocks), blockGrain, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			e.blocks[k].send(e.Repeat, p, sites)
		}
	})
	n := e.items + len(e.there)
	lin, quad = make([]float64, n), mat.NewSymDense(n, nil)
	for _, r := range e.alone {
		c := p.count(r)
		e.rows.Scatter(r, c*sites[r].Nu, lin)
		e.rows.ScatterSquare(r, c*sites[r].Tau, quad)
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
	e.given, lin, quad = e.without(lin, quad)
	return lin, quad
}

// forms sets mean and variance of every row's form, effects included, under the
// posterior q of the utilities.
func (e *effects) forms(q *gp.Posterior, mean, variance []float64) {
	f, cov := e.given.joint(q)
	at := func(i, j int) float64 { return cov.Data[min(i, j)*cov.Stride+max(i, j)] }
	for _, r := range e.alone {
		mean[r], variance[r] = e.rows.Dot(r, f), e.rows.Square(r, at)
	}
	num.Parallel(len(e.blocks), blockGrain, func(lo, hi int) {
		var room []float64
		for k := lo; k < hi; k++ {
			room = e.blocks[k].receive(e.Repeat, f, cov, room, mean, variance)
		}
	})
}

// logDet is that of the effects, which the objective loses half of.
func (e *effects) logDet() (sum float64) {
	for k := range e.blocks {
		sum += e.blocks[k].logDet
	}
	return sum + e.given.logDet
}

// slopes are the derivatives of an objective that is stationary in the sites in the
// variances of what groups have of their own, by coordinate: ½Σ(s² − W) with s = η − Λw,
// W = Λ − ΛCov(w)Λ.
func (e *effects) slopes() []float64 {
	if e.slope != nil {
		return e.slope
	}
	out := make([]float64, e.items+len(e.there))
	for k := range e.blocks {
		b := &e.blocks[k]
		if b.answer { // what it has of its own is noise
			continue
		}
		m := len(b.items)
		pull, cov, half := make([]float64, m), make([]float64, m*m), make([]float64, m*m)
		num.SymVec(pull, b.lambda, b.mean, m)
		for i := range m {
			for j, r := range b.root {
				cov[i*m+j] = b.keep[i*m+j] * r * r
			}
		}
		serial := simd.BLAS{Serial: true}
		serial.Dgemm(blas.NoTrans, blas.Trans, m, m, m, 1, b.reach, m, b.keep, m, 1, cov, m)
		serial.Dgemm(blas.NoTrans, blas.NoTrans, m, m, m, 1, b.lambda, m, cov, m, 0, half, m)
		for i, x := range b.items {
			s := b.eta[i] - pull[i]
			sum := s*s - b.lambda[i*m+i]
			for j := range m {
				sum += half[i*m+j] * b.lambda[j*m+i]
			}
			out[x] += 0.5 * sum
		}
	}
	e.slope = out
	return out
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
func (r *Result) OwnSlope() (sum float64) {
	if r.effects == nil {
		return 0
	}
	for _, x := range r.effects.slopes()[:r.effects.items] {
		sum += x
	}
	return sum
}

// VarySlope returns the derivative of the objective in the variance of the groups'
// departures from an effect of the context; 0 where it is not there.
func (r *Result) VarySlope(effect int) float64 {
	if r.effects == nil || r.effects.place[effect] < 0 {
		return 0
	}
	return r.effects.slopes()[r.effects.place[effect]]
}
