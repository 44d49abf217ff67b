// Package judging has the figures by which comparative judgement is reported: how well a
// scale separates what was judged, and which judges and items do not fit it.
//
//	j, err := judging.Analyse(ctx, votes, nil)
//	fmt.Printf("SSR %.2f, judges that do not fit: ...", j.Reliability)
//
// They are those of the field, on Bradley–Terry scores θ, by which i is judged better than j
// with probability p = σ(θ_i − θ_j), so that they can be held beside reports of other
// programs. What palate itself believes of items is its boards.
//
// # Scores
//
// θ maximises the likelihood times the root of the determinant of its information (Firth
// 1993), which takes away the bias of most likely scores to the first order, and keeps those
// of items finite that won all of their votes or none. The mean of θ is 0. Standard errors
// are the roots of the diagonal of the pseudo-inverse of the information Σ w p(1−p) xxᵀ,
// where x has 1 at one item of a pair and −1 at the other.
//
// # Reliability
//
// The scale separation reliability (Pollitt 2012) is the share of the variance of scores
// that is not error,
//
//	SSR = (SD² − RMSE²) / SD² = G² / (1 + G²),   G² = (SD² − RMSE²) / RMSE²
//
// with SD² the variance of the scores and RMSE² the mean of their squared standard errors.
// Pairs that were chosen by earlier votes raise it beyond what is so (Bramley 2015); the
// split-half reliability does not have this fault: judges are divided at random into two
// halves, and it is the correlation of the scores that the halves give, in the mean over many
// divisions. It is of half as many votes as there are.
//
// # Fit
//
// The residual of a vote is its outcome, 1, 0 or ½ for a tie, less p. Over the votes of a
// judge, or those about an item,
//
//	infit = Σ w (y − p)² / Σ w p(1−p),   outfit = Σ w (y − p)²/(p(1−p)) / Σ w
//
// and both are about 1 where votes follow the scale. The outfit takes a surprise between
// items that are far apart more seriously. As is the custom, what has an infit above the mean
// of all by more than two standard deviations is flagged.
//
// Items are those of the largest set that votes connect; others have no place on the scale.
//
// # Palate's own scores
//
// Scores are joint draws of what a model knows of the items. They give chances of grades, and
// go over to the scale of an earlier round through items that both have (Scores.Equate).
package judging
