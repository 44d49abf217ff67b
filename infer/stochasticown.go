package infer

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/simd"
)

// ownStochastic is a stochastic run over items with parts of their own. An item is known
// by what its rows say of it, η and D, the other items being where they were when the
// row was last visited: given the weights its utility is
// N((s/λ·φᵀe + η)/(s/λ + D), 1/(s/λ + D)), and the weights see it as one observation
// of φᵀe, with precision D/(1 + Dλ/s). All rows keep their sites, so that nothing is
// scaled up or forgotten: a step takes the old messages of its rows back and puts in the
// new ones. Where it settles means are those of Batch under the same sites.
type ownStochastic struct {
	Stochastic
	e     *engine
	order *shuffle
	prec  []float64    // D, of every item
	lin   []float64    // η
	seen  [][2]float64 // of every row, the means of its items at the last visit
	ev    gp.Evidence
	q     *gp.Posterior // of the weights
}

func (s Stochastic) runOwn(ctx context.Context, e *engine) error {
	if e.ScalePrior != nil {
		return fmt.Errorf("infer: Stochastic keeps the scale fixed where items have parts of their own; use Batch to learn it")
	}
	s = s.Defaults(e.Rows.Len())
	t := &ownStochastic{Stochastic: s, e: e, ev: gp.NewEvidence(e.Prior.Dim())}
	t.order = newShuffle(e.Rows.Len(), rand.New(rand.NewPCG(s.Seed, 0x5eed)))
	t.prec, t.lin = make([]float64, e.Prior.Len()), make([]float64, e.Prior.Len())
	t.seen = make([][2]float64, e.Rows.Len())
	clear(e.sites) // what they say of items is found by visits
	var err error
	if t.q, err = gp.NewPosterior(e.Prior, e.scale, t.ev); err != nil {
		return err
	}
	if err := e.steps(ctx, t.Steps, t.step); err != nil {
		return err
	}
	return t.finish()
}

// step visits a batch of rows and the items that they touch, and no others.
func (t *ownStochastic) step() error {
	e := t.e
	st := &e.result.Stats
	st.Sweeps++
	rows := t.order.next(t.Batch)
	picked, items := e.Rows.Pick(rows)
	b := t.itemsOf(items)
	st.Step = 1
	if e.Rule.Kind() == LogEvidence {
		st.Step = 0.5
	}
	forms := b.forms(t.q, &picked)
	next := make([]gp.Site, len(rows))
	for k, r := range rows {
		index, coef := picked.Row(k)
		old, c := e.sites[r], e.count(r)
		f := Form{Mean: picked.Dot(k, b.mean), Var: forms[k] + b.rest(e.Rule.Kind(), index, c*old.Tau*coef[0]*coef[0]), Prior: b.on.FormVariance(&picked, k) / e.priorScale()}
		next[k] = old
		if e.Rule.Kind() == LogEvidence {
			var ok bool
			if f.Mean, f.Var, ok = old.Cavity(f.Mean, f.Var); !ok {
				st.Skipped++
				continue
			}
		}
		next[k] = old.Blend(e.Rule.Update(e.Likelihood[r], f).Site, st.Step)
	}
	for k, r := range rows {
		index, coef := picked.Row(k)
		b.addSites(index, coef, e.sites[r], -e.count(r), t.seen[r])
		e.sites[r] = next[k]
		b.addSites(index, coef, next[k], e.count(r), t.seen[r])
	}
	for range settles {
		for k, r := range rows {
			index, coef := picked.Row(k)
			t.seen[r] = b.settle(index, coef, next[k], e.count(r), t.seen[r])
		}
	}
	b.send(t.ev)
	for k, i := range items {
		t.prec[i], t.lin[i] = b.prec[k], b.lin[k]
	}
	q, err := gp.NewPosterior(e.Prior, e.scale, t.ev)
	if err != nil {
		return err
	}
	st.Change = weightChange(t.q, q)
	t.q = q
	return nil
}

// settles is how often the items of a batch are set right by one another.
const settles = 3

// finish rebuilds the posterior from all sites, with the bound of it.
func (t *ownStochastic) finish() error {
	e := t.e
	q, err := e.Prior.Posterior(e.scale, e.Rows, e.sites, e.Count, gp.Ways{Inner: e.inner(LowerBound)})
	if err != nil {
		return err
	}
	bound := *e
	bound.Settings.Rule = VI{}
	bound.prepare()
	e.result.Posterior, e.result.Kind = q, LowerBound
	e.result.Objective = bound.objective(q, bound.updates(q))
	return nil
}

// batchItems are the items of a batch.
type batchItems struct {
	on        *gp.Prior
	phi       *mat.Dense
	priorMean []float64 // φᵀm, given the weights
	priorPrec []float64 // s/λ
	prec, lin []float64 // D and η
	mean      []float64

	sentPrec, sentLin []float64 // the messages that the weights have of the items
}

