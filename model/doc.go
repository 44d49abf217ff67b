// Package model turns votes into models of preference and models into
// rankings.
//
// Fit a model, ask it by name, keep it, and open it again:
//
//	m, err := model.FitSingle(ctx, votes, nil)
//	a, err := m.Item("pear")                      // an error where there is no pear
//	b, err := m.Item("plum")
//	p := m.Prefer(-1, a, b)                       // probability that a beats b
//	board, err := model.NewBoard(ctx, m, -1, nil) // ranks, intervals, P(best), tiers
//	err = model.Save(ctx, "fruit.palate", m)
//	again, err := model.Open("fruit.palate")
//
// Every model is a Predictor; boards, next pairs, reports and the server see nothing
// else of it. All kinds are rows of Catalogue, which says what each is, reads and takes;
// Find has them by name, and Entry.Fit fits any of them by the same Settings. Items and
// voters are numbered as in the votes; a negative voter is the consensus.
//
// # Single
//
// Single is one utility for everybody (GPPL: CROWD §3.1, DRAFT §3). Without
// item features the utilities are independent under the prior, f ~ N(0, I/s).
// With features they share a Gaussian process: a part that is smooth in the features, a
// part that is linear in them, and a share of each item's own, the nugget, so that
// features explain what they can and no more. The inverse scale s, the shares of these
// parts, all length-scales and the tie threshold are learnt from the votes together, by
// maximising the evidence (EP) or the lower bound (VI) with its exact gradient; the shape
// of the smooth part is the one that ends with more. Options.Features asks for a kernel
// of its own instead.
//
// Above Options.DenseLimit items the process is seen through inducing points, and
// what these leave of an item, nugget and all, is its own and learnt from its votes.
// Means are those of that Gaussian process exactly; deviations of items take long
// loops of comparisons for none, see gp.Bethe. Boards come from draws that do not.
// A kernel that is given without an identity has no nugget; then what the points
// leave is noise of every vote.
//
// With Options.Links utility spreads along links between items too, how far and
// how much being learnt, and items without votes find their place by them.
//
// # Population and crowd
//
// Population gives every voter utilities of their own, drawn from one Gaussian that
// is learnt from all votes (COLLAB): a few votes of one person go a long way, and
// FoldIn takes in somebody new without a refit. Crowd is a consensus and a few
// factors of taste with weights for each voter (CROWD). Both are asked by the number
// of a user, or for the consensus by −1. Tensor, a process over voters × items, is
// there to be compared with.
//
// # Linked
//
// Linked is the same utility learnt vote by vote, in O(n²) each (LINK): the model
// to choose the next pair with. Its kernel is given. Glicko keeps items
// independent, for comparison; FitGlicko makes a model of it that a file holds.
//
// # Bradley–Terry and Plackett–Luce
//
// FitBradleyTerry makes the model that most rankings of votes come from: the most likely
// scores under a ridge, which is learnt. It is there to be compared with. FitPlackettLuce
// is the same of rankings, choices, and the best and the worst of several items.
//
// # Duels
//
// Duels is preference regression between feature vectors that need not recur
// (EPNOTE): prediction at arbitrary points, latent and noisy. FitDuels takes vectors,
// FitDuelVotes votes between items that have features.
//
// # Honest uncertainty
//
// A board comes from joint draws, not from marginals: utilities are known only
// up to a common constant, so scores are centred on the items of the board, and
// ranks, P(best) and tiers use the correlations. A Gaussian posterior is a bit
// too narrow where votes are one-sided; the draws are therefore weighted by the
// true over the approximate likelihood, and the board reports the effective
// sample size of that. Where the scale of a Single was learnt the draws are made at
// several scales, and the prior they are weighted by has the scale integrated
// out. Prefer takes the learnt scale as given, which changes little: the chances
// it gives come true as often as they say.
//
// Items that no chain of votes connects, and that have no features, are not
// comparable; boards keep such components apart.
package model
