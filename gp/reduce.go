package gp

// reduced returns the precision of the first n items and some others, in which what lies
// between them as a chain is one pair: what the first n have together is the same. An
// item that no row tells of alone, and that two pairs join to others, adds their
// variances.
func (l *Laplacian) reduced(n int) *Laplacian {
	place := make([]int, len(l.diag)) // in the result; −1: within a chain, or loose
	kept := n
	for i := range place {
		place[i] = i
		if i >= n {
			if place[i] = -1; len(l.endsOf(i)) > 2 || l.base[i] > 0 {
				place[i] = kept
				kept++
			}
		}
	}
	var rows Rows
	var sites []Site
	for i, from := range place {
		if from < 0 {
			continue
		}
		for _, e := range l.endsOf(i) {
			// Along the chain to the next that is kept.
			var v float64
			at, pair := int(e.other), e.pair
			for v += 1 / l.tau[pair]; place[at] < 0; v += 1 / l.tau[pair] {
				ends := l.endsOf(at)
				if len(ends) < 2 {
					break
				}
				next := ends[0]
				if next.pair == pair {
					next = ends[1]
				}
				at, pair = int(next.other), next.pair
			}
			if to := place[at]; to > from { // each is found from both ends
				rows.AppendPair(from, to)
				sites = append(sites, Site{Tau: 1 / v})
			}
		}
	}
	prec := make([]float64, kept)
	for i, to := range place {
		if to >= 0 {
			prec[to] = l.base[i]
		}
	}
	return NewComparisons(kept, &rows).Laplacian(prec, sites, nil)
}
