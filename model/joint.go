package model

import "context"

// Joint is what a Predictor may know beside: how the utilities of different
// items vary together. Choosing what to ask needs the variance of a difference,
// which marginals do not give.
type Joint interface {
	// UtilitiesTo sets mean and variance to those of the utilities that user gives
	// to all items, as Utility would, but at once. It fails only when ctx ends.
	UtilitiesTo(ctx context.Context, mean, variance []float64, user int) error
	// CovarianceTo sets dst_k to the covariance of the utilities that user gives
	// to item and to others[k].
	CovarianceTo(dst []float64, user, item int, others []int)
}

var (
	_ Joint = (*Single)(nil)
	_ Joint = (*Population)(nil)
	_ Joint = (*Linked)(nil)
	_ Joint = (*Itemwise)(nil)
	_ Joint = (*Glicko)(nil)
	_ Joint = (*Moving)(nil)
)
