// Package active says which pair to ask next.
//
//	pairs := active.Next(m, -1, 1, nil, rng) // m is any model.Predictor
//
// A [Policy] is a strategy and a goal. The strategy says what an answer is
// worth, the goal for which items it is wanted:
//
//	strategy      the pair asked is the one with
//	Random        no preference
//	Coverage      the fewest votes so far
//	Uncertainty   a win probability nearest to one half
//	LEL           the largest expected loss from misordering it, LINK (28)
//	BALD          the largest expected information about its utilities
//	EUBO          the largest expected utility of the better item
//	Thompson      the two best items of two joint draws
//
//	goal          what a pair is worth falls with the better of its two ranks r, as
//	Ranking       not at all: the whole order; the default
//	TopFirst      e^(−r/.5n)
//	Top(k)        e^(−(r−k)/k) beyond rank k
//	Best          e^(−r)
//
// [For] returns the policy that measured best for a goal: BALD for Ranking, LEL for Top
// and Best, and for TopFirst BALD ("soft BALD"), which was the best of all on OHSUMED at
// every number of votes, with and without wrong answers; see docs/active.md. LEL for Best is the LELpair of LINK (29) as
// published.
//
// All scores are logarithms, so that costs, familiarity and goals are added.
//
// # Basics
//
// Batches for several voters at once share no pair. Each is chosen as if those
// before it had been answered: by the covariance that is then expected (BALD, LEL), or
// of other items while there are some. Pairs that were asked, or are not to be asked, are given in
// [Options].Exclude. Every pair comes with its propensity, the probability with
// which it was chosen, so that what was asked can be accounted for afterwards.
// [Settled] is the rule to stop by.
//
// The information of an answer is exact (to 1e-5, by a table made from
// quadrature), not the approximation of Houlsby et al. (2011), which is far off
// where utilities are well known.
//
// # Caveats
//
// The model is seen through model.Predictor. Where it is no model.Joint,
// covariances are taken from draws. Above Options.Limit items a shortlist is
// scored in place of all pairs: those at the top, those least known, and some
// at random. Utilities are taken to be in units of the noise of a vote, with
// probit noise. That voters differ is not part of the noise: asked for the
// consensus of a model that tells voters apart, an answer tells less than its bits
// say.
package active
