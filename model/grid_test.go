package model

import (
	"math"
	"testing"

	"palate/infer"
	"palate/internal/num"
)

// What is known at the nodes of the grid, and what they weigh, is as if inference there had gone on to its end.
func TestGridIsSettled(t *testing.T) {
	d, _ := voters{items: 8, users: 6, votes: 150}.draw(t, 1)
	m := fit(t, d, &Options{Pooled: true})
	s, err := m.scales(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(s.at) < 4 {
		t.Fatalf("a grid of %d nodes", len(s.at))
	}
	height := make([]float64, len(s.at))
	for k, q := range s.at {
		v := m.voting
		v.sides = s.sides[k]
		r, err := infer.Run(t.Context(), m.problem(m.result.Posterior.Prior, q.Scale, v, 0), &infer.Settings{Rule: m.rule(), Tolerance: 1e-10, Start: s.sites[k]})
		if err != nil {
			t.Fatal(err)
		}
		for i, u := range r.Posterior.Utilities() {
			near(t, "a mean", q.Utilities()[i], u, 2e-4)
		}
		lp, _ := m.scalePrior().logDensity(math.Log(q.Scale))
		if height[k] = r.Objective + lp; m.obs.sided {
			height[k] += math.Log(sideShares[s.sides[k]])
		}
	}
	total := num.LogSumExp(height)
	for k, h := range height {
		near(t, "a mass", s.mass[k], math.Exp(h-total), 1e-6)
	}
}
