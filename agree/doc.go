// Package agree says how far voters agree, and who does not.
//
//	a, err := agree.Analyse(ctx, votes, nil)
//	for _, v := range a.Voters { fmt.Println(v.ID, v.Reliability, v.Remark) }
//
// Every voter is held against the consensus of the others: voters are divided
// into folds, and those of a fold are compared with Bradley–Terry scores θ of the
// votes outside it. A voter picks left over right with probability
//
//	σ(a·(θ_left − θ_right) + b)
//
// where the reliability a is 1 for somebody who votes as the others do, 0 for one
// whose votes have nothing to do with the items, and negative for one who sees
// them the other way round; and b is a bias to one side. Both are estimated with
// weak priors, a ~ N(1, 1) and b ~ N(0, 1), so that voters with few votes get wide
// intervals and not wild estimates. Where sides are not known (rankings, lists of
// winners) there is no b.
//
// Clusters of voters are a mixture of Bradley–Terry models, fitted by EM; how many
// there are is told by BIC, and one is an answer. Krippendorff's α treats every
// pair of items as a unit, in both orders, and each voter's last answer to it
// (first, second, tie) as a nominal value.
//
// A remark is made of a voter when a test stands among all voters at a false
// discovery rate of 5 % (Benjamini, Hochberg 1995): of a bias to one side, if that
// is picked more than three times in four, or of a reliability below 1, if it is
// below ½.
// A suspected spammer is one who picks a side, or whose votes follow neither the
// consensus nor a cluster. That is a suspicion: unusual taste looks the same when
// nobody shares it.
//
// Votes of one ranking count for what it tells, [palate.Dataset.Tempered].
package agree
