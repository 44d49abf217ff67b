package model

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"palate"
	"palate/infer"
	"palate/internal/num"
)

func fitBT(t testing.TB, d *palate.Dataset, o *BradleyTerryOptions) *PlackettLuce {
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

// TestBradleyTerryOthers compares with choix; testdata/plackettluce/README.md
// says how its scores were computed.
func TestBradleyTerryOthers(t *testing.T) {
	raw, err := os.ReadFile("testdata/plackettluce/choix.json")
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

func fitLuce(t testing.TB, d *palate.Dataset, o *PlackettLuceOptions) *PlackettLuce {
	t.Helper()
	m, err := FitPlackettLuce(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	if m.Fit().Status != infer.Converged {
		t.Fatalf("%v", m.Fit().Status)
	}
	return m
}

// said are the votes that follow from answers of a form, items best first, one group each.
func said(t testing.TB, items int, form string, answers [][]int) *palate.Dataset {
	t.Helper()
	b := palate.NewBuilder()
	for i := range items {
		b.Item(strconv.Itoa(i))
	}
	for _, order := range answers {
		group := b.NewGroup()
		for i, winner := range order {
			for j := i + 1; j < len(order); j++ {
				if form == "choice" && i > 0 || form == "best and worst" && i > 0 && j < len(order)-1 {
					continue
				}
				if err := b.Add(palate.Vote{User: -1, Left: winner, Right: order[j], Weight: 1, Group: group, Unsided: true}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestPlackettLuceOthers compares with choix and with a likelihood that was written
// elsewhere; testdata/plackettluce/README.md says how their scores were computed.
func TestPlackettLuceOthers(t *testing.T) {
	raw, err := os.ReadFile("testdata/plackettluce/answers.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Form    string
		Items   int
		Alpha   float64
		Answers [][]int
		Scores  []float64
	}
	if err := json.Unmarshal(raw, &cases); err != nil || len(cases) == 0 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		m := fitLuce(t, said(t, c.Items, c.Form, c.Answers), &PlackettLuceOptions{Ridge: 2 * c.Alpha, Whole: true})
		for i, want := range c.Scores {
			if got := m.Score(i); !(math.Abs(got-want) <= 1e-6) {
				t.Errorf("%s, %d items, α = %g: score %d is %v, want %v", c.Form, c.Items, c.Alpha, i, got, want)
			}
		}
	}
}

// Of pairs alone Plackett–Luce is Bradley–Terry, whether or not each is an answer.
func TestPlackettLuceOfPairs(t *testing.T) {
	d := electorate{items: 7, votes: 80, ties: true, weighted: true}.draw(t)
	grouped := palate.NewBuilder()
	for i := range d.NumItems() {
		grouped.Item(d.ItemID(i))
	}
	for _, v := range d.Votes() {
		v.Group = grouped.NewGroup()
		if err := grouped.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	answers, err := grouped.Build()
	if err != nil {
		t.Fatal(err)
	}
	want := fitBT(t, d, nil)
	for name, m := range map[string]*PlackettLuce{
		"votes": fitLuce(t, d, nil), "whole votes": fitLuce(t, d, &PlackettLuceOptions{Whole: true}), "answers of two": fitLuce(t, answers, &PlackettLuceOptions{Whole: true}),
		"rankings as pairs": fitLuce(t, answers, nil),
	} {
		near(t, name+": evidence", m.Fit().Objective, want.Fit().Objective, 1e-10)
		for i := range d.NumItems() {
			a, va := m.Utility(-1, i)
			b, vb := want.Utility(-1, i)
			near(t, name+": score", a, b, 1e-10)
			near(t, name+": variance", va, vb, 1e-10)
		}
	}
}

// The gradient is that of differences of the objective, and the negative Hessian that of
// differences of the gradient.
func TestPlackettLuceGradient(t *testing.T) {
	for _, e := range []electorate{{items: 6, answers: 12, votes: 20}, {items: 6, answers: 12, ties: true}} {
		m := fitLuce(t, e.draw(t), &PlackettLuceOptions{Ridge: 0.4, Whole: true})
		m.choices = append(m.choices, choice{[]int{4, 0, 1, 2}, true, 1.5})
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range m.score {
			m.score[i] = rng.NormFloat64()
		}
		gradient, hessian := m.derivatives()
		for i, at := range m.score {
			const h = 1e-3
			value := func(by float64) (float64, []float64) {
				m.score[i] = at + by
				defer func() { m.score[i] = at }()
				g, _ := m.derivatives()
				return m.objective(m.score), g
			}
			slope := func(of func(by float64) float64) float64 {
				return (8*(of(h)-of(-h)) - (of(2*h) - of(-2*h))) / (12 * h)
			}
			near(t, "gradient", gradient[i], slope(func(by float64) float64 { v, _ := value(by); return v }), 1e-9)
			for j := range m.score {
				near(t, "Hessian", -hessian.At(i, j), slope(func(by float64) float64 { _, g := value(by); return g[j] }), 1e-9)
			}
		}
	}
}

// The order of answers changes no bit, and what cannot be told by choices is pairs.
func TestPlackettLuceReads(t *testing.T) {
	d := electorate{items: 6, users: 6, answers: 4, votes: 4, ties: true}.draw(t)
	whole := &PlackettLuceOptions{Whole: true}
	one, other := fitLuce(t, d, whole), fitLuce(t, d.Select(rand.New(rand.NewPCG(1, 1)).Perm(d.NumVotes())), whole)
	if one.Fit().Objective != other.Fit().Objective || !slices.Equal(one.score, other.score) || len(one.Remarks()) != 1 {
		t.Errorf("evidence %v, in another order %v; %q", one.Fit().Objective, other.Fit().Objective, one.Remarks())
	}
	b := palate.NewBuilder()
	group := b.NewGroup()
	for _, pair := range []string{"ac", "ad", "bc", "bd"} { // two above two
		if err := b.Add(palate.Vote{User: -1, Left: b.Item(pair[:1]), Right: b.Item(pair[1:]), Weight: 1, Group: group}); err != nil {
			t.Fatal(err)
		}
	}
	two, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	got, want := fitLuce(t, two, &PlackettLuceOptions{Ridge: 1, Whole: true}), fitBT(t, two.Tempered(), &BradleyTerryOptions{Ridge: 1})
	near(t, "evidence of two above two", got.Fit().Objective, want.Fit().Objective, 1e-10)
}

// Chances of choices, of best and worst and of rankings are those of the likelihood, and sum
// to one.
func TestPlackettLucePredicts(t *testing.T) {
	m := fitLuce(t, electorate{items: 7, answers: 25}.draw(t), &PlackettLuceOptions{Whole: true})
	items := []int{5, 2, 0, 3}
	worth := func(k int) float64 { return math.Exp(m.score[items[k]]) }
	f, err := PredictAnswers(t.Context(), m, -1, items)
	if err != nil {
		t.Fatal(err)
	}
	choice, err := f.Choice(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	both, err := f.BestWorst(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ranking, err := f.Ranking(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := worth(0) + worth(1) + worth(2) + worth(3)
	near(t, "ranking", ranking, worth(0)/all*worth(1)/(all-worth(0))*worth(2)/(worth(2)+worth(3)), 1e-12)
	var sum float64
	for i := range items {
		near(t, "choice", choice[i], worth(i)/all, 1e-12)
		var others float64
		for j := range items {
			if j != i {
				others += 1 / worth(j)
			}
		}
		for j := range items {
			if sum += both[i][j]; j != i {
				near(t, "best and worst", both[i][j], choice[i]/worth(j)/others, 1e-12)
			}
		}
	}
	near(t, "sum of best and worst", sum, 1, 1e-12)
	pair, err := PredictAnswers(t.Context(), m, -1, items[:2])
	if err != nil {
		t.Fatal(err)
	}
	p, err := pair.Choice(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	near(t, "choice of two", p[0], m.Prefer(-1, 5, 2), 1e-12)
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
