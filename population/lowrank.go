package population

import (
	"sync"

	"gonum.org/v1/gonum/blas"

	"palate/internal/num"
)

// LowRank is the population with covariance S = s(AAᵀ + kK + (1−k)I) and mean
// t + G·x_u, x_u the features of person u.
type LowRank struct {
	Items *Items
	Scale float64   // s
	Share float64   // k, the part of an item's own variance that its features explain
	D     int       // columns of A
	A     []float64 // N×D
	T     []float64 // N
	// G is N×F, the effect of each person feature on each item; Features are
	// those of the persons, F a row. Both nil without.
	G        []float64
	F        int
	Features []float64
	// Own is what items have of variance besides, by item, over s: those that
	// were not there to learn from. Nil without.
	Own []float64

	root *lazy // see ownFactor; nil: not kept
}

// lazy is found once.
type lazy struct {
	once sync.Once
	data []float64
}

func (p *LowRank) extra(i int) float64 {
	if p.Own == nil {
		return 0
	}
	return p.Own[i]
}

// NumItems returns the number of items.
func (p *LowRank) NumItems() int { return p.Items.N }

// Mean returns the prior mean of an item.
func (p *LowRank) Mean(u, item int) float64 {
	t := p.T[item]
	if u >= 0 && p.F > 0 {
		x := p.Features[u*p.F : (u+1)*p.F]
		for f, g := range p.G[item*p.F : (item+1)*p.F] {
			t += g * x[f]
		}
	}
	return t
}

// Cov returns the prior covariance of two items.
func (p *LowRank) Cov(i, j int) float64 {
	var s float64
	a, b := p.A[i*p.D:(i+1)*p.D], p.A[j*p.D:(j+1)*p.D]
	for d, x := range a {
		s += x * b[d]
	}
	if p.Items.K != nil {
		s += p.Share * p.Items.K[i*p.Items.N+j]
	}
	if i == j {
		s += 1 - p.Share + p.extra(i)
	}
	return p.Scale * s
}

func (p *LowRank) Fill(w *Person, u int, items []int32) {
	m, d := len(items), p.D
	if p.F > 0 {
		for i, item := range items {
			w.mean[i] = p.Mean(u, int(item))
		}
	} else {
		for i, item := range items {
			w.mean[i] = p.T[item]
		}
	}
	resize(&w.rows, m*d)
	for i, item := range items {
		copy(w.rows[i*d:(i+1)*d], p.A[int(item)*d:])
	}
	cov := w.Cov()
	if m > num.Plain && d > 0 {
		clear(cov)
		serialBLAS.Dsyrk(blas.Lower, blas.NoTrans, m, d, p.Scale, w.rows, d, 0, cov, m)
	} else {
		for i := range m {
			a := w.rows[i*d : (i+1)*d]
			for j := range i + 1 {
				b := w.rows[j*d : (j+1)*d]
				var s float64
				for c, x := range a {
					s += x * b[c]
				}
				cov[i*m+j] = p.Scale * s
			}
		}
	}
	own := p.Scale * (1 - p.Share)
	if k := p.Items.K; k != nil {
		resize(&w.kern, m*m)
		n := p.Items.N
		f := p.Scale * p.Share
		for i, a := range items {
			row, out, keep := k[int(a)*n:int(a)*n+n], cov[i*m:i*m+i+1], w.kern[i*m:i*m+i+1]
			for j, b := range items[:i+1] {
				v := row[b]
				keep[j] = v
				out[j] += f * v
			}
			out[i] += own
		}
	} else {
		for i := range m {
			cov[i*m+i] += own
		}
	}
	if p.Own != nil {
		for i, a := range items {
			cov[i*m+i] += p.Scale * p.Own[a]
		}
	}
	num.Mirror(cov, m)
}

