package population

import "palate/internal/num"

// curvature collects what tells of the curvature of the evidence in a mean and in
// factors V: ΣW, Σssᵀ, and of V, for items i, j and columns c, d,
//
//	H[(i,c),(j,d)] = Σ_u W_ij (VᵀWV)_cd + (WV)_id (WV)_jc,
//
// which is what is expected of it when the population is right (E ssᵀ = W). The lower
// triangles are kept; of H only the blocks of each item where it would be large.
type curvature struct {
	n, k   int
	v      []float64 // n×k
	info   []float64
	square []float64
	whole  bool
	h      []float64 // nk×nk, or n blocks of k×k

	wv, z []float64
}

func newCurvature(n, k int, v []float64) *curvature {
	c := &curvature{n: n, k: k, v: v, whole: n*k <= wholeCurvature, info: make([]float64, n*n), square: make([]float64, n*n)}
	if c.whole {
		c.h = make([]float64, n*k*n*k)
	} else {
		c.h = make([]float64, n*k*k)
	}
	return c
}

func (c *curvature) Size(m int) int { return m + m*m }

func (c *curvature) Collect(dst []float64, w *Person, _ int, _ []int32) {
	num.Mirror(w.info, w.m)
	copy(dst[copy(dst, w.pull):], w.info)
}

func (c *curvature) Add(src []float64, _ int, items []int32) {
	m, k, n := len(items), c.k, c.n
	pull, info := src[:m], src[m:]
	for i, a := range items {
		row, square, from := c.info[int(a)*n:], c.square[int(a)*n:], info[i*m:]
		for j, b := range items[:i+1] {
			row[b] += from[j]
			square[b] += pull[i] * pull[j]
		}
	}
	if k == 0 {
		return
	}
	resize(&c.wv, m*k)
	resize(&c.z, k*k)
	wv, z := c.wv, c.z
	clear(wv)
	clear(z)
	for i := range m {
		out := wv[i*k : i*k+k]
		for j, x := range info[i*m : i*m+m] {
			num.Axpy(x, c.v[int(items[j])*k:int(items[j])*k+k], out)
		}
		for a, x := range c.v[int(items[i])*k : int(items[i])*k+k] {
			num.Axpy(x, out, z[a*k:a*k+k])
		}
	}
	side := n * k
	for i, a := range items {
		left := wv[i*k : i*k+k]
		others := items[:i+1]
		if !c.whole {
			others = items[i : i+1]
		}
		for at, b := range others {
			j := at
			if !c.whole {
				j = i
			}
			x, right := info[i*m+j], wv[j*k:j*k+k]
			for p := range k {
				var row []float64
				if c.whole {
					row = c.h[(int(a)*k+p)*side+int(b)*k:]
				} else {
					row = c.h[int(a)*k*k+p*k:]
				}
				y := right[p]
				zp := z[p*k : p*k+k]
				for q := range k {
					row[q] += x*zp[q] + left[q]*y
				}
			}
		}
	}
}

// within turns H to the coordinates V of items that features tell of. Where it is kept by item it
// stays so.
func (c *curvature) within(it *Items) {
	if it.K == nil {
		return
	}
	switch {
	case c.k == 0:
	case c.whole:
		num.Mirror(c.h, c.n*c.k)
		it.within(c.h, c.k)
	default:
		c.h = it.throughBlocks(c.h, c.k*c.k)
	}
}

// metric is the curvature of J of a fit: of the mean, of V, of what features tell of tastes, and of
// the threshold.
func (c *curvature) metric(t *tastes) *metric {
	n, k := c.n, c.k
	mean := meanCurvature(c.info, n, t.prior.Items.OfMean(), t.temper, t.spread)
	size, blocks := []int{n}, [][]float64{mean}
	if k > 0 {
		h := make([]float64, len(c.h))
		for i, x := range c.h {
			h[i] = t.temper * x
		}
		side := n * k // of a block
		if !c.whole {
			side = k
		}
		for i := range n * k {
			h[i*side+i%side] += t.alpha[i%k]
		}
		for b := range n * k / side {
			size, blocks = append(size, side), append(blocks, h[b*side*side:(b+1)*side*side])
		}
	}
	if t.prior.Items.K != nil {
		size, blocks = append(size, 1), append(blocks, []float64{0.25 + shareCurve*t.temper*float64(t.engine.People.Len())})
	}
	if t.ties {
		size, blocks = append(size, 1), append(blocks, []float64{0.25 + t.temper*t.run.tied})
	}
	m, ok := newMetric(size, blocks)
	if !ok {
		panic("population: the curvature of tastes is not positive definite")
	}
	return m
}

// meanCurvature is that of J in the coordinates of a mean of a spread, of which votes tell ΣW.
func meanCurvature(info []float64, n int, it *Items, temper, spread float64) []float64 {
	out := append([]float64(nil), info...)
	if it.K != nil {
		num.Mirror(out, n)
		it.within(out, 1)
	}
	for i := range n {
		for j := range i + 1 {
			out[i*n+j] *= temper
		}
		out[i*n+i] += 1 / spread
	}
	return out
}

// shareCurve is about what the votes of a person add to the curvature in logit h.
const shareCurve = 0.05

// squares collects Σ (qᵀWq)² for the columns of axes.
type squares struct {
	axes []float64 // n×k
	k    int
	sum  []float64
}

func (s *squares) Size(int) int { return s.k }

func (s *squares) Collect(dst []float64, w *Person, _ int, items []int32) {
	m := w.m
	num.Mirror(w.info, m)
	for c := range dst {
		var sum float64
		for i, a := range items {
			x := s.axes[int(a)*s.k+c]
			for j, b := range items {
				sum += x * w.info[i*m+j] * s.axes[int(b)*s.k+c]
			}
		}
		dst[c] = sum * sum
	}
}

func (s *squares) Add(src []float64, _ int, _ []int32) {
	for c, x := range src {
		s.sum[c] += x
	}
}
