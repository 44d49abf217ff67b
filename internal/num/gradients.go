package num

import "math"

// ConjugateGradients solves Ax = b for a positive definite A, from x = 0, and returns x.
// apply returns Ap, and precondition about A⁻¹r; nil leaves r as it is. It ends when the
// residual, in the norm of the preconditioner, is a hundredth of what it was, or after so many
// steps.
func ConjugateGradients(b []float64, apply, precondition func([]float64) []float64, steps int) []float64 {
	const share = 0.01
	if precondition == nil {
		precondition = func(r []float64) []float64 { return r }
	}
	x, res := make([]float64, len(b)), append([]float64(nil), b...)
	z := precondition(res)
	dir := append([]float64(nil), z...)
	rz := Dot(res, z)
	stop := share * share * rz
	for range steps {
		if !(rz > stop) || math.IsInf(rz, 0) {
			break
		}
		ad := apply(dir)
		alpha := rz / Dot(dir, ad)
		Axpy(alpha, dir, x)
		Axpy(-alpha, ad, res)
		z = precondition(res)
		next := Dot(res, z)
		for i, y := range z {
			dir[i] = y + next/rz*dir[i]
		}
		rz = next
	}
	return x
}
