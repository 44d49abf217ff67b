package rating

import (
	"context"
	"fmt"
	"math"

	"palate/internal/num"
)

// Consensus is what is known of μ with people integrated out, V and how people answer given.
type Consensus struct {
	Mean []float64
	Cov  []float64 // n×n, whole; nil above MostJoint items: then only the variances are known
	Var  []float64
}

// mostJoint is the number of items up to which they have a joint covariance.
const mostJoint = 2000

// jointWork bounds the multiplications of a sweep that renews sites by it.
const jointWork = 5e7

// Consensus infers μ jointly with everybody.
func (f *Fit) Consensus(ctx context.Context) (*Consensus, error) {
	r, q := f.rows, 1+f.Factors
	n := r.items
	c := &Consensus{Mean: make([]float64, n), Var: make([]float64, n)}
	for i := range n {
		c.Mean[i], c.Var[i] = f.Items[i*q], f.Open[i*q*q]
	}
	if n > mostJoint {
		return c, nil
	}
	var work float64
	for u := range r.people {
		m := float64(r.start[u+1] - r.start[u])
		work += m * m * float64(q)
	}
	j := newJoint(f)
	sweeps := 30
	if work > jointWork {
		sweeps = 0
	}
	for k := 0; ; k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := j.solve(); err != nil {
			return nil, err
		}
		if k >= sweeps || j.sweep() < 1e-4 {
			break
		}
	}
	copy(c.Mean, j.mean)
	c.Cov = j.cov
	var mean float64
	for _, x := range c.Mean {
		mean += x / float64(n)
	}
	for i, x := range c.Mean { // the unit of all is not known for sure
		num.Axpy(f.Blur*(x-mean), c.Mean, c.Cov[i*n:(i+1)*n])
		for k := range n {
			c.Cov[i*n+k] -= f.Blur * (x - mean) * mean
		}
		c.Var[i] = c.Cov[i*n+i]
	}
	return c, nil
}

// joint is μ under inference with everybody, at sites of its own.
type joint struct {
	f         *Fit
	without   *items // with nought for μ
	tau, nu   []float64
	mean, cov []float64
	person    person
}

func newJoint(f *Fit) *joint {
	q := 1 + f.Factors
	j := &joint{f: f, without: &items{f.rows.items, f.Factors, append([]float64(nil), f.Items...)}}
	for i := range f.rows.items {
		j.without.beta[i*q] = 0
	}
	j.tau, j.nu = append([]float64(nil), f.tau...), append([]float64(nil), f.nu...)
	return j
}

// take infers w_u and o_u of person u given that μ is nought, and returns what its rows tell of
// μ: the precision diag(t) − ZZᵀ, Z with d columns, and the pull.
func (j *joint) take(u int) (t, z, pull []float64) {
	f, r, w := j.f, j.f.rows, &j.person
	lo, hi := r.start[u], r.start[u+1]
	w.fill(j.without, r, lo, hi)
	w.solve(r.weight[lo:hi], j.tau[lo:hi], j.nu[lo:hi], f.Offset)
	d := w.d
	t, z, pull = make([]float64, w.m), make([]float64, w.m*d), make([]float64, w.m)
	for k := range w.m {
		p := lo + k
		t[k] = r.weight[p] * j.tau[p]
		x := w.x[k*d : k*d+d]
		pull[k] = r.weight[p]*j.nu[p] - t[k]*num.Dot(x, w.mean)
		for a := range d { // the inverse of the factor is lower
			z[k*d+a] = t[k] * num.Dot(w.fact[a*d:a*d+a+1], x[:a+1])
		}
	}
	return t, z, pull
}

