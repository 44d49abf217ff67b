package population

import (
	"math"

	"palate/gp"
	"palate/infer"
	"palate/internal/simd"
	"palate/likelihood"
)

// method is how one person's sites are found.
type method struct {
	rule       infer.Rule
	likelihood []likelihood.Scalar // by kind
	side       []float64           // by kind, see Observation
	probit     bool                // EP on plain probits and steps, all in vectors
	inItems    bool                // always in the space of items, which leaves C
	tolerance  float64
	sweeps     int
}

// outcome is how inference for one person went.
type outcome struct {
	logZ      float64
	sweeps    int
	change    float64 // of the last sweep
	skipped   int     // improper cavities
	jitter    float64
	converged bool
	failed    bool // no factor: the prior is not positive definite
}

// run finds the sites of one person, of whom w holds what is known before,
// starting from tau and nu, and leaves posterior, pull and information in w.
func (w *Person) run(e *method, v votes, tau, nu []float64) (o outcome) {
	var ok bool
	if o.jitter, ok = w.prepare(e, v); !ok {
		o.failed = true
		return o
	}
	step := damping(len(v.win), w.m)
	if e.rule.Kind() != infer.LogEvidence {
		step = 1
	}
	w.accel.Reset()
	last := math.Inf(1)
	for {
		if !w.solve(v, tau, nu) {
			o.failed = true
			return o
		}
		var terms float64
		if e.probit {
			o.change, terms = w.probits(e, v, tau, nu)
		} else {
			o.change, terms = w.updates(e, v, tau, nu)
		}
		o.skipped += w.skipped
		o.converged = o.change < e.tolerance
		if o.converged || o.sweeps >= e.sweeps || math.IsNaN(o.change) {
			w.finish(v)
			o.logZ = w.objective(e, v, tau, nu, terms)
			return o
		}
		if o.change > 2*last { // thrown off: forget, and go more slowly
			w.accel.Reset()
			step = max(0.7*step, 0.1)
		}
		last = o.change
		if !w.accel.Propose(tau, nu, w.wantTau, w.wantNu, w.unitTau, w.unitNu, step) {
			for p := range tau {
				tau[p] += step * (w.wantTau[p] - tau[p])
				nu[p] += step * (w.wantNu[p] - nu[p])
			}
		}
		o.sweeps++
	}
}

// damping is the first step: undamped parallel EP cycles when many pairs share
// few items (a fifth of the persons of MovieLens).
func damping(pairs, items int) float64 {
	switch {
	case pairs <= 3*items:
		return 0.9
	case pairs <= 10*items:
		return 0.65
	}
	return 0.5
}

// probits asks EP for the sites of unit probits, or of steps, EPNOTE corrected: with
// g = h(z+h) and b = 1 + noise, of steps without the one, τ = g/(b+v(1−g)), ν = (h√(b+v) + m·g)/(b+v(1−g)).
// It returns the largest change, and the sum of log Φ at the cavities.
func (w *Person) probits(e *method, v votes, tau, nu []float64) (change, terms float64) {
	n := len(tau)
	w.skipped, w.fit, w.stir = 0, 0, 0
	variance, marginal, cm, cv, z, base, noise := w.variance[:n], w.marginal[:n], w.cm[:n], w.cv[:n], w.z[:n], w.base[:n], w.noise[:n]
	for p, t := range tau {
		x := variance[p]
		left := 1 - t*x
		if !(left > gp.LeastCavity) {
			left = math.NaN() // improper: skipped below
		}
		inv := 1 / left
		m, c := (marginal[p]-nu[p]*x)*inv, x*inv
		cm[p], cv[p] = m, c
		if w.lean != 0 { // it moves z alone: ν is about the utilities
			m += w.lean * e.side[v.kindOf(p)]
		}
		z[p] = m / math.Sqrt(base[p]+c)
	}
	simd.Probit(w.lp, w.h, w.rest, z)
	lp, h, rest := w.lp[:n], w.h[:n], w.rest[:n]
	wantTau, wantNu, unitTau, unitNu := w.wantTau[:n], w.wantNu[:n], w.unitTau[:n], w.unitNu[:n]
	for p, t := range tau {
		c := v.countOf(p)
		x := variance[p]
		r := math.Sqrt(x)
		w.fit += c * t * x
		unitTau[p], unitNu[p] = c*x, c*r
		if cv[p] != cv[p] {
			wantTau[p], wantNu[p] = t, nu[p]
			w.skipped++
			continue
		}
		q := 1 / (base[p] + cv[p]*rest[p])
		g := 1 - rest[p]
		nt := g * q
		nn := (h[p]*math.Sqrt(base[p]+cv[p]) + cm[p]*g) * q
		if noise[p] > 0 {
			w.stir += 0.5 * c * noise[p] * (h[p]*h[p] - g) / (base[p] + cv[p])
		}
		wantTau[p], wantNu[p] = nt, nn
		dt, dn := nt-t, nn-nu[p]
		change = max(change, c*math.Abs(dt)*x, c*math.Abs(dn-dt*marginal[p])*r)
		terms += c * lp[p]
	}
	return change, terms
}

