package explain

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/model"
)

// Change is what setting one feature of an item to another value would do to its utility, by what
// other items with that value are liked for.
type Change struct {
	Feature Feature
	From    string // as the item is
	To      Setting
	Gain    Estimate
	Chance  float64 // that it is a gain
}

// Better returns of every feature with values of its own the one of them, among those that items
// have, that raises the utility of an item most, the largest gain first. Features of which the item
// has the best value already are left out.
func Better(ctx context.Context, m model.Featured, features []Feature, item int, o *Options) ([]Change, error) {
	x := m.Features()
	is := x.RawRowView(item)
	var out []Change
	for _, f := range features {
		at := f.settings(x, m.ItemID)
		if !f.Scalar() && f.Categories == nil || len(at) < 2 {
			continue
		}
		rows := slices.Clone(is)
		for _, s := range at {
			row := slices.Clone(is)
			copy(row[f.first:], s.block)
			rows = append(rows, row...)
		}
		g, err := m.PartialDependence(ctx, mat.NewDense(1+len(at), len(is), rows), 1, f.columns())
		if err != nil {
			return nil, err
		}
		best := 0
		for k := range at {
			if g.Mean[1+k] > g.Mean[best] {
				best = 1 + k
			}
		}
		if best == 0 || slices.Equal(at[best-1].block, is[f.first:f.first+f.width]) {
			continue
		}
		gain := g.Mean[best] - g.Mean[0]
		sd := math.Sqrt(max(g.Cov.At(best, best)+g.Cov.At(0, 0)-2*g.Cov.At(best, 0), 0))
		out = append(out, Change{
			Feature: f, From: f.Label(is[f.first : f.first+f.width]), To: at[best-1],
			Gain: Estimate{gain, gain - o.z()*sd, gain + o.z()*sd}, Chance: num.Phi(gain / max(sd, 1e-300)),
		})
	}
	slices.SortFunc(out, func(a, b Change) int {
		return cmp.Or(cmp.Compare(b.Gain.Value, a.Gain.Value), cmp.Compare(a.Feature.Name, b.Feature.Name))
	})
	return out, nil
}
