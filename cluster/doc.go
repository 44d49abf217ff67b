// Package cluster fits a population of voters on Apache Beam, where votes are more than one machine takes.
//
// It holds no inference of its own. Package population climbs, and asks an Evaluator one question at a time; here
// that is a pipeline: the population is a file, every shard of voters an element, and what shards tell is
// combined. The result is that of palate fit, and so is the model file.
//
//	deal, err := cluster.Dealing{Shards: 64}.Make(ctx, runner, []string{"votes-*.parquet"}, "crowd")
//	fit, err := cluster.Fitting{}.Run(ctx, runner, deal)
//	err = cluster.Top{Number: 10, Format: "parquet"}.Write(ctx, runner, fit, "lists")
//
// # Files
//
// All is in one folder, of this machine or of an object store, that driver and workers see:
//
//	deal.json               items, shards with their checksums, what was read
//	shard-00003-of-00064    voters by name, their votes, votes held out
//	bad/00000.csv           rows of the first file that were left out: file, line, column, reason
//	fit/start.json          settings: a fit goes on only with the same
//	fit/told-00012          what all shards told at evaluation 12
//	fit/query-00013         what is being asked
//	fit/sites-00012-00003   the sites of shard 3 after evaluation 12
//	fit/fit.json            the end of the fit
//
// Files are written aside and renamed. An evaluation reads the sites of the one before, and writes its own: bundles
// may be tried again at any time. Those before are removed when it is done. A driver that begins again asks the same questions, as the
// climb hangs on nothing but the answers, and is told again what was told before.
//
// # Laws
//
// Tested on prism: a fit is that of one machine, its evidence to 1e-9 after every evaluation, the population to 1e-6,
// with ties and without; the same votes make the same shards to the last byte, in whatever files, formats and order
// they are; a bundle repeats itself; a driver that is killed again and again ends with the same bytes, on Flink, too, where a worker is killed with it; lists, predictions
// and scores are those of the gathered model; voters folded in are as they would be in the fit; counts of votes have the
// tallies of the votes; and whatever is wrong with folder, worker or runner is said in a line, with what to do.
//
// # Caveats
//
// Features of items and of voters have no place here, and answers about several items are taken as their pairs. A file of votes is read by one worker. A voter's shard, and once
// in a fit a matrix of items by items (Fitting.Dense), must fit in the memory of a worker; the driver holds a few
// vectors of items by factors. Gathering a model file holds names and some numbers of every voter.
package cluster
