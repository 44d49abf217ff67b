// Package survey has what surveys of choices, and of best and worst (MaxDiff), report of a
// fitted model: everybody's scores with intervals, shares of preference, what would be chosen
// from a shelf, and the portfolio that reaches most; and the tasks of a survey to come,
// balanced, or those that tell most.
//
//	voters, err := survey.Voters(ctx, m, users, nil, nil)
//	for _, x := range survey.Total(voters) { … }          // by item
//	shelf, err := survey.Voters(ctx, m, users, five, nil) // if these five were there
//	s, err := survey.Reaching(ctx, m, users, &survey.Options{Top: 3})
//	best, err := s.Portfolio(ctx, 4, nil)
//	tasks, err := survey.NewDesign(ctx, survey.Plan{Items: 20, Size: 4, Tasks: 12, Versions: 30})
//	next, err := survey.Adapt(ctx, m, survey.Plan{Size: 4, Tasks: 6, Versions: 30}) // by what a pilot taught
//
// # What the figures are
//
// A score is the utility of an item less the mean of all that are asked about, or less that of
// an anchor (Options.Zero), in units in which the noise of a comparison has a deviation of one.
// A share of preference is the chance that the voter chooses the item from among them, in
// percent: an answer draws f_i + ε_i of each, with ε_i ~ N(0, ½), and the highest is chosen. It is averaged over what is not known
// of f, by joint draws, and shares of voters sum to 100. Of a whole survey the intervals of
// scores and shares are those of means of people like these: what is known of voters has been
// drawn towards their mean, which is allowed for.
//
// # Portfolios
//
// An item reaches a voter if it is among the few that the voter likes best. The reach of
// several is the share of voters for whom one of them is, in the mean over draws of everybody's
// utilities, and their frequency how many of them are. Reach is submodular: taking items one by
// one comes near the best portfolio, and what the items that were not taken would add bounds
// how near. Where portfolios can be counted through, the best is found.
//
// # Caveats
//
// Shares of one voter are of some thousand draws, and about a point off; those of a survey
// are far nearer. Models of other than Gaussian noise are refused.
package survey
