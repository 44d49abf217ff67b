// Package report shows leaderboards.
//
// A model.Board becomes an aligned [Table] for people, [CSV] or [JSON]:
//
//	board := model.NewBoard(m, -1, nil)
//	err := report.Table(os.Stdout, board, report.Options{Legend: true})
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
