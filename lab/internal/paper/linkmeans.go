package paper

import (
	"cmp"
	"fmt"
	"io"
	"slices"
)

// WriteLinkMeans writes, for each model, the mean MAP of its policies over all numbers of pairs that are reported and
// all tables, which are of one set with different shares of wrong answers: by this the default policy was chosen.
func WriteLinkMeans(w io.Writer, tables []*LinkTable) error {
	type mean struct {
		model, policy string
		each          []float64 // by table
		all           float64
	}
	var means []mean
	for _, c := range tables[0].Curves {
		m := mean{model: c.Model, policy: c.Policy}
		for _, t := range tables {
			if k := t.find(c.Model, c.Policy); k != nil {
				m.each = append(m.each, t.overall(k))
			}
		}
		if len(m.each) < len(tables) {
			continue // not run with noise
		}
		for _, x := range m.each {
			m.all += x / float64(len(tables))
		}
		means = append(means, m)
	}
	slices.SortStableFunc(means, func(a, b mean) int { return cmp.Compare(b.all, a.all) })
	fmt.Fprintf(w, "%s: mean MAP over all numbers of pairs\n\n  %-12s %-12s", tables[0].Data, "model", "policy")
	for _, t := range tables {
		fmt.Fprintf(w, " %4.0f%% wrong", 100*t.Noise)
	}
	fmt.Fprintln(w, "   all")
	for _, m := range means {
		fmt.Fprintf(w, "  %-12s %-12s", m.model, m.policy)
		for _, x := range m.each {
			fmt.Fprintf(w, "      %.3f", x)
		}
		fmt.Fprintf(w, "   %.3f\n", m.all)
	}
	_, err := fmt.Fprintln(w)
	return err
}

// overall is the mean of a curve over what is reported of it.
func (t *LinkTable) overall(c *Curve) (mean float64) {
	n := 0.0
	for m, pairs := range t.Marks {
		if reported(pairs) {
			mean += t.mean(c, m)
			n++
		}
	}
	return mean / n
}
