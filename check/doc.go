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
//
// # Assumptions
//
// What models take for granted of votes as a whole is tested by [Assumptions], of a
// dataset from anywhere: that voters do not differ, that answers given again are answers
// of their own, that sides do not matter, that utilities stay, that items have an order.
// Such a finding has a size, a p-value and what to do in place of a place. The tests draw
// answers to the same questions from a Bradley–Terry order fitted to the votes, and ask
// whether the votes are odd among them; once voters are found to differ the others are
// held to an order that leaves voters their tastes. A new test is a row in assumptions.
package check
