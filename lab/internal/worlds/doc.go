// Package worlds makes up votes whose truth is known and which no model of palate
// assumes: coins, crowds of tastes, answers given again, sides, lengths, drift, cycles.
//
//	for _, w := range worlds.All() {
//		drawn, err := w.Draw(ctx, rng)
//		// fit a model to drawn.Votes; hold its board to drawn.Target
//	}
//
// Unless a world says otherwise P(a over b) = Φ(w_a − w_b) with utilities w ~ N(0, 1),
// pairs are drawn uniformly, and who is left is a matter of chance. A vote is cast a
// minute after the one before it; votes of several voters come in random order. What a
// world draws depends on its source of randomness alone.
//
// # Boards
//
// Worlds of [Boards] ask for one ranking. Their truth is [Drawn.Target], the utilities
// of a vote by somebody new in units of the noise of that vote, and [Drawn.Chance], the
// chance of each pair. Where the chances are not those of any utilities the target is
// the one whose chances have the least cross-entropy from them, over all pairs alike
// ([Nearest]; with ties [NearestTied]).
//
// # People
//
// Worlds of [People] ask what each voter would say. Their truth is [Drawn.Asked]: 4,000
// random voters and pairs, each with its true chance.
//
// # Features
//
// Worlds of [Features] ask about pairs of items that have features: in the first half of
// [Drawn.Asked] both are known by votes, in the second both by features alone, which are
// in [Drawn.Later].
package worlds
