package check

import (
	"math"
	"math/rand/v2"
)

// order is what the votes are held to: one utility for all, by which the left item wins
// with the chance σ(u_left − u_right) and every vote is on its own (Bradley, Terry 1952).
type order struct {
	u        []float64
	variance []float64 // of u, roughly
	ridge    float64   // λ of the penalty ½λ‖u‖²
	// Voters may have tastes of this standard deviation beside u, and answer a pair that
	// they meet again as before with this chance.
	taste, memory float64
}

// fitOrder finds the most likely utilities, under a ridge that follows from their size.
func fitOrder(b *ballots) *order {
	n := len(b.items)
	o := &order{u: make([]float64, n), ridge: 1}
	for range 50 {
		o.fit(b, b.y)
		var size float64
		for i, h := range o.information(b) {
			size += o.u[i]*o.u[i] + 1/h
		}
		before := o.ridge
		o.ridge = min(max(float64(n)/size, 0.05), 20)
		if math.Abs(o.ridge-before) < 0.01*before {
			break
		}
	}
	o.fit(b, b.y)
	for _, h := range o.information(b) {
		o.variance = append(o.variance, 1/h)
	}
	return o
}

// information is the diagonal of the curvature at the utilities.
func (o *order) information(b *ballots) []float64 {
	h := make([]float64, len(o.u))
	for i := range h {
		h[i] = o.ridge
	}
	for k := range b.y {
		p := sigmoid(o.u[b.left[k]] - o.u[b.right[k]])
		h[b.left[k]] += p * (1 - p)
		h[b.right[k]] += p * (1 - p)
	}
	return h
}

// fit climbs to the most likely utilities for the answers y from where they are, by
// Newton's steps, each by conjugate gradients.
func (o *order) fit(b *ballots, y []float64) {
	n := len(o.u)
	g, diag, w := make([]float64, n), make([]float64, n), make([]float64, len(y))
	step, r, z, dir, image := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for range 50 {
		for i, u := range o.u {
			g[i], diag[i] = -o.ridge*u, o.ridge
		}
		for k := range y {
			l, q := b.left[k], b.right[k]
			p := sigmoid(o.u[l] - o.u[q])
			w[k] = p * (1 - p)
			g[l] += y[k] - p
			g[q] -= y[k] - p
			diag[l] += w[k]
			diag[q] += w[k]
		}
		var rz, start float64
		for i := range n {
			step[i], r[i] = 0, g[i]
			z[i] = r[i] / diag[i]
			dir[i] = z[i]
			rz += r[i] * z[i]
		}
		start = rz
		for turn := 0; turn < 200 && rz > 1e-6*start && rz > 1e-14; turn++ {
			for i := range n {
				image[i] = o.ridge * dir[i]
			}
			for k := range y {
				t := w[k] * (dir[b.left[k]] - dir[b.right[k]])
				image[b.left[k]] += t
				image[b.right[k]] -= t
			}
			var along float64
			for i := range n {
				along += dir[i] * image[i]
			}
			a, before := rz/along, rz
			rz = 0
			for i := range n {
				step[i] += a * dir[i]
				r[i] -= a * image[i]
				z[i] = r[i] / diag[i]
				rz += r[i] * z[i]
			}
			for i := range n {
				dir[i] = z[i] + rz/before*dir[i]
			}
		}
		var longest float64
		for _, s := range step {
			longest = max(longest, math.Abs(s))
		}
		for i, s := range step {
			o.u[i] += s * min(1, 2/longest) // beyond, chances are far from those of the step
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
		p[k] = sigmoid(o.u[b.left[k]] - o.u[b.right[k]])
	}
	return p
}

// answers draws the answers that voters would give to the same questions. What is not
// known of utilities takes chances towards a half: without it few votes, which suit their
// own utilities too well, would be answered too surely.
func (o *order) answers(b *ballots, rng *rand.Rand) []float64 {
	y := make([]float64, len(b.y))
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
		d := scale * (o.u[l] - o.u[r]) / math.Sqrt(1+math.Pi/8*(o.variance[l]+o.variance[r]))
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
