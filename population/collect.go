package population

// Sums are the statistics of a dense covariance: Σ s_u, Σ W_u and Σ s_u s_uᵀ,
// scattered to all items, lower triangles. ∂log Z/∂t = Σs, and
// ∂log Z/∂S = ½(Σssᵀ − ΣW).
type Sums struct {
	N      int
	Pull   []float64
	Info   []float64
	Square []float64 // nil: not wanted
	Weight []float64 // of each person; nil: 1
}

// NewSums returns empty sums over n items.
func NewSums(n int, square bool) *Sums {
	s := &Sums{N: n, Pull: make([]float64, n), Info: make([]float64, n*n)}
	if square {
		s.Square = make([]float64, n*n)
	}
	return s
}

// Reset empties the sums.
func (s *Sums) Reset() {
	clear(s.Pull)
	clear(s.Info)
	clear(s.Square)
}

func (s *Sums) Size(m int) int { return m + m*(m+1)/2 }

func (s *Sums) Collect(dst []float64, w *Person, u int, _ []int32) {
	m := w.m
	at := copy(dst, w.pull)
	for i := range m {
		at += copy(dst[at:], w.info[i*m:i*m+i+1])
	}
	if s.Weight != nil {
		for i := range dst {
			dst[i] *= s.Weight[u]
		}
	}
}

func (s *Sums) Add(src []float64, _ int, items []int32) {
	m := len(items)
	pull, info := src[:m], src[m:]
	at := 0
	for i, a := range items { // ascending: the lower triangle stays the lower one
		s.Pull[a] += pull[i]
		row := s.Info[int(a)*s.N:]
		for _, b := range items[:i+1] {
			row[b] += info[at]
			at++
		}
		if s.Square != nil {
			row := s.Square[int(a)*s.N:]
			for j, b := range items[:i+1] {
				row[b] += pull[i] * pull[j]
			}
		}
	}
}
