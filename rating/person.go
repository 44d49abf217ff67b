package rating

import (
	"math"

	"palate/gp"
	"palate/internal/num"
)

// person is room for one person under inference: w_u and o_u, d numbers.
type person struct {
	m, d   int
	x      []float64 // m×d, what each row takes of them
	base   []float64 // what it has beside
	prec   []float64
	cov    []float64 // whole
	pull   []float64
	mean   []float64
	mm, vv []float64 // marginals of the rows' forms
	fact   []float64
	logDet float64 // of the covariance over that beforehand
}

func (w *person) resize(m, d int) {
	w.m, w.d = m, d
	for _, s := range []*[]float64{&w.base, &w.mm, &w.vv} {
		grow(s, m)
	}
	for _, s := range []*[]float64{&w.prec, &w.cov, &w.fact} {
		grow(s, d*d)
	}
	grow(&w.x, m*d)
	grow(&w.pull, d)
	grow(&w.mean, d)
}

func grow(s *[]float64, n int) {
	if cap(*s) < n {
		*s = make([]float64, n, n+n/4)
	}
	*s = (*s)[:n]
}

// items is what is known of items: μ and V.
type items struct {
	n, k int
	beta []float64 // n×(1+k): μ_i, then V_i
}

func (t *items) row(i int32) []float64 { q := 1 + t.k; return t.beta[int(i)*q : int(i)*q+q] }

// fill takes the rows from lo to hi as a person's.
func (w *person) fill(t *items, r *rows, lo, hi int) {
	d := 1 + t.k
	w.resize(hi-lo, d)
	for j := range w.m {
		p := lo + j
		x, a := w.x[j*d:j*d+d], t.row(r.item[p])
		if o := r.other[p]; o >= 0 {
			b := t.row(o)
			w.base[j] = a[0] - b[0]
			for c := range t.k {
				x[c] = a[1+c] - b[1+c]
			}
			x[t.k] = 0
			continue
		}
		w.base[j] = a[0]
		copy(x, a[1:])
		x[t.k] = 1
	}
}

// solve finds what the sites leave, and the marginals of all rows.
func (w *person) solve(weight, tau, nu []float64, offset float64) bool {
	d := w.d
	clear(w.prec)
	clear(w.pull)
	for c := range d - 1 {
		w.prec[c*d+c] = 1
	}
	w.prec[d*d-1] = 1 / offset
	w.logDet = -math.Log(offset)
	for j := range w.m {
		x := w.x[j*d : j*d+d]
		t := weight[j] * tau[j]
		h := weight[j]*nu[j] - t*w.base[j]
		for a, y := range x {
			w.pull[a] += h * y
			if y *= t; y != 0 {
				row := w.prec[a*d : a*d+a+1]
				for b := range row {
					row[b] += y * x[b]
				}
			}
		}
	}
	copy(w.fact, w.prec)
	det, ok := num.Invert(w.cov, w.fact, d)
	if !ok {
		return false
	}
	w.logDet -= det
	num.Mirror(w.cov, d)
	num.SymVec(w.mean, w.cov, w.pull, d)
	for j := range w.m {
		x := w.x[j*d : j*d+d]
		m, v := w.base[j], 0.0
		for a, y := range x {
			m += y * w.mean[a]
			var s float64
			for b, z := range w.cov[a*d : a*d+a] {
				s += z * x[b]
			}
			v += y * (2*s + w.cov[a*d+a]*y)
		}
		w.mm[j], w.vv[j] = m, v
	}
	return true
}

// cavity takes a row's site out of its marginal: of a row that counts for less than one, what
// of it is there.
func cavity(m, v, weight, tau, nu float64) (cm, cv float64, ok bool) {
	share := min(weight, 1)
	rest := 1 - share*tau*v
	if !(rest > gp.LeastCavity) {
		return 0, math.NaN(), false
	}
	return (m - share*nu*v) / rest, v / rest, true
}

// sweep renews all sites once, by damped steps, and notes the cavities. It returns EP's
// estimate of the log evidence before, the largest change in units of the marginals and how
// many cavities were improper.
func (w *person) sweep(a *Answering, r *rows, lo int, spread float64, weight, tau, nu, cm, cv []float64, damp float64) (evidence, change float64, skipped int) {
	evidence = 0.5 * w.logDet
	for c, h := range w.pull {
		evidence += 0.5 * h * w.mean[c]
	}
	for j := range w.m {
		m, v, c, t, n, b := w.mm[j], w.vv[j], weight[j], tau[j], nu[j], w.base[j]
		evidence += c * (n*b - 0.5*t*b*b)
		var ok bool
		if cm[j], cv[j], ok = cavity(m, v, c, t, n); !ok {
			skipped++
			continue
		}
		z := a.tilt(r, lo+j, spread, cm[j], cv[j])
		// Less the integral of the cavity times the site as it is.
		left := 1 + t*cv[j]
		evidence += c * (z.LogZ + 0.5*math.Log(left) - (n*cm[j]+0.5*n*n*cv[j]-0.5*t*cm[j]*cm[j])/left)
		// The site is what makes of the cavity a Gaussian with the moments of the product.
		newTau := -z.D2 / z.Shrink
		newNu := (z.D1 - z.D2*cm[j]) / z.Shrink
		if !(newTau >= 0) || math.IsInf(newTau, 1) || math.IsNaN(newNu) {
			skipped++
			continue
		}
		dt, dn := damp*(newTau-t), damp*(newNu-n)
		tau[j] += dt
		nu[j] += dn
		change = max(change, math.Abs(dt)*v, math.Abs(dn-dt*m)*math.Sqrt(v))
	}
	return evidence, change, skipped
}
