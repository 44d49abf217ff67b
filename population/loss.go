package population

import (
	"context"
	"math"

	"palate"
	"palate/likelihood"
)

// Loss returns the mean loss of votes that were not learnt from, in nats, of those people
// who were; NaN where there are none.
func (f *Family) Loss(ctx context.Context, heldOut []palate.Tally) (float64, error) {
	p := f.People()
	person := make(map[int]int, p.Len())
	for k := range p.Len() {
		person[p.Owner(k)] = k
	}
	var loss, weight float64
	var of Blend
	last := -1
	for _, t := range heldOut {
		k, ok := person[t.User]
		if !ok {
			continue
		}
		if k != last {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
			var err error
			if of, err = f.Posterior(k); err != nil {
				return 0, err
			}
			last = k
		}
		var chance, shown float64
		if f.Leans != nil {
			shown = f.Leans.Of[k] * float64(t.Side)
		}
		at := 0
		for _, m := range f.Members {
			l := Voting(m.Threshold)(Observation{Tie: t.Tie, Power: 1})
			for range m.Classes {
				mean, variance := of[at].Difference(t.A, t.B)
				chance += of[at].Weight * math.Exp(likelihood.Tilt(l, mean+shown, variance).LogZ)
				at++
			}
		}
		loss -= t.Weight * math.Log(chance)
		weight += t.Weight
	}
	return loss / weight, nil
}
