package infer

import (
	"math"

	"palate/gp"
	"palate/likelihood"
)

// besides returns the problem on a graph in which every group of rows has items of its
// own: each is the shared one with an addition of variance own, and where a group meets
// a pair, the first of the two has another addition, of variance repeat, in all rows of
// that pair. They are further items of which nothing is known but how far they are from
// the others, which Gaussian rows say that come after those of p. Rows of group −1 stay as they are. It
// returns the sites of the Gaussian rows too.
func besides(p *Problem, group []int, own, repeat float64) (*Problem, []gp.Site) {
	n, rows := p.Prior.Len(), p.Rows.Len()
	out := *p
	out.Rows = &gp.Rows{}
	var near gp.Rows // the Gaussian rows
	var links []likelihood.Scalar
	var sites []gp.Site
	next := n
	beside := func(item int, v float64) int {
		near.AppendPair(next, item)
		links, sites = append(links, likelihood.Gaussian{Sd: math.Sqrt(v)}), append(sites, gp.Site{Tau: 1 / v})
		next++
		return next - 1
	}
	item, pair := map[int]int{}, map[[2]int]int{}
	for r := range rows {
		index, coef := p.Rows.Row(r)
		if group[r] < 0 {
			out.Rows.Append(index, coef)
			continue
		}
		if r == 0 || group[r-1] != group[r] {
			clear(item)
			clear(pair)
		}
		at := [2]int{min(index[0], index[1]), max(index[0], index[1])}
		key := at
		if own > 0 {
			for k, i := range at {
				if _, ok := item[i]; !ok {
					item[i] = beside(i, own)
				}
				at[k] = item[i]
			}
		}
		if repeat > 0 {
			if _, ok := pair[key]; !ok {
				pair[key] = beside(at[0], repeat)
			}
			at[0] = pair[key]
		}
		if index[0] > index[1] {
			at[0], at[1] = at[1], at[0]
		}
		out.Rows.Append(at[:], coef)
	}
	for r := range near.Len() {
		out.Rows.Append(near.Row(r))
	}
	out.Likelihood = append(append(make([]likelihood.Scalar, 0, rows+len(links)), p.Likelihood...), links...)
	if p.Count != nil {
		out.Count = append(make([]float64, 0, rows+len(links)), p.Count...)
		for range links {
			out.Count = append(out.Count, 1)
		}
	}
	out.Prior = p.Prior.Beside(next - n)
	return &out, sites
}
