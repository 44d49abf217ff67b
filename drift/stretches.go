package drift

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// What is known of a utility that jumps is more than one normal: since when it has been where it
// is, and until when it stays, is open. Given both it is a normal, as all that was said in between
// is about one number, and hops stand for what happened before and after. The mixture over all
// stretches has the skewness and the tails that one normal cannot have.

// leastStretch is the share of the likeliest stretch below which one is left out.
const leastStretch = 1e-4

// normals is a mixture of normals.
type normals struct{ weight, mean, sd []float64 }

// known is a normal times exp(log).
type known struct{ log, mean, variance float64 }

// quadratic is the log of a likelihood of one number: log + pull·x − precision·x²/2.
type quadratic struct{ log, pull, precision float64 }

// times multiplies likelihoods.
func (q quadratic) times(r quadratic) quadratic {
	return quadratic{q.log + r.log, q.pull + r.pull, q.precision + r.precision}
}

// over is the log of the mean likelihood of a normal, and 1 + its variance times the precision.
func (q quadratic) over(mean, variance float64) (log, f float64) {
	f = 1 + q.precision*variance
	return q.log - 0.5*math.Log(f) + 0.5*(q.pull*q.pull*variance+2*q.pull*mean-q.precision*mean*mean)/f, f
}

// before is the likelihood of what was there before a step.
func (q quadratic) before(step Hop) quadratic {
	log, f := q.over(step.Mean, step.Variance)
	return quadratic{log, (q.pull - q.precision*step.Mean) / f, q.precision / f}
}

// given is what is known with a likelihood, too.
func (k known) given(q quadratic) known {
	log, f := q.over(k.mean, k.variance)
	return known{k.log + log, (k.mean + k.variance*q.pull) / f, k.variance / f}
}

// after is what is known after a step, whose likelihood adds to the log.
func (k known) after(step Hop, log float64) known {
	return known{k.log + log, k.mean + step.Mean, k.variance + step.Variance}
}

// stretches is what is known of an item's utility, where it jumps.
type stretches struct {
	*passage
	item, from int
	said       []quadratic // of every state of the item
	past       []known     // by that and what was said before
	next       []quadratic // by what was said after it
}

// stretches prepares those of item i; nu is what states were told beside their precisions.
func (w *passage) stretches(i int, nu []float64) *stretches {
	x := &stretches{passage: w, item: i, from: int(w.start[i])}
	n := int(w.start[i+1]) - x.from
	x.said, x.past, x.next = make([]quadratic, n), make([]known, n), make([]quadratic, n)
	for k := range n {
		s := x.from + k
		x.said[k] = quadratic{0, nu[s], w.tau[s]}
		x.past[k] = known{variance: w.begin(w.process, i).aa}
		if k > 0 {
			x.past[k] = x.past[k-1].after(w.hopTo(s))
		}
		x.past[k] = x.past[k].given(x.said[k])
	}
	for k := n - 1; k > 0; k-- {
		step, log := w.hopTo(x.from + k)
		x.next[k-1] = x.next[k].times(x.said[k]).before(step)
		x.next[k-1].log += log
	}
	return x
}

// hopTo is the hop that stands for the step to state s, and the log of what the likelihood of the
// step is to it.
func (w *passage) hopTo(s int) (Hop, float64) {
	if w.lag(s) == 0 {
		return Hop{}, 0
	}
	return w.hopping.hop[s], w.hopTerm(w.process, s)
}

// jump is the step over a time in which there is at least one jump, and the log of its probability.
func (p Process) jump(time float64) (Hop, float64) {
	share := -math.Expm1(-time / p.Length)
	return Hop{Variance: time / p.Length / share * p.Move * p.Move}, math.Log(share)
}

// at is what is known of state s: a normal for every first and last state of a stretch with it.
func (x *stretches) at(s int) (m normals) {
	var until []quadratic // what is said after s, for every last state
	var said quadratic
	for k := s - x.from + 1; ; k++ {
		if k == len(x.said) {
			until = append(until, said)
			break
		}
		lag := x.lag(x.from + k)
		if lag > 0 {
			step, log := x.process.jump(lag)
			then := x.next[k].times(x.said[k]).before(step)
			then.log += log
			until = append(until, said.times(then))
		}
		said = said.times(x.said[k])
		said.log -= lag / x.process.Length
	}
	var all []known
	said = quadratic{}
	for k := s - x.from; k >= 0; k-- {
		said = said.times(x.said[k])
		lag := x.lag(x.from + k)
		if k > 0 && lag == 0 {
			continue
		}
		begin := known{variance: x.begin(x.process, x.item).aa}
		if k > 0 {
			begin = x.past[k-1].after(x.process.jump(lag))
		}
		for _, u := range until {
			all = append(all, begin.given(said.times(u)))
		}
		said.log -= lag / x.process.Length
	}
	return mixture(all)
}

