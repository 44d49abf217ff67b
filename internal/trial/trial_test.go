package trial

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"palate"
)

// oracle knows the chances of items that are better the higher their number, and is as
// sure of them as its sharpness says; .5 is the truth.
type oracle float64

func (o oracle) Prefer(_, left, right int) float64 {
	return 1 / (1 + math.Exp(float64(o)*float64(right-left)))
}

func always(name string, p Predictor) Candidate {
	return Candidate{Name: name, Fit: func(context.Context, *palate.Dataset) (Predictor, error) { return p, nil }}
}

// votes are drawn from the truth, some of them ties.
func votes(t *testing.T, n int) *palate.Dataset {
	t.Helper()
	const items, users = 8, 20
	rng := rand.New(rand.NewPCG(1, 2))
	b := palate.NewBuilder()
	for i := range items {
		b.Item(string(rune('a' + i)))
	}
	for u := range users {
		b.User(string(rune('A' + u)))
	}
	for range n {
		v := palate.Vote{User: rng.IntN(users), Left: rng.IntN(items), Weight: 1}
		v.Right = (v.Left + 1 + rng.IntN(items-1)) % items
		if rng.Float64() > oracle(0.5).Prefer(0, v.Left, v.Right) {
			v.Outcome = palate.Right
		}
		if rng.IntN(10) == 0 {
			v.Outcome = palate.Tie
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// halves is two folds.
func halves(d *palate.Dataset) []Fold {
	var f [2]Fold
	for k := range d.NumVotes() {
		f[k%2].Test, f[1-k%2].Train = append(f[k%2].Test, k), append(f[1-k%2].Train, k)
	}
	return f[:]
}

// Another candidate is taken when it is clearly better, and only then.
func TestChallenge(t *testing.T) {
	d := votes(t, 1500)
	tr := New(d, halves(d), func(vote int) int { return d.Vote(vote).User })
	others := []Candidate{always("sharper", oracle(2)), always("near", oracle(1)), always("truth", oracle(0.5)), always("coin", oracle(0))}
	by := Margin{Errors: 2, Nats: 0.001}
	if best, err := tr.Challenge(t.Context(), always("sharp", oracle(1.5)), others, by); err != nil || best != 2 {
		t.Errorf("took %d, %v", best, err)
	}
	others = append(others, always("twin", oracle(0.5)), always("slip", oracle(0.501)))
	if best, err := tr.Challenge(t.Context(), always("truth", oracle(0.5)), others, by); err != nil || best >= 0 {
		t.Errorf("took %d over the truth, %v", best, err)
	}
	if n := len(tr.Tried()); n != 7 {
		t.Errorf("%d candidates were tried, each once: %v", n, tr.Tried())
	}
	if _, err := tr.Challenge(t.Context(), always("mad", oracle(math.NaN())), nil, by); err == nil {
		t.Error("a chance that is no number was taken")
	}
	refuses := Candidate{Name: "refuses", Fit: func(context.Context, *palate.Dataset) (Predictor, error) { return nil, errors.New("no") }}
	if _, err := tr.Challenge(t.Context(), refuses, nil, by); err == nil || err.Error() != "trying refuses: no" {
		t.Errorf("a candidate that fails: %v", err)
	}
}

// The gain and its error are those of the definition, by unit.
func TestGain(t *testing.T) {
	d := votes(t, 400)
	tr := New(d, halves(d), func(vote int) int { return d.Vote(vote).User })
	a, b := oracle(0.5), oracle(1.5)
	for _, c := range []Candidate{always("a", a), always("b", b)} {
		if err := tr.Try(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	loss := func(o oracle, v palate.Vote) float64 {
		if v.Outcome == palate.Right {
			v = v.Swap()
		}
		return -math.Log(o.Prefer(0, v.Left, v.Right))
	}
	var n, sum float64
	for _, v := range d.Votes() {
		if decided(v) {
			n++
			sum += loss(b, v) - loss(a, v)
		}
	}
	mean := sum / n
	by := map[int]float64{}
	for _, v := range d.Votes() {
		if decided(v) {
			by[v.User] += (loss(b, v) - loss(a, v) - mean) / n
		}
	}
	var square float64
	for _, x := range by {
		square += x * x
	}
	units := float64(len(by))
	gain, se := tr.Gain("a", "b")
	if math.Abs(gain-mean) > 1e-12 || math.Abs(se-math.Sqrt(square*units/(units-1))) > 1e-12 {
		t.Errorf("gain %v ± %v, want %v ± %v", gain, se, mean, math.Sqrt(square*units/(units-1)))
	}
	if tr.Held() != int(n) {
		t.Errorf("%d votes are asked about, %v are decided", tr.Held(), n)
	}
}

// Of candidates that are not told apart the weights are those of the prior, and of others those that
// predict votes best under it: no other weights are more likely.
func TestStack(t *testing.T) {
	d := votes(t, 1500)
	tr := New(d, halves(d), func(vote int) int { return d.Vote(vote).User })
	for _, c := range []Candidate{always("truth", oracle(0.5)), always("twin", oracle(0.5)), always("coin", oracle(0)), always("sharp", oracle(2)), always("near", oracle(0.52))} {
		if err := tr.Try(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if lead := tr.Leading([]string{"coin", "truth", "twin", "sharp", "near"}); len(lead) != 3 || lead[0] != "truth" || lead[1] != "twin" {
		t.Errorf("leading %v", lead)
	}
	if w := tr.Stack([]string{"truth", "twin"}, []float64{4, 12}); math.Abs(w[0]-0.25) > 1e-6 {
		t.Errorf("twins %v", w)
	}
	names := []string{"coin", "sharp", "near"}
	prior := []float64{4, 20, 8}
	w := tr.Stack(names, prior)
	height := func(w []float64) (sum float64) {
		tr.Mix("mean", names, w)
		for k, v := range tr.held {
			sum -= v.Weight * tr.loss("mean", k)
		}
		for k, x := range w {
			sum += prior[k] * math.Log(x)
		}
		return sum
	}
	top := height(w)
	for i := range w {
		for j := range w {
			other := append([]float64(nil), w...)
			other[i], other[j] = other[i]+0.01, other[j]-0.01
			if i != j && height(other) >= top {
				t.Errorf("%v is more likely than %v", other, w)
			}
		}
	}
}
