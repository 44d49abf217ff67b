package kernel_test

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/kernel"
)

// Three items with two features: the covariance of their utilities, and the
// slope of its sum in every log-parameter.
func Example() {
	items := kernel.Dense(mat.NewDense(3, 2, []float64{
		0, 0,
		1, 0,
		1, 2,
	}))
	lengths := kernel.MedianHeuristic(items, kernel.MedianOptions{Combine: kernel.SoftAnd}, nil)
	k := kernel.Sum(
		kernel.Scale(4, kernel.NewStationary(kernel.Matern32, kernel.SoftAnd, lengths)),
		kernel.Scale(0.5, kernel.Identity{}),
	)
	fmt.Printf("%.3f\n", mat.Formatted(kernel.Gram(k, items)))

	grad := make([]float64, len(k.Params()))
	ones := mat.NewDense(3, 3, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1})
	k.MatrixGrad(grad, ones, items, items)
	for i, name := range k.ParamNames() {
		fmt.Printf("%s %.3f\n", name, grad[i])
	}
	// Output:
	// ⎡4.500  2.615  1.709⎤
	// ⎢2.615  4.500  2.615⎥
	// ⎣1.709  2.615  4.500⎦
	// 0.variance 25.878
	// 0.length[0] 5.831
	// 0.length[1] 5.831
	// 1.variance 1.500
}
