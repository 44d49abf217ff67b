package kernel

import (
	"fmt"
	"math"
)

// Shape is the profile of a stationary kernel over distance.
type Shape uint8

// The shapes, with r the distance in length-scales.
const (
	Matern32 Shape = iota // (1 + √3 r) exp(−√3 r), CROWD (42)
	SE                    // exp(−r²/2)
	Matern12              // exp(−r)
	Matern52              // (1 + √5 r + 5r²/3) exp(−√5 r)
)

// shapes has one row a shape; the functions are in the shape's own file.
var shapes = [...]form{
	SE:       {"se", 1, seValues, seSlopes, nil, nil},
	Matern12: {"matern12", 1, matern12Values, matern12Slopes, matern12Product, matern12Relief},
	Matern32: {"matern32", sqrt3, matern32Values, matern32Slopes, matern32Product, matern32Relief},
	Matern52: {"matern52", sqrt5, matern52Values, matern52Slopes, matern52Product, matern52Relief},
}

const (
	sqrt3 = 1.73205080756887729352744634150587237
	sqrt5 = 2.23606797749978969640917366873127624

	// fold is how many factors of a product are multiplied before their
	// exponentials are taken, so that neither can overflow.
	fold = 64
	// gone is a distance at which e^{−a} has underflowed to zero.
	gone = 746
)

// form is a shape as loops over flat slices. Features arrive scaled, so that
// a = scale·|x−y|/ℓ; rows of y follow one another. Each function works on many
// entries at once, to be exchanged for a vector routine of the same signature.
type form struct {
	name  string
	scale float64
	// values and slopes turn a² into k(a) and −k′(a)/a, in place.
	values, slopes func(a []float64)
	// product sets dst_j = Π_d k(|x_d − y_jd|). Where it is nil the product over
	// features is the kernel of the Euclidean distance.
	product func(dst, x, y []float64)
	// relief adds Σ_j w_j s(|x_d − y_jd|) to grad_d, where s(a) = −a k′(a)/k(a) is
	// the derivative of log k in log ℓ.
	relief func(grad, w, x, y []float64)
}

// foldedProduct sets dst_j = e^{−Σa} Π p(a) over features, with a = |x_d − y_jd|. Of at most
// fold features, sums returns Σa and Π p(a).
func foldedProduct(dst, x, y []float64, sums func(x, y []float64) (s, p float64)) {
	n := len(x)
	for j := range dst {
		row := y[j*n : j*n+n]
		v := 1.0
		for lo := 0; lo < n; lo += fold {
			hi := min(lo+fold, n)
			s, p := sums(x[lo:hi], row[lo:hi])
			if s > gone {
				v = 0
				break
			}
			v *= p * math.Exp(-s)
		}
		dst[j] = v
	}
}

// String returns the name used in files.
func (s Shape) String() string {
	if int(s) >= len(shapes) {
		return fmt.Sprintf("Shape(%d)", uint8(s))
	}
	return shapes[s].name
}

// parseShape is the inverse of String.
func parseShape(name string) (Shape, error) {
	for s := range shapes {
		if shapes[s].name == name {
			return Shape(s), nil
		}
	}
	return 0, fmt.Errorf("kernel: unknown shape %q", name)
}
