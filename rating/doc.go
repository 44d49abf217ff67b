// Package rating learns what people like from how they rate items, each for itself: one to
// five stars, marks, numbers. Votes between two items may stand beside the ratings.
//
// A person u makes of item i the utility
//
//	f_ui = μ_i + V_i·w_u,  w_u ~ N(0, I),
//
// with a consensus μ and factors of taste V, and rates it by the class in which
// f_ui + o_u + ε falls, ε ~ N(0, ½), between cut points that are learnt (a cumulative
// probit). The offset o_u ~ N(0, ω²) is of those who rate high or low, and the cut points of
// a person are those of all times a spread b_u, log b_u ~ N(0, ς²), of those who use the
// ends of the scale or its middle. A vote compares two such utilities, so that with the
// noise of ratings it is Φ(f_ua − f_ub): ratings and votes tell of the same utilities, and
// the noise of votes beside that of ratings is learnt where there are both.
//
//	scale, err := rating.NewScale(values, 12)
//	fit, err := rating.Learn(ctx, items, people, rows, scale, nil)
//	p := fit.Person(u)
//	mean, variance := p.Difference(i, j)
//	chances := p.Chances(i) // of the classes
//
// # Inference
//
// Given items, people are independent: expectation propagation over w_u and o_u, a site a
// row, at O(m d²) for m ratings and d = 1 + the number of factors. Given people, items are
// regressions on what is known of them, at O(d²) a rating. Both take turns, which climbs
//
//	Σ_u log Z_u − |μ|²/2a − ½ Σ_c α_c|V_c|²
//
// with EP's estimate of the evidence; ω², a and α are learnt from what the curvature leaves
// open, cut points and noise by scoring at the cavities, at which the evidence has the
// derivatives of its terms alone, and spreads at their mode. These cavities know that μ is not
// known for sure: if it were, few ratings would seem to have less noise than they do. The cost
// of a turn is linear in ratings, and no two ratings are ever compared. Factors must be worth
// what they cost: the fit without them stays where its evidence, less 1.25 for each parameter
// that the ratings settled, is higher.
//
// What is not a person's along factors is noise of every answer: a taste that is somebody's
// own and is asked twice is taken for two accidents. Items are known to people's inference
// by their means; how little is known of an item is added to what is said of it. The
// consensus is inferred once more with people integrated out (Fit.Consensus), so that its
// intervals know that offsets are not known.
//
// # Laws
//
// Tested: the evidence of a person is that of quadrature, and has the derivatives that
// finite differences have; the order of rows changes nothing, one goroutine and many give
// the same bits; ratings times a factor, or with a constant added, are the same ratings;
// worlds drawn from the model are found again, with intervals that hold as often as they
// say.
package rating
