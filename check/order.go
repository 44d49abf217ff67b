package check

import (
	"math"
	"math/rand/v2"
	"slices"
)

// order is what the votes are held to: one utility for all, by which the left item wins
// with the chance σ(u_left − u_right) and every vote is on its own (Bradley, Terry 1952).
type order struct {
	u        []float64
	variance []float64 // of u, roughly
	ridge    float64   // λ of the penalty ½λ‖u‖², and of that of rates
	// Voters may have tastes of this standard deviation beside u, and answer a pair that
	// they meet again as before with this chance.
	taste, memory float64
	// Utilities may move: item i has u[i] + since·rate[i], where since is how much of the
	// whole time lies between a vote and the one end at which utilities are u. Without rates
	// they stay.
	rate  []float64
	since []float64 // by vote
}

// fitOrder finds the most likely utilities, under a ridge that follows from their size.
func fitOrder(b *ballots) *order {
	n := len(b.items)
	o := &order{u: make([]float64, n), ridge: 1}
	for range 50 {
		o.fit(b, b.y)
		var size float64
		for i, h := range o.information(b) {
			size += o.u[i]*o.u[i] + 1/h[0]
		}
		before := o.ridge
		o.ridge = min(max(float64(n)/size, 0.05), 20)
		if math.Abs(o.ridge-before) < 0.01*before {
			break
		}
	}
	o.fit(b, b.y)
	for _, h := range o.information(b) {
		o.variance = append(o.variance, 1/h[0])
	}
	return o
}

// moving is the order with utilities that move steadily from u at the time from, −1 for the
// first vote or 1 for the last. Rates may be as large as utilities at that end, and
// utilities in the middle of the time as those that stay: only what moves tells the two
// orders apart, not how far items are from each other.
func (o *order) moving(b *ballots, from float64) *order {
	m := &order{u: slices.Clone(o.u), ridge: o.ridge * (1 + 1.0/4), rate: make([]float64, len(o.u)), since: make([]float64, len(b.y))}
	for k, t := range b.when {
		m.since[k] = (t - from) / 2
	}
	return m
}

// lead is that of the left item of a vote over the right one.
func (o *order) lead(b *ballots, k int) float64 {
	l, r := b.left[k], b.right[k]
	d := o.u[l] - o.u[r]
	if o.rate != nil {
		d += o.since[k] * (o.rate[l] - o.rate[r])
	}
	return d
}

// information is the part of the curvature that is each item's own: of u, of its rate, and
// between the two.
func (o *order) information(b *ballots) [][3]float64 {
	h := make([][3]float64, len(o.u))
	for i := range h {
		h[i] = [3]float64{o.ridge, o.ridge, 0}
	}
	for k := range b.y {
		p := sigmoid(o.lead(b, k))
		w := p * (1 - p)
		for _, i := range [2]int32{b.left[k], b.right[k]} {
			h[i][0] += w
			if o.rate != nil {
				h[i][1] += w * o.since[k] * o.since[k]
				h[i][2] += w * o.since[k]
			}
		}
	}
	return h
}

// evidence is the logarithm of the chance of the answers y, to which the order was fitted,
// averaged over all utilities and rates (by Laplace's method, each item's curvature as if it
// were alone).
func (o *order) evidence(b *ballots, y []float64) (log float64) {
	for k := range y {
		d := o.lead(b, k)
		log += (y[k]-0.5)*d - math.Abs(d)/2 - math.Log1p(math.Exp(-math.Abs(d)))
	}
	for i, h := range o.information(b) {
		log -= 0.5 * (o.ridge*o.u[i]*o.u[i] + math.Log((h[0]*h[1]-h[2]*h[2])/(o.ridge*o.ridge)))
		if o.rate != nil {
			log -= 0.5 * o.ridge * o.rate[i] * o.rate[i]
		}
	}
	return log
}

