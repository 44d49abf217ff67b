// Package report shows leaderboards, charts, and pages of both.
//
// A model.Board becomes an aligned [Table] for people, [CSV] or [JSON]:
//
//	board, err := model.NewBoard(ctx, m, -1, nil)
//	err = report.Table(os.Stdout, board, report.Options{Legend: true})
//
// CSV has the columns
//
//	rank,item,score,sd,lo,hi,rank_lo,rank_hi,p_best,tier,votes
//
// then p_top when Options.Top is set, and group when the items fall into
// several groups. JSON has one object with the facts of the fit and of the
// board, and a list "rows" of objects with the names of the CSV columns, p_top
// and group always among them.
//
// Numbers are rounded to what joint draws can tell: three decimals, two in
// tables.
//
// # Charts
//
// A [Chart] is drawn at any width, with a title, a note on how to read it, words
// for those who do not see it, and the numbers behind it:
//
//	chart := report.Leaderboard(board, report.Options{})
//	err := chart.Write(file, report.File{Format: "png"})
//
// [Chart.SVG] returns an element for a page that has the style sheet [Style],
// light or dark as the screen prefers. It has neither styles nor scripts of its
// own. The charts: [Leaderboard], [Matrix], of categories [Categories]; of held-out votes
// [Reliability] and [Learning]; of voters, whose [Tastes] depart from the consensus,
// [Voters], [Loadings] and [Disagreement]; of comparisons [Leads] and [Changes].
//
// [HTML] writes all of them as one file that asks nothing of a network, each
// chart once for a desk and once for a phone, its numbers in a table behind it;
// [ComparedHTML] does so for comparisons. What they say is in one of [Languages].
//
// # Scores
//
// A score is a utility less the mean of its group, in units of the noise of one
// vote. With Options.Elo it is shown on the scale of chess ratings: the mean
// of a group is 1000, and a lead of 400 stands for odds of ten to one. With the
// probit likelihood, whose noise is Gaussian, this uses that Φ(z) is nearly the
// logistic function of 1.702 z.
//
// # Groups
//
// Items that no chain of votes connects are not comparable. Tables show one
// list a group, below a sentence that names the groups; an item that nothing
// was compared with has no rank, score or tier at all: its cells are empty, in
// JSON null.
package report
