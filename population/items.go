package population

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
	"palate/kernel"
)

// Items are what the population knows of items beforehand: a kernel over their
// features, centred and normalised. Votes never see the constant, so it is
// taken out: K ← HKH·N/tr(HKH) + 1e-8·I. Without features K = I.
type Items struct {
	N      int
	Kernel kernel.Kernel // before centring; nil: no features
	Points kernel.Points

	K        []float64 // N×N, both triangles; nil: I
	factor   []float64 // L with LLᵀ = (K+I)/2, lower, zero above; nil: I
	mean     []float64 // row means of the kernel before centring
	grand    float64
	scale    float64
	base     int // the items learnt on come first
	features *mat.Dense
}

const ridge = 1e-8 // of the centred kernel

// NewItems prepares items. A nil kernel is Matérn 3/2 with r² the mean over
// features of (difference/median non-zero difference)². Features that tell no
// two items apart count as none.
func NewItems(n int, features *mat.Dense, k kernel.Kernel, rng *rand.Rand) *Items {
	it := &Items{N: n, Points: kernel.Indexed(n)}
	if features == nil {
		return it
	}
	x := kernel.Dense(features)
	if k == nil {
		lengths := kernel.MedianHeuristic(x, kernel.MedianOptions{}, rng)
		k = kernel.NewStationary(kernel.Matern32, kernel.Euclidean, lengths)
	}
	gram := mat.NewDense(n, n, nil)
	k.MatrixTo(gram, x, x)
	it.K = gram.RawMatrix().Data
	it.mean = make([]float64, n)
	var trace float64
	for i := range n {
		var s float64
		for _, v := range it.K[i*n : i*n+n] {
			s += v
		}
		it.mean[i] = s / float64(n)
		it.grand += it.mean[i] / float64(n)
		trace += it.K[i*n+i]
	}
	trace -= float64(n) * it.grand
	if !(trace > 1e-9*float64(n)) {
		return &Items{N: n, Points: kernel.Indexed(n)}
	}
	it.Kernel, it.Points, it.base, it.features = k, x, n, features
	it.scale = float64(n) / trace
	for i := range n {
		row := it.K[i*n : i*n+n]
		for j := range row {
			row[j] = it.centred(row[j], it.mean[i], it.mean[j])
		}
		row[i] += ridge
	}
	it.factor = halfFactor(it.K, n, n)
	return it
}

func (it *Items) centred(k, mi, mj float64) float64 { return it.scale * (k - mi - mj + it.grand) }

// At returns K between two items.
func (it *Items) At(i, j int) float64 {
	switch {
	case it.K != nil:
		return it.K[i*it.N+j]
	case i == j:
		return 1
	}
	return 0
}

// colour sets dst = L·src for n×d matrices; shrink is its transpose. Both may
// work in place.
func (it *Items) colour(dst, src []float64, d int) { it.apply(blas.NoTrans, dst, src, d) }
func (it *Items) shrink(dst, src []float64, d int) { it.apply(blas.Trans, dst, src, d) }

func (it *Items) apply(t blas.Transpose, dst, src []float64, d int) {
	copy(dst, src[:it.N*d])
	if it.factor != nil && d > 0 {
		simd.BLAS{}.Dtrmm(blas.Left, blas.Lower, t, blas.NonUnit, it.N, d, 1, it.factor, it.N, dst, d)
	}
}

// through returns the diagonal of Lᵀ·diag(d)·L.
func (it *Items) through(d []float64) []float64 {
	if it.factor == nil {
		return d
	}
	out := make([]float64, it.N)
	for j, w := range d {
		for i, x := range it.factor[j*it.N : j*it.N+j+1] {
			out[i] += x * x * w
		}
	}
	return out
}

func logit(p float64) float64   { return math.Log(p / (1 - p)) }
func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// bell is the slope of sigmoid.
func bell(x float64) float64 { return sigmoid(x) * sigmoid(-x) }

// Trained returns how many of the items the population was learnt on; they
// come first.
func (it *Items) Trained() int {
	if it.Kernel == nil {
		return it.N
	}
	return it.base
}
