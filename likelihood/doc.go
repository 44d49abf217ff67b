// Package likelihood holds the likelihoods of one observation given the value
// z of a linear form of utilities: for a vote, the winner's utility less the
// loser's; for a rating, the item's utility itself.
//
// A likelihood must know log p(z) and its first two derivatives (Scalar).
// Two integrals against a Gaussian N(z; m, v) drive inference:
//
//	Tilt    log ∫ p(z) N(z; m, v) dz, for expectation propagation and prediction
//	Expect  ∫ log p(z) N(z; m, v) dz, for variational inference
//
// both with derivatives in m. A likelihood that has a closed form implements
// Tilter or Expecter; for every other one the package integrates numerically,
// to about 1e-12, and the closed forms are tested against that.
//
// All likelihoods here but the draw of a Lapse are log-concave in z. That is what keeps
// cavities proper, natural-gradient steps positive definite and Newton steps uphill; a
// Lapse is for expectation propagation alone.
//
// Orders are another matter: the chance of a whole answer about several items at given
// utilities, by which draws are weighed.
//
// To add a likelihood: a file with a type that implements Scalar, and a row in the
// table of likelihood_test.go; the laws there do the rest.
package likelihood
