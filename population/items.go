package population

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
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
	// Own is the part of means and factors that is each item's own, where features tell of
	// the rest.
	Own float64
	// Mean, if set, is what is known of the mean instead, by another kernel over the same
	// features or with another part that is each item's own.
	Mean *Items

	K        []float64 // N×N, both triangles; nil: I
	factor   []float64 // L with LLᵀ = (1−Own)K + Own·I, lower, zero above; nil: I
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
	it := &Items{N: n, Points: kernel.Indexed(n), Own: HalfOwn}
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
	it.factor = mixFactor(it.K, n, n, it.Own)
	return it
}

// OfMean returns what is known of the mean.
func (it *Items) OfMean() *Items {
	if it.Mean != nil {
		return it.Mean
	}
	return it
}

// Under returns the same items where others say what is known of the mean.
func (it *Items) Under(mean *Items) *Items {
	o := *it
	o.Mean = mean
	return &o
}

// Variance is the mean variance of the items by their kernel, before it was normalised.
func (it *Items) Variance() float64 { return 1 / it.scale }

// HalfOwn is Items.Own unless another is asked for.
const HalfOwn = 0.5

// Mixed returns the same items where another part of means and factors is each item's own.
func (it *Items) Mixed(own float64) *Items {
	o := *it
	if o.Own = own; it.K != nil {
		o.factor = mixFactor(it.K, it.N, it.N, own)
	}
	return &o
}

func (it *Items) centred(k, mi, mj float64) float64 { return it.scale * (k - mi - mj + it.grand) }

// at returns K between two items.
func (it *Items) at(i, j int) float64 {
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

// whiten sets dst = L⁻¹·src. It may work in place.
func (it *Items) whiten(dst, src []float64) {
	copy(dst, src[:it.N])
	if it.factor != nil {
		simd.BLAS{}.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, it.N, 1, 1, it.factor, it.N, dst, 1)
	}
}

// within sets a, a symmetric matrix of n·d rows of which the d of each item follow one another,
// to (L⊗I)ᵀa(L⊗I). Both triangles are there before and after.
func (it *Items) within(a []float64, d int) {
	if it.factor == nil {
		return
	}
	side := it.N * d
	it.shrink(a, a, d*side)
	transpose(a, side)
	it.shrink(a, a, d*side)
}

// through returns the diagonal of Lᵀ·diag(d)·L.
func (it *Items) through(d []float64) []float64 { return it.throughBlocks(d, 1) }

// throughBlocks returns of an item i Σ_j L_ji²·d_j, where every item has so many numbers d.
func (it *Items) throughBlocks(d []float64, size int) []float64 {
	if it.factor == nil {
		return d
	}
	out := make([]float64, it.N*size)
	for j := range it.N {
		for i, x := range it.factor[j*it.N : j*it.N+j+1] {
			num.Axpy(x*x, d[j*size:(j+1)*size], out[i*size:(i+1)*size])
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
