// Package gp holds Gaussian utilities: priors over items, the sparse linear
// forms that votes see, the sites that votes leave, and posteriors.
//
// Everything is kept in weight space. A prior over n utilities is
//
//	f = Φe + r,   e ~ N(0, I/s),   r ~ N(0, (K − ΦΦᵀ)/s),
//
// with Φ the n×d features of the items and s the inverse scale of CROWD (4).
// A dense prior has Φ = L with K = LLᵀ and no residual r; a prior without
// features has Φ = I; inducing points have Φ = K_nm L_m⁻ᵀ, where d is their
// number and r is what they do not explain. A Row is a sparse form z = bᵀf; a
// vote between items i and j is the row +1 at i, −1 at j.
//
// A Site is the Gaussian that stands for an observation, in natural
// parameters: exp(ν·z − τ·z²/2). Sites add: Evidence{h, H} = Σ (ν_p φ_p,
// τ_p φ_pφ_pᵀ) is a sum over votes, over shards and over batches alike, and the
// posterior of e is N(C·h, C) with C = (sI + H)⁻¹. The matrix sI + H is well
// conditioned whatever the kernel, so its Cholesky factor needs no jitter; the
// only place where jitter may enter is the factor of K itself, and the prior
// reports it.
//
// # Own parts
//
// Inducing points see what features explain; r is the rest. Left alone it is noise
// of every form, however often an item is part of one. Prior.Own makes it the item's
// own instead, r_i ~ N(0, λ_i/s) with λ_i = K_ii − |φ_i|², with a posterior beside that
// of the weights. Then the precision of all utilities given the weights is
//
//	A = diag(s/λ) + L,   L = Σ τ_p b_pb_pᵀ,
//
// the Laplacian of the graph of comparisons with something on its diagonal: as
// sparse as votes are, and diagonally dominant, so that conjugate gradients solve
// for many right-hand sides in a few steps each. With Ψ = A⁻¹(s/λ)Φ the weights
// have precision S = sI + ΨᵀLΨ + (Φ−Ψ)ᵀ(s/λ)(Φ−Ψ). Means, S, joint draws and
// covariances of items with weights are thus exact given the sites, at
// O(n·d² + pairs·d) a time, in O(n·d) memory; where the inducing points are the
// items they are those of the dense prior.
//
// What does not come so cheaply are entries of A⁻¹, which variances of forms need, and
// log |A|. Bethe has them by belief propagation, which is exact without loops;
// comparisons at random have only long ones. Apart takes items to be independent given
// the weights, which is a Gaussian that votes could have, so that bounds stay
// bounds. Either is a function of which the variances are the derivatives, as log |A|
// is, so that objectives are stationary where they should be and gradients exact.
//
// Taking weights and own parts to be independent of each other, q(e)Π q(r_i), would
// be simpler and is far off: an item's votes would count as so many observations
// of the weights, where they are worth one of variance λ_i at most.
//
// # Independent items
//
// Where there are many independent items all of an item is its own: White(n).Own() has
// no weights, and A = sI + L is the precision of the utilities themselves. Laplacian.Variances
// has its inverse, as far as votes touch it: whole for few items, and for many by Messages, to which
// Common adds what loops have in all: every row of A⁻¹ sums to 1/s, and what belief propagation
// does not find of that is spread evenly over the component. A few exact solves
// tell whether that will do; where comparisons run along a line or in clusters it does
// not, and draws take its place. Covariances of items that were not compared are
// found by walks from one of them. Prior.Beside adds items of which nothing is known but
// how far they are from others, as a voter's own utilities are around those of all;
// Posterior.First leaves them out again.
//
// State is the other form of a posterior, mean and covariance of the forms'
// coordinates, which takes one site in O(n²) by a rank-one step.
package gp
