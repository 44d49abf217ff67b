package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"palate"
	"palate/kernel"
)

// Under a kernel a model says the same, of the items and of the evidence, wherever it comes from,
// also where voters are told apart.
func TestUnder(t *testing.T) {
	const items = 10
	d, _ := simulate(t, SimulateOptions{Items: items, Users: 6, Votes: 240, Seed: 3})
	f := &palate.Features{Names: []string{"place"}, Rows: items, Cols: 1}
	for i := range items {
		f.Data = append(f.Data, float64(i))
	}
	d = d.WithItemFeatures(f)
	long, short := kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{3}), kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{0.5})
	for _, pooled := range []bool{true, false} {
		var evidence [2]float64
		var mean, sd [2][items]float64
		for k, from := range []kernel.Kernel{long, short} {
			u, err := fit(t, d, &Options{Kernel: from, Pooled: pooled}).Under(t.Context(), short)
			if err != nil {
				t.Fatal(err)
			}
			if evidence[k], err = u.Evidence(t.Context()); err != nil {
				t.Fatal(err)
			}
			drawn, err := u.Draws(t.Context(), -1, 4000, rand.New(rand.NewPCG(1, 2)))
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i < items; i++ {
				var lead []float64
				for r := range len(drawn.Weight) {
					lead = append(lead, drawn.F.At(r, i)-drawn.F.At(r, 0))
				}
				mean[k][i], sd[k][i] = stat.MeanStdDev(lead, drawn.Weight)
			}
		}
		if math.Abs(evidence[1]-evidence[0]) > 0.2 {
			t.Errorf("pooled %t: log evidence %.2f and %.2f", pooled, evidence[0], evidence[1])
		}
		for i := 1; i < items; i++ {
			if math.Abs(mean[1][i]-mean[0][i]) > 0.15*sd[1][i] || math.Abs(sd[0][i]/sd[1][i]-1) > 0.1 {
				t.Errorf("pooled %t, item %d: %.3f ± %.3f and %.3f ± %.3f", pooled, i, mean[0][i], sd[0][i], mean[1][i], sd[1][i])
			}
		}
	}
	if _, err := fit(t, d.WithItemFeatures(nil), nil).Under(t.Context(), long); err == nil {
		t.Error("independent items are put under a kernel")
	}
}
