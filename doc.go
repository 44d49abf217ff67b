// Package palate is the vocabulary of preference learning: items, users, and
// votes between pairs of items.
//
// A vote says that somebody looked at two items, one on the left and one on the
// right, and preferred the left one, preferred the right one, found them equal
// (a tie), or declined to say (a skip). A vote may carry a weight, counted as
// that many votes, and the time at which it was cast. Votes that follow from one
// answer, as the 45 pairs of a ranking of ten do, share a group, so that a model
// can tell them from 45 answers.
//
// Votes are gathered by a [Builder] ([Builder.Say], [Builder.Add]), which gives each item and each user a
// number in order of first appearance, and are then frozen into a [Dataset].
// Everything is checked on the way in, so that whoever holds a Dataset need not
// check again: indices are in range, no item is compared with itself, weights
// are positive and finite, features are finite and have one row an item.
//
// A Dataset is immutable and safe for concurrent use. It is kept by columns:
// thirteen bytes a vote, eight more for each of weights and times when there are
// any, and four for groups. [Dataset.Tallies] collapses equal votes into counts, so that ten
// million votes over two hundred items cost a model what their distinct pairs
// cost.
//
// Files are read by package ingest; models live in package model.
package palate