// mixture makes weights of the logs.
func mixture(all []known) (m normals) {
	best := slices.MaxFunc(all, func(a, b known) int { return cmp.Compare(a.log, b.log) }).log
	var sum float64
	for _, k := range all {
		if w := math.Exp(k.log - best); w > leastStretch {
			m.weight, m.mean, m.sd = append(m.weight, w), append(m.mean, k.mean), append(m.sd, math.Sqrt(k.variance))
			sum += w
		}
	}
	for k := range m.weight {
		m.weight[k] /= sum
	}
	return m
}

// moments are mean and deviation.
func (m normals) moments() (mean, sd float64) {
	for k, w := range m.weight {
		mean += w * m.mean[k]
	}
	for k, w := range m.weight {
		sd += w * (m.sd[k]*m.sd[k] + (m.mean[k]-mean)*(m.mean[k]-mean))
	}
	return mean, math.Sqrt(sd)
}

// Of the table of quantiles of a mixture: it goes so many deviations out, and has so many points.
const (
	quantileReach  = 5.0
	quantilePoints = 61
)

// quantiles is the mixture as a function of a standard normal of the same rank, by a table.
type quantiles struct{ normal, value []float64 }

// quantiles makes the table.
func (m normals) quantiles() (q quantiles) {
	mean, sd := m.moments()
	for k := range quantilePoints {
		x := mean + sd*quantileReach*(2*float64(k)/(quantilePoints-1)-1)
		side := 1.0 // that on which less is left, as there rounding costs nothing
		if x > mean {
			side = -1
		}
		var beyond float64
		for c, w := range m.weight {
			beyond += w * num.Phi(side*(x-m.mean[c])/m.sd[c])
		}
		z := side * num.Quantile(beyond)
		if n := len(q.normal); math.IsInf(z, 0) || n > 0 && z <= q.normal[n-1] {
			continue
		}
		q.normal, q.value = append(q.normal, z), append(q.value, x)
	}
	return q
}

// at returns the value at a standard normal.
func (q quantiles) at(z float64) float64 {
	k, _ := slices.BinarySearch(q.normal, z)
	k = min(max(k, 1), len(q.normal)-1)
	share := (z - q.normal[k-1]) / (q.normal[k] - q.normal[k-1])
	return q.value[k-1] + share*(q.value[k]-q.value[k-1])
}

// shape is what stretches say of a state, beside mean and deviation of the normal that messages
// have of it.
type shape struct {
	normals
	middle, spread float64
}

// shapes are those of the states that are asked for, under a member that jumps.
func (q *Posterior) shapes(v *view, m *Member) []shape {
	w, nu := q.passage(v, m), v.spread(m.Nu)
	out := make([]shape, len(v.at))
	times := len(v.at) / q.Shown
	num.Parallel(q.Shown, 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			x := w.stretches(i, nu)
			for j := i * times; j < (i+1)*times; j++ {
				s := v.at[j]
				mean, variance := w.all(s, nu[s])
				out[j] = shape{x.at(int(s)), mean, math.Sqrt(variance)}
			}
		}
	})
	return out
}

// bendDraws turns draws of normals into draws of the mixtures over stretches that have the same
// ranks (a Gaussian copula). The normals have these means and deviations, where sd is nil those
// of the messages, and the mixtures are moved and scaled as they are beside those of the messages.
func (q *Posterior) bendDraws(v *view, m *Member, draws *mat.Dense, mean, sd []float64) {
	for j, b := range q.shapes(v, m) {
		value := b.quantiles()
		s := b.spread
		if sd != nil {
			s = sd[j]
		}
		for k := range draws.RawMatrix().Rows {
			z := (draws.At(k, j) - mean[j]) / s
			draws.Set(k, j, mean[j]+s*(value.at(z)-b.middle)/b.spread)
		}
	}
}