// slopes collects the derivatives of the log evidence in the parameters of a
// LowRank.
type slopes struct {
	prior *LowRank
	pull  []float64 // Σ s_u = ∂/∂t, N
	a     []float64 // ∂/∂A, N×D
	g     []float64 // ∂/∂G, N×F
	scale float64   // Σ tr(∂/∂S·S)
	share float64   // ∂/∂k
	lean  float64   // Σ s_uᵀm_u
	info  []float64 // the diagonal of ΣW, N
}

func newSlopes(p *LowRank) *slopes {
	n := p.Items.N
	return &slopes{prior: p, pull: make([]float64, n), info: make([]float64, n), a: make([]float64, n*p.D), g: make([]float64, n*p.F)}
}

func (s *slopes) reset(p *LowRank) {
	s.prior = p
	clear(s.pull)
	clear(s.info)
	clear(s.a)
	clear(s.g)
	s.scale, s.share, s.lean = 0, 0, 0
}

func (s *slopes) Size(m int) int { return 2*m + m*s.prior.D + 3 }

func (s *slopes) Collect(dst []float64, w *Person, _ int, _ []int32) {
	m, d := w.m, s.prior.D
	copy(dst, w.pull)
	// (ssᵀ − W)A, times the scale that S carries
	ga := dst[m : m+m*d]
	num.Mirror(w.info, m)
	if d > 0 {
		clear(ga)
		sc := s.prior.Scale
		if m > num.Plain {
			serialBLAS.Dgemm(blas.NoTrans, blas.NoTrans, m, d, m, -sc, w.info, m, w.rows, d, 0, ga, d)
		} else {
			for i := range m {
				out := ga[i*d : (i+1)*d]
				for j, x := range w.info[i*m : i*m+m] {
					x *= -sc
					for c, y := range w.rows[j*d : (j+1)*d] {
						out[c] += x * y
					}
				}
			}
		}
		resize(&w.temp, max(m*m, d))
		t := w.temp[:d]
		clear(t)
		for j, x := range w.pull {
			for c, y := range w.rows[j*d : (j+1)*d] {
				t[c] += x * y
			}
		}
		for i, x := range w.pull {
			x *= sc
			out := ga[i*d : (i+1)*d]
			for c, y := range t {
				out[c] += x * y
			}
		}
	}
	var quad, lean float64
	for i, x := range w.pull {
		quad += x * w.shift[i]
		lean += x * w.mean[i]
	}
	var own, kern float64 // tr of (ssᵀ − W) with I and with K
	for i, x := range w.pull {
		own += x*x - w.info[i*m+i]
	}
	if s.prior.Items.K != nil {
		for i, x := range w.pull {
			k, info := w.kern[i*m:i*m+i+1], w.info[i*m:i*m+i+1]
			var row float64
			for j, kv := range k[:i] {
				row += kv * (x*w.pull[j] - info[j])
			}
			kern += 2*row + k[i]*(x*x-info[i])
		}
	} else {
		kern = own
	}
	at := m + m*d
	dst[at] = 0.5 * (quad - w.fit)
	dst[at+1] = 0.5 * s.prior.Scale * (kern - own)
	dst[at+2] = lean
	for i := range m {
		dst[at+3+i] = w.info[i*m+i]
	}
}

func (s *slopes) Add(src []float64, u int, items []int32) {
	m, d, f := len(items), s.prior.D, s.prior.F
	for i, item := range items {
		s.pull[item] += src[i]
		out := s.a[int(item)*d : (int(item)+1)*d]
		for c, x := range src[m+i*d : m+(i+1)*d] {
			out[c] += x
		}
		if f > 0 {
			g := s.g[int(item)*f : (int(item)+1)*f]
			for c, x := range s.prior.Features[u*f : (u+1)*f] {
				g[c] += x * src[i]
			}
		}
	}
	at := m + m*d
	s.scale += src[at]
	s.share += src[at+1]
	s.lean += src[at+2]
	for i, item := range items {
		s.info[item] += src[at+3+i]
	}
}
