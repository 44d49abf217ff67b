package drift

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// system is the precision of all states of a view under the sites of a member: chains, and an
// entry a pair.
type system struct {
	*passage
	pairs []pair
	site  []float64 // precisions of pairs
	pull  []float64 // of states
	base  []float64 // of states, what is expected of them before votes
}

// system makes it.
func (q *Posterior) system(v *view, m *Member) *system {
	n := len(v.time)
	s := &system{passage: newPassage(&v.chain), pull: make([]float64, n), base: make([]float64, n)}
	s.take(v, m)
	for i := range s.items() {
		for t := s.start[i] + 1; t < s.start[i+1]; t++ {
			s.base[t] = s.base[t-1] + s.step[t].shift
		}
	}
	diag := make([]float64, n)
	for k, p := range q.Pairs {
		a, b := v.of[p[0]], v.of[p[1]]
		s.pairs, s.site = append(s.pairs, pair{a: a, b: b}), append(s.site, m.Site[k].Tau)
		diag[a] += m.Site[k].Tau
		diag[b] += m.Site[k].Tau
		nu := m.Site[k].Nu - m.Site[k].Tau*(s.base[a]-s.base[b])
		s.pull[a] += nu
		s.pull[b] -= nu
	}
	s.smooth(diag, make([]float64, n))
	return s
}

// maxSolve bounds the steps of a solve, and solveFinely is how far means and covariances go.
const (
	maxSolve    = 500
	solveFinely = 1e-7
)

// solve sets x to the solution of Ax = b, until the error is below a tolerance, by conjugate
// gradients with the chains as preconditioner: A is M, the chains with the diagonal of what
// pairs say, less what is between states, and M times a direction is known from the step before.
// b is overwritten.
func (s *system) solve(x, b []float64, tolerance float64) {
	n := len(x)
	room := make([]float64, 4*n)
	z, p, mp, ap := room[:n], room[n:2*n], room[2*n:3*n], room[3*n:]
	clear(x)
	s.passage.solve(z, b)
	copy(p, z)
	copy(mp, b)
	rz := num.Dot(b, z)
	first := rz
	for range maxSolve {
		if rz <= tolerance*tolerance*first {
			return
		}
		copy(ap, mp)
		for k, e := range s.pairs {
			t := s.site[k]
			ap[e.a] -= t * p[e.b]
			ap[e.b] -= t * p[e.a]
		}
		alpha := rz / num.Dot(p, ap)
		for i := range x {
			x[i] += alpha * p[i]
			b[i] -= alpha * ap[i]
		}
		s.passage.solve(z, b)
		next := num.Dot(b, z)
		beta := next / rz
		for i := range p {
			p[i] = z[i] + beta*p[i]
			mp[i] = b[i] + beta*mp[i]
		}
		rz = next
	}
}

// moments are mean and covariance of some states.
func (s *system) moments(at []int32) ([]float64, *mat.SymDense) {
	n := len(s.time)
	x := make([]float64, n)
	s.solve(x, append([]float64(nil), s.pull...), solveFinely)
	mean := make([]float64, len(at))
	for j, t := range at {
		mean[j] = x[t] + s.base[t]
	}
	full := mat.NewDense(len(at), len(at), nil)
	num.Parallel(len(at), 4, func(lo, hi int) {
		x, b := make([]float64, n), make([]float64, n)
		for j := lo; j < hi; j++ {
			clear(b)
			b[at[j]] = 1
			s.solve(x, b, solveFinely)
			for i, t := range at {
				full.Set(j, i, x[t])
			}
		}
	})
	cov := mat.NewSymDense(len(at), nil)
	for i := range at {
		for j := range i + 1 {
			cov.SetSym(i, j, 0.5*(full.At(i, j)+full.At(j, i)))
		}
	}
	return mean, cov
}

// draw sets x to a draw of the prior of all states.
func (w *passage) draw(x []float64, rng *rand.Rand) {
	p := w.process
	for i := range w.items() {
		stay := p.Stay
		if w.stay != nil {
			stay = w.stay[i]
		}
		a, g, h := stay*rng.NormFloat64(), 0.0, 0.0
		if p.returns() {
			g = p.Move * rng.NormFloat64()
		}
		if p.Smooth {
			h = p.Move * rng.NormFloat64()
		}
		x[w.start[i]] = a
		for s := w.start[i] + 1; s < w.start[i+1]; s++ {
			t := &w.step[s]
			root := math.Sqrt(t.q)
			e := rng.NormFloat64()
			g, h = t.a*g+t.b*h+root*e, t.c*g+t.d*h
			if p.Smooth && root > 0 {
				h += t.r/root*e + math.Sqrt(max(0, t.s-t.r*t.r/t.q))*rng.NormFloat64()
			}
			x[s] = a + g
		}
	}
}
