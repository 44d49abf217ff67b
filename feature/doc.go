// Package feature turns tables of items and users into numbers that models learn from.
//
// [Items] and [Users] read a table after the votes, decide for every column what it
// is (a number, yes or no, a category, a date, a vector, running text) and put the
// features into a palate.Builder:
//
//	b := palate.NewBuilder()
//	report, err := ingest.Votes(ctx, "votes.csv", votes, b, ingest.Options{})
//	encoder, err := feature.Items(ctx, "items.csv", items, b, feature.Options{})
//	dataset, err := b.Build()
//
// The [Encoder] that they return is what was decided. It goes into the model file as
// JSON, and encodes later tables as it did the first: unknown categories share a
// column, and words that the first table did not have say nothing.
//
// Text becomes how it is written (lengths, punctuation, spelling), and what it says:
// words and runs of characters, on the axes along which the texts differ most
// (docs/formats.md). A new kind of column is a row in [Kinds], a case in Column, and an
// example in the tests.
package feature
