package model

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"palate"
	"palate/infer"
	"palate/internal/num"
)

func fitBT(t testing.TB, d *palate.Dataset, o *BradleyTerryOptions) *BradleyTerry {
	t.Helper()
	m, err := FitBradleyTerry(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	if m.Fit().Status != infer.Converged {
		t.Fatalf("%v", m.Fit().Status)
	}
	return m
}

// TestBradleyTerryOthers compares with choix; testdata/bradleyterry/README.md
// says how its scores were computed.
func TestBradleyTerryOthers(t *testing.T) {
	raw, err := os.ReadFile("testdata/bradleyterry/choix.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Items  int
		Alpha  float64
		Wins   [][2]int
		Scores []float64
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		b := palate.NewBuilder()
		for i := range c.Items {
			b.Item(strconv.Itoa(i))
		}
		for _, w := range c.Wins {
			if err := b.Add(palate.Vote{User: -1, Left: w[0], Right: w[1], Weight: 1}); err != nil {
				t.Fatal(err)
			}
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		m := fitBT(t, d, &BradleyTerryOptions{Ridge: 2 * c.Alpha})
		for i, want := range c.Scores {
			if got, _ := m.Utility(-1, i); !(math.Abs(got-want) <= 1e-6) {
				t.Errorf("%d items, α = %g: score %d is %v, want %v", c.Items, c.Alpha, i, got, want)
			}
		}
	}
}

// TestBradleyTerryIsSingle: with logistic noise and a fixed scale, the mode of
// Single is that of Bradley–Terry, and so is Laplace's posterior.
func TestBradleyTerryIsSingle(t *testing.T) {
	d, _ := simulate(t, SimulateOptions{Items: 9, Votes: 80, Seed: 4})
	const ridge = 0.7
	bt := fitBT(t, d, &BradleyTerryOptions{Ridge: ridge})
	s := fit(t, d, &Options{Likelihood: Logit, Rule: infer.Laplace{}, Scale: ridge, Tolerance: 1e-10})
	for i := range 9 {
		a, va := bt.Utility(-1, i)
		b, vb := s.Utility(-1, i)
		near(t, "score", a, b, 1e-7)
		near(t, "variance", va, vb, 1e-7)
	}
	near(t, "evidence", bt.Fit().Objective, s.Fit().Objective, 1e-7)
	if got, want := bt.Fit().Kind, s.Fit().Kind; got != want {
		t.Errorf("objective is called %q, want %q", got, want)
	}
}

func TestBradleyTerryRidge(t *testing.T) {
	d, _ := simulate(t, SimulateOptions{Items: 30, Votes: 400, Seed: 5})
	m := fitBT(t, d, nil)
	for _, factor := range []float64{0.7, 1.4} {
		o := fitBT(t, d, &BradleyTerryOptions{Ridge: m.Ridge() * factor})
		if prior := logPrior(1/(2.9*o.Ridge())) - logPrior(1/(2.9*m.Ridge())); o.Fit().Objective+prior > m.Fit().Objective {
			t.Errorf("ridge %g is more likely than %g", o.Ridge(), m.Ridge())
		}
	}
	// A few votes that agree do not make scores boundless: on 15 votes between 10
	// items it foresees others better than a coin, and nearly as well as Single.
	var bt, single, votes float64
	for seed := range uint64(60) {
		d, truth := simulate(t, SimulateOptions{Items: 10, Votes: 15, Seed: seed})
		b, s := fitBT(t, d, nil), fit(t, d, nil)
		for i := range 10 {
			for j := range i {
				p := num.Phi(truth.Consensus[i] - truth.Consensus[j])
				loss := func(q float64) float64 { return -p*math.Log(q) - (1-p)*math.Log1p(-q) }
				bt, single, votes = bt+loss(b.Prefer(-1, i, j)), single+loss(s.Prefer(-1, i, j)), votes+1
			}
		}
	}
	if bt/votes > single/votes+0.03 {
		t.Errorf("with few votes Bradley–Terry loses %.3f a vote, Single %.3f", bt/votes, single/votes)
	}
}

func TestBradleyTerryTies(t *testing.T) {
	tie := fitBT(t, dataset(t, nil, [3]string{"a", ">", "b"}, [3]string{"b", "=", "c"}, [3]string{"b", "=", "c"}), &BradleyTerryOptions{Ridge: 1})
	each := fitBT(t, dataset(t, nil, [3]string{"a", ">", "b"}, [3]string{"b", ">", "c"}, [3]string{"c", ">", "b"}), &BradleyTerryOptions{Ridge: 1})
	for i := range 3 {
		a, _ := tie.Utility(-1, i)
		b, _ := each.Utility(-1, i)
		near(t, "score", a, b, 1e-12)
	}
	if p := tie.Prefer(-1, 0, 1) + tie.Prefer(-1, 1, 0); math.Abs(p-1) > 1e-12 {
		t.Errorf("both sides together %v", p)
	}
}

func TestBradleyTerryFile(t *testing.T) {
	d, _ := simulate(t, SimulateOptions{Items: 7, Votes: 60, Seed: 6})
	m := fitBT(t, d, nil)
	var file bytes.Buffer
	if err := m.Save(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	o, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if o.Name() != "bt" || o.Fit() != m.Fit() {
		t.Errorf("%s %+v, was %+v", o.Name(), o.Fit(), m.Fit())
	}
	a, b := drawsOf(t, m, -1, 50, rand.New(rand.NewPCG(1, 1))), drawsOf(t, o, -1, 50, rand.New(rand.NewPCG(1, 1)))
	for k, x := range a.F.RawMatrix().Data {
		near(t, "draw", b.F.RawMatrix().Data[k], x, 1e-12)
	}
	var sum, square, n float64
	draws := drawsOf(t, m, -1, 20000, rand.New(rand.NewPCG(2, 2)))
	for k := range 20000 {
		x := draws.F.At(k, 3)
		sum, square, n = sum+x, square+x*x, n+1
	}
	mean, variance := m.Utility(-1, 3)
	near(t, "mean of draws", sum/n, mean, 0.05)
	near(t, "variance of draws", square/n-sum/n*sum/n, variance, 0.05*variance)
}

func TestBradleyTerryRefuses(t *testing.T) {
	d := dataset(t, nil, [3]string{"a", ">", "b"})
	for _, r := range []float64{-1, math.NaN(), math.Inf(1)} {
		if _, err := FitBradleyTerry(t.Context(), d, &BradleyTerryOptions{Ridge: r}); err == nil {
			t.Errorf("took ridge %v", r)
		}
	}
}
