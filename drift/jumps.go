package drift

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"palate/gp"
)

// A utility that jumps stays where it is, and at times that hang on nothing, once in Length on
// average, goes a normal step of deviation Move further. Over a time its step d is a mixture of
// normals of mean zero: none, one, two jumps and so on, as often as Poisson has it. That is a
// likelihood of d, a form of two states, and expectation propagation takes it as that of a vote:
// by a site, which makes of the step one of a normal of its own mean and variance, a hop. The
// cavity of a step comes from what smooth knows of it when it goes back.

// Hop is the normal that stands for the step to a state.
type Hop struct{ Mean, Variance float64 }

// mostHops is how many jumps over one step are told apart; more count as so many.
const mostHops = 4

// hopRange bounds the variance of a hop, in units of that of a jump.
var hopRange = [2]float64{1e-8, 30}

// hops returns the probabilities of so many jumps over a time.
func (p Process) hops(time float64) (w [mostHops]float64) {
	x := time / p.Length
	term := math.Exp(-x)
	for n := range mostHops - 1 {
		w[n] = term
		term *= x / float64(n+1)
	}
	w[mostHops-1] = mathext.GammaIncReg(mostHops-1, x)
	return w
}

// tilted returns the log of the mean probability of a step whose cavity is N(mean, v), and mean
// and variance of the step with it.
func (p Process) tilted(time, mean, v float64) (logZ, m, variance float64) {
	var log, at, spread [mostHops]float64
	best := math.Inf(-1)
	for n, w := range p.hops(time) {
		j := float64(n) * p.Move * p.Move
		log[n] = math.Log(w) - 0.5*math.Log(v+j) - 0.5*mean*mean/(v+j)
		at[n], spread[n] = mean*j/(v+j), v*j/(v+j)
		best = max(best, log[n])
	}
	var sum, square float64
	for n, x := range log {
		w := math.Exp(x - best)
		sum += w
		m += w * at[n]
		square += w * (spread[n] + at[n]*at[n])
	}
	m /= sum
	return best + math.Log(sum) - 0.5*math.Log(2*math.Pi), m, max(0, square/sum-m*m)
}

// hopping is what a passage has of a process that jumps.
type hopping struct {
	hop    []Hop
	cavity []Hop // of every step; of variance 0 where votes say nothing of it
}

// newHopping has hops of the mean and the variance that steps have before votes.
func newHopping(c *chain, p Process) *hopping {
	h := &hopping{make([]Hop, len(c.time)), make([]Hop, len(c.time))}
	for s := range h.hop {
		h.hop[s].Variance = p.after(c.lag(s)).q
	}
	return h
}

// lag is the time from the state before state s to it; 0 of heads.
func (c *chain) lag(s int) float64 {
	if s == 0 {
		return 0
	}
	return max(0, c.time[s]-c.time[s-1])
}

// setCavity sets the cavity of the step to state s: pull and precision are of what came after on it.
func (h *hopping) setCavity(s int32, pull, precision float64) {
	h.cavity[s] = Hop{}
	was := h.hop[s]
	if v := 1/precision - was.Variance; precision > 0 && v > 0 && !math.IsInf(v, 0) {
		h.cavity[s] = Hop{was.Mean + pull/precision, v}
	}
}

// updateHops moves the sites of all steps by a share of the way, and returns the largest change.
func (w *passage) updateHops(share float64) (change float64) {
	h, p := w.hopping, w.process
	jump := p.Move * p.Move
	for s := range h.hop {
		lag, c := w.lag(s), h.cavity[s]
		if lag == 0 || c.Variance == 0 {
			continue
		}
		_, mean, variance := p.tilted(lag, c.Mean, c.Variance)
		was := h.hop[s].site()
		now := gp.Site{Tau: 1/max(variance, hopRange[0]*jump) - 1/c.Variance}
		now.Tau = min(max(now.Tau, 1/(hopRange[1]*jump)), 1/(hopRange[0]*jump))
		now.Nu = mean*(now.Tau+1/c.Variance) - c.Mean/c.Variance
		f := 1 + was.Tau*c.Variance
		change = max(change, was.Distance(now, (c.Mean+c.Variance*was.Nu)/f, c.Variance/f))
		next := was.Blend(now, share)
		h.hop[s] = Hop{next.Nu / next.Tau, 1 / next.Tau}
	}
	w.applyHops()
	return change
}

// site is a hop as a site.
func (h Hop) site() gp.Site { return gp.Site{Tau: 1 / h.Variance, Nu: h.Mean / h.Variance} }

// applyHops makes steps of hops.
func (w *passage) applyHops() {
	for s, h := range w.hopping.hop {
		if w.lag(s) > 0 {
			w.step[s].q, w.step[s].shift = h.Variance, h.Mean
		}
	}
}

// hopTerms is what the steps' likelihoods add to the evidence of the chains with hops for steps, under
// the cavities as they are.
func (w *passage) hopTerms(p Process) (sum float64) {
	for s := range w.hopping.hop {
		sum += w.hopTerm(p, s)
	}
	return sum
}

// hopTerm is what the step to state s adds.
func (w *passage) hopTerm(p Process, s int) float64 {
	lag, c, h := w.lag(s), w.hopping.cavity[s], w.hopping.hop[s]
	if lag == 0 || c.Variance == 0 {
		return 0
	}
	log, _, _ := p.tilted(lag, c.Mean, c.Variance)
	v, off := c.Variance+h.Variance, c.Mean-h.Mean
	return log + 0.5*(math.Log(2*math.Pi*v)+off*off/v)
}

// checkHops checks that a member has hops for all states if it jumps.
func (m *Member) checkHops(states int) error {
	want := 0
	if m.Process.Jumps {
		want = states
	}
	if len(m.Hops) != want {
		return fmt.Errorf("%d hops, not %d", len(m.Hops), want)
	}
	for s, h := range m.Hops {
		if !(h.Variance >= 0) || math.IsInf(h.Variance, 0) || math.IsNaN(h.Mean) || math.IsInf(h.Mean, 0) {
			return fmt.Errorf("hop %d is %+v", s, h)
		}
	}
	return nil
}

// take sets the process of a member, and its hops where they are in a view: one over states that
// were added is shared among these by time.
func (w *passage) take(v *view, m *Member) {
	w.hopping = nil
	w.set(m.Process)
	if !m.Process.Jumps {
		return
	}
	for s := 1; s < len(m.Hops); s++ {
		from, to, h := v.of[s-1], v.of[s], m.Hops[s]
		if h.Variance == 0 || v.time[to] <= v.time[from] { // a head, or no time from it
			continue
		}
		for t := from + 1; t <= to; t++ {
			share := (v.time[t] - v.time[t-1]) / (v.time[to] - v.time[from])
			w.hopping.hop[t] = Hop{share * h.Mean, share * h.Variance}
		}
	}
	w.applyHops()
}

// hops returns those of all states as they are; nil where nothing jumps.
func (w *passage) hops() []Hop {
	if w.hopping == nil {
		return nil
	}
	return slices.Clone(w.hopping.hop)
}
