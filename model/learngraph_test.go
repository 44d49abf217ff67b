package model

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
)

// A fit along the graph of comparisons is the dense fit: at the same hyper-parameters
// means, deviations, chances and evidence agree, and what it learns is no worse.
func TestGraphFitIsDense(t *testing.T) {
	for name, o := range map[string]SimulateOptions{
		"plain": {Items: 60, Votes: 500, Seed: 3},
		"ties":  {Items: 60, Votes: 500, Ties: 0.3, Seed: 4},
		"few":   {Items: 60, Votes: 50, Seed: 5},
		"many":  {Items: 5, Votes: 600, Ties: 0.2, Seed: 6},
	} {
		t.Run(name, func(t *testing.T) {
			d, _, err := Simulate(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			graph := fit(t, d, &Options{DenseLimit: 4})
			if !graph.own {
				t.Fatal("not on the graph")
			}
			learnt := fit(t, d, &Options{DenseLimit: 1000})
			height := func(f Fit) float64 {
				lp, _ := graph.scalePrior().logDensity(math.Log(f.Scale))
				if f.Threshold > 0 {
					by := math.Log(f.Threshold/thresholdStart) / pull
					lp -= by * by / 2
				}
				return f.Objective + lp
			}
			if a, b := height(graph.Fit()), height(learnt.Fit()); !(a > b-1e-4) {
				t.Errorf("objective %.6f on the graph (%+v), %.6f (%+v)", a, graph.Fit(), b, learnt.Fit())
			}
			dense := fit(t, d, &Options{DenseLimit: 1000, Scale: graph.Fit().Scale, Threshold: graph.Fit().Threshold, Tolerance: 1e-9})
			dense.integrated = false
			near(t, "evidence", graph.Fit().Objective, dense.Fit().Objective, 1e-5)
			for i := range d.NumItems() {
				a, va := graph.Utility(-1, i)
				b, vb := dense.Utility(-1, i)
				near(t, "mean", (a-b)/math.Sqrt(vb), 0, 1e-5)
				near(t, "deviation", math.Sqrt(va/vb), 1, 1e-5)
				j := (i + 1) % d.NumItems()
				near(t, "chance", graph.Prefer(-1, i, j), dense.Prefer(-1, i, j), 1e-5)
			}
		})
	}
}

// Draws along the graph follow means and covariances.
func TestGraphDraws(t *testing.T) {
	for name, of := range map[string]struct {
		o     SimulateOptions
		draws int
	}{
		"pooled":      {SimulateOptions{Items: 30, Votes: 200, Seed: 8}, 20000},
		"voters":      {SimulateOptions{Model: "population", Items: 30, Users: 6, Votes: 400, Taste: 0.8, Seed: 8}, 20000},
		"many voters": {SimulateOptions{Model: "population", Items: 60, Users: 60, Votes: 1500, Taste: 0.8, Seed: 8}, 1000}, // more nodes than have an inverse
	} {
		t.Run(name, func(t *testing.T) {
			d, _, err := Simulate(t.Context(), of.o)
			if err != nil {
				t.Fatal(err)
			}
			sampled(t, fit(t, d, &Options{DenseLimit: 4}), of.draws)
		})
	}
}

// sampled compares draws of a model along the graph with its means and covariances.
func sampled(t *testing.T, m *Single, k int) {
	t.Helper()
	allowed := 6 / math.Sqrt(float64(k))
	f, err := m.result.Posterior.Sample(t.Context(), k, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	cov := m.result.Posterior.Covariance()
	for i := range 30 {
		mean, v := m.Utility(-1, i)
		var sum float64
		for _, x := range mat.Col(nil, i, f) {
			sum += x / float64(k)
		}
		near(t, "mean of draws", (sum-mean)/math.Sqrt(v), 0, allowed)
		for j := range i + 1 {
			mj, vj := m.Utility(-1, j)
			var c float64
			for r := range k {
				c += (f.At(r, i) - mean) * (f.At(r, j) - mj) / float64(k)
			}
			near(t, "covariance of draws", (c-cov.At(i, j))/math.Sqrt(v*vj), 0, allowed)
		}
	}
}

// Nothing grows with the square of the items, where that would be 8 GB: fit, board,
// chances and file.
func TestGraphMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("many items")
	}
	const n, most = 32000, 900 << 20
	d, _, err := Simulate(t.Context(), SimulateOptions{Items: n, Votes: 4 * n, Seed: 9})
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	m := fit(t, d, nil)
	if _, err := NewBoard(t.Context(), m, -1, &BoardOptions{Draws: 100}); err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, n)
	m.CovarianceTo(dst, -1, 5, num.Indices(n))
	for j := 1; j < 100; j++ {
		if p := m.Prefer(-1, 0, j); !(p > 0 && p < 1) || math.Abs(p+m.Prefer(-1, j, 0)-1) > 1e-12 {
			t.Fatalf("chance of %g and %g", p, m.Prefer(-1, j, 0))
		}
	}
	runtime.ReadMemStats(&after)
	if got := after.HeapSys - before.HeapSys; got > most && after.HeapSys > before.HeapSys {
		t.Errorf("%d MB for %d items", got>>20, n)
	}
}

// Voters' tastes and answers that they repeat are integrated out along the graph as by
// dense blocks, and learnt no worse.
func TestGraphVoters(t *testing.T) {
	for name, o := range map[string]SimulateOptions{
		"tastes":  {Model: "population", Items: 15, Users: 12, Votes: 240, Taste: 0.7, Seed: 3},
		"ties":    {Model: "population", Items: 15, Users: 12, Votes: 300, Taste: 1, Ties: 0.3, Seed: 4},
		"repeats": {Model: "population", Items: 4, Users: 10, Votes: 200, Taste: 0.5, Seed: 5},
	} {
		t.Run(name, func(t *testing.T) {
			d, _, err := Simulate(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			graph, learnt := fit(t, d, &Options{DenseLimit: 2}), fit(t, d, nil)
			if !graph.own || graph.obs.group == nil {
				t.Fatal("not on the graph, or voters are pooled")
			}
			unit := graph.dependence.unit()
			scale, v := graph.Fit().Scale*unit*unit, graph.voting
			v.threshold /= unit
			r, err := infer.Run(t.Context(), graph.problem(gp.White(o.Items), scale, v, graph.dependence.Taste), &infer.Settings{Tolerance: 1e-9})
			if err != nil {
				t.Fatal(err)
			}
			near(t, "evidence", graph.Fit().Objective, r.Objective, 1e-4)
			q, err := rescaled(r.Posterior, unit)
			if err != nil {
				t.Fatal(err)
			}
			mean, variance := q.Forms(gp.Units(o.Items))
			for i := range mean {
				m, v := graph.Utility(-1, i)
				near(t, "mean", (m-mean[i])/math.Sqrt(variance[i]), 0, 1e-4)
				near(t, "deviation", math.Sqrt(v/variance[i]), 1, 1e-4)
			}
			height := func(m *Single) float64 {
				unit := m.dependence.unit()
				lp, _ := m.scalePrior().logDensity(math.Log(m.Fit().Scale * unit * unit))
				lt, _ := logTastePrior(2 * math.Log(m.dependence.Taste))
				if m.voting.threshold > 0 {
					by := math.Log(m.voting.threshold/unit/thresholdStart) / pull
					lp -= by * by / 2
				}
				return m.Fit().Objective + lp + lt
			}
			if a, b := height(graph), height(learnt); !(a > b-1e-3) {
				t.Errorf("objective %.6f along the graph (%+v), %.6f by blocks (%+v)", a, graph.dependence, b, learnt.dependence)
			}
		})
	}
}
