// Package crowd learns from the votes of many people what they agree on and how
// each of them differs: crowdGPPL of CROWD, with voters as local variables and a
// bound that is one.
//
// # The model
//
// A vote of voter u for item a against b has probability Φ(z) with
//
//	z = t_a − t_b + Σ_c w_uc (v_ca − v_cb) + g_ua − g_ub.
//
// The consensus t and the factors v_c are Gaussian processes over the items,
// t ~ N(0, K/σ) and v_c ~ N(0, K/s_c), in the weight space of package gp, so that
// items may stand for themselves or be seen through inducing points; what
// inducing points leave of the kernel goes to the consensus only, factors being
// functions of the points and g taking up the rest. The weights
// are w_u ~ N(0, I). The last term is not in CROWD: g_ui ~ N(0, 1/s_g) is what
// voter u alone thinks of item i. Factors are few, and those that the votes do
// not call for are pruned: their scales shrink them, and they are dropped where the
// bound without them is higher. Without g every voter would be sure to have no taste
// but theirs. Options.NoOwn leaves it out. The inverse scales σ, s_c and s_g have
// Gamma priors. Ties have a margin, as in likelihood.Tie.
//
// CROWD has a Gaussian process over features of voters behind the weights, too.
// Here features lead the weights, w_u ~ N(Bx_u, I) with B_cf ~ N(0, 1/r_f), where
// x may hold the weights of a kernel on inducing voters: see About. The relevances
// r have Gamma posteriors, so that features which tell nothing are switched off.
//
//	votes, err := crowd.NewVotes(items, dataset.Tallies(true))
//	l, err := crowd.Fit(ctx, votes, prior, nil)
//	mean, variance := l.Form(u, rows) // of z, for voter u
//	one, err := l.FoldIn(tallies, x)  // somebody new, as voter 0 of one
//
// # What is inferred
//
// q = q(t) Π_c q(v_c) Π_u q(w_u, g_u) q(σ) Π_c q(s_c) q(s_g). Consensus and each
// factor have a Gaussian over their weights; each voter has one full Gaussian
// over factor weights and own tastes together, which depends on that voter's
// votes only; scales have Gammas. q(B) has one covariance for all factors, as
// though the weights were known.
//
// # What items and voters may have besides
//
// With Options.Nugget the consensus is t = Φe + n: what features explain, and
// n_i ~ N(0, 1/s_n), item i's own, which is the same in all its votes. Blocks of
// weights have an inverse scale each. Weights and nuggets have one Gaussian, with
// the precision diag(s) + (Φ I)ᵀΛ(Φ I), where Λ joins only items that were
// compared: the n are eliminated exactly, one component of the comparison graph
// after the other, in O(Σ n_c³ + n_c²d + n_c d²). Of components of more than 2,000
// items the n are apart given e, in O(n·d² + pairs·d): the means are the same, the
// bound is one and a little lower. Inducing points then leave no residual to the
// consensus; it is the items' own.
//
// With Options.Reliability and Options.Habits voters are of classes, a careful
// voter's z counting for more (slopes .2 to 1.8) and some calling a tie more readily
// (margins .1 to 2 of the common one). q has a factor q(k_u) for each voter, shares
// of classes are set to the best, and the expectation of a vote is that over
// classes, each exact: the bound stays one, with the largest curvature of R the
// mean of the squared slopes.
//
// Under q, z is not Gaussian, since w and v multiply. Write it as z = G + R with
// G = t_Δ + wᵀE[v_Δ] + g_Δ, which is Gaussian exactly, and R = wᵀ(v_Δ − E[v_Δ]),
// whose mean is zero whatever t, w and g are. Let p be the probability of the
// vote. As log p bends by at most 1 (it is a unit Gaussian about z, cut off; the
// second derivative of its log is a variance less 1),
//
//	log p(G+R) ≥ log p(G) + R·(log p)'(G) − R²/2,
//	E_q[log p(z)] ≥ E[log p(G)] − ½ Σ_c E[w_c²] Var(v_cΔ).
//
// The first term is an exact expectation over a Gaussian, the middle one is gone.
// So the uncertainty of consensus, weights and own tastes is treated exactly, and
// that of the factors, which everybody's votes narrow, pays the largest
// curvature. No quadratic bound could do better there: one that bends by less
// than 1 is above log Φ far out. Less the divergence of q from the prior this is
// a lower bound of the log evidence, and with no factors and no own tastes it is
// that of infer.VI.
//
// A sweep raises it in turn: voters, each by natural-gradient steps; the means of
// consensus and all factors together, in which the bound is concave, by a Newton
// step; the scales and the factors' covariances in closed form; the consensus's
// covariance by a natural-gradient step; what features tell, first together with
// the voters' means by a Newton step, then in closed form; and the scale of each
// factor against
// that of its weights, which votes do not see and coordinate steps creep along.
// Steps that would lower the bound are halved. A fit ends when a sweep gains less
// than Options.Tolerance a vote.
//
// Factors start along the directions in which the bound bends upwards most at
// V = 0, among those that votes see, so a fit needs no seed and does not depend on the order of items or
// voters. They come out ordered by the share of the variance they explain
// (Learnt.Shares); q keeps factors independent, which settles their rotation.
//
// With Options.Stochastic the same steps are taken for random batches of voters,
// each inferred from nothing, as package population does it by the rule of the bound, and consensus and factors move by natural-gradient
// steps (CROWD (17)–(18)); then a seed decides, and the bound is known only at
// the end.
//
// # Voters by EP
//
// A Gaussian that maximises a bound is narrower than the posterior, and the less the
// votes leave open the more: scales come out too small, and predicted votes too near
// to a half. So a fit goes on from the top of the bound (Options.ByBound stays
// there). With factors at their means, weights and own tastes can be integrated out,
// and voters are a Gaussian population,
//
//	f_u ~ N(t + Vw₀, VVᵀ + I/s_g),
//
// w₀ being what features lead one to expect. Package population infers them by EP,
// each from the votes of that voter, with what is not known of the consensus as noise;
// means and covariance of weights and own tastes follow from the pull and the
// information of the votes. That gives the evidence of everybody's votes,
// log Z = Σ_u log Z_u (Learnt.Evidence, with the counts in Learnt.Voting), and
// derivatives in the means of consensus and factors that have the form of the bound's.
// Four rounds at the most climb log Z less the prior's part in those means by Newton
// steps; set scales and covariances as the bound does; and multiply all utilities by
// what log Z and a wide normal prior about the bound's scale make likeliest. Trace is
// that of the bound. It takes voters who differ, and neither classes, nuggets nor
// batches. Answers about several items are inferred as such here, if voters have tastes of their
// own; to the bound they are pairs that weigh less (answers.go).
//
// # Laws
//
// Tested under every option alone, under some together and under all, on items that
// stand for themselves, with features, and seen through inducing points (a table, in
// which a new option is a row): the bound never falls (1e-9); it is below
// importance-sampled evidence on toys; without factors and own tastes it is the single
// model by VI (1e-8), with nuggets under the sum of the consensus's parts; renaming
// voters or items renames the result; any number of goroutines gives the same bits;
// turning a pair round turns its prediction round; arrays round-trip; draws have the
// moments they should; somebody folded in is the voter inside a fit.
//
// Besides: batches come near the whole; the gradient in the kernel's parameters is
// that of the converged bound, as is that in features of voters. Voters of batches,
// inferred as a population, are those that steps in their own dimensions
// find, and their covariances follow from what is kept of them. Elimination by
// components is the algebra of the whole matrix (1e-10), and so is the consensus with
// tastes integrated out (1e-8); one class is none. Voters as a population have the
// evidence and the posterior that EP finds for weights and own tastes (1e-8), and the
// exact ones of a single vote; its slopes in scale and means are derivatives of its
// evidence; it leaves the trace as it is, and predicts votes better.
//
// The bound is that of the evidence given what is set to the best and has no q: the
// margin of ties, shares of classes, and on inducing points the scale of what they
// leave of the consensus, which is that expected of the rest.
//
// # Consensus and voters together
//
// q keeps consensus and voters apart, which makes the consensus seem more certain than
// it is: its variance is that with everybody's taste known. The sites that votes come
// down to in the end are kept, and up to 1,000 items Consensus and Draws see both
// together: tastes are integrated out of what votes say of the consensus, and a voter
// is drawn given a draw of it. Means do not change, nor does Form, from which
// predictions come. Of what q keeps apart there remain factors, whose uncertainty
// widens the consensus by 1 or 2 % more, and scales.
//
// # Caveats
//
// The default priors expect voters to differ. Where they do not, even thousands of
// votes are predicted worse than by a consensus alone, and the bound is no judge of that:
// without factors and own tastes it is higher on such votes, but it is on small
// samples of the SUSHI data as well, where factors predict held-out votes far
// better. So model.FitCrowd asks held-out votes how wide the priors are to be, and
// what to leave out.
//
// # Memory and work
//
// With N items, d weights of the prior, C factors, P votes on R distinct pairs
// and m_u items of voter u: 16·Σ_u(C+m_u)² bytes for voters, 8·R·(C+1)² for the
// Newton step, 24·C·d² for the factors, about 60 bytes a vote; see Memory. Nobody
// has a taste of their own for more than 400 items, so that m_u is bounded. A sweep
// takes O(Σ_u (C+m_u)³ + P·(C+m)² + C·d³).
//
// In batches R is the batch's, and so are the covariances: of everybody else the
// means are kept and a number a vote, from which the covariance of a voter is found
// in O((C+m)³) when it is asked for. A batch takes the time of its own voters and votes,
// however many there are.
package crowd
