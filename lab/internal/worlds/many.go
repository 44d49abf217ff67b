package worlds

import (
	"fmt"
	"math"
	"math/rand/v2"

	"palate/internal/num"
	"palate/kernel"
)

// Many are the worlds of many items, a drawing of which takes seconds. All that models
// assume holds in them.
func Many() []World {
	return []World{
		many("5000x50000", "5,000 items of sd 1, 50,000 votes", func(rng *rand.Rand) *Drawn { return plain(normal(5000, 1, rng), 50_000, rng) }),
		many("100000x1000000", "100,000 items of sd 1, a million votes", func(rng *rand.Rand) *Drawn { return plain(normal(100_000, 1, rng), 1_000_000, rng) }),
		many("judges", "2,000 items of sd 2, 40 judges of taste .7, 26,000 judgements", judges),
		many("linked", "100,000 items, 500,000 links along which utilities of sd 1.4 spread, 100,000 votes", func(rng *rand.Rand) *Drawn {
			return linked(100_000, 500_000, 100_000, rng)
		}),
		many("linked-3000", "3,000 items, 15,000 links along which utilities of sd 1.4 spread, 6,000 votes", func(rng *rand.Rand) *Drawn {
			return linked(3000, 15_000, 6000, rng)
		}),
	}
}

func many(name, about string, draw func(rng *rand.Rand) *Drawn) World {
	return always("many", name, about, true, draw)
}

// judges compare scripts, each by utilities around those that all share.
func judges(rng *rand.Rand) *Drawn {
	const items, voters, taste, m = 2000, 40, 0.7, 26_000
	u := normal(items, 2, rng)
	own := make([][]float64, voters)
	for k := range own {
		own[k] = normal(items, taste, rng)
	}
	votes := make([]vote, m)
	for k := range votes {
		user := rng.IntN(voters)
		a, b := pair(items, rng)
		votes[k] = vote{user, a, b, answer(num.Phi(u[a]+own[user][a]-u[b]-own[user][b]), rng)}
	}
	for i := range u {
		u[i] /= math.Sqrt(1 + 2*taste*taste)
	}
	return &Drawn{Votes: cast(items, voters, votes), Target: u, Chance: probit(u)}
}

// linked draws links between random items, utilities of which the part that spreads along
// the links has the precision Δ + ridge of the regularised Laplacian, and votes.
func linked(n, links, m int, rng *rand.Rand) *Drawn {
	edges := make([]kernel.Edge, links)
	for k := range edges {
		a, b := pair(n, rng)
		edges[k] = kernel.Edge{From: a, To: b, Weight: 1}
	}
	g, err := kernel.NewGraph(n, edges)
	if err != nil {
		panic(fmt.Sprintf("worlds: %v", err)) // links of pairs are between items
	}
	const (
		ridge = 1.0 // a tenth of the weight of a node's links
		sd    = 4.0 // of the spread part: about 1.3 with these links
		own   = 0.5
	)
	u := spread(g, ridge, rng)
	for i := range u {
		u[i] = sd*u[i] + own*rng.NormFloat64()
	}
	d := plain(u, m, rng)
	d.Links = g
	return d
}

// spread draws from N(0, (Δ + ridge)⁻¹): the solution of (Δ + ridge)x = b for a draw b of
// that precision, one of every link and of every node.
func spread(g *kernel.Graph, ridge float64, rng *rand.Rand) []float64 {
	n := g.Nodes()
	b, x, weight, near := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range b {
		b[i], weight[i] = math.Sqrt(ridge)*rng.NormFloat64(), ridge
	}
	for _, e := range g.Edges() {
		z := math.Sqrt(e.Weight) * rng.NormFloat64()
		b[e.From] += z
		b[e.To] -= z
		weight[e.From] += e.Weight
		weight[e.To] += e.Weight
	}
	for moved := math.Inf(1); moved > 1e-6; { // each node in turn is what its neighbours make it
		copy(near, b)
		for _, e := range g.Edges() {
			near[e.From] += e.Weight * x[e.To]
			near[e.To] += e.Weight * x[e.From]
		}
		moved = 0
		for i := range x {
			next := near[i] / weight[i]
			moved = max(moved, math.Abs(next-x[i]))
			x[i] = next
		}
	}
	return x
}
