// Package compare answers questions about two items of a board, and about two boards, by
// joint draws of what a model knows.
//
// [Items] says of pairs how probable it is that one is better, by how much, how votes
// between them would go, and how many more of these would settle it. A lead is not the
// difference of two intervals: utilities are known together, and the draws know how.
//
// [Change] says of the items that are on two boards which of them rose and fell. Scores of
// two boards are compared at the same mean of the items that both have. Votes of both are
// fitted as [Twins], in which each item is there twice, once a board, with a correlation:
// how far items move between the boards is learnt from all of them at once, so that a board
// of few votes stays near the other one, where two models of their own ([Boards]) draw each
// to its own mean, and take the difference for moves.
//
// [Claim] is a condition on such a probability, for programs that act on it.
//
// Laws, held by the tests:
//
//   - P(a better than b) + P(b better than a) = 1, and the order of pairs changes nothing.
//   - Chances are calibrated: of claims made with probability p a share of p is true.
//   - Claims of moves that are marked as sure hold together with the level's probability.
//   - After the number of further votes that are said to settle a pair, about half of such
//     pairs are settled.
package compare
