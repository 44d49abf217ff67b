package check

import "math"

// sideBias measures how far left wins more often, or less, than the items account for.
func sideBias(b *ballots, y []float64, o *order) (large, size float64) {
	p := o.chances(b)
	var sum, left, all float64
	for k := range y {
		if b.sided[k] {
			sum += y[k] - p[k]
			left += y[k]
			all++
		}
	}
	if all == 0 {
		return math.NaN(), 0
	}
	return math.Abs(sum), left / all
}

// move is how fast an item's utility seems to have changed, and what is known of it.
type move struct{ rate, information float64 }

// driftOf measures by how many nats the answers are likelier where utilities move steadily,
// at rates of their own, than where they stay: either from where they spread as utilities do
// at the first vote, or to there at the last. It is, nearly, a Bayes factor: no other test
// finds such drift more often at the same rate of false alarms (Neyman and Pearson 1933).
func driftOf(b *ballots, y []float64, o *order) (large, size float64) {
	if !b.timed {
		return math.NaN(), 0
	}
	part, meet := o.moving(b, -1), o.moving(b, 1)
	part.fit(b, y)
	meet.fit(b, y)
	x, z := part.evidence(b, y), meet.evidence(b, y)
	large = max(x, z) + math.Log1p(math.Exp(-math.Abs(x-z))) - o.evidence(b, y)
	return large, large
}

// moves are those of all items by the score of a steady change, each as if alone.
func moves(b *ballots, y, p []float64) []move {
	all := make([]move, len(b.items))
	for k, t := range b.when {
		pull, known := t*(y[k]-p[k]), t*t*p[k]*(1-p[k])
		all[b.left[k]].rate += pull
		all[b.right[k]].rate -= pull
		all[b.left[k]].information += known
		all[b.right[k]].information += known
	}
	for i := range all {
		if all[i].information > 0 {
			all[i].rate /= all[i].information
		}
	}
	return all
}

// moved returns the moves, and the standard deviation of a move: what is left of their
// mean square without what noise puts there.
func moved(b *ballots, p []float64) (all []move, sd float64) {
	all = moves(b, b.y, p)
	var square, noise, weight float64
	for _, m := range all {
		square += m.information * m.rate * m.rate
		weight += m.information
		if m.information > 0 {
			noise++
		}
	}
	return all, math.Sqrt(max(0, square-noise) / max(weight, 1e-300))
}

// dependence measures how far votes of one voter on different pairs that share an item
// lean the same way: the score of a variance of tastes.
func dependence(b *ballots, y []float64, o *order) (large, size float64) {
	p := o.chances(b)
	lean, whose := make([]float64, len(b.items)), make([]int32, len(b.items))
	together := 0
	for k := 0; k < len(b.meetings); {
		user, from := b.user[b.meetings[k].one], k
		var sum float64
		for ; k < len(b.meetings) && b.user[b.meetings[k].one] == user; k++ {
			v := b.meetings[k].one
			e := y[v] - p[v]
			for _, x := range []struct {
				item int32
				e    float64
			}{{b.left[v], e}, {b.right[v], -e}} {
				if whose[x.item] != user+1 {
					lean[x.item], whose[x.item] = 0, user+1
				}
				sum += 2 * x.e * lean[x.item] // with those before it
				lean[x.item] += x.e
			}
		}
		if k-from > 1 {
			together++
		}
		large += sum
	}
	if together < 2 {
		return math.NaN(), 0
	}
	return large, large
}

// tasteOf returns the standard deviation of tastes that explains how far votes of one
// voter lean the same way.
func tasteOf(b *ballots, p []float64, excess float64) float64 {
	known, whose := make([]float64, len(b.items)), make([]int32, len(b.items))
	var sum float64
	for _, m := range b.meetings {
		w := p[m.one] * (1 - p[m.one])
		for _, i := range []int32{b.left[m.one], b.right[m.one]} {
			if user := b.user[m.one] + 1; whose[i] != user {
				known[i], whose[i] = 0, user
			}
			sum += 2 * w * known[i]
			known[i] += w
		}
	}
	if sum == 0 {
		return 0
	}
	return math.Sqrt(max(0, excess/sum))
}

// repetition measures how far voters who meet a pair again give the same answer more
// often than chance.
func repetition(b *ballots, y []float64, o *order) (large, size float64) {
	p := o.chances(b)
	var same, all float64
	for _, m := range b.meetings {
		n := float64(m.to - m.from)
		if n < 2 {
			continue
		}
		var first float64 // answers for the left item of the first vote
		for k := m.from; k < m.to; k++ {
			if b.left[k] == b.left[m.from] {
				first += y[k]
			} else {
				first += 1 - y[k]
			}
		}
		q := p[m.from]
		alike := (first*(first-1) + (n-first)*(n-first-1)) / n // of n−1 further answers
		same += alike
		large += alike - (n-1)*(q*q+(1-q)*(1-q))
		all += n - 1
	}
	if all == 0 {
		return math.NaN(), 0
	}
	return large, same / all
}

// cycling measures how far triples of items go round: the square of the margin, in
// standard deviations of a coin, by which each of the three beats the next, at least. The
// size is the number of triples with a margin of one and more.
func cycling(b *ballots, y []float64, _ *order) (large, size float64) {
	if len(b.triangles) == 0 {
		return math.NaN(), 0
	}
	margins := b.margins(y)
	for _, t := range b.triangles {
		s := round(margins, t)
		large += s * s
		if math.Abs(s) >= 1 {
			size++
		}
	}
	return large, size
}

// margins are those of all pairs, in standard deviations of a coin.
func (b *ballots) margins(y []float64) []float64 {
	z := make([]float64, len(b.pairs))
	for k, x := range y {
		lead := 2*x - 1
		if b.left[k] > b.right[k] {
			lead = -lead
		}
		z[b.pairOf[k]] += lead
	}
	for k, p := range b.pairs {
		z[k] /= math.Sqrt(p.count)
	}
	return z
}

// round is the least of the margins by which a triangle's items beat the next, negative
// where it goes the other way round, and 0 where it does not.
func round(margins []float64, t [3]side) float64 {
	least, most := math.Inf(1), math.Inf(-1)
	for _, s := range t {
		z := margins[s.pair]
		if s.turned {
			z = -z
		}
		least, most = min(least, z), max(most, z)
	}
	switch {
	case least > 0:
		return least
	case most < 0:
		return most
	}
	return 0
}
