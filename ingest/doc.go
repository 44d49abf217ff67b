// Package ingest reads and writes the files that people keep votes, items and
// users in.
//
// [Votes] reads votes into a palate.Builder; [ReadTable] reads tables of what the
// votes name, which package feature makes features of; [ReadPairs] reads pairs to
// predict; [Write] writes votes. Package check looks for what is wrong with them.
// Input is CSV, TSV or semicolon-separated text with a header, JSONL (one object a line), a JSON
// array of objects, or Parquet, packed with gzip or zstd or not. Which of these
// it is is found from the content. [Open] opens a file, or standard input for
// "-".
//
//	b := palate.NewBuilder()
//	f, err := ingest.Open("votes.csv.gz")
//	…
//	report, err := ingest.Votes(ctx, "votes.csv.gz", f, b, ingest.Options{})
//	encoder, err := feature.Items(ctx, "items.csv", g, b, feature.Options{})
//	dataset, err := b.Build()
//
// Columns are found by the header, in any order and letter case, from a table of
// forms. With a pair a row:
//
//	left,right,winner         the winner is left, right, A, B, 1, 2, tie, draw, skip, or the identifier of either item
//	left,right,label          the same, as crowd-kit writes it
//	model_a,model_b,winner    the same, or the name of the item's column, as in all of these
//	winner,loser              every row is a win; so are Gavel's Winner ID,Loser ID, TRL's chosen,rejected, and
//	                          candidate_chosen,candidate_not_chosen of comparative judgement
//	data,annotations          Label Studio's export
//	left_*,right_*,winner     two items by their features, in columns such as left_size and right_size; also
//	                          winner_*,loser_*. Options.Profiles takes the features
//
// With an answer about several items a row, whose votes share a group:
//
//	ranking                   a>b=c, a list, or a JSON list; also a column a place: rank1,rank2,…
//	items,best,worst          the best beats all others, and all others beat the worst
//	items,chosen              the chosen one beats all others
//	user,item,rating          of two items on a ballot of a voter's ratings the higher rated one wins. With Options.Rated
//	                          ratings stay what they are
//
// With a row an item, of which those of one voter and one task are an answer:
//
//	task,item,chosen          1 in one row, or best and worst
//	task,item,best,worst      the same in two columns of 0 and 1
//	task,item,rank            1 is the best; without one an item was shown and not ranked
//	user,item,anchor          whether an item is above Options.None
//
// With the items that tasks showed in Options.Design:
//
//	task,best,worst           also a respondent a row, with Best1,Worst1,Best2,Worst2,…
//
// Columns of other names, and of text without a header, are told by
// [Options.Columns].
//
// Files that are known by their names have no header: PrefLib's .soc, .soi, .toc,
// .toi and .cat, SUSHI's .order and .score, MovieLens's u.data and ratings.dat. The
// rules are in docs/formats.md. A new form is a function that returns a form, a
// row in the table of forms, and an example in the tests.
//
// Each may also have a voter (user, voter, worker, judge, annotator or rater, with
// _id or without), a weight, a time (time, timestamp, tstamp or created_at: RFC
// 3339, a date, or a number of seconds, milliseconds, microseconds or nanoseconds
// since 1970, told apart by size), and a ballot, which votes from one answer
// share. Other columns are named in the [Report].
//
// Text must be UTF-8; a byte-order mark is passed over. Quotes follow RFC 4180:
// a field that begins with a quote ends with one, and may hold separators, line
// ends and doubled quotes. A quote inside an unquoted field stands for itself,
// and spaces around an unquoted field are dropped. Blank lines are passed over.
//
// A row that cannot be read is an [Error] with file, line, column and reason.
// The first one ends the reading unless Options.SkipBad is set; then bad rows are
// counted and the first few are kept in the Report. Nothing is dropped in
// silence.
//
// Votes are parsed in blocks, as many at once as there are processors, and put
// together in the order of the file: identifiers are numbered by first
// appearance, and the result does not depend on the number of processors. Of
// Parquet the columns that are needed are decoded, side by side; identifiers stay
// words of a dictionary until they are numbered, and times stay numbers.
package ingest
