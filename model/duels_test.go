package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/kernel"
	"palate/likelihood"
)

// duels draws t duels between random points of the plane, won by the larger
// of a smooth utility plus noise.
func duels(t int, noise float64, seed uint64) (winner, loser *mat.Dense, utility func(x []float64) float64) {
	utility = func(x []float64) float64 { return math.Sin(2*x[0]) + x[1] }
	rng := rand.New(rand.NewPCG(seed, 1))
	winner, loser = mat.NewDense(t, 2, nil), mat.NewDense(t, 2, nil)
	for i := range t {
		a := []float64{2*rng.Float64() - 1, 2*rng.Float64() - 1}
		b := []float64{2*rng.Float64() - 1, 2*rng.Float64() - 1}
		if utility(a)-utility(b)+math.Sqrt2*noise*rng.NormFloat64() < 0 {
			a, b = b, a
		}
		winner.SetRow(i, a)
		loser.SetRow(i, b)
	}
	return winner, loser, utility
}

func TestFormulationsAgree(t *testing.T) {
	w, l, _ := duels(30, 0.3, 2)
	k := kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{0.7})
	for _, schedule := range []infer.Schedule{infer.Batch{}, infer.Sequential{}} {
		fit := func(f Formulation) *Duels {
			d, err := FitDuels(t.Context(), w, l, &DuelOptions{Kernel: k, Scale: 1, Noise: 0.3, Formulation: f, Schedule: schedule, Tolerance: 1e-12})
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		z, v := fit(ProbitDuels), fit(TruncatedDuels)
		near(t, "log evidence", v.LogEvidence(), z.LogEvidence(), 1e-10)
		x := mat.NewDense(3, 2, []float64{0, 0, 0.5, -0.2, 3, 3})
		mz, cz := z.Predict(x)
		mv, cv := v.Predict(x)
		for i := range 3 {
			near(t, "mean", mv[i], mz[i], 1e-9)
			for j := range 3 {
				near(t, "covariance", cv.At(i, j), cz.At(i, j), 1e-9)
			}
		}
	}
}

