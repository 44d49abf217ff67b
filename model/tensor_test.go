package model

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"palate"
	"palate/infer"
	"palate/population"
)

// Where people are independent the joint process is the GP over items that
// each has alone: the GPitem members of the family.
func TestTensorOfIndependentPeople(t *testing.T) {
	d, _ := voters{items: 8, users: 15, votes: 6, itemFeatures: true}.draw(t, 5)
	psi, sigma := 0.3, 0.4
	for family, rule := range map[string]infer.Rule{"GPitem-Laplace": infer.Laplace{}, "GPitem-EP": infer.EP{}} {
		j, err := FitTensor(context.Background(), d, &TensorOptions{Rule: rule, LogPsiItems: &psi, LogSigma2: &sigma})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := FitPopulation(context.Background(), d, &PopulationOptions{Family: family,
			Paper: population.FamilyOptions{LogPsi: &psi, LogSigma2: &sigma, Settings: population.Settings{Tolerance: 1e-9, MaxSweeps: 500}}})
		if err != nil {
			t.Fatal(err)
		}
		for u := range 15 {
			for i := range 8 {
				for k := range i {
					near(t, family, j.Prefer(u, i, k), alone.Prefer(u, i, k), 1e-6)
				}
			}
		}
	}
}

func TestTensor(t *testing.T) {
	d, truth := voters{items: 8, users: 40, votes: 8, itemFeatures: true, userFeatures: true}.draw(t, 6)
	wide, items := 0.0, 0.0
	m, err := FitTensor(context.Background(), d, &TensorOptions{LogPsiUsers: &wide, LogPsiItems: &items})
	if err != nil {
		t.Fatal(err)
	}
	var right, all float64
	for u, f := range truth {
		for i := range f {
			for j := range i {
				all++
				if m.Prefer(u, i, j) > 0.5 == (f[i] > f[j]) {
					right++
				}
			}
		}
	}
	if right/all < 0.7 {
		t.Errorf("only %.3f of the true orders are found", right/all)
	}
	const n = 4000
	draws := m.Draws(-1, n, rand.New(rand.NewPCG(1, 1)))
	for i := range 8 {
		mean, v := m.Utility(-1, i)
		var got, users float64
		for k := range n {
			got += draws.F.At(k, i) / n
		}
		near(t, "mean of the draws", got, mean, 5*math.Sqrt(v/n))
		for u := range truth {
			x, _ := m.Utility(u, i)
			users += x / float64(len(truth))
		}
		near(t, "the consensus is everybody's mean", users, mean, 1e-9)
	}
	if _, err := FitTensor(context.Background(), d, &TensorOptions{MaxCells: 10}); err == nil || !strings.Contains(err.Error(), "the most is 10") {
		t.Errorf("more cells than allowed: %v", err)
	}
	b := palate.NewBuilder()
	if err := b.Add(palate.Vote{User: -1, Left: b.Item("a"), Right: b.Item("b"), Weight: 1}); err != nil {
		t.Fatal(err)
	}
	nobody, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FitTensor(context.Background(), nobody, nil); err == nil {
		t.Error("a vote without a voter was accepted")
	}
}
