package crowd

import (
	"math/rand/v2"
	"testing"

	"palate"
	"palate/gp"
)

// A voter who has seen very many items has tastes of their own for those compared
// most; the fit takes no more room than that, and the bound still rises.
func TestManyItems(t *testing.T) {
	const items = 700
	rng := rand.New(rand.NewPCG(1, 1))
	var tallies []palate.Tally
	for k := range 600 {
		tallies = append(tallies, palate.Tally{User: 0, A: k, B: k + 1, Weight: 1})
		if k >= 250 && k < 600 { // compared more often
			tallies = append(tallies, palate.Tally{User: 0, A: k, B: 650, Weight: 2})
		}
	}
	for u := 1; u < 4; u++ {
		for range 5 {
			a := rng.IntN(items)
			tallies = append(tallies, palate.Tally{User: u, A: a, B: (a + 1) % items, Weight: 1})
		}
	}
	v := mustVotes(t, items, tallies)
	o := &Options{Factors: 1, MaxSweeps: 3, Tolerance: -1}
	l := mustFit(t, v, gp.White(items), o)
	w, _ := l.weights(0)
	if n := len(w) - l.c; n != mostOwn {
		t.Errorf("%d items with a taste of the voter's own", n)
	}
	own := l.ownItem[l.ownStart[0]:l.ownStart[1]]
	if own[len(own)-1] != 650 {
		t.Errorf("the item compared most is not among them: the last is %d", own[len(own)-1])
	}
	for k := 1; k < len(l.Trace); k++ {
		if l.Trace[k] < l.Trace[k-1]-1e-9 {
			t.Errorf("sweep %d lowers the bound from %.12g to %.12g", k+1, l.Trace[k-1], l.Trace[k])
		}
	}
}
