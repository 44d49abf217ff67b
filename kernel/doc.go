// Package kernel holds covariance functions over items and users, with their
// parameters on the log scale and analytic gradients.
//
// # Basics
//
// Points are the inputs: dense rows, sparse rows, or bare identities. A Kernel
// fills covariance matrices between two sets of points and, in adjoint form,
// turns a weight for every entry into the gradient of the weighted sum with
// respect to every log-parameter. The matrices ∂K/∂θ are never stored: a gradient
// over D length-scales costs about as much as the matrix.
//
//	k := kernel.Scale(4, kernel.NewStationary(kernel.Matern32, kernel.SoftAnd, lengths))
//	k.MatrixTo(dst, x, y)
//	k.MatrixGrad(grad, w, x, y) // grad_k += Σ w_ij ∂k(x_i, y_j)/∂θ_k
//
// Stationary kernels have a shape (SE, Matern12, Matern32, Matern52) and a way to
// combine features: Euclidean distance with a length-scale each, SoftAnd (the
// product over features of CROWD (36)) or SoftOr (their mean). Linear is the ARD
// dot product, Identity is 1 for the same identity and 0 otherwise, Links spreads
// utility along the links of a Graph of identities, Table has covariances as
// given; Scale, Sum and Product build larger kernels. Kernels are immutable: With returns the same
// kernel at other parameters.
//
// Extend adds nodes to graph kernels by their links, Graph.Embed turns links into
// features. MedianHeuristic gives starting length-scales, KMeans inducing inputs, SpecOf and
// FromSpec the JSON form.
//
// # Caveats
//
// Points share the memory they are made from; do not change it afterwards.
// Length-scales are in the units of the features, which are not standardised here.
// Matern12 has a kink at distance zero, where its gradient is taken as zero.
// Wrong shapes panic. Results have the same bits whatever GOMAXPROCS.
package kernel
