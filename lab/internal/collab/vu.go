package collab

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/population"
)

// tiny keeps VVᵀ, which is singular, invertible: a share of its mean diagonal.
const tiny = 1e-6

// maxSystem bounds the dense system of VU's M-step.
const maxSystem = 8000

// factors is standard EM of z = Vu with the factors u integrated out and V
// estimated: a linear system of size MD, its sign mended.
func (c *collab) factors(ctx context.Context) error {
	n, d := c.n, c.d
	if n*d > maxSystem {
		return fmt.Errorf("collab: VU-Jaakkola solves for %d items × %d factors at once; the most is %d numbers: use GPVU-Jaakkola", n, d, maxSystem)
	}
	v := make([]float64, n*d)
	for i := range v {
		v[i] = 0.3 * c.rng.NormFloat64()
	}
	c.k = nil
	set := func() {
		c.compose(v, 0)
		var trace float64
		for i := range n {
			trace += c.out.S[i*n+i]
		}
		for i := range n {
			c.out.S[i*n+i] += tiny * trace / float64(n)
		}
	}
	set()
	c.out.Factor, c.out.Sigma2 = v, 0
	var m *moments
	return c.iterate(ctx, func(e *population.Engine) population.Collector {
		m = &moments{e: e, d: d, v: v, left: mat.NewSymDense(n*d, nil), right: make([]float64, n*d)}
		return m
	}, func() error {
		// The votes do not see a constant added to all rows of V, nor items without
		// votes.
		for i := range n * d {
			m.left.SetSym(i, i, m.left.At(i, i)+c.o.Ridge)
		}
		chol, err := num.NewCholesky(m.left)
		if err != nil {
			return err
		}
		chol.SolveVecTo(v, m.right)
		set()
		return nil
	})
}

// moments collects the M-step of VU: with E[u] = Vᵀs and
// Cov[u] = I − VᵀWV of a person, left += Λ ⊗ E[uuᵀ], right += Bᵀβ ⊗ E[u].
type moments struct {
	e     *population.Engine
	d     int
	v     []float64
	left  *mat.SymDense
	right []float64
}

func (m *moments) Size(k int) int { return k*k + k + m.d + m.d*m.d }

func (m *moments) Collect(dst []float64, w *population.Person, u int, items []int32) {
	k, d := len(items), m.d
	at := map[int]int{}
	for i, item := range items {
		at[int(item)] = i
	}
	lap, eta := dst[:k*k], dst[k*k:k*k+k]
	clear(lap)
	clear(eta)
	for q, pair := range m.e.People.Pairs(u) { // the mean is zero
		i, j := at[pair.Win], at[pair.Lose]
		tau, nu := pair.Count*m.e.Tau[q], pair.Count*m.e.Nu[q]
		lap[i*k+i] += tau
		lap[j*k+j] += tau
		lap[i*k+j] -= tau
		lap[j*k+i] -= tau
		eta[i] += nu
		eta[j] -= nu
	}
	rest := dst[k*k+k:]
	mean, second := rest[:d], rest[d:d+d*d]
	pull, info := w.Pull(), w.Info()
	clear(mean)
	v := make([]float64, k*d)
	for i, item := range items {
		copy(v[i*d:(i+1)*d], m.v[int(item)*d:])
		num.Axpy(pull[i], v[i*d:(i+1)*d], mean)
	}
	wv := make([]float64, k*d)
	for i := range k {
		for j := range k {
			num.Axpy(info[i*k+j], v[j*d:(j+1)*d], wv[i*d:(i+1)*d])
		}
	}
	for a := range d {
		row := second[a*d : (a+1)*d]
		for b := range row {
			row[b] = mean[a] * mean[b]
		}
		row[a]++
		for i := range k {
			num.Axpy(-v[i*d+a], wv[i*d:(i+1)*d], row)
		}
	}
}

func (m *moments) Add(src []float64, _ int, items []int32) {
	k, d := len(items), m.d
	lap, eta, mean, second := src[:k*k], src[k*k:k*k+k], src[k*k+k:k*k+k+d], src[k*k+k+d:]
	raw := m.left.RawSymmetric()
	for i, a := range items {
		num.Axpy(eta[i], mean, m.right[int(a)*d:(int(a)+1)*d])
		for j := i; j < k; j++ { // the upper triangle
			x := lap[i*k+j]
			if x == 0 {
				continue
			}
			for r := range d {
				from := 0
				if i == j {
					from = r
				}
				row := raw.Data[(int(a)*d+r)*raw.Stride+int(items[j])*d:]
				for s := from; s < d; s++ {
					row[s] += x * second[r*d+s]
				}
			}
		}
	}
}
