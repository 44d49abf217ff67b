// Package explain says what the features of items and of voters have to do with what is liked.
//
//	m, err := model.AsFeatured(fitted)
//	features := explain.Features(encoder)
//	all, err := explain.Dependences(ctx, m, features, nil)
//	for _, d := range all {
//		fmt.Println(d.Feature.Name, d.Importance.Value, d.Importance.Lo, d.Importance.Hi)
//	}
//
// A model that learns from features knows utilities as a function g of them, beside what is each
// item's own, and knows g jointly at any points (model.Featured). Everything here is a linear form
// of g, or a function of a few of them: nothing is inferred again. A column of the table is one
// [Feature], however many numbers it was encoded as: a category is changed as a whole.
//
// [Dependences] are partial dependences (Friedman 2001): the mean of g over the items, each with one
// feature set to a value, at values that the items have. They are known up to a constant, so they
// are given less their mean over the items; differences between two values are what [Dependence.Contrast]
// is about. The importance of a feature is the standard deviation of its partial dependence over the
// items, in units of the noise of a vote, and its linear effect the slope of the straight line
// through it. [Better] sets one feature of one item to each value in turn.
//
// [Leanings] are the same for features of voters, in a population that takes them in: by how much
// people with one value of a feature like each item more than people with another do.
//
// # Whether a feature matters
//
// A standard deviation is never negative, so the posterior of g alone would never say that a feature
// has nothing to do with it. Importance is therefore a mixture: with some chance the partial
// dependence is flat, and with the rest it is as the posterior says. The odds are those of the
// evidence for an effect, of sizes from what the kernel has beforehand down to a sixteenth of it,
// over that for a flat one, which follow from the densities of a flat one before and after the votes
// (Savage and Dickey, see Verdinelli and Wasserman 1995); beforehand they are even. An interval that
// begins above zero says that the feature matters.
//
// # Caveats
//
// A partial dependence averages over the other features as if they were independent of it, and is
// flat where a feature matters only together with others; [HoldOut] sees that, by votes on items
// held out: how much worse they are predicted with the feature shuffled between these items, and by
// a model fitted without it. Length-scales and the other parameters of the kernel are taken as
// learnt. What is said is how utilities go with features among items like these, not what would
// happen to an item that was changed, unless features were given to items by chance.
package explain