// solve finds mean and covariance of μ.
func (j *joint) solve() error {
	r := j.f.rows
	n := r.items
	prec, pull := make([]float64, n*n), make([]float64, n)
	for i := range n {
		prec[i*n+i] = 1 / j.f.Prior
	}
	for u := range r.people {
		lo, hi := r.start[u], r.start[u+1]
		t, z, h := j.take(u)
		d := j.person.d
		add := func(a, b int32, v float64) {
			if a >= 0 && b >= 0 && a >= b {
				prec[int(a)*n+int(b)] += v
			}
		}
		for k := range hi - lo {
			a, b := r.item[lo+k], r.other[lo+k]
			if pull[a] += h[k]; b >= 0 {
				pull[b] -= h[k]
			}
			for l := range hi - lo {
				v := -num.Dot(z[k*d:k*d+d], z[l*d:l*d+d])
				if k == l {
					v += t[k]
				}
				x, y := r.item[lo+l], r.other[lo+l]
				add(a, x, v)
				add(a, y, -v)
				add(b, x, -v)
				add(b, y, v)
			}
		}
	}
	j.mean, j.cov = make([]float64, n), make([]float64, n*n)
	logDet, ok := num.Invert(j.cov, prec, n)
	if !ok || math.IsNaN(logDet) {
		return fmt.Errorf("rating: the consensus of %d items has no covariance", n)
	}
	num.Mirror(j.cov, n)
	num.SymVec(j.mean, j.cov, pull, n)
	return nil
}

// sweep renews all sites by their marginals with everything else integrated out: of row k, with
// x what it takes of w_u and o_u and K their covariance given μ, the form is
// b_kμ + x·K(Xᵀν − XᵀTBμ) with variance x·Kx beside.
func (j *joint) sweep() (change float64) {
	f, r := j.f, j.f.rows
	n := r.items
	at := func(a, b int32) float64 {
		if a < 0 || b < 0 {
			return 0
		}
		return j.cov[int(a)*n+int(b)]
	}
	mu := func(p int) float64 {
		m := j.mean[r.item[p]]
		if o := r.other[p]; o >= 0 {
			m -= j.mean[o]
		}
		return m
	}
	for u := range r.people {
		lo, hi := r.start[u], r.start[u+1]
		t, _, _ := j.take(u)
		w := &j.person
		m, d := w.m, w.d
		within := make([]float64, m*m) // of the rows' forms over μ
		for k := range m {
			for l := range k + 1 {
				a, b, x, y := r.item[lo+k], r.other[lo+k], r.item[lo+l], r.other[lo+l]
				v := at(a, x) - at(a, y) - at(b, x) + at(b, y)
				within[k*m+l], within[l*m+k] = v, v
			}
		}
		reach := make([]float64, d*m) // XᵀTS
		shift := make([]float64, d)   // XᵀTBμ
		for k := range m {
			x := w.x[k*d : k*d+d]
			for a, y := range x {
				if y *= t[k]; y != 0 {
					num.Axpy(y, within[k*m:k*m+m], reach[a*m:a*m+m])
					shift[a] += y * mu(lo+k)
				}
			}
		}
		square := make([]float64, d*d) // XᵀTSTX
		for a := range d {
			for k := range m {
				num.Axpy(reach[a*m+k]*t[k], w.x[k*d:k*d+d], square[a*d:a*d+d])
			}
		}
		left := make([]float64, d)
		for a := range left {
			left[a] = w.mean[a] - num.Dot(w.cov[a*d:a*d+d], shift)
		}
		gain := make([]float64, d)
		for k := range m {
			x := w.x[k*d : k*d+d]
			num.SymVec(gain, w.cov, x, d)
			v := within[k*m+k] + num.Dot(x, gain)
			for a, g := range gain {
				v += g * (num.Dot(square[a*d:a*d+d], gain) - 2*reach[a*m+k])
			}
			w.mm[k], w.vv[k] = mu(lo+k)+num.Dot(x, left), v
		}
		cm, cv := make([]float64, m), make([]float64, m)
		_, moved, _ := w.sweep(&f.Answering, r, lo, f.Spreads[u], r.weight[lo:hi], j.tau[lo:hi], j.nu[lo:hi], cm, cv, 0.9)
		change = max(change, moved)
	}
	return change
}

// Keep gives items the numbers that they have elsewhere: what was items[i] is i.
func (c *Consensus) Keep(items []int) {
	c.Mean, c.Var = taken(c.Mean, items, 1), taken(c.Var, items, 1)
	if c.Cov == nil {
		return
	}
	n := len(items)
	c.Cov = taken(c.Cov, items, n)
	for i := range n {
		copy(c.Cov[i*n:], taken(c.Cov[i*n:(i+1)*n], items, 1))
	}
}
