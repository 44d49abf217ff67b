package paper

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"palate"
	"palate/evaluate"
	"palate/metric"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

// oracle knows the gold rankings, or the opposite of them.
type oracle struct {
	gold [][]int
	sure float64
}

func (o oracle) Utility(user, item int) (mean, variance float64) {
	for k, i := range o.gold[user] {
		if i == item {
			return -(o.sure - 0.5) * float64(k), 0
		}
	}
	panic("no such item")
}

func (o oracle) Prefer(user, left, right int) float64 {
	l, _ := o.Utility(user, left)
	r, _ := o.Utility(user, right)
	if (l > r) == (o.sure > 0.5) {
		return o.sure
	}
	return 1 - o.sure
}

func TestMeasureByHand(t *testing.T) {
	a, _, err := LoadSushi(sushiFolder(t, 10))
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Split(10, 5, 25, stream(1, "", 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		p    Predictor
		want map[Measure]float64
	}{
		{oracle{s.Gold, 0.9}, map[Measure]float64{Acc: 1, CE: -math.Log(0.9), Bits: -math.Log2(0.9), Tau: 1, TauUser: 1, ECE: 0.1}},
		{oracle{s.Gold, 0.1}, map[Measure]float64{Acc: 0, CE: -math.Log(0.1), Bits: -math.Log2(0.1), Tau: -1, TauUser: -1, ECE: 0.9}},
		{evaluate.Coin{}, map[Measure]float64{Acc: 0.5, CE: math.Ln2, Bits: 1, Tau: math.NaN(), TauUser: math.NaN(), ECE: 0}},
	} {
		got, err := measure(c.p, s)
		if err != nil {
			t.Fatal(err)
		}
		for m, want := range c.want {
			if x := got.Figures[m]; !near(x, want) && !(math.IsNaN(x) && math.IsNaN(want)) {
				t.Errorf("%v: %s %v, want %v", c.p, m, x, want)
			}
		}
	}
	s.Gold = nil
	if got, _ := measure(evaluate.Coin{}, s); !math.IsNaN(got.Figures[Tau]) {
		t.Errorf("τ without rankings: %v", got.Figures[Tau])
	}
}

type mad struct{ evaluate.Coin }

func (mad) Prefer(_, _, _ int) float64 { return math.NaN() }

func TestMeasureRefusesNaN(t *testing.T) {
	s := &Split{Test: []palate.Vote{{Left: 0, Right: 1}}}
	if _, err := measure(mad{}, s); err == nil {
		t.Error("a probability of NaN was measured")
	}
}

// trials makes up predictions for splits of unequal size, and returns them in one list too.
func trials(rng *rand.Rand, n int) (all []Trial, p, y []float64) {
	for k := range n {
		var ps, ys []float64
		for range 20 + 10*k {
			c := rng.Float64()
			ps = append(ps, c)
			ys = append(ys, float64(rng.IntN(2)))
		}
		t := Trial{Figures: noFigures(), Reliability: metric.Reliability(ps, ys, nil, metric.Bins)}
		t.Figures[Acc], t.Figures[CE], t.Figures[Peak] = metric.Accuracy(ps, ys, nil), metric.CrossEntropy(ps, ys, nil), float64(10-k)
		all, p, y = append(all, t), append(p, ps...), append(y, ys...)
	}
	return all, p, y
}

func TestSummary(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	all, p, y := trials(rng, 5)
	r := &Row{Trials: all}
	r.summarise()
	if want := metric.ECE(metric.Reliability(p, y, nil, metric.Bins)); !near(r.Mean[ECE], want) {
		t.Errorf("ECE %v, of all votes in one list %v", r.Mean[ECE], want)
	}
	var out, mean float64
	for k := range all {
		mean += metric.ECE(pool(all, k)) / 5
	}
	for k := range all {
		out += math.Pow(metric.ECE(pool(all, k))-mean, 2)
	}
	if want := math.Sqrt(4. / 5 * out); !near(r.SE[ECE], want) {
		t.Errorf("jackknife error of ECE %v, want %v", r.SE[ECE], want)
	}
	if r.Mean[Peak] != 10 || !math.IsNaN(r.SE[Peak]) {
		t.Errorf("peak %v ± %v", r.Mean[Peak], r.SE[Peak])
	}
	if !math.IsNaN(r.Mean[Tau]) {
		t.Errorf("τ %v", r.Mean[Tau])
	}
	if m, se := meanAndError([]float64{1, 2, 6}); !near(m, 3) || !near(se, math.Sqrt(7./3)) {
		t.Errorf("%v ± %v", m, se)
	}
	if m, se := meanAndError([]float64{4}); m != 4 || !math.IsNaN(se) {
		t.Errorf("of one: %v ± %v", m, se)
	}
}

func TestMinus(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	hard := make([]float64, 30)
	a, b := &Row{Model: "a"}, &Row{Model: "b"}
	for k := range hard {
		hard[k] = rng.NormFloat64() // splits differ much, methods little
		var x, y Trial
		x.Figures[CE], y.Figures[CE] = hard[k], hard[k]+0.1+0.01*rng.NormFloat64()
		a.Trials, b.Trials = append(a.Trials, x), append(b.Trials, y)
	}
	d, se := b.Minus(a, CE)
	if math.Abs(d-0.1) > 0.01 || se > 0.005 {
		t.Errorf("b − a = %v ± %v", d, se)
	}
	if e, se2 := a.Minus(b, CE); !near(e, -d) || !near(se2, se) {
		t.Errorf("a − b = %v ± %v, b − a = %v ± %v", e, se2, d, se)
	}
}

// TestErrorOverPeople: for one vote a person it is the error of a mean; copies of a person's votes add nothing.
func TestErrorOverPeople(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	var test, copies []palate.Vote
	var p, q, y, p3, q3, y3, gap []float64
	for u := range 40 {
		v := palate.Vote{User: u, Right: 1}
		a, b, w := rng.Float64(), rng.Float64(), float64(u%2)
		test, p, q, y = append(test, v), append(p, a), append(q, b), append(y, w)
		copies = append(copies, v, v, v)
		p3, q3, y3 = append(p3, a, a, a), append(q3, b, b, b), append(y3, w, w, w)
		gap = append(gap, metric.CrossEntropy(p[u:], y[u:], nil)-metric.CrossEntropy(q[u:], y[u:], nil))
	}
	a, b := byPerson(test, p, y), byPerson(test, q, y)
	_, want := meanAndError(gap)
	if got := errorOverPeople(a, b, CE); !near(got, want) {
		t.Errorf("paired: %v, want %v", got, want)
	}
	if got := errorOverPeople(byPerson(copies, p3, y3), byPerson(copies, q3, y3), CE); !near(got, want) {
		t.Errorf("with every vote three times: %v, want %v", got, want)
	}
	r, other := &Row{Trials: []Trial{{people: a}}}, &Row{Trials: []Trial{{people: b}}}
	if _, se := r.Minus(other, CE); !near(se, want) {
		t.Errorf("of rows: %v, want %v", se, want)
	}
	if se := errorOverPeople(a[:2], nil, Acc); !math.IsNaN(se) {
		t.Errorf("of one person: %v", se)
	}
}

func TestRowJSON(t *testing.T) {
	x := noFigures()
	x[CE] = 0.47
	r := &Row{Data: "sushi", Split: "A-small", Model: `crowd\u`, Published: Published{"crowdGPPL", "CROWD", x}}
	for k := range 3 {
		trial := Trial{Figures: noFigures(), Reliability: metric.Reliability([]float64{0.5}, []float64{1}, nil, metric.Bins)}
		trial.Figures[Acc], trial.Figures[CE] = 0.7, 0.5+float64(k)/10
		r.Trials = append(r.Trials, trial)
	}
	r.Trials[1].Figures[Bits] = math.Inf(1)
	r.summarise()
	other := &Row{Model: "coin", Trials: r.Trials}
	r.Others = []*Row{other}
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"data":"sushi","split":"A-small","model":"crowd\\u","repeats":3,"acc":0.7,"acc_se":0,"ce":0.6,"ce_se":0.057735,"ece":0.5,"ece_se":0,` +
		`"pub_model":"crowdGPPL","pub_from":"CROWD","pub_ce":0.47,"minus":{"coin":{"acc":0,"acc_se":0,"ce":0,"ce_se":0}}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r.Mean[CE] = math.Inf(1)
	if got, _ := json.Marshal(r); !json.Valid(got) || !strings.Contains(string(got), `"ce":null`) {
		t.Errorf("infinite loss: %s", got)
	}
}

func TestOrders(t *testing.T) {
	row := func(name string, published float64, losses ...float64) *Row {
		r := &Row{Model: name, Published: Published{name, "P", noFigures()}}
		r.Published.Figures[CE] = published
		for _, x := range losses {
			var trial Trial
			trial.Figures[CE] = x
			r.Trials = append(r.Trials, trial)
		}
		return r
	}
	a, b, c := row("a", .5, .4, .5, .6), row("b", .4, .3, .41, .5), row("c", .6, .35, .47, .55)
	best := row("best", .1, 1, 2, 3)
	table := &Table{Rows: []*Row{a, best, b, c}, Loss: CE}
	got := map[string]Verdict{}
	for _, o := range table.Orders() {
		got[o.Better.Model+o.Worse.Model] = o.Verdict()
	}
	// b is below a by about .1 on every split, as published; c is below a, not above.
	want := map[string]Verdict{"ba": Reproduced, "ac": Reversed, "bc": Reproduced}
	if len(got) != 3 || got["ba"] != want["ba"] || got["ac"] != want["ac"] || got["bc"] != want["bc"] {
		t.Errorf("%v, want %v", got, want)
	}
	c.Trials[0].Figures[CE] = .9
	if v := table.Orders()[1].Verdict(); v != Undecided {
		t.Errorf("one odd split: %v", v)
	}
	var text strings.Builder
	table.writeOrders(&text)
	if !strings.Contains(text.String(), "Of 3 published orders of two methods 1 are reproduced, 0 reversed, 2 undecided") {
		t.Error(text.String())
	}
}
