package population

import (
	"context"
	"slices"
	"testing"

	"palate"
)

// Jitter is counted for those persons, and those alone, whose covariance has no factor
// without: who voted on both of two items that are the same.
func TestJitterIsCounted(t *testing.T) {
	prior := &Full{N: 4, S: make([]float64, 16), T: make([]float64, 4)}
	for i := range 4 {
		prior.S[i*4+i] = 2
	}
	prior.S[2*4+3], prior.S[3*4+2] = 2, 2 // items 2 and 3 are the same
	ring := func(user int, items ...int) (out []palate.Tally) {
		for k, i := range items { // as many pairs as items: none is inferred by pairs
			out = append(out, palate.Tally{User: user, A: i, B: items[(k+1)%len(items)], Weight: 1})
		}
		return out
	}
	votes := slices.Concat(ring(0, 0, 1, 2), ring(1, 0, 2, 3), ring(2, 0, 1, 3), ring(3, 1, 2, 3), ring(4, 0, 1, 2, 3))
	e := mustEngine(t, mustPeople(t, 4, votes), Settings{})
	_, s, err := e.Evaluate(context.Background(), prior)
	if err != nil {
		t.Fatal(err)
	}
	if s.Jittered != 3 || !(s.Jitter > 0 && s.Jitter < 1e-6) {
		t.Errorf("%d persons with at most %g of jitter, want 3", s.Jittered, s.Jitter)
	}
	_, s, err = mustEngine(t, mustPeople(t, 4, slices.Concat(ring(0, 0, 1, 2), ring(2, 0, 1, 3))), Settings{}).Evaluate(context.Background(), prior)
	if err != nil || s.Jittered != 0 || s.Jitter != 0 {
		t.Errorf("%d persons with at most %g of jitter, want none (%v)", s.Jittered, s.Jitter, err)
	}
}

// An improper cavity is counted, and its site left as it is, by EP in vectors and by
// the rule.
func TestCavitiesAreCounted(t *testing.T) {
	v := votes{win: []uint16{0, 1, 0}, lose: []uint16{1, 2, 2}}
	tau, nu := []float64{1, 0.5, 2}, []float64{0.3, 0.2, -0.1}
	for _, s := range []Settings{{}, {Likelihood: Voting(0.1)}} {
		e, err := newMethod([]Observation{{Power: 1}}, s)
		if err != nil {
			t.Fatal(err)
		}
		w := &Person{}
		w.resize(3, 3)
		clear(w.noise)
		for p := range v.win {
			w.variance[p], w.marginal[p] = 1, 0.4 // of the first nothing is left, of the last less
		}
		look := w.probits
		if !e.probit {
			look = w.updates
		}
		look(&e, v, tau, nu)
		if w.skipped != 2 || w.wantTau[0] != tau[0] || w.wantNu[2] != nu[2] || w.wantTau[1] == tau[1] {
			t.Errorf("%d cavities skipped, sites are to be at %v, %v", w.skipped, w.wantTau, w.wantNu)
		}
	}
}