// updates does the same for any rule.
func (w *Person) updates(e *method, v votes, tau, nu []float64) (change, terms float64) {
	w.skipped, w.fit, w.stir = 0, 0, 0
	cavity := e.rule.Kind() == infer.LogEvidence
	for p, t := range tau {
		c := v.countOf(p)
		kind := v.kindOf(p)
		x, mu := w.variance[p], w.marginal[p]
		r := math.Sqrt(x)
		w.fit += c * t * x
		w.unitTau[p], w.unitNu[p] = c*x, c*r
		m, s := mu, x
		if cavity {
			var ok bool
			if m, s, ok = (gp.Site{Tau: t, Nu: nu[p]}).Cavity(mu, x); !ok {
				w.wantTau[p], w.wantNu[p] = t, nu[p]
				w.cv[p] = math.NaN()
				w.skipped++
				continue
			}
		}
		w.cm[p], w.cv[p] = m, s
		shown := w.lean * e.side[kind]
		u := e.rule.Update(e.likelihood[kind], infer.Form{Mean: m + shown, Var: s, Residual: w.noise[p], Prior: s + w.noise[p]})
		u.Site.Nu -= shown * u.Site.Tau // of the utilities alone
		w.stir += c * w.noise[p] * u.TermResidual
		w.wantTau[p], w.wantNu[p] = u.Site.Tau, u.Site.Nu
		dt, dn := u.Site.Tau-t, u.Site.Nu-nu[p]
		change = max(change, c*math.Abs(dt)*x, c*math.Abs(dn-dt*mu)*r)
		terms += c * u.Term
	}
	return change, terms
}

// objective is the log evidence, or the bound, at the current sites.
func (w *Person) objective(e *method, v votes, tau, nu []float64, terms float64) float64 {
	logDets := 0.5 * (w.logDetPost - w.logDetPrior)
	var quad float64 // dᵀΠd
	for i, d := range w.shift {
		quad += d * w.pull[i]
	}
	switch e.rule.Kind() {
	case infer.LowerBound: // less the divergence of the posterior from the prior
		return terms + logDets - 0.5*quad + 0.5*w.fit
	case infer.LaplaceEvidence:
		return terms + logDets - 0.5*quad
	}
	sum := terms + logDets
	if len(w.blocks) > 0 {
		sum += 0.5 * w.pushed(v, tau, nu)
	} else {
		for i, n := range w.eta {
			sum += 0.5 * n * w.shift[i]
		}
	}
	prod := 1.0
	for p, t := range tau {
		c := v.countOf(p)
		n := nu[p]
		md := w.mean[v.win[p]] - w.mean[v.lose[p]]
		sum += c * (n - 0.5*t*md) * md
		cv, cm := w.cv[p], w.cm[p]
		if cv != cv {
			continue
		}
		r := 1 + t*cv
		sum -= 0.5 * c * ((n*cv+2*cm)*n - t*cm*cm) / r
		if c != 1 {
			sum += 0.5 * c * math.Log(r)
			continue
		}
		if prod *= r; prod > 1e200 {
			sum += 0.5 * math.Log(prod)
			prod = 1
		}
	}
	return sum + 0.5*math.Log(prod)
}
