// Package check looks over votes for what may be wrong with them: rows that cannot be
// read, duplicates, contradictions, names that differ by a slip, voters who always pick
// one side, items that never met the others, tables that lack a row.
//
//	c := check.NewChecker(ingest.Options{})
//	report, err := c.Read(ctx, "votes.csv", votes)
//	survey, err := c.Survey(ctx, 5) // with up to five examples of each finding
//
// A finding says how often, and for the first cases where, by file, line and column.
// Nothing is changed. A new finding is a method of election, and a row in Survey.
package check
