package drift

import (
	"math"

	"palate/internal/num"
)

// chain is the states of items: each begins with its head, which is what stays of it, and goes
// on with its utility at times, ascending.
type chain struct {
	start []int32   // of every item, where its states begin; one more at the end
	time  []float64 // of every state; that of a head is the first of all
	stay  []float64 // of every item, the deviation of what stays; nil: that of the process
}

// begin is what is known of item i beforehand.
func (c *chain) begin(p Process, i int) belief {
	if c.stay != nil {
		p.Stay = c.stay[i]
	}
	return p.start()
}

// items is their number.
func (c *chain) items() int { return len(c.start) - 1 }

// itemGrain is how many items are gone through at a time.
const itemGrain = 16

// passage is what a filter leaves of every state for those who come back: the covariance of
// all with the state's utility and 1 + τ·variance, beside the steps between states.
type passage struct {
	*chain
	process Process
	hopping *hopping  // of a process that jumps
	tau     []float64 // what was said of each, its precision
	step    []transition
	gain    [][3]float64
	f       []float64
	// Mean and variance of a state given all that was said of others.
	mean, v []float64
}

// newPassage has room for all states.
func newPassage(c *chain) *passage {
	n := len(c.time)
	return &passage{chain: c, step: make([]transition, n), gain: make([][3]float64, n), f: make([]float64, n), mean: make([]float64, n), v: make([]float64, n)}
}

// set changes the process.
func (w *passage) set(p Process) {
	w.process = p
	num.Parallel(w.items(), itemGrain, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			var last float64
			var t transition
			for s := w.start[i] + 1; s < w.start[i+1]; s++ {
				if by := w.time[s] - w.time[s-1]; s == w.start[i]+1 || by != last {
					last, t = by, p.after(by)
				}
				w.step[s] = t
			}
		}
	})
	switch {
	case !p.Jumps:
		w.hopping = nil
	case w.hopping == nil:
		w.hopping = newHopping(w.chain, p)
	default:
		w.applyHops()
	}
}

// logZ is the log of the integral of an item's prior times what was said of its states:
// exp(νx − τx²/2) of each. Of a process that jumps its hops stand for steps.
func (c *chain) logZ(p Process, i int, tau, nu []float64, hops []Hop) (sum float64) {
	b := c.begin(p, i)
	var last float64
	var t transition
	head := c.start[i]
	for s := head; s < c.start[i+1]; s++ {
		if s > head {
			if by := c.time[s] - c.time[s-1]; s == head+1 || by != last {
				last, t = by, p.after(by)
			}
			if hops != nil && c.lag(int(s)) > 0 {
				t.q, t.shift = hops[s].Variance, hops[s].Mean
			} else if hops != nil {
				t.q, t.shift = 0, 0
			}
			b.step(&t)
		}
		if tau[s] == 0 && nu[s] == 0 {
			continue
		}
		k, h, v := b.utility(s == head)
		f := 1 + tau[s]*v
		sum += 0.5*(v*nu[s]*nu[s]+2*h*nu[s]-tau[s]*h*h)/f - 0.5*math.Log(f)
		b.condition(&k, (nu[s]-tau[s]*h)/f, tau[s]/f)
	}
	return sum
}

// smooth finds mean and variance of every state, given what was said of all others of its item:
// forwards with what is known so far, backwards with what is still to come (Durbin and Koopman
// 2012, §4.4).
func (w *passage) smooth(tau, nu []float64) {
	w.tau = tau
	num.Parallel(w.items(), itemGrain, func(lo, hi int) {
		var e []float64
		for i := lo; i < hi; i++ {
			from, to := w.start[i], w.start[i+1]
			e = append(e[:0], make([]float64, to-from)...)
			b := w.begin(w.process, i)
			for s := from; s < to; s++ {
				if s > from {
					b.step(&w.step[s])
				}
				k, h, v := b.utility(s == from)
				f := 1 + tau[s]*v
				pull := (nu[s] - tau[s]*h) / f
				w.gain[s], w.f[s], w.mean[s], w.v[s], e[s-from] = k, f, h, v, pull
				b.condition(&k, pull, tau[s]/f)
			}
			w.back(from, to, nu, e)
		}
	})
}

