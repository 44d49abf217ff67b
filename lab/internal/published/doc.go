// Package published is crowdGPPL by the update that CROWD published, so that the
// paper can be checked. Package crowd has the same model by a better one.
//
//	p := &published.Problem{Votes: votes, Items: items, Voters: voters}
//	l, err := published.Fit(ctx, p, nil)
//	mean, variance := l.Form(voter, rows) // of z
//
// # The model
//
// A vote of voter u for item a against b has probability Φ(z) with
//
//	z = t_a − t_b + Σ_c w_cu (v_ca − v_cb)                    CROWD (7)
//
// where t ~ N(0, K/σ), v_c ~ N(0, K/s_c) and w_c ~ N(0, L/s'_c), K and L being
// kernels over the features of items and of voters. All inverse scales have Gamma
// priors; CROWD (5) has s' = 1 (Options.UnitWeights), its authors' runs learn it.
// Options.Featured factors have L, the others independent voters. A Space without
// kernel stands for independent points: \u and \x of the paper; NoConsensus is \t,
// and a Space without inducing points \induc.
//
// # The update
//
// q is a Gaussian for each of t, v_c and w_c on the weights of its prior (package
// gp), and a Gamma for each scale. A vote is taken for a Gaussian observation 1 of
// Φ(z) with noise Q, which the prior decides and nothing revises, and Φ is
// replaced by its tangent at the mean of z. Then each column has Gaussian sites:
// with G the slope and r = 1 − Φ(ẑ) + G·E[c]·x̂ what is left for a form x with
// coefficient c,
//
//	τ = G²E[c²]/Q,   ν = G·E[c]·r/Q
//
// which is (23)–(24) for v_c, (27)–(28) for t and (30)–(31) for w_c, corrected.
// Step i draws a batch, improves t until G stands still (Algorithm 1), then v_1, …,
// v_C and w_1, …, w_C in turn, each by mixing the sites of the batch, weighted by
// P/P_i, into its natural parameters by ρ_i = (i+ε)^−r, (17)–(18); scales follow by
// (15). Voters are global here: one who is not in a batch is forgotten a little.
//
// FitLengths learns the length-scales of both kernels by L-BFGS around the whole,
// with the gradient (40)–(41), corrected for inducing points.
//
// # Caveats
//
// The update is biased, and Learnt.Bound tells: with twenty factors it is far
// below what knowing nothing has, −P log 2. Nothing stops a fit but the number of
// steps. Ties are not part of the paper.
//
// # Laws
//
// Tested: without factors it is the single model of infer.Linearised, posterior
// and bound (1e-8); on ratings, where it is variational Bayes exactly, no step
// lowers the bound; a batch of all votes is the whole, and batches say on average
// what the whole says; the gradient is that of finite differences, and (40) where
// the paper's holds; renaming items and turning votes round; seeds decide all, on
// any number of processors.
//
// # Memory and work
//
// With N items and U voters seen through M points each, C factors and batches of
// B: a step takes O(C·(M³ + B·M²)), and O(C·U) where voters are independent; q
// takes 24·C·M² bytes, the features of all points 8·(N+U)·M.
package published
