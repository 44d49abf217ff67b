package crowd

import "testing"

// In batches memory grows with the votes, and with nothing else of them; whole
// sweeps have a covariance of every voter besides.
func TestMemory(t *testing.T) {
	const items, weights = 2000, 20
	o := &Options{Factors: 5, Stochastic: &Stochastic{Batch: 50}}
	few, many := mustVotes(t, items, draw(1, 500, items, 20, false)), mustVotes(t, items, draw(1, 1000, items, 20, false))
	a, b := Memory(few, weights, o), Memory(many, weights, o)
	if !(b > a && b < 2*a) {
		t.Errorf("%.2f MB for 500 voters, %.2f MB for 1000", a/1e6, b/1e6)
	}
	if whole := Memory(many, weights, &Options{Factors: 5}); !(whole > 2*b) {
		t.Errorf("%.2f MB in batches, %.2f MB in whole sweeps", b/1e6, whole/1e6)
	}
}