// back is the way back of smooth: l is the pull of what came after on the state, m its
// precision.
func (w *passage) back(from, to int32, nu, e []float64) {
	var l [3]float64
	var m belief // its covariance stands for the precision
	for s := to - 1; s >= from; s-- {
		k, f := &w.gain[s], w.f[s]
		t := w.tau[s] / f
		n := [3]float64{
			m.aa*k[0] + m.ag*k[1] + m.ah*k[2],
			m.ag*k[0] + m.gg*k[1] + m.gh*k[2],
			m.ah*k[0] + m.gh*k[1] + m.hh*k[2],
		}
		q := k[0]*n[0] + k[1]*n[1] + k[2]*n[2]
		kl := k[0]*l[0] + k[1]*l[1] + k[2]*l[2]
		add, rest := e[s-from]-t*kl, 1+t*q
		w.mean[s] = (w.mean[s] + kl + q*nu[s]/f) / rest
		w.v[s] = (w.v[s] - q/f) / rest
		if s == from {
			return
		}
		add2 := t + t*t*q
		l[0] += add
		l[1] += add
		m.aa += add2 - 2*t*n[0]
		m.ag += add2 - t*(n[0]+n[1])
		m.ah -= t * n[2]
		m.gg += add2 - 2*t*n[1]
		m.gh -= t * n[2]
		if w.hopping != nil {
			w.hopping.setCavity(s, l[1], m.gg)
		}
		// Back over the step: Fᵀl and FᵀmF.
		x := &w.step[s]
		l[1], l[2] = x.a*l[1]+x.c*l[2], x.b*l[1]+x.d*l[2]
		m.ag, m.ah = x.a*m.ag+x.c*m.ah, x.b*m.ag+x.d*m.ah
		gg, gh, hh := m.gg, m.gh, m.hh
		m.gg = x.a*x.a*gg + 2*x.a*x.c*gh + x.c*x.c*hh
		m.gh = x.a*x.b*gg + (x.a*x.d+x.b*x.c)*gh + x.c*x.d*hh
		m.hh = x.b*x.b*gg + 2*x.b*x.d*gh + x.d*x.d*hh
	}
}

// all is mean and variance of state s given all that was said, nu of it among it.
func (w *passage) all(s int32, nu float64) (mean, variance float64) {
	f := 1 + w.tau[s]*w.v[s]
	return (w.mean[s] + w.v[s]*nu) / f, w.v[s] / f
}

// solve sets x to what smooth would find for the means of all if nu were said with the precisions that
// it was called with, and nothing known beforehand but a mean of zero.
func (w *passage) solve(x, nu []float64) {
	for i := range w.items() {
		from, to := w.start[i], w.start[i+1]
		var a, g, h float64
		for s := from; s < to; s++ {
			at := a
			if s > from {
				t := &w.step[s]
				g, h = t.a*g+t.b*h, t.c*g+t.d*h
				at += g
			}
			k := &w.gain[s]
			pull := (nu[s] - w.tau[s]*at) / w.f[s]
			x[s] = at
			a, g, h = a+k[0]*pull, g+k[1]*pull, h+k[2]*pull
		}
		var la, lg, lh float64
		for s := to - 1; s >= from; s-- {
			k := &w.gain[s]
			kl := k[0]*la + k[1]*lg + k[2]*lh
			add := (nu[s] - w.tau[s]*x[s] - w.tau[s]*kl) / w.f[s]
			v := k[0]
			if s > from {
				v += k[1]
			}
			x[s] += kl + v*add
			t := &w.step[s]
			la, lg = la+add, lg+add
			lg, lh = t.a*lg+t.c*lh, t.b*lg+t.d*lh
		}
	}
}
