// Package paper runs the published experiments again and prints the published
// figures beside what is measured now.
//
//	e, err := paper.Find("sushi")
//	for table, err := range e.Run(ctx, paper.Options{Folder: "data", Seed: 1}) {
//		table.WriteText(os.Stdout)
//	}
//
// An [Experiment] is a list of [Set]s: a data set with a way to split it, drawn
// anew for every repeat from the seed. Every [Method] asked for is fitted to the
// training votes of the same splits, so that methods can be compared split by
// split ([Row.Minus]): paired standard errors are several times smaller than
// those of the means. [Table.Orders] tells which of the orders of methods that a
// paper found are found again. A method is a row of a table ([Methods]); so is a
// set, and so is a [Figure], drawn by [Experiment.Draw].
//
// # Measures
//
//	acc       share of test votes predicted right; a prediction of ½ counts half
//	ce, bits  cross-entropy of the test votes, in nats and in bits
//	tau       Kendall's τ-b of utilities against gold ranks, all voters in one list, as in CROWD
//	tau_user  τ-b for each voter, averaged
//	ece       expected calibration error, 15 bins of equal width pooled over the splits; its error by the jackknife
//	cpu_s     processor seconds of the fit, by all threads
//	peak_mb   largest resident memory during a fit (Linux only), the most over the splits
//
// Standard errors are those of the mean over splits; they do not include what
// the splits, all drawn from one data set, have in common.
//
// # Data
//
// The data sets may not be passed on and are not part of the project. They are
// read from a [Folder] with one folder a data set, as it comes out of its
// archive:
//
//	sushi            sushi3.idata, sushi3.udata, sushi3a.5000.10.order, sushi3b.5000.10.order
//	movielens-100k   u.data, u.item (also as ml-100k)
//	jester           jester.csv.gz, with user,item,rating (also as field)
//	movielens-1m     ratings.dat (or ratings.csv, ratings.csv.gz), movies.dat (also as ml-1m)
//	ukpconvarg       items.tsv.gz, crowd_sample.tsv.gz, gold_pairs_strict.tsv.gz, gold_ranking.tsv
//
// # Who can do what
//
// A set says what it asks of a method beyond choices of known users between known
// items (Set.Asks), a method what it lacks (Method.Lacks): what does not fit is
// refused before any work.
//
// # Long runs
//
// [Results] keeps every finished trial in a file, and a run goes on from it.
//
// # The papers
//
// CROWD is Simpson and Gurevych 2020 and DRAFT its preprint, COLLAB is Khan, Ko
// and Seeger 2014; their figures are in testdata. A row takes those of the
// method it stands for; where there is none, it takes the best of each column.
package paper
