package gp

import (
	"sync"

	"gonum.org/v1/gonum/blas"

	"palate/internal/num"
	"palate/internal/simd"
)

// mostJoined is the most further items, joined to each other, that are eliminated at once.
const mostJoined = 500

// rootOfFirst returns what finds inverseRootOfFirst when first asked for; nil above wholeItems.
func (l *Laplacian) rootOfFirst(n int) func() simd.Triangular {
	if n > wholeItems {
		return nil
	}
	return sync.OnceValue(func() simd.Triangular { return l.inverseRootOfFirst(n) })
}

// inverseRootOfFirst returns R⁻¹, upper, with (RᵀR)⁻¹ the first n rows and columns of A⁻¹.
// RᵀR is the Schur complement of the further items, who are eliminated in parts that no
// pair joins: what every voter has of their own is such a part. It is empty where a part
// has more than mostJoined of them.
func (l *Laplacian) inverseRootOfFirst(n int) simd.Triangular {
	s := simd.Symmetric{Uplo: blas.Upper, N: n, Stride: n, Data: make([]float64, n*n)}
	for i, d := range l.diag[:n] {
		s.Data[i*n+i] = d
	}
	for k, p := range l.pairs {
		if i, j := int(p[0]), int(p[1]); max(i, j) < n {
			s.Data[min(i, j)*n+max(i, j)] -= l.tau[k]
		}
	}
	seen := make([]bool, len(l.diag))
	for i := n; i < len(l.diag); i++ {
		if seen[i] {
			continue
		}
		part := []int{i}
		seen[i] = true
		for at := 0; at < len(part); at++ {
			for _, e := range l.endsOf(part[at]) {
				if j := int(e.other); j >= n && !seen[j] {
					seen[j] = true
					part = append(part, j)
				}
			}
		}
		if len(part) > mostJoined || !l.eliminate(s, part) {
			return simd.Triangular{}
		}
	}
	root, ok := num.FactorUpper(s)
	if !ok || !simd.Trtri(root) {
		return simd.Triangular{}
	}
	return root
}

// eliminate subtracts from the precision of the first items what a part of the others takes
// with it: with P = RᵀR the part's own precision and B what joins it, (R⁻ᵀB)ᵀ(R⁻ᵀB).
func (l *Laplacian) eliminate(s simd.Symmetric, part []int) bool {
	m := len(part)
	place := map[int]int{} // of the part, and of the first items beside it
	for k, i := range part {
		place[i] = k
	}
	var beside []int
	for _, i := range part {
		for _, e := range l.endsOf(i) {
			j := int(e.other)
			if _, ok := place[j]; !ok {
				place[j] = len(beside)
				beside = append(beside, j)
			}
		}
	}
	if len(beside) == 0 {
		return true
	}
	p := simd.Symmetric{Uplo: blas.Upper, N: m, Stride: m, Data: make([]float64, m*m)}
	b := simd.General{Rows: m, Cols: len(beside), Stride: len(beside), Data: make([]float64, m*len(beside))}
	for k, i := range part {
		p.Data[k*m+k] = l.diag[i]
		for _, e := range l.endsOf(i) {
			switch to := place[int(e.other)]; {
			case int(e.other) < s.N:
				b.Data[k*b.Stride+to] -= l.tau[e.pair]
			case to > k:
				p.Data[k*m+to] -= l.tau[e.pair]
			}
		}
	}
	r, ok := num.FactorUpper(p)
	if !ok {
		return false
	}
	simd.Trsm(blas.Left, blas.Trans, 1, r, b)
	for x, i := range beside {
		for y, j := range beside[:x+1] {
			var sum float64
			for k := range m {
				sum += b.Data[k*b.Stride+x] * b.Data[k*b.Stride+y]
			}
			s.Data[min(i, j)*s.Stride+max(i, j)] -= sum
		}
	}
	return true
}
