package crowd

import "math"

// ridge is a Gaussian x ~ N(x₀, I) under sites exp(νz − τz²/2) of forms
// z = a₀ + Ax. Its covariance is
//
//	(I + AᵀTA)⁻¹ = I − AᵀT½B⁻¹T½A,  B = I + T½AAᵀT½,
//
// and whichever matrix is smaller is factored: a row for every form, or one for
// every dimension.
type ridge struct {
	a       []float64 // A, forms × dimensions
	at      []float64 // a₀
	start   []float64 // x₀
	tau, nu []float64 // sites

	byForm bool      // B is factored, not I + AᵀTA
	gram   []float64 // AAᵀ, by form
	root   []float64 // √τ
	lower  []float64 // L of the matrix, its diagonal inverted
	work   []float64
	alpha  []float64 // x = x₀ + Aᵀα, by form

	x              []float64 // mean
	mean, variance []float64 // of z
}

// sized returns x with room for n numbers, whatever they are.
func sized(x []float64, n int) []float64 {
	if cap(x) < n {
		return make([]float64, n)
	}
	return x[:n]
}

// room is for so many forms and dimensions. A is zero then.
func (r *ridge) room(forms, dims int) {
	r.byForm = forms < dims
	size := dims
	if r.byForm {
		size = forms
		r.gram = sized(r.gram, forms*forms)
	}
	r.lower, r.work = sized(r.lower, size*size), sized(r.work, size)
	r.start, r.x = sized(r.start, dims), sized(r.x, dims)
	r.a = sized(r.a, forms*dims)
	clear(r.a)
	for _, x := range []*[]float64{&r.at, &r.tau, &r.nu, &r.root, &r.alpha, &r.mean, &r.variance} {
		*x = sized(*x, forms)
	}
}

// row returns what form t takes of the dimensions; seen tells that it was set, those
// before it too.
func (r *ridge) row(t int) []float64 {
	d := len(r.x)
	return r.a[t*d : t*d+d]
}

func (r *ridge) seen(t int) {
	if !r.byForm {
		return
	}
	n, row := len(r.tau), r.row(t)
	for s := range t + 1 {
		x := dot(row, r.row(s))
		r.gram[t*n+s], r.gram[s*n+t] = x, x
	}
}

// factor sets L and returns the logarithm of the determinant, which is the same for
// either matrix. Both are positive definite: an identity and more.
func (r *ridge) factor() (logDet float64) {
	for t, tau := range r.tau {
		r.root[t] = math.Sqrt(tau)
	}
	n := len(r.work)
	if r.byForm {
		for i := range n {
			for j := range i + 1 {
				r.lower[i*n+j] = r.root[i] * r.root[j] * r.gram[i*n+j]
			}
		}
	} else {
		clear(r.lower)
		for t, tau := range r.tau {
			row := r.row(t)
			for i, x := range row {
				if x == 0 {
					continue
				}
				to := r.lower[i*n : i*n+i+1]
				for j := range to {
					to[j] += tau * x * row[j]
				}
			}
		}
	}
	for i := range n {
		row := r.lower[i*n : i*n+i+1]
		for j := range row {
			s := row[j]
			for k, x := range r.lower[j*n : j*n+j] {
				s -= row[k] * x
			}
			if i == j {
				s++
				logDet += math.Log(s)
				row[i] = 1 / math.Sqrt(s)
			} else {
				row[j] = s * r.lower[j*n+j]
			}
		}
	}
	return logDet
}

// solve sets x, and mean and variance of every form, by L.
func (r *ridge) solve() {
	if r.byForm {
		r.solveByForm()
	} else {
		r.solveByDimension()
	}
	for t := range r.tau {
		r.mean[t] = r.at[t] + dot(r.row(t), r.x)
	}
}

// solveByForm has α = ρ − T½B⁻¹T½AAᵀρ with ρ = ν − τ(a₀ + Ax₀), and the variances
// diag(AAᵀ − AAᵀT½B⁻¹T½AAᵀ).
func (r *ridge) solveByForm() {
	n := len(r.tau)
	for t := range n {
		r.alpha[t] = r.nu[t] - r.tau[t]*(r.at[t]+dot(r.row(t), r.start))
	}
	for t := range n {
		r.work[t] = r.root[t] * dot(r.gram[t*n:t*n+n], r.alpha)
	}
	r.forward()
	r.backward()
	for t, y := range r.work {
		r.alpha[t] -= r.root[t] * y
	}
	copy(r.x, r.start)
	for t, y := range r.alpha {
		for i, a := range r.row(t) {
			r.x[i] += y * a
		}
	}
	for t := range n {
		for s, g := range r.gram[t*n : t*n+n] {
			r.work[s] = r.root[s] * g
		}
		r.forward()
		r.variance[t] = math.Max(0, r.gram[t*n+t]-dot(r.work, r.work))
	}
}

// solveByDimension has x = (I + AᵀTA)⁻¹(x₀ + Aᵀ(ν − τa₀)).
func (r *ridge) solveByDimension() {
	copy(r.work, r.start)
	for t, nu := range r.nu {
		y := nu - r.tau[t]*r.at[t]
		for i, a := range r.row(t) {
			r.work[i] += y * a
		}
	}
	r.forward()
	r.backward()
	copy(r.x, r.work)
	for t := range r.tau {
		copy(r.work, r.row(t))
		r.forward()
		r.variance[t] = dot(r.work, r.work)
	}
}

// forward solves Ly = work in place.
func (r *ridge) forward() {
	n := len(r.work)
	for i, s := range r.work {
		row := r.lower[i*n : i*n+i+1]
		for k, l := range row[:i] {
			s -= l * r.work[k]
		}
		r.work[i] = s * row[i]
	}
}

// backward solves Lᵀy = work in place.
func (r *ridge) backward() {
	n := len(r.work)
	for i := n - 1; i >= 0; i-- {
		y := r.work[i] * r.lower[i*n+i]
		r.work[i] = y
		for k, l := range r.lower[i*n : i*n+i] {
			r.work[k] -= l * y
		}
	}
}

// covariance sets that of x, which uses A up, and returns the logarithm of its
// determinant.
func (r *ridge) covariance(cov []float64) (logDet float64) {
	n, d := len(r.work), len(r.x)
	for i := range n {
		logDet += 2 * math.Log(r.lower[i*n+i])
	}
	clear(cov)
	for i := range d {
		cov[i*d+i] = 1
	}
	if !r.byForm {
		for i := range d {
			column := cov[i*d : i*d+d]
			copy(r.work, column)
			r.forward()
			r.backward()
			copy(column, r.work)
		}
		return logDet
	}
	for t := range n { // I − WᵀW, W = L⁻¹T½A
		row := r.row(t)
		for i := range row {
			row[i] *= r.root[t]
		}
		for s, l := range r.lower[t*n : t*n+t] {
			for i, y := range r.row(s) {
				row[i] -= l * y
			}
		}
		for i := range row {
			row[i] *= r.lower[t*n+t]
		}
		for i, x := range row {
			if x == 0 {
				continue
			}
			to := cov[i*d : i*d+d]
			for j, y := range row {
				to[j] -= x * y
			}
		}
	}
	return logDet
}
