package population

import "palate/internal/num"

// PreferTo sets dst to what Prefer says of pairs, at once: what concerns an item alone is
// found once for all its pairs.
func (b Blend) PreferTo(dst []float64, left, right []int) {
	clear(dst)
	items, at := distinct(left, right)
	a, z := make([]int, len(left)), make([]int, len(left))
	for k := range left {
		a[k], z[k] = at[left[k]], at[right[k]]
	}
	for _, q := range b {
		t := q.tabled(items)
		for k := range dst {
			mean, variance := t.difference(a[k], z[k])
			dst[k] += q.Weight * Prefer(q.Win, mean, variance)
		}
	}
}

// distinct lists items in the order of their first use, and their places in the list.
func distinct(lists ...[]int) (items []int, at map[int]int) {
	at = map[int]int{}
	for _, list := range lists {
		for _, i := range list {
			if _, ok := at[i]; !ok {
				at[i] = len(items)
				items = append(items, i)
			}
		}
	}
	return items, at
}

// tabled is a posterior at some items: their means and variances, their covariances c with
// the person's items, and Wc.
type tabled struct {
	*Posterior
	items          []int
	mean, variance []float64
	c, wc          []float64 // m a row
}

func (q *Posterior) tabled(items []int) *tabled {
	n, m := len(items), len(q.items)
	t := &tabled{q, items, make([]float64, n), make([]float64, n), make([]float64, n*m), make([]float64, n*m)}
	for k, i := range items {
		c, wc := t.c[k*m:(k+1)*m], t.wc[k*m:(k+1)*m]
		for j, o := range q.items {
			c[j] = q.prior.Cov(i, int(o))
		}
		t.mean[k], t.variance[k] = q.prior.Mean(q.person, i), q.prior.Cov(i, i)
		if m > 0 {
			num.SymVec(wc, q.info, c, m)
			t.mean[k] += num.Dot(c, q.pull)
			t.variance[k] -= num.Dot(c, wc)
		}
	}
	return t
}

// difference is Difference of two of the items, by their places.
func (t *tabled) difference(a, b int) (mean, variance float64) {
	m := len(t.Posterior.items)
	cov := t.prior.Cov(t.items[a], t.items[b])
	if m > 0 {
		cov -= num.Dot(t.c[a*m:(a+1)*m], t.wc[b*m:(b+1)*m])
	}
	full := t.variance[a] + t.variance[b]
	return t.mean[a] - t.mean[b], max(full-2*cov, 1e-12*full)
}
