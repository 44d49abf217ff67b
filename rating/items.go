package rating

import (
	"math"

	"palate/internal/num"
)

// regress finds every item given what is known of people: ratings as their sites have them are
// Gaussian in μ_i and V_i, with people's means and covariances for what they are multiplied
// by. Items that votes compare are found one after the other. What stays open of an item is by
// what people were found to be alone: where little is known of somebody, a rating tells little
// of the factors.
func (f *Fit) regress() {
	r, q := f.rows, 1+f.Factors
	second := make([]float64, r.people*q*q) // of (1, w)
	cross := make([]float64, r.people*q)    // of (1, w) and o
	num.Parallel(r.people, 16, func(from, to int) {
		for u := from; u < to; u++ {
			mean, cov := f.Mean[u*q:(u+1)*q], f.Cov[u*q*q:(u+1)*q*q]
			s, x := second[u*q*q:(u+1)*q*q], cross[u*q:(u+1)*q]
			o := q - 1
			s[0], x[0] = 1, mean[o]
			for a := range o {
				s[(1+a)*q], s[1+a] = mean[a], mean[a]
				x[1+a] = cov[a*q+o] + mean[a]*mean[o]
				for b := range o {
					s[(1+a)*q+1+b] = cov[a*q+b] + mean[a]*mean[b]
				}
			}
		}
	})
	each := func(from, to int) {
		prec, right, cov := make([]float64, q*q), make([]float64, q), make([]float64, q*q)
		known, seen := make([]float64, q*q), make([]float64, q)
		seen[0] = 1
		for i := from; i < to; i++ {
			clear(prec)
			clear(right)
			prec[0] = 1 / f.Prior
			for c, a := range f.Relevance {
				prec[(1+c)*(q+1)] = a
			}
			copy(known, prec)
			for _, p := range r.of[i] {
				u := int(r.user[p])
				s := second[u*q*q : (u+1)*q*q]
				t, n := r.weight[p]*f.tau[p], r.weight[p]*f.nu[p]
				o := int(r.other[p])
				if o == i { // it is the second of the two
					n, o = -n, int(r.item[p])
				}
				copy(seen[1:], f.Mean[u*q:(u+1)*q-1])
				for a := range q {
					row, also, x := prec[a*q:a*q+a+1], known[a*q:a*q+a+1], t*seen[a]
					for b := range row {
						row[b] += t * s[a*q+b]
						also[b] += x * seen[b]
					}
					right[a] += n * s[a*q]
				}
				if o < 0 {
					num.Axpy(-t, cross[u*q:(u+1)*q], right)
					continue
				}
				other := f.Items[o*q : (o+1)*q]
				for a := range q {
					right[a] += t * num.Dot(s[a*q:(a+1)*q], other)
				}
			}
			if _, ok := num.Invert(cov, prec, q); !ok {
				continue
			}
			num.Mirror(cov, q)
			num.SymVec(f.Items[i*q:(i+1)*q], cov, right, q)
			if open := f.Open[i*q*q : (i+1)*q*q]; inverted(open, known, q) {
				num.Mirror(open, q)
			}
		}
	}
	if r.voted {
		each(0, r.items)
	} else {
		num.Parallel(r.items, 8, each)
	}
}

func inverted(dst, a []float64, n int) bool {
	_, ok := num.Invert(dst, a, n)
	return ok
}

// What is expected of the variances of offsets and of μ, as two people and two items would say it.
const typicalOffset, typicalPrior = 0.3, 0.7

// relearn sets ω², a and α to what is known of people and items.
func (f *Fit) relearn() {
	r, q := f.rows, 1+f.Factors
	if r.rated {
		var sum float64
		for u := range r.people {
			m := f.Mean[u*q+q-1]
			sum += m*m + f.Cov[(u+1)*q*q-1]
		}
		f.Offset = min(max((sum+2*typicalOffset)/(float64(r.people)+2), leastVariance), mostVariance)
	}
	var sum float64
	known := make([]float64, f.Factors)
	size := make([]float64, f.Factors)
	for i := range r.items {
		b, open := f.Items[i*q:(i+1)*q], f.Open[i*q*q:(i+1)*q*q]
		sum += b[0]*b[0] + open[0]
		for c, a := range f.Relevance {
			known[c] += 1 - a*open[(1+c)*(q+1)]
			size[c] += b[1+c] * b[1+c]
		}
	}
	f.Prior = min(max((sum+2*typicalPrior)/(float64(r.items)+2), leastVariance), mostVariance)
	for c := range f.Relevance {
		f.Relevance[c] = max((max(known[c], 1e-3)+0.1)/(size[c]+0.001), leastRelevance)
	}
}

