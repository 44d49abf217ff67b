// Package asking holds policies that choose which pair to ask against each other, on
// made-up items whose utilities are known: those of package active, and those of the
// field as far as they can be had on one posterior. Inference is the same for all: EP
// for the model of one utility, so that only the questions differ.
//
// Of others there are
//
//	closeness   the variance of the difference times the variance of the answer
//	d-optimal   the determinant of the information: log(1 + v·w), w the Fisher
//	            information of an answer where the means are
//	crowd-bt    the divergence that an answer is expected to cause, items taken to be
//	            independent (Chen et al. 2013, without workers)
//	hybrid-mst  the trees of most information, all their pairs at once (Li et al. 2018)
//	asap        the same by the divergence of crowd-bt after inference over all votes
//	            (Mikhailiuk et al. 2020); in trees where items are many
//
// Policies that choose pair by pair ask a tenth of a pair an item between fits, and of more
// than 100 items a fifth. Those of package active also choose several items to ask about at
// once (RunSets).
package asking