// The same duels as votes between items of a dense prior have the same
// posterior: duel space equals item space.
func TestDuelSpaceIsItemSpace(t *testing.T) {
	w, l, _ := duels(12, 0.5, 3)
	k := kernel.NewStationary(kernel.Matern52, kernel.Euclidean, []float64{0.8})
	d, err := FitDuels(t.Context(), w, l, &DuelOptions{Kernel: k, Scale: 1, Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	var all mat.Dense
	all.Stack(w, l)
	got, gotCov := d.Predict(&all)
	ref := itemSpace(t, k, &all, 12)
	cov := ref.Posterior.Covariance()
	near(t, "log evidence", d.LogEvidence(), ref.Objective, 1e-9)
	for i := range got {
		near(t, "mean", got[i], ref.Posterior.Utilities()[i], 1e-7)
		near(t, "variance", gotCov.At(i, i), cov.At(i, i), 1e-7)
	}
}

// Votes between items with features are duels between the features, however often
// they recur; the scale is where the evidence with its prior is highest, and both
// formulations find it.
func TestDuelVotes(t *testing.T) {
	w, l, _ := duels(40, 0.3, 6)
	b := palate.NewBuilder()
	f := &palate.Features{Names: []string{"x", "y"}, Cols: 2}
	for i := range 40 {
		for _, side := range []*mat.Dense{w, l} {
			f.Rows++
			f.Data = append(f.Data, side.RawRowView(i)...)
		}
		if err := b.Say("", fmt.Sprint("winner ", i), fmt.Sprint("loser ", i), palate.Left); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Say("", "loser 0", "winner 0", palate.Right); err != nil { // once more
		t.Fatal(err)
	}
	b.SetItemFeatures(f)
	d := built(t, b)
	var again [2]mat.Dense
	for k, side := range []*mat.Dense{w, l} {
		again[k].Stack(side, side.Slice(0, 1, 0, 2))
	}
	k := kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{0.7})
	prior := infer.Gamma{Shape: 2, Rate: 3}
	value := func(o DuelOptions) float64 {
		t.Helper()
		m, err := FitDuels(t.Context(), &again[0], &again[1], &o)
		if err != nil {
			t.Fatal(err)
		}
		lp, _ := prior.LogDensityOfLog(math.Log(o.Scale))
		return m.LogEvidence() + lp
	}
	for _, form := range []Formulation{ProbitDuels, TruncatedDuels} {
		o := DuelOptions{Kernel: k, Noise: 0.3, Formulation: form, ScalePrior: prior}
		m, err := FitDuelVotes(t.Context(), d, &o)
		if err != nil {
			t.Fatal(err)
		}
		direct, err := FitDuels(t.Context(), &again[0], &again[1], &o)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "scale", m.Fit().Scale, direct.Fit().Scale, 1e-3)
		near(t, "log evidence", m.LogEvidence(), direct.LogEvidence(), 1e-5)
		near(t, "chance", m.Prefer(-1, 0, 3), direct.Beats(w.RawRowView(0), l.RawRowView(1)), 1e-4)
		o.Scale = m.Fit().Scale
		best := value(o)
		for _, times := range []float64{0.8, 1.25} {
			moved := o
			moved.Scale *= times
			if v := value(moved); v > best {
				t.Errorf("%v: the evidence is %.5f at %g times the scale, %.5f at the scale", form, v, times, best)
			}
		}
	}
	if v, err := FitDuelVotes(t.Context(), d.Select(nil), nil); err == nil {
		t.Errorf("no votes: %v", v)
	}
}

func TestDuelsLearn(t *testing.T) {
	w, l, utility := duels(150, 0.1, 4)
	d, err := FitDuels(t.Context(), w, l, &DuelOptions{Kernel: kernel.Scale(4, kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{1})), Scale: 1, Noise: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 9))
	right := 0
	for range 300 {
		a := []float64{2*rng.Float64() - 1, 2*rng.Float64() - 1}
		b := []float64{2*rng.Float64() - 1, 2*rng.Float64() - 1}
		p, latent := d.Beats(a, b), d.Better(a, b)
		near(t, "sum", p+d.Beats(b, a), 1, 1e-12)
		if math.Abs(latent-0.5) < math.Abs(p-0.5) {
			t.Errorf("the latent probability %.3f is less certain than the noisy %.3f", latent, p)
		}
		if (p > 0.5) == (utility(a) > utility(b)) {
			right++
		}
	}
	if right < 270 {
		t.Errorf("%d of 300 new duels predicted", right)
	}
	if p := d.Better([]float64{0, 0}, []float64{0, 0}); p != 0.5 {
		t.Errorf("a point against itself: %g", p)
	}
}

func TestDuelRefusals(t *testing.T) {
	w, l, _ := duels(4, 1, 1)
	if _, err := FitDuels(t.Context(), w, l.Slice(0, 3, 0, 2).(*mat.Dense), nil); err == nil {
		t.Error("unequal numbers: no error")
	}
	if _, err := FitDuels(t.Context(), w, l, &DuelOptions{Noise: -1}); err == nil {
		t.Error("negative noise: no error")
	}
	if _, err := FitDuels(t.Context(), w, l, &DuelOptions{Formulation: TruncatedDuels, Rule: infer.VI{}}); err == nil {
		t.Error("truncation under VI: no error")
	}
}

// itemSpace infers the same duels over the 2t points themselves.
func itemSpace(t *testing.T, k kernel.Kernel, all *mat.Dense, duels int) *infer.Result {
	t.Helper()
	prior, err := gp.Dense(k, kernel.Dense(all))
	if err != nil {
		t.Fatal(err)
	}
	p := &infer.Problem{Prior: prior, Rows: &gp.Rows{}}
	for i := range duels {
		p.Rows.AppendPair(i, duels+i)
		p.Likelihood = append(p.Likelihood, likelihood.Probit{})
	}
	r, err := infer.Run(t.Context(), p, &infer.Settings{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	return r
}