// expand makes people's mean nought and their spread along factors one, by moving and
// stretching what is known of items, which changes nothing that is said of anybody: what
// offsets share with factors is of all items alike.
func (f *Fit) expand() {
	r, q := f.rows, 1+f.Factors
	o := q - 1
	centre, second, n := make([]float64, q), make([]float64, q*q), 0.0
	for u := range r.people {
		if r.start[u] == r.start[u+1] {
			continue
		}
		n++
		num.Axpy(1, f.Mean[u*q:(u+1)*q], centre)
	}
	for c := range centre {
		centre[c] /= n
	}
	for u := range r.people {
		if r.start[u] == r.start[u+1] {
			continue
		}
		m, cov := f.Mean[u*q:(u+1)*q], f.Cov[u*q*q:(u+1)*q*q]
		for a := range q {
			for b := range a + 1 {
				second[a*q+b] += (cov[a*q+b] + (m[a]-centre[a])*(m[b]-centre[b])) / n
			}
		}
	}
	if _, ok := num.Factor(second, q); !ok { // L: its last row is what the offset shares, and its own deviation
		return
	}
	for i := range r.items {
		b := f.Items[i*q : (i+1)*q]
		b[0] += centre[o]
		for c := range o {
			b[0] += b[1+c] * centre[c]
		}
		for c := range o { // V ← VL and what the offset shares; L is lower
			var sum float64
			for a := c; a < o; a++ {
				sum += b[1+a] * second[a*q+c]
			}
			b[1+c] = sum + second[o*q+c]
		}
	}
	// People in the new coordinates, g = centre + Lg′.
	for u := range r.people {
		m, cov := f.Mean[u*q:(u+1)*q], f.Cov[u*q*q:(u+1)*q*q]
		if r.start[u] == r.start[u+1] {
			continue
		}
		for a := range q {
			m[a] -= centre[a]
		}
		forward(second, m, q, 1, o)
		for b := range q {
			forward(second, cov[b:], q, q, o)
		}
		for b := range q {
			forward(second, cov[b*q:], q, 1, o)
		}
	}
	f.Offset = min(max(second[q*q-1]*second[q*q-1], leastVariance), mostVariance)
}

// forward solves L′x = b in place for every step-th number of b, where L′ is the factor with
// one for the last of its diagonal: offsets keep their unit.
func forward(l, b []float64, q, step, o int) {
	for a := range q {
		sum := b[a*step]
		for c := range a {
			sum -= l[a*q+c] * b[c*step]
		}
		if a < o {
			sum /= l[a*q+a]
		}
		b[a*step] = sum
	}
}

// prune leaves out factors that items hardly have.
func (f *Fit) prune() {
	r, q := f.rows, 1+f.Factors
	var keep []int
	for c := range f.Relevance {
		var size float64
		for i := range r.items {
			size += f.Items[i*q+1+c] * f.Items[i*q+1+c]
		}
		if math.Sqrt(size/float64(r.items)) > leastFactor {
			keep = append(keep, c)
		}
	}
	if len(keep) == f.Factors {
		return
	}
	at := []int{0}
	for _, c := range keep {
		at = append(at, 1+c)
	}
	person := append(append([]int(nil), keep...), q-1)
	f.Items, f.Open = chosen(f.Items, q, at, false), chosen(f.Open, q, at, true)
	f.Mean, f.Cov = chosen(f.Mean, q, person, false), chosen(f.Cov, q, person, true)
	relevance := make([]float64, len(keep))
	for k, c := range keep {
		relevance[k] = f.Relevance[c]
	}
	f.Relevance, f.Factors = relevance, len(keep)
}

// leastFactor is the root mean square of a factor over the items below which it goes.
const leastFactor = 0.02

// chosen keeps some coordinates of rows of q, or of q×q.
func chosen(x []float64, q int, at []int, square bool) (out []float64) {
	if !square {
		for i := 0; i < len(x); i += q {
			for _, a := range at {
				out = append(out, x[i+a])
			}
		}
		return out
	}
	for i := 0; i < len(x); i += q * q {
		for _, a := range at {
			for _, b := range at {
				out = append(out, x[i+a*q+b])
			}
		}
	}
	return out
}
