package kernel

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Nobody is the identity of points that have none, such as inducing points that
// carry only what features explain.
const Nobody = math.MinInt

// Identity is 1 for two points with the same identity, unless that is Nobody, and 0
// otherwise. It has no parameters and needs no features; under Scale it is the
// nugget, an effect of the item itself.
type Identity struct{ parameterless }

func (Identity) With(params []float64) Kernel {
	checkParams(params, 0)
	return Identity{}
}

func (Identity) MatrixTo(dst *mat.Dense, x, y Points) {
	matrixOfIDs(dst, x, y, same)
}

func (Identity) PairsTo(dst []float64, x Points, i, j []int) {
	pairsOfIDs(dst, x, i, j, same)
}

// parameterless is a kernel that has nothing to learn.
type parameterless struct{}

func (parameterless) ParamNames() []string { return nil }
func (parameterless) Params() []float64    { return nil }

func (parameterless) MatrixGrad(grad []float64, w mat.Matrix, x, y Points) {
	checkGrad(grad, 0, w, x, y)
}

func (parameterless) PairsGrad(grad, w []float64, _ Points, i, j []int) {
	checkPairs(w, i, j)
	checkParams(grad, 0)
}

// matrixOfIDs is MatrixTo of a kernel that sees identities only.
func matrixOfIDs(dst *mat.Dense, x, y Points, cov func(a, b int) float64) {
	size(dst, x, y)
	out := dst.RawMatrix()
	for i := range x.n {
		id := x.ID(i)
		row := out.Data[i*out.Stride : i*out.Stride+y.n]
		for j := range row {
			row[j] = cov(id, y.ID(j))
		}
	}
}

// pairsOfIDs is PairsTo of the same.
func pairsOfIDs(dst []float64, x Points, i, j []int, cov func(a, b int) float64) {
	checkPairs(dst, i, j)
	for p := range dst {
		dst[p] = cov(x.ID(i[p]), x.ID(j[p]))
	}
}

func same(a, b int) float64 {
	if a == b && a != Nobody {
		return 1
	}
	return 0
}

// Parts returns a sum of kernels without what it has of Identity under Scale, and the variance of
// that. Other kernels have none.
func Parts(k Kernel) (rest Kernel, own float64) {
	sum, ok := k.(*sumKernel)
	if !ok {
		return k, 0
	}
	var terms []Kernel
	for _, term := range sum.terms {
		if s, ok := term.(*scaledKernel); ok && s.kernel == Kernel(Identity{}) {
			own += math.Exp(s.logVariance)
			continue
		}
		terms = append(terms, term)
	}
	return Sum(terms...), own
}

// HasIdentity reports whether k gives points a part of their own, as far as the
// first of x tells: less of its variance is left where it is Nobody.
func HasIdentity(k Kernel, x Points) bool {
	one := x.Subset([]int{0})
	return Diag(k, one.WithIDs([]int{Nobody}))[0] < Diag(k, one)[0]
}
