// Package metric measures predictions.
//
// Pair predictions are measured by [Accuracy], [CrossEntropy] (nats),
// [CrossEntropyBits], [Brier], and [Reliability] with its expected calibration
// error [ECE]. They take probabilities p that the left item wins, outcomes y (1
// when it won, 0 when it lost, ½ for a tie) and weights w, nil when all votes
// count the same. Exchanging left and right (p to 1−p, y to 1−y) changes none of
// them.
//
// Rankings are measured by [KendallTauA] and [KendallTauB] against another
// ranking, and by [NDCG], [AveragePrecision] and [MAP] against relevance. Items
// with equal scores are not ordered by accident: rank measures give the mean over
// all orders of the tied items.
//
// A measure of nothing is NaN, and slices whose lengths differ panic.
package metric
