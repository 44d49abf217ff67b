package model

import (
	"math"

	"palate/internal/num"

	"palate"
)

// A covariate of which no more than leftOver is left, by its square, when what the items,
// the side and other covariates tell of it is taken out is confounded with them. Where
// items tell more than mostlyItems of it that is remarked on.
const (
	leftOver    = 1e-6
	mostlyItems = 0.9
)

// told leaves out covariates that cannot be told from the items, the side or others before
// them, and says so.
func (c *covariates) told(d *palate.Dataset, all []column, counted, sided []bool) (out []column) {
	left := make([]float64, len(counted))
	for k := range left {
		left[k] = indicator(counted[k] && sided[k])
	}
	i := newIncidence(d)
	var before [][]float64 // without what items tell, of length 1 and at right angles
	rest := func(x []float64) (share float64, kept bool) {
		square := num.Dot(x, x)
		i.without(x)
		share = num.Dot(x, x) / square
		for range 2 { // once more for what rounding leaves
			for _, b := range before {
				by := num.Dot(x, b)
				for k, v := range b {
					x[k] -= by * v
				}
			}
		}
		norm := math.Sqrt(num.Dot(x, x))
		if kept = norm*norm > leftOver*square; kept {
			for k := range x {
				x[k] /= norm
			}
			before = append(before, x)
		}
		return share, kept
	}
	if num.Dot(left, left) > 0 {
		rest(left)
	}
	for _, one := range all {
		x := make([]float64, len(one.x))
		for k, v := range one.x {
			if !one.OfVote || sided[k] {
				x[k] = v
			}
		}
		switch share, kept := rest(x); {
		case share < leftOver && one.OfVote:
			c.remark("%s goes with the items and their sides alone: it cannot be told from what the items are worth, and was left out", one.Name)
		case share < leftOver:
			c.remark("%s is always the same for an item: it cannot be told from what the items are worth, and was left out", one.Name)
		case !kept:
			c.remark("%s goes with the side and the other properties alone: it cannot be told from them, and was left out", one.Name)
		default:
			if share < 1-mostlyItems {
				c.remark("%.0f%% of the differences in %s are between the items themselves: only the rest tells what it is worth", 100*math.Min(1-share, 0.99), one.Name)
			}
			out = append(out, one)
		}
	}
	return out
}

// incidence is which items votes are between, the left one less the right one.
type incidence struct {
	left, right []int // of every vote; −1: it does not count
	degree      []float64
}

func newIncidence(d *palate.Dataset) *incidence {
	i := &incidence{degree: make([]float64, d.NumItems())}
	for _, v := range d.Votes() {
		if v.Outcome == palate.Skip {
			v.Left, v.Right = -1, -1
		} else {
			i.degree[v.Left]++
			i.degree[v.Right]++
		}
		i.left, i.right = append(i.left, v.Left), append(i.right, v.Right)
	}
	return i
}

// without takes out of x what differences between items tell of it, by least squares:
// conjugate gradients on the normal equations, under their diagonal.
func (i *incidence) without(x []float64) {
	const rounds, enough = 500, 1e-20
	n := len(i.degree)
	r, p, step := make([]float64, n), make([]float64, n), make([]float64, len(x))
	gather := func() (sum float64) {
		clear(r)
		for k, l := range i.left {
			if l < 0 {
				x[k] = 0
				continue
			}
			r[l] += x[k]
			r[i.right[k]] -= x[k]
		}
		for a, v := range r {
			if i.degree[a] > 0 {
				sum += v * v / i.degree[a]
			}
		}
		return sum
	}
	last := gather()
	start := num.Dot(x, x)
	for round := 0; round < rounds && last > enough*start; round++ {
		for a, v := range r {
			if i.degree[a] > 0 {
				p[a] += v / i.degree[a]
			}
		}
		var along float64
		for k, l := range i.left {
			if l >= 0 {
				step[k] = p[l] - p[i.right[k]]
				along += step[k] * step[k]
			}
		}
		if along == 0 {
			return
		}
		for k, s := range step {
			x[k] -= last / along * s
		}
		next := gather()
		for a := range p {
			p[a] *= next / last
		}
		last = next
	}
}
