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
// State is the other form of a posterior, mean and covariance of the forms'
// coordinates, which takes one site in O(n²) by a rank-one step.
package gp
