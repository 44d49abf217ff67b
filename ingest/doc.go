// Package ingest reads and writes the files that people keep votes, items and
// users in.
//
// [Votes] reads votes into a palate.Builder; [Items] and [Users] read tables of
// features for what the votes name; [ReadPairs] reads pairs to predict;
// [WriteVotes] writes votes. Input is CSV, TSV or semicolon-separated text with a
// header, or JSONL (one object a line), plain or gzipped. Which of these it is
// is found from the content, never from the name. [Open] opens a file, or
// standard input for "-".
//
//	b := palate.NewBuilder()
//	f, err := ingest.Open("votes.csv.gz")
//	…
//	report, err := ingest.Votes("votes.csv.gz", f, b, ingest.Options{})
//	encoder, err := ingest.Items("items.csv", g, b, ingest.TableOptions{})
//	dataset, err := b.Build()
//
// Columns are found by the header, in any order and letter case, from a table of
// forms:
//
//	left,right,winner         the winner is left, right, tie, skip, or the identifier of either item
//	left,right,label          the same, as crowd-kit writes it
//	model_a,model_b,winner    the winner is model_a, model_b, tie, tie (bothbad), both_bad, or an identifier
//	winner,loser              every row is a win
//
// Each may also have a voter (user, user_id, voter, worker, judge, annotator or
// rater), a weight, and a time (time, timestamp or tstamp: RFC 3339, a date, or a
// number of seconds, milliseconds, microseconds or nanoseconds since 1970, told
// apart by size). Other columns are named in the [Report].
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
// appearance, and the result does not depend on the number of processors.
package ingest
