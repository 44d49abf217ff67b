// Package evaluate measures models on votes that they have not seen.
//
//	folds, err := evaluate.Split(votes, &evaluate.SplitOptions{By: evaluate.ByUser, Folds: 5})
//	result, err := evaluate.Run(ctx, votes, folds, append(evaluate.Yardsticks(), mine), nil)
//	fmt.Println(result.Verdict())
//
// [Split] divides by answers, items, voters, or by the values of a column. The
// votes of one answer, those of a ranking for one, are never divided. A fold by
// item trains on the votes between the other items only, and tests on all votes
// that name one of its own: what a model says of new items. A fold by voter asks
// what it says of new voters.
//
// [Run] fits every [Method] to the training votes of every fold, asks it for the
// test votes, and pools what it said. [Yardsticks] are what a model has to beat:
// a coin, counting, Bradley–Terry and Glicko.
//
// [Choose] picks a model for some votes, by evidence and by a trial of this kind on
// the votes themselves, and says why.
//
// # What the figures mean
//
// Models learn from ties, and are asked about votes that are decided: what they
// say is the chance that one item wins, ties apart. Kendall's τ compares the order of the items, for the consensus, with
// the order that Bradley–Terry finds in the test votes alone; it can therefore
// not reach 1 when there are few.
//
// Calibration is seen from the side of the favourite, because which item is called
// left is an accident: a curve goes from ½ to 1.
//
// Standard errors are over the units that were held out (answers, items, voters,
// values), whose votes go together, and differences between methods are paired:
// both saw the same votes. They take the fitted models as given; that training
// sets of different folds overlap is not in them. The interval of the calibration
// error is a basic bootstrap over the same units, which makes up for the error
// being positive by chance.
//
// A difference is called real when a two-sided t test of it stands, at 5 % for
// all pairs of methods together (Holm 1979).
package evaluate