// fit climbs to the most likely utilities, and rates if they move, for the answers y from
// where they are, by Newton's steps, each by conjugate gradients.
func (o *order) fit(b *ballots, y []float64) {
	n := len(o.u)
	all := n + len(o.rate)
	g, diag, w := make([]float64, all), make([]float64, all), make([]float64, len(y))
	step, r, z, dir, image := make([]float64, all), make([]float64, all), make([]float64, all), make([]float64, all), make([]float64, all)
	// add adds what a vote says to what is known of its items.
	add := func(to []float64, k int, x float64) {
		l, q := b.left[k], b.right[k]
		to[l] += x
		to[q] -= x
		if o.rate != nil {
			to[n+int(l)] += o.since[k] * x
			to[n+int(q)] -= o.since[k] * x
		}
	}
	for range 50 {
		for i, u := range o.u {
			g[i], diag[i] = -o.ridge*u, 0
		}
		for i, u := range o.rate {
			g[n+i], diag[n+i] = -o.ridge*u, 0
		}
		for k := range y {
			p := sigmoid(o.lead(b, k))
			w[k] = p * (1 - p)
			add(g, k, y[k]-p)
		}
		for i, h := range o.information(b) {
			if diag[i] = h[0]; o.rate != nil {
				diag[n+i] = h[1]
			}
		}
		var rz, start float64
		for i := range all {
			step[i], r[i] = 0, g[i]
			z[i] = r[i] / diag[i]
			dir[i] = z[i]
			rz += r[i] * z[i]
		}
		start = rz
		for turn := 0; turn < 200 && rz > 1e-6*start && rz > 1e-14; turn++ {
			for i := range all {
				image[i] = o.ridge * dir[i]
			}
			for k := range y {
				l, q := int(b.left[k]), int(b.right[k])
				d := dir[l] - dir[q]
				if o.rate != nil {
					d += o.since[k] * (dir[n+l] - dir[n+q])
				}
				add(image, k, w[k]*d)
			}
			var along float64
			for i := range all {
				along += dir[i] * image[i]
			}
			a, before := rz/along, rz
			rz = 0
			for i := range all {
				step[i] += a * dir[i]
				r[i] -= a * image[i]
				z[i] = r[i] / diag[i]
				rz += r[i] * z[i]
			}
			for i := range all {
				dir[i] = z[i] + rz/before*dir[i]
			}
		}
		var longest float64
		for _, s := range step {
			longest = max(longest, math.Abs(s))
		}
		for i, s := range step {
			s *= min(1, 2/longest) // beyond, chances are far from those of the step
			if i < n {
				o.u[i] += s
			} else {
				o.rate[i-n] += s
			}
		}
		if longest < 1e-3 {
			return
		}
	}
}

// chances returns that of the left item of every vote, by what all share.
func (o *order) chances(b *ballots) []float64 {
	p := make([]float64, len(b.y))
	for k := range p {
		p[k] = sigmoid(o.lead(b, k))
	}
	return p
}

// answers draws the answers that voters would give to the same questions, by utilities that
// are drawn, too, as far as they are not known: the most likely ones spread too little, and
// few votes suit them too well.
func (o *order) answers(b *ballots, rng *rand.Rand) []float64 {
	y, drawn := make([]float64, len(b.y)), make([]float64, len(o.u))
	for i, v := range o.variance {
		drawn[i] = o.u[i] + math.Sqrt(v)*rng.NormFloat64()
	}
	own, whose := make([]float64, len(o.u)), make([]int32, len(o.u)) // tastes of the voter at hand
	// Tastes are noise to all others: their chances stay as they are. The logistic of a
	// normal with variance v has the mean σ(m/√(1 + πv/8)), nearly.
	scale := math.Sqrt(1 + math.Pi/4*o.taste*o.taste)
	taste := func(user, i int32) float64 {
		if whose[i] != user+1 {
			own[i], whose[i] = o.taste*rng.NormFloat64(), user+1
		}
		return own[i]
	}
	for k := range y {
		l, r, user := b.left[k], b.right[k], b.user[k]
		d := scale * (drawn[l] - drawn[r])
		if o.taste > 0 && user >= 0 {
			d += taste(user, l) - taste(user, r)
		} else {
			d /= scale
		}
		if rng.Float64() < sigmoid(d) {
			y[k] = 1
		}
	}
	if o.memory > 0 {
		for _, m := range b.meetings {
			for k := m.from + 1; k < m.to; k++ {
				if rng.Float64() < o.memory {
					y[k] = y[m.from]
					if b.left[k] != b.left[m.from] {
						y[k] = 1 - y[k]
					}
				}
			}
		}
	}
	return y
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
