package active

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/kernel"
	"palate/model"
)

// next is Next in a test, and settled Settled.
func next(t testing.TB, p model.Predictor, user, k int, o *Options, rng *rand.Rand) []Pair {
	t.Helper()
	pairs, err := Next(t.Context(), p, user, k, o, rng)
	if err != nil {
		t.Fatal(err)
	}
	return pairs
}

func settled(t testing.TB, p model.Predictor, user int, g Goal, rng *rand.Rand) float64 {
	t.Helper()
	x, err := Settled(t.Context(), p, user, g, rng)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0xac)) }

// linked is a model of n items with correlated utilities after some votes.
func linked(t testing.TB, n, votes int, seed uint64) *model.Linked {
	t.Helper()
	rng := source(seed)
	x := mat.NewDense(n, 2, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	k := kernel.Sum(kernel.Scale(2, kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{0.7})), kernel.Scale(1, kernel.Identity{}))
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	m, err := model.NewLinked(ids, k, kernel.Dense(x), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range votes {
		i, j := rng.IntN(n), rng.IntN(n-1)
		if j >= i {
			j++
		}
		if err := m.Observe(palate.Vote{User: -1, Left: i, Right: j, Weight: 1, Outcome: palate.Outcome(rng.IntN(2))}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// plain hides that a model is Joint.
type plain struct{ model.Predictor }

// strategies is the table the laws run over, with the score of one pair by the
// book.
func strategies() map[string]struct {
	Strategy
	score func(mi, mj, d, v float64) float64 // nil: random
} {
	type row = struct {
		Strategy
		score func(mi, mj, d, v float64) float64
	}
	return map[string]row{
		"Random":      {Random{}, nil},
		"Thompson":    {Thompson{}, nil},
		"Coverage":    {Coverage{}, nil},
		"Uncertainty": {Uncertainty{}, func(_, _, d, v float64) float64 { return -math.Abs(tail(d/math.Sqrt(1+v)) - 0.5) }},
		"LEL":         {LEL{}, func(_, _, d, v float64) float64 { return LogLoss(d, v) }},
		"BALD":        {BALD{}, Gain4},
		"EUBO": {EUBO{}, func(mi, mj, d, v float64) float64 {
			a := d / math.Sqrt(v)
			return mi*tail(-a) + mj*tail(a) + math.Sqrt(v)*math.Exp(-a*a/2)/math.Sqrt(2*math.Pi)
		}},
	}
}

// Gain4 is Gain as a score of the table.
func Gain4(_, _, d, v float64) float64 { return Gain(d, v) }

// Every type with a start method is in the table, and has a policy.
func TestStrategiesAreComplete(t *testing.T) {
	named := map[string]bool{}
	for _, p := range Policies() {
		named[reflect.TypeOf(p.Strategy).Name()] = true
		if q, err := Find(p.Name); err != nil || !reflect.DeepEqual(p, q) {
			t.Errorf("Find(%q) = %v, %v", p.Name, q, err)
		}
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.Name == "start" {
				name := fn.Recv.List[0].Type.(*ast.Ident).Name
				found++
				if _, ok := strategies()[name]; !ok || !named[name] {
					t.Errorf("%s: strategy %s is not in the table of laws, or has no policy", f.Name(), name)
				}
			}
		}
	}
	if found < 7 {
		t.Errorf("%d strategies, want at least 7", found)
	}
	if _, err := Find("best"); err == nil {
		t.Error("Find of no policy")
	}
}

func TestGoals(t *testing.T) {
	for _, g := range []Goal{Ranking(), TopFirst(), Best(), Top(7)} {
		if back, err := ParseGoal(g.String()); err != nil || back != g {
			t.Errorf("%v came back as %v, %v", g, back, err)
		}
		for r := 1; r < 20; r++ {
			if g.lead(r+1, 20) > g.lead(r, 20) {
				t.Errorf("%v counts rank %d more than rank %d", g, r+1, r)
			}
		}
	}
	for _, word := range []string{"", "top-0", "top-x", "worst"} {
		if _, err := ParseGoal(word); err == nil {
			t.Errorf("goal %q was understood", word)
		}
	}
}

// moments returns mean and variance of the difference of two items.
func moments(p model.Predictor, i, j int) (mi, mj, d, v float64) {
	mi, vi := p.Utility(-1, i)
	mj, vj := p.Utility(-1, j)
	var c [1]float64
	p.(model.Joint).CovarianceTo(c[:], -1, i, []int{j})
	return mi, mj, mi - mj, vi + vj - 2*c[0]
}

// The pair chosen is the best of all pairs, scored one by one, whatever the
// goal: what is left out on the way could not have won.
func TestNextIsBestOfAll(t *testing.T) {
	for name, row := range strategies() {
		if row.score == nil {
			continue
		}
		for seed := range uint64(6) {
			m := linked(t, 40, 10+60*int(seed), seed)
			for _, goal := range []Goal{Ranking(), TopFirst(), Best(), Top(5)} {
				o := &Options{Policy: Policy{Strategy: row.Strategy, Goal: goal}}
				got := next(t, m, -1, 1, o, source(seed))[0]
				rank := ranks(m)
				worth := func(i, j int) float64 {
					mi, mj, d, v := moments(m, i, j)
					s := row.score(mi, mj, d, v)
					l := goal.lead(min(rank[i], rank[j]), 40)
					switch name {
					case "LEL":
						return s + l
					case "BALD":
						return math.Log(s) + l
					}
					if goal != Ranking() {
						return math.NaN()
					}
					return s
				}
				best := math.Inf(-1)
				for i := range 40 {
					for j := range i {
						best = math.Max(best, worth(i, j))
					}
				}
				if w := worth(got.Left, got.Right); w < best-1e-5*math.Abs(best) {
					t.Errorf("%s for %v: chose a pair worth %v, the best is worth %v", name, goal, w, best)
				}
			}
		}
	}
}

func ranks(p model.Predictor) []int {
	n := p.NumItems()
	rank := make([]int, n)
	for i := range n {
		mi, _ := p.Utility(-1, i)
		rank[i] = 1
		for j := range n {
			if mj, _ := p.Utility(-1, j); mj > mi {
				rank[i]++
			}
		}
	}
	return rank
}

// The expected loss is LINK (26) by Monte Carlo, for both orders of the pair.
func TestLossIsMonteCarlo(t *testing.T) {
	rng := source(1)
	for _, c := range [][2]float64{{0, 1}, {0.7, 2}, {-0.7, 2}, {1.5, 0.5}, {-2, 1}} {
		const n = 1000000
		var sum float64
		for range n {
			x := c[0] + math.Sqrt(c[1])*rng.NormFloat64()
			if x*c[0] < 0 || c[0] == 0 && x < 0 {
				sum += (c[0] - x) * (c[0] - x) / n
			}
		}
		if got := math.Exp(LogLoss(c[0], c[1])); math.Abs(got-sum) > 0.01*sum+1e-4 {
			t.Errorf("loss at d=%v, v=%v is %v, Monte Carlo %v", c[0], c[1], got, sum)
		}
	}
	if got := math.Exp(LogLoss(0, 3)); math.Abs(got-1.5) > 1e-12 {
		t.Errorf("loss at d=0 is %v, want v/2", got)
	}
	for _, a := range []float64{19.99, 20.01, 50, 1000} { // the tail does not underflow and has no step
		want := -0.5*a*a + math.Log(a) - 0.5*math.Log(2*math.Pi)
		if got := LogLoss(a, 1); math.Abs(got-want) > 0.01 {
			t.Errorf("log loss at a=%v is %v, about %v", a, got, want)
		}
	}
}

// A batch has no pair twice, leaves out what is excluded, and ends when nothing is
// left. It shares no item while there are others, unless scores say what is left.
func TestBatches(t *testing.T) {
	m := linked(t, 9, 20, 3)
	for _, p := range Policies() {
		exclude := Pairs{}
		exclude.Add(4, 2)
		exclude.Add(0, 8)
		o := &Options{Policy: p, Exclude: exclude}
		all := next(t, m, -1, 100, o, source(5))
		if len(all) != 9*8/2-2 {
			t.Errorf("%s: %d pairs, want 34", p.Name, len(all))
		}
		seen := Pairs{}
		for k, q := range all {
			switch {
			case q.Left == q.Right || seen.Has(q.Left, q.Right) || exclude.Has(q.Left, q.Right):
				t.Errorf("%s: pair %d is %d against %d", p.Name, k, q.Left, q.Right)
			case !(q.Propensity > 0 && q.Propensity <= 1+1e-12):
				t.Errorf("%s: propensity %v", p.Name, q.Propensity)
			case !(q.Chance > 0 && q.Chance < 1) || !(q.Gain > 0):
				t.Errorf("%s: chance %v, gain %v", p.Name, q.Chance, q.Gain)
			}
			seen.Add(q.Left, q.Right)
		}
		if _, ok := p.Strategy.(foreseer); ok {
			continue
		}
		items := map[int]bool{}
		for _, q := range all[:3] {
			if items[q.Left] || items[q.Right] {
				t.Errorf("%s: an item is in the batch twice", p.Name)
			}
			items[q.Left], items[q.Right] = true, true
		}
	}
}

// The same seed asks the same pair.
func TestSameSeed(t *testing.T) {
	m := linked(t, 30, 40, 4)
	for _, p := range Policies() {
		a, b := next(t, m, -1, 5, &Options{Policy: p}, source(9)), next(t, m, -1, 5, &Options{Policy: p}, source(9))
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %v and %v", p.Name, a, b)
		}
	}
}

func TestWeightsAndGuards(t *testing.T) {
	m := linked(t, 20, 100, 6)
	// What the voter does not know is not asked.
	known := make([]float64, 20)
	for _, i := range []int{3, 7, 11} {
		known[i] = 1
	}
	for _, q := range next(t, m, -1, 10, &Options{Familiarity: known}, source(1)) {
		if known[q.Left] == 0 || known[q.Right] == 0 {
			t.Errorf("asked %d against %d, which the voter does not know", q.Left, q.Right)
		}
	}
	// A cost that is high enough drives an item out, familiarity that is low too.
	first := next(t, m, -1, 1, nil, source(1))[0]
	cost, familiar := make([]float64, 20), make([]float64, 20)
	for i := range cost {
		cost[i], familiar[i] = 1, 1
	}
	cost[first.Left], familiar[first.Left] = 1e6, 1e-6
	for what, o := range map[string]*Options{"cost": {Cost: cost}, "familiarity": {Familiarity: familiar}} {
		if q := next(t, m, -1, 1, o, source(1))[0]; q.Left == first.Left || q.Right == first.Left {
			t.Errorf("%s does not matter", what)
		}
	}
	// Only items of one group meet.
	group := make([]int, 20)
	for i := range group {
		group[i] = i % 2
	}
	for _, p := range Policies() {
		for _, q := range next(t, m, -1, 40, &Options{Policy: p, Group: group, Explore: 0.3}, source(2)) {
			if group[q.Left] != group[q.Right] {
				t.Errorf("%s: %d meets %d of another group", p.Name, q.Left, q.Right)
			}
		}
	}
	// Pairs that are known to be close are not for novices.
	for _, q := range next(t, m, -1, 50, &Options{TooClose: 1.2}, source(3)) {
		_, _, d, v := moments(m, q.Left, q.Right)
		if sd := math.Sqrt(v); tail((1.2-d)/sd)+tail((1.2+d)/sd) <= 0.5 {
			t.Errorf("%d and %d are too close: %v ± %v", q.Left, q.Right, d, sd)
		}
	}
}

// Propensities are frequencies.
func TestPropensities(t *testing.T) {
	for k, o := range []*Options{
		{Policy: Policy{Strategy: Random{}, Goal: Ranking()}},
		{Explore: 0.5},
		{Policy: Policy{Strategy: Coverage{}, Goal: Ranking()}, Explore: 0.2},
		{Policy: Policy{Strategy: Coverage{}, Goal: Ranking()}},
	} {
		m := linked(t, 4, 5*(3-k), 8) // without votes all tie for the fewest
		const n = 6000
		rng := source(11)
		count, said := map[[2]int]float64{}, map[[2]int]float64{}
		for range n {
			q := next(t, m, -1, 1, o, rng)[0]
			key := [2]int{min(q.Left, q.Right), max(q.Left, q.Right)}
			count[key] += 1.0 / n
			said[key] = q.Propensity
		}
		for key, p := range said {
			if math.Abs(count[key]-p) > 4*math.Sqrt(p*(1-p)/n) {
				t.Errorf("%T, explore %v: pair %v came up %v of the time, propensity %v", o.Policy.Strategy, o.Explore, key, count[key], p)
			}
		}
	}
}

// A model that shows no covariances is asked for draws, and much the same pair
// comes out.
func TestWithoutJoint(t *testing.T) {
	m := linked(t, 30, 60, 12)
	score := func(q Pair) float64 {
		_, _, d, v := moments(m, q.Left, q.Right)
		return math.Log(Gain(d, v))
	}
	o := &Options{Policy: Policy{Strategy: BALD{}, Goal: Ranking()}}
	exact, drawn := next(t, m, -1, 1, o, source(1))[0], next(t, plain{m}, -1, 1, o, source(1))[0]
	if score(drawn) < score(exact)-0.2 {
		t.Errorf("by draws a pair of log gain %v, by covariances %v", score(drawn), score(exact))
	}
}

// A shortlist finds nearly the best pair of all.
func TestShortlist(t *testing.T) {
	m := linked(t, 400, 300, 13)
	for _, p := range Policies()[:4] {
		all := next(t, m, -1, 1, &Options{Policy: p, Limit: 400}, source(1))[0]
		some := next(t, m, -1, 1, &Options{Policy: p, Limit: 100}, source(1))[0]
		if some.Score < all.Score-0.3 {
			t.Errorf("%s: log score %v from a shortlist, %v from all", p.Name, some.Score, all.Score)
		}
	}
}

// When nothing may be asked, nothing is.
func TestNothingToAsk(t *testing.T) {
	m := linked(t, 2, 1, 14)
	exclude := Pairs{}
	exclude.Add(1, 0)
	if got := next(t, m, -1, 3, &Options{Exclude: exclude}, source(1)); len(got) != 0 {
		t.Errorf("asked %v", got)
	}
	if got := next(t, m, -1, 3, &Options{Familiarity: []float64{1, 0}}, source(1)); len(got) != 0 {
		t.Errorf("asked %v", got)
	}
}

func BenchmarkNext(b *testing.B) {
	for _, votes := range []int{0, 300, 3000} {
		m := linked(b, 1000, votes, 15)
		for _, p := range Policies() {
			b.Run(fmt.Sprintf("n=1000/votes=%d/%s", votes, p.Name), func(b *testing.B) {
				rng := source(1)
				for b.Loop() {
					next(b, m, -1, 1, &Options{Policy: p}, rng)
				}
			})
		}
	}
}

// Settled grows from chance to certainty as votes come in, for every goal.
func TestSettled(t *testing.T) {
	const n = 12
	m := linked(t, n, 0, 20)
	for _, g := range []Goal{Ranking(), TopFirst(), Best(), Top(4)} {
		m := linked(t, n, 0, 20)
		before := settled(t, m, -1, g, source(1))
		for range 40 {
			for i := range n {
				for j := range i {
					if err := m.Observe(palate.Vote{User: -1, Left: j, Right: i, Weight: 1}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if after := settled(t, m, -1, g, source(1)); before > 0.45 || after < 0.95 || after > 1 {
			t.Errorf("%v: settled %v before and %v after 2,640 votes", g, before, after)
		}
	}
	// The best of twelve exchangeable items is anybody's guess.
	if p := settled(t, m, -1, Best(), source(2)); p > 0.25 {
		t.Errorf("sure of the best at %v before any vote", p)
	}
}

// Ten thousand items are asked about without looking at all pairs.
func BenchmarkNextMany(b *testing.B) {
	const n = 10000
	ids := make([]string, n)
	m, err := model.NewGlicko(ids, 2, model.Diagonal)
	if err != nil {
		b.Fatal(err)
	}
	rng := source(1)
	for range 20000 {
		i, j := rng.IntN(n), rng.IntN(n-1)
		if j >= i {
			j++
		}
		if err := m.Observe(palate.Vote{User: -1, Left: i, Right: j, Weight: 1}); err != nil {
			b.Fatal(err)
		}
	}
	for _, k := range []int{1, 20} {
		b.Run(fmt.Sprintf("k=%d", k), func(b *testing.B) {
			for b.Loop() {
				next(b, m, -1, k, nil, rng)
			}
		})
	}
}

// The illustration of LINK, §2.4: six papers, a linked to b and d to e. After b
// beat e, a is believed to be good too and d to be bad; pairs across the two
// couples hold little loss, and the two that stand alone not the most, since the
// leader matters more.
func TestSixPapers(t *testing.T) {
	g, err := kernel.NewGraph(6, []kernel.Edge{{From: 0, To: 1, Weight: 1}, {From: 3, To: 4, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	const a, b, c, d, e, f = 0, 1, 2, 3, 4, 5
	m, err := model.NewLinked([]string{"a", "b", "c", "d", "e", "f"}, kernel.NewLinks(g, kernel.Laplacian, 1, 1), kernel.Indexed(6), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Observe(palate.Vote{User: -1, Left: b, Right: e, Weight: 1}); err != nil {
		t.Fatal(err)
	}
	mean := func(i int) float64 { x, _ := m.Utility(-1, i); return x }
	if !(mean(b) > mean(a) && mean(a) > 0 && mean(c) == 0 && mean(f) == 0 && mean(d) < 0 && mean(e) < mean(d)) {
		t.Errorf("means %v, %v, %v, %v, %v, %v", mean(a), mean(b), mean(c), mean(d), mean(e), mean(f))
	}
	rank := ranks(m)
	loss := func(i, j int) float64 {
		_, _, x, v := moments(m, i, j)
		return LogLoss(x, v) + Best().lead(min(rank[i], rank[j]), 6)
	}
	lelpair, err := Find("lelpair")
	if err != nil {
		t.Fatal(err)
	}
	first := next(t, m, -1, 1, &Options{Policy: lelpair}, source(1))[0]
	if pair := [2]int{min(first.Left, first.Right), max(first.Left, first.Right)}; pair != [2]int{b, c} && pair != [2]int{b, f} {
		t.Errorf("asks %v, want b against c or f", pair)
	}
	if !(loss(c, f) < loss(b, c)) || !(loss(b, d) < loss(b, f)) {
		t.Errorf("losses: c,f %v; b,c %v; b,d %v; b,f %v", loss(c, f), loss(b, c), loss(b, d), loss(b, f))
	}
}

// personal answers for one user only.
type personal struct {
	t *testing.T
	*model.Linked
}

func (p personal) check(user int) {
	if user != 7 {
		p.t.Errorf("asked about user %d, not 7", user)
	}
}

func (p personal) Utility(user, item int) (float64, float64) {
	p.check(user)
	return p.Linked.Utility(user, item)
}

func (p personal) UtilitiesTo(ctx context.Context, mean, variance []float64, user int) error {
	p.check(user)
	return p.Linked.UtilitiesTo(ctx, mean, variance, user)
}

func (p personal) CovarianceTo(dst []float64, user, item int, others []int) {
	p.check(user)
	p.Linked.CovarianceTo(dst, user, item, others)
}

func (p personal) Prefer(user, left, right int) float64 {
	p.check(user)
	return p.Linked.Prefer(user, left, right)
}

func (p personal) Draws(ctx context.Context, user, n int, rng *rand.Rand) (model.Draws, error) {
	p.check(user)
	return p.Linked.Draws(ctx, user, n, rng)
}

// One voter's taste is asked for by that voter's utilities.
func TestOneVoter(t *testing.T) {
	m := personal{t, linked(t, 10, 20, 21)}
	for _, p := range Policies() {
		if got := next(t, m, 7, 2, &Options{Policy: p, Explore: 0.5}, source(1)); len(got) != 2 {
			t.Errorf("%s: %d pairs", p.Name, len(got))
		}
		settled(t, m, 7, p.Goal, source(1))
	}
}
