// Package num holds the numerics that every model stands on: the normal
// distribution in both tails, logs of sums and differences, Gauss–Hermite
// quadrature, and a Cholesky factor that says how much jitter it needed.
//
// # The normal distribution
//
// A vote contributes log Φ(z), its slope h = φ(z)/Φ(z) and its curvature
// −h(z+h). Probit gives all three from one evaluation, the last one as
// rest = 1 − h(z+h). For z → −∞ the product h(z+h) tends to one, and the
// difference, of order 1/z², loses every digit when it is formed naively (at
// z = −1e4 nothing is left). Below z = −4 the continued fraction of Mills'
// ratio gives it without cancellation:
//
//	h(−x) = x + r₁,  r₁ = 1/(x + r₂),  r₂ = 2/(x + r₃),  …
//	z + h = r₁,      1 − h(z+h) = r₁(r₂ − r₁)
//
// because x·r₁ = 1 − r₁r₂. Relative errors against 50-digit arithmetic are
// below 1e-13 for Φ, log Φ and h, and below 2e-12 for rest, on the whole line.
//
// # Factors
//
// All matrices are factored here. NewCholesky factors a symmetric matrix, adding the
// smallest jitter of a fixed ladder that makes it work; the amount is in the result, so
// a caller can report it. NewExact factors what is positive definite as it was made,
// without jitter. Factor and Invert do so for many small matrices, flat and in place.
//
// # Fixed points
//
// Anderson accelerates the sweeps of expectation propagation, for one posterior as for
// many.
//
// Functions of numbers accept the infinities and pass NaN through. Wrong shapes
// panic.
package num
