package paper

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"palate/internal/num"

	"palate"
)

// nearPeople prefers by what those with similar ratings said: the mean rating of an item, and the weighted mean of
// how far the nearest people's are from it (Resnick and others 1994), with fewer shared items counting for less
// (Herlocker and others 1999).
type nearPeople struct {
	means *itemMeans
	index map[string]int
	hosts [][]float64 // what their ratings are beside the means, by item; NaN where there is none
	likeness
	scale  float64
	guests [][]float64 // what they would rate items, up to a constant
}

// likeness are the settings: how many people are near, how many shared items count half, and what the likeness of all is
// drawn to nought by.
type likeness struct{ people, items, pull float64 }

// newNearPeople knows the hosts, chooses the settings that predict some of them best by ten ratings of theirs and the
// others, and takes in the guests by what is known of them.
func newNearPeople(d *palate.Dataset, means *itemMeans, hosts, known []ratings, rng *rand.Rand) *nearPeople {
	n := &nearPeople{means: means, index: itemIndex(d)}
	for _, h := range hosts {
		row := slices.Repeat([]float64{math.NaN()}, d.NumItems())
		for _, g := range n.beside(h) {
			row[g.at] = g.stars
		}
		n.hosts = append(n.hosts, row)
	}
	type trial struct {
		self  int
		known []given
		items []int
		stars []float64
	}
	var trials []trial
	for _, u := range rng.Perm(len(hosts))[:min(100, len(hosts))] {
		own := slices.Clone(hosts[u])
		rng.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		cut := min(ratingsKnown, len(own))
		t := trial{self: u, known: n.beside(own[:cut])}
		for _, r := range own[cut:] {
			t.items, t.stars = append(t.items, n.index[r.item]), append(t.stars, r.stars)
		}
		trials = append(trials, t)
	}
	least := math.Inf(1)
	for _, people := range []float64{20, 50, 100, 200} {
		for _, items := range []float64{5, 20, 80} {
			for _, pull := range []float64{0.5, 2, 8, 32} {
				s := likeness{people, items, pull}
				var leads []float64
				for _, t := range trials {
					said := n.predict(t.known, t.items, s, t.self)
					for k := 1; k < len(said); k++ {
						if stars := t.stars[k] - t.stars[k-1]; stars != 0 {
							leads = append(leads, math.Copysign(1, stars)*(said[k]-said[k-1]))
						}
					}
				}
				if scale, loss := logisticScale(leads); loss < least {
					least, n.likeness, n.scale = loss, s, scale
				}
			}
		}
	}
	all := num.Indices(d.NumItems())
	for _, g := range known {
		n.guests = append(n.guests, n.predict(n.beside(g), all, n.likeness, -1))
	}
	return n
}

// beside is how far somebody's ratings are from the means of items, less their mean of that.
func (n *nearPeople) beside(own ratings) (out []given) {
	var level float64
	for _, r := range own {
		if i, ok := n.index[r.item]; ok {
			out = append(out, given{i, r.stars - n.means.mean[i]})
			level += r.stars - n.means.mean[i]
		}
	}
	for k := range out {
		out[k].stars -= level / float64(len(out))
	}
	return out
}

// predict returns what somebody would rate items, up to a constant, from what is known of them and the hosts but one.
func (n *nearPeople) predict(known []given, items []int, s likeness, but int) (said []float64) {
	type host struct {
		left []float64
		like float64
	}
	var near []host
	for h, left := range n.hosts {
		var xy, xx, yy, shared float64
		for _, g := range known {
			if x, y := g.stars, left[g.at]; !math.IsNaN(y) {
				xy, xx, yy, shared = xy+x*y, xx+x*x, yy+y*y, shared+1
			}
		}
		if xy > 0 && h != but {
			near = append(near, host{left, xy / math.Sqrt(xx*yy) * shared / (shared + s.items)})
		}
	}
	slices.SortStableFunc(near, func(a, b host) int { return cmp.Compare(b.like, a.like) })
	near = near[:min(len(near), int(s.people))]
	for _, i := range items {
		sum, weight := 0.0, s.pull
		for _, h := range near {
			if y := h.left[i]; !math.IsNaN(y) {
				sum, weight = sum+h.like*y, weight+h.like
			}
		}
		said = append(said, n.means.mean[i]+sum/weight)
	}
	return said
}

func (n *nearPeople) Prefer(user, left, right int) float64 {
	return 1 / (1 + math.Exp((n.guests[user][right]-n.guests[user][left])/n.scale))
}

func (n *nearPeople) Utility(user, item int) (mean, variance float64) { return n.guests[user][item], 0 }

// logisticScale is the scale at which the logistic of how far winners are ahead predicts best that they win, and the
// loss at it, in nats.
func logisticScale(leads []float64) (scale, loss float64) {
	var square float64
	for _, x := range leads {
		square += x * x
	}
	if square == 0 {
		return 1, math.Ln2
	}
	at := func(log float64) (sum float64) {
		for _, x := range leads {
			sum += math.Log1p(math.Exp(-x / math.Exp(log)))
		}
		return sum / float64(len(leads))
	}
	middle := 0.5 * math.Log(square/float64(len(leads)))
	lo, hi := middle-4, middle+4
	for hi-lo > 1e-3 { // the loss is convex in 1/scale: one valley
		a, b := lo+0.382*(hi-lo), lo+0.618*(hi-lo)
		if at(a) < at(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return math.Exp((lo + hi) / 2), at((lo + hi) / 2)
}
