package model

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	crowds "palate/crowd"
	"palate/gp"
)

// bent is votes of people whose taste goes up and down with the first of two
// features: no straight line tells it, but a kernel.
func bent(t *testing.T) *palate.Dataset {
	t.Helper()
	const items, users = 8, 40
	rng := rand.New(rand.NewPCG(5, 5))
	b := palate.NewBuilder()
	consensus, factor := make([]float64, items), make([]float64, items)
	for i := range items {
		b.Item("item" + strconv.Itoa(i))
		consensus[i], factor[i] = rng.NormFloat64(), 2*rng.NormFloat64()
	}
	f := &palate.Features{Names: []string{"x", "shoe"}, Rows: users, Cols: 2}
	for u := range users {
		b.User("user" + strconv.Itoa(u))
		x := rng.NormFloat64()
		f.Data = append(f.Data, x, rng.NormFloat64())
		w := math.Sin(2.5 * x)
		for range 15 {
			i := rng.IntN(items)
			j := (i + 1 + rng.IntN(items-1)) % items
			if consensus[i]-consensus[j]+w*(factor[i]-factor[j])+rng.NormFloat64() < 0 {
				i, j = j, i
			}
			if err := b.Add(palate.Vote{User: u, Left: i, Right: j, Weight: 1}); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.SetUserFeatures(f)
	return built(t, b)
}

// The gradient in the length-scales of voter features is that of the converged
// bound by differences.
func TestVoterLengthsGradient(t *testing.T) {
	if testing.Short() {
		t.Skip("fits to the last digit, one after the other")
	}
	const h = 1e-3
	d := bent(t)
	v, err := crowds.NewVotes(d.NumItems(), d.Tallies(true))
	if err != nil {
		t.Fatal(err)
	}
	voted := whoVoted(d.NumUsers(), v)
	start, err := newVoterFeatures(d.UserFeatures(), voted, &CrowdOptions{}, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	points := start.points(d.UserFeatures(), voted)
	fit := func(theta []float64) (*voterFeatures, *crowds.Learnt) {
		f, err := start.with(theta, points)
		if err != nil {
			t.Fatal(err)
		}
		l, err := crowds.Fit(context.Background(), v, gp.White(d.NumItems()), &crowds.Options{
			Factors: 1, KeepFactors: true, Gradient: true, About: f.about(d.UserFeatures()), Tolerance: -1, MaxSweeps: 300})
		if err != nil {
			t.Fatal(err)
		}
		return f, l
	}
	at := start.kernel.Params()
	f, l := fit(at)
	grad, err := f.gradient(mat.DenseCopyOf(l.AboutGrad), points)
	if err != nil {
		t.Fatal(err)
	}
	for i := range at {
		var side [2]float64
		for k, d := range []float64{h, -h} {
			moved := append([]float64(nil), at...)
			moved[i] += d
			_, l := fit(moved)
			side[k] = l.Trace[len(l.Trace)-1]
		}
		want := (side[0] - side[1]) / (2 * h)
		if math.Abs(want) < 0.01 {
			t.Errorf("parameter %d: a slope of %.5f tests nothing", i, want)
		}
		if math.Abs(grad[i]-want) > 0.02*(math.Abs(want)+0.05) {
			t.Errorf("parameter %d: %.5f, by differences %.5f", i, grad[i], want)
		}
	}
}

// Learning the length-scales of voter features raises the bound: that of a feature
// which tells nothing grows against that of one which does.
func TestVoterLengths(t *testing.T) {
	d := bent(t)
	o := CrowdOptions{Factors: 1, KeepFactors: true}
	median := crowdOf(t, d, &o)
	o.Lengths = LearntLengths
	learnt := crowdOf(t, d, &o)
	if a, b := median.Fit().Objective, learnt.Fit().Objective; !(b > a) {
		t.Errorf("bound %.3f at the median, %.3f learnt", a, b)
	}
	was, is := median.about.kernel.Params(), learnt.about.kernel.Params()
	if !(is[1]-was[1] > is[0]-was[0]) {
		t.Errorf("log length-scales moved by %.2f, that of noise by %.2f", is[0]-was[0], is[1]-was[1])
	}
}
