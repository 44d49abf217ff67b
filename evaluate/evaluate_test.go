package evaluate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"palate"
	"palate/metric"
	"palate/model"
)

// votes draws votes of 12 voters on 10 items; every third vote is part of a
// group of three.
func votes(t testing.TB, n int) *palate.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	b := palate.NewBuilder()
	for i := range 10 {
		b.Item(fmt.Sprint("item", i))
	}
	for u := range 12 {
		b.User(fmt.Sprint("user", u))
	}
	group := 0
	for k := range n {
		i, j := rng.IntN(10), rng.IntN(9)
		if j >= i {
			j++
		}
		v := palate.Vote{User: rng.IntN(12), Left: i, Right: j, Weight: 1}
		if rng.Float64() > 1/(1+math.Exp(float64(j-i)/2)) {
			v.Outcome = palate.Right
		}
		switch {
		case k%17 == 0:
			v.Outcome = palate.Tie
		case k%19 == 0:
			v.Outcome = palate.Skip
		}
		if k%9 == 0 {
			group = b.NewGroup()
		}
		if k%9 < 3 {
			v.Group = group
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

func values(d *palate.Dataset) (out []string) {
	for k := range d.NumVotes() {
		out = append(out, string(rune('a'+k%7)))
	}
	return out
}

func split(t testing.TB, d *palate.Dataset, o *SplitOptions) []Fold {
	t.Helper()
	f, err := Split(d, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSplit: every vote that is no skip is tested, once unless by item; what is
// held out is not in the training votes of its fold; units and groups stay whole.
func TestSplit(t *testing.T) {
	d := votes(t, 400)
	for _, by := range []By{ByVote, ByItem, ByUser, ByValue} {
		o := &SplitOptions{By: by, Folds: 4, Seed: 3}
		if by == ByValue {
			o.Values = values(d)
		}
		folds := split(t, d, o)
		if len(folds) != 4 {
			t.Fatalf("by %v: %d folds", by, len(folds))
		}
		tested, homes := make([]int, d.NumVotes()), map[int]int{}
		for f, fold := range folds {
			held, groups := map[int]bool{}, map[int]bool{}
			for _, c := range fold.Test {
				tested[c.Vote]++
				held[c.Unit] = true
				if home, ok := homes[c.Unit]; ok && home != f {
					t.Fatalf("by %v: unit %d in folds %d and %d", by, c.Unit, home, f)
				}
				homes[c.Unit] = f
				groups[d.Vote(c.Vote).Group] = true
			}
			for _, k := range fold.Train {
				v := d.Vote(k)
				if v.Outcome == palate.Skip {
					t.Fatalf("by %v: a skip in fold %d", by, f)
				}
				if by == ByItem && (held[v.Left] || held[v.Right]) {
					t.Fatalf("vote %d on an item that was held out is in fold %d", k, f)
				}
				if by == ByVote && v.Group > 0 && groups[v.Group] {
					t.Fatalf("group %d is divided in fold %d", v.Group, f)
				}
				if slices.ContainsFunc(fold.Test, func(c Case) bool { return c.Vote == k }) {
					t.Fatalf("by %v: vote %d is both learnt from and tested in fold %d", by, k, f)
				}
			}
		}
		for k, n := range tested {
			v := d.Vote(k)
			if want := v.Outcome != palate.Skip; (n > 0) != want || n > 1 && by != ByItem {
				t.Fatalf("by %v: vote %d tested %d times", by, k, n)
			}
		}
		if again := split(t, d, o); fmt.Sprint(again) != fmt.Sprint(folds) {
			t.Errorf("by %v: another division from the same seed", by)
		}
		o.Seed++
		if again := split(t, d, o); fmt.Sprint(again) == fmt.Sprint(folds) {
			t.Errorf("by %v: the same division from another seed", by)
		}
	}
}

func TestSplitShare(t *testing.T) {
	d := votes(t, 1000)
	f := split(t, d, &SplitOptions{By: ByUser, Share: 0.25})
	users := map[int]bool{}
	for _, c := range f[0].Test {
		users[d.Vote(c.Vote).User] = true
	}
	if len(f) != 1 || len(users) != 3 {
		t.Errorf("%d folds, %d of 12 voters held out", len(f), len(users))
	}
}

func TestSplitRefuses(t *testing.T) {
	d := votes(t, 20)
	for _, o := range []SplitOptions{{Folds: 1}, {Folds: -1}, {Share: 1}, {Share: -0.1}, {By: ByValue, Values: make([]string, 20)}} {
		if _, err := Split(d, &o); err == nil {
			t.Errorf("took %+v", o)
		}
	}
}

// oracle knows the chances.
type oracle struct{ sharp float64 }

func (o oracle) Prefer(_, left, right int) float64 {
	return 1 / (1 + math.Exp(o.sharp*float64(right-left)))
}
func (o oracle) Utility(_, item int) (mean, variance float64) { return float64(item), 1 }

func always(name string, p Predictor) Method {
	return Method{Name: name, Fit: func(context.Context, *palate.Dataset, uint64) (Predictor, error) { return p, nil }}
}

func TestRun(t *testing.T) {
	d := votes(t, 3000)
	methods := append(Yardsticks(), always("truth", oracle{0.5}), always("sharp", oracle{2}), always("twin", oracle{0.5}))
	r, err := Run(t.Context(), d, split(t, d, nil), methods, &Options{Bins: 10})
	if err != nil {
		t.Fatal(err)
	}
	scores := map[string]Score{}
	for _, s := range r.Scores {
		scores[s.Method] = s
	}
	if c := scores["coin"]; math.Abs(c.CrossEntropy.Value-math.Ln2) > 1e-12 || c.Accuracy.Value != 0.5 || !math.IsNaN(c.Tau.Value) {
		t.Errorf("coin %+v", c)
	}
	// The coin is beaten, the twin cannot be told apart, nobody beats the truth, and
	// Bradley–Terry knows the order.
	for _, s := range r.Scores {
		if r.real(s.Method, "truth") {
			t.Errorf("%s is better than the truth", s.Method)
		}
	}
	for _, worse := range []string{"coin", "sharp"} {
		if !r.real("truth", worse) {
			t.Errorf("the truth is not better than %s", worse)
		}
	}
	if r.real("truth", "twin") || r.real("twin", "truth") {
		t.Error("equals differ")
	}
	if tau := scores["bt"].Tau; tau.Value < 0.8 || !(tau.Lo <= tau.Value && tau.Value <= tau.Hi) {
		t.Errorf("τ of Bradley–Terry %+v", tau)
	}
	if e := scores["truth"].ECE; e.Lo > 0.01 || e.Hi < e.Lo {
		t.Errorf("calibration of the truth %+v", e)
	}
	if e := scores["sharp"].ECE; e.Lo < 0.05 || !(e.Lo < e.Value && e.Value < e.Hi) {
		t.Errorf("calibration of the overconfident %+v", e)
	}
	var p, y []float64
	for _, f := range split(t, d, nil) {
		for _, c := range f.Test {
			v := d.Vote(c.Vote)
			if v.Outcome == palate.Tie {
				continue
			}
			p, y = append(p, oracle{2}.Prefer(-1, v.Left, v.Right)), append(y, map[palate.Outcome]float64{palate.Left: 1}[v.Outcome])
		}
	}
	for what, pair := range map[string][2]float64{
		"accuracy": {scores["sharp"].Accuracy.Value, metric.Accuracy(p, y, nil)}, "cross-entropy": {scores["sharp"].CrossEntropy.Value, metric.CrossEntropy(p, y, nil)},
		"Brier": {scores["sharp"].Brier.Value, metric.Brier(p, y, nil)}} {
		if math.Abs(pair[0]-pair[1]) > 1e-12 {
			t.Errorf("%s %v, want %v", what, pair[0], pair[1])
		}
	}
}

// TestSidesDoNotMatter: calling the winner left, everywhere, changes nothing.
func TestSidesDoNotMatter(t *testing.T) {
	d := votes(t, 600)
	b := palate.NewBuilder()
	for i := range d.NumItems() {
		b.Item(d.ItemID(i))
	}
	for u := range d.NumUsers() {
		b.User(d.UserID(u))
	}
	for range d.NumGroups() {
		b.NewGroup()
	}
	for _, v := range d.Votes() {
		if v.Outcome == palate.Right {
			v = v.Swap()
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	first, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	was, err := Run(t.Context(), d, split(t, d, nil), Yardsticks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	is, err := Run(t.Context(), first, split(t, first, nil), Yardsticks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for k, s := range was.Scores {
		for what, pair := range map[string][2]Estimate{"accuracy": {s.Accuracy, is.Scores[k].Accuracy}, "cross-entropy": {s.CrossEntropy, is.Scores[k].CrossEntropy}, "Brier": {s.Brier, is.Scores[k].Brier}, "ECE": {s.ECE, is.Scores[k].ECE}} {
			if math.Abs(pair[0].Value-pair[1].Value) > 1e-9 || math.Abs(pair[0].SE-pair[1].SE) > 1e-9 {
				t.Errorf("%s of %s: %v, was %v", what, s.Method, pair[1], pair[0])
			}
		}
	}
	if e := is.Scores[0].ECE; e.Value != 0 {
		t.Errorf("a coin is off by %v", e.Value)
	}
}

func TestVerdict(t *testing.T) {
	score := func(name string, ce float64, yardstick bool) Score {
		return Score{Method: name, CrossEntropy: Estimate{Value: ce}, Yardstick: yardstick}
	}
	r := &Result{Scores: []Score{score("coin", 0.69, true), score("bt", 0.51, true), score("single", 0.5, false), score("odd", 0.68, false)}, Differences: []Difference{
		{A: "single", B: "coin", Real: true}, {A: "single", B: "odd", Real: true}, {A: "bt", B: "coin", Real: true},
		{A: "single", B: "bt", CrossEntropy: Estimate{Value: 0.01, SE: 0.02}}, {A: "odd", B: "coin"},
	}}
	want := "single predicts best, and really better than coin and odd; its lead over bt (by 0.010 ± 0.020) may be chance. Nothing shows that odd knows more than a coin."
	if got := r.Verdict(); got != want {
		t.Errorf("%s", got)
	}
	r.Differences[3].CrossEntropy.SE = math.NaN()
	if got := r.Verdict(); !strings.Contains(got, "its lead over bt (by 0.010) may be chance") {
		t.Errorf("%s", got)
	}
	alone := &Result{Scores: r.Scores[:1]}
	if got := alone.Verdict(); got != "There is nothing to compare coin with." {
		t.Errorf("%s", got)
	}
}

// TestStandardErrors: over many sets of votes the truth lies within the intervals
// about as often as they say, with votes that come in equal threes, too.
func TestStandardErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const sets, units = 600, 40
	const truth = 0.3
	hits := 0
	for range sets {
		e := &exam{units: units}
		var x []float64
		for u := range units {
			y := 0.0
			if rng.Float64() < truth {
				y = 1
			}
			for range 3 {
				e.unit, e.w, x = append(e.unit, u), append(e.w, 1), append(x, y)
			}
		}
		if m := e.mean(x, 0.9); m.Lo <= truth && truth <= m.Hi {
			hits++
		}
	}
	if share := float64(hits) / sets; math.Abs(share-0.9) > 0.04 {
		t.Errorf("intervals of 90%% hold the truth %.1f%% of the time", 100*share)
	}
}

func TestNewcomers(t *testing.T) {
	d := votes(t, 500)
	r, err := Run(t.Context(), d, split(t, d, &SplitOptions{By: ByItem, Folds: 5}), []Method{Yardsticks()[2], always("truth", oracle{0.5})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Bradley–Terry knows nothing of new items: their order is a constant to it.
	if got := r.Scores[0].Tau.Value; !math.IsNaN(got) {
		t.Errorf("τ of new items %v", got)
	}
	if got := r.Scores[1].Tau.Value; !(got > 0.5) {
		t.Errorf("τ of the truth %v", got)
	}
	if r.Units != 10 {
		t.Errorf("%d units", r.Units)
	}
}

// TestTiesAlone: a voter who only ties is nobody to measure by.
func TestTiesAlone(t *testing.T) {
	b := palate.NewBuilder()
	for k := range 40 {
		v := palate.Vote{User: b.User(fmt.Sprint(k % 4)), Left: b.Item("a"), Right: b.Item("b"), Outcome: palate.Outcome(k / 4 % 3), Weight: 1}
		if k%4 == 3 {
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
	r, err := Run(t.Context(), d, split(t, d, &SplitOptions{By: ByUser, Folds: 4}), Yardsticks()[:2], nil)
	if err != nil || r.Units != 3 || r.Cases != 21 {
		t.Errorf("%d units, %d cases, %v", r.Units, r.Cases, err)
	}
}

func TestRunStops(t *testing.T) {
	d := votes(t, 100)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, d, split(t, d, nil), Yardsticks(), nil); err != context.Canceled {
		t.Errorf("%v", err)
	}
	bad := always("bad", badly{})
	if _, err := Run(t.Context(), d, split(t, d, nil), []Method{bad}, nil); err == nil || !strings.Contains(err.Error(), "bad, fold 1: vote") {
		t.Errorf("%v", err)
	}
}

// TestYardstickRefuses: Glicko takes whole votes only; the others go on.
func TestYardstickRefuses(t *testing.T) {
	b := palate.NewBuilder()
	for k := range 30 {
		if err := b.Add(palate.Vote{User: -1, Left: b.Item(fmt.Sprint(k % 3)), Right: b.Item(fmt.Sprint((k + 1) % 3)), Weight: 0.5}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), d, split(t, d, nil), Yardsticks(), nil)
	if err != nil || len(r.Refused) != 1 || !strings.HasPrefix(r.Refused[0], "glicko: ") || len(r.Scores) != len(Yardsticks())-1 {
		t.Errorf("%+v, %v", r, err)
	}
}

type badly struct{ Coin }

func (badly) Prefer(_, _, _ int) float64 { return math.NaN() }

// Every model can be a method.
var _ Predictor = model.Predictor(nil)