func (t *ownStochastic) itemsOf(items []int) *batchItems {
	e := t.e
	on := e.Prior.At(items)
	n := len(items)
	b := &batchItems{on: on, phi: on.Features(), priorMean: make([]float64, n), priorPrec: make([]float64, n), mean: make([]float64, n), sentPrec: make([]float64, n), sentLin: make([]float64, n)}
	simd.Gemv(blas.NoTrans, 1, b.phi.RawMatrix(), simd.Vec(t.q.Mean), 0, simd.Vec(b.priorMean))
	for k, i := range items {
		b.priorPrec[k] = e.scale / on.OwnVariances()[k]
		b.prec, b.lin = append(b.prec, t.prec[i]), append(b.lin, t.lin[i])
		b.sentPrec[k], b.sentLin[k] = b.message(k)
		b.setMean(k)
	}
	return b
}

// message is what the weights are told of item k.
func (b *batchItems) message(k int) (prec, lin float64) {
	g := b.priorPrec[k] / (b.priorPrec[k] + b.prec[k])
	return b.prec[k] * g, b.lin[k] * g
}

// setMean sets the mean of item k given the weights.
func (b *batchItems) setMean(k int) {
	b.mean[k] = (b.priorPrec[k]*b.priorMean[k] + b.lin[k]) / (b.priorPrec[k] + b.prec[k])
}

// forms returns the variances that the weights leave on rows.
func (b *batchItems) forms(q *gp.Posterior, rows *gp.Rows) []float64 {
	_, d := b.phi.Dims()
	psi := mat.NewDense(rows.Len(), d, nil)
	for r := range rows.Len() {
		index, coef := rows.Row(r)
		for a, i := range index {
			g := b.priorPrec[i] / (b.priorPrec[i] + b.prec[i])
			simd.Axpy(coef[a]*g, simd.Vec(b.phi.RawRowView(i)), simd.Vec(psi.RawRowView(r)))
		}
	}
	reach := mat.DenseCopyOf(psi)
	q.WeightCov(reach)
	out := make([]float64, rows.Len())
	for r := range out {
		out[r] = max(0, simd.Dot(simd.Vec(psi.RawRowView(r)), simd.Vec(reach.RawRowView(r))))
	}
	return out
}

// rest is the variance that the items of a row leave given the weights: apart for a
// bound, else with what the row itself, of precision tau, says of the two.
func (b *batchItems) rest(kind ObjectiveKind, index []int, tau float64) float64 {
	var v float64
	for _, i := range index {
		x := b.priorPrec[i] + b.prec[i]
		if kind != LowerBound && len(index) == 2 {
			x -= tau
		}
		v += 1 / x
	}
	if kind != LowerBound && len(index) == 2 {
		v /= 1 + tau*v
	}
	return v
}

// addSites adds count sites on a row to what is known of its items, the other one being
// where it was seen.
func (b *batchItems) addSites(index []int, coef []float64, s gp.Site, count float64, seen [2]float64) {
	for a, i := range index {
		b.prec[i] += count * s.Tau * coef[a] * coef[a]
		lin := s.Nu
		if len(index) == 2 {
			lin -= s.Tau * coef[1-a] * seen[1-a]
		}
		b.lin[i] += count * coef[a] * lin
	}
}

// settle sets the items of a row right together, given all other rows, and returns
// their means.
func (b *batchItems) settle(index []int, coef []float64, s gp.Site, count float64, seen [2]float64) [2]float64 {
	if len(index) == 1 {
		b.setMean(index[0])
		return [2]float64{b.mean[index[0]]}
	}
	b.addSites(index, coef, s, -count, seen)
	var m, v [2]float64
	for a, i := range index {
		v[a] = 1 / (b.priorPrec[i] + b.prec[i])
		b.setMean(i)
		m[a] = b.mean[i]
	}
	pull := count * (s.Nu - s.Tau*(coef[0]*m[0]+coef[1]*m[1])) / (1 + count*s.Tau*(coef[0]*coef[0]*v[0]+coef[1]*coef[1]*v[1]))
	for a := range m {
		m[a] += v[a] * coef[a] * pull
	}
	b.addSites(index, coef, s, count, m)
	b.mean[index[0]], b.mean[index[1]] = m[0], m[1]
	return m
}

// send changes what the weights were told of the items.
func (b *batchItems) send(ev gp.Evidence) {
	n, d := b.phi.Dims()
	change := mat.NewDense(n, d, nil)
	for k := range n {
		prec, lin := b.message(k)
		simd.Axpy(lin-b.sentLin[k], simd.Vec(b.phi.RawRowView(k)), simd.Vec(ev.Lin))
		simd.Axpy(prec-b.sentPrec[k], simd.Vec(b.phi.RawRowView(k)), simd.Vec(change.RawRowView(k)))
	}
	full := mat.NewDense(d, d, nil)
	simd.Gemm(blas.Trans, blas.NoTrans, 1, b.phi.RawMatrix(), change.RawMatrix(), 0, full.RawMatrix())
	raw := ev.Quad.RawSymmetric()
	for i := range d {
		for j := i; j < d; j++ {
			raw.Data[i*raw.Stride+j] += 0.5 * (full.At(i, j) + full.At(j, i))
		}
	}
}
