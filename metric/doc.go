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
// How far people agree is [Alpha], Krippendorff's. [Wilson] is the interval of a
// share, and [Bin.Interval] that of a point of a reliability curve.
//
// A measure of nothing is NaN, and slices whose lengths differ panic.
package metric
