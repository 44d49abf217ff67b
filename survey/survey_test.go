package survey

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"palate"
	"palate/model"
)

// people draws voters with tastes of their own who name the best and the worst of four.
func people(t testing.TB, voters, items, tasks int, random int) (m model.Model, truth [][]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(voters), uint64(items)))
	b := palate.NewBuilder()
	for i := range items {
		b.Item(strconv.Itoa(i))
	}
	common := make([]float64, items)
	for i := range common {
		common[i] = rng.NormFloat64()
	}
	for u := range voters {
		f := make([]float64, items)
		for i := range f {
			f[i] = common[i] + rng.NormFloat64()
		}
		truth = append(truth, f)
		for range tasks {
			shown, drawn := rng.Perm(items)[:4], make([]float64, items)
			for _, i := range shown {
				if drawn[i] = f[i] + math.Sqrt(0.5)*rng.NormFloat64(); u < random {
					drawn[i] = rng.Float64()
				}
			}
			slices.SortFunc(shown, func(i, j int) int { return cmp.Compare(drawn[j], drawn[i]) })
			group := b.NewGroup()
			for k := 1; k < 4; k++ {
				for _, pair := range [][2]int{{0, k}, {k, 3}} {
					if pair[0] == pair[1] || pair == [2]int{0, 3} && k == 3 {
						continue
					}
					if err := b.Add(palate.Vote{User: b.User(strconv.Itoa(u)), Left: shown[pair[0]], Right: shown[pair[1]], Weight: 1, Group: group, Unsided: true}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err = model.FitPopulation(t.Context(), d, &model.PopulationOptions{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	return m, truth
}

func everybody(m model.Model) (users []int) {
	for u := range m.NumUsers() {
		users = append(users, u)
	}
	return users
}

// Shares are the chances of choices, scores sum to zero, and intervals hold the truth.
func TestVoters(t *testing.T) {
	m, truth := people(t, 60, 8, 8, 0)
	all, err := Voters(t.Context(), m, everybody(m), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var held, cells float64
	for u, v := range all {
		var level float64
		for _, x := range truth[u] {
			level += x / 8
		}
		var score, share float64
		for i := range v.Score {
			score, share, cells = score+v.Score[i], share+v.Share[i], cells+1
			if x := truth[u][i] - level; v.Lo[i] <= x && x <= v.Hi[i] {
				held++
			}
		}
		if math.Abs(score) > 1e-9 || math.Abs(share-100) > 1e-9 {
			t.Errorf("voter %d: scores sum to %g, shares to %g", u, score, share)
		}
	}
	if held /= cells; held < 0.9 || held > 0.98 {
		t.Errorf("95%% intervals hold the truth %.3f of the time", held)
	}
	shelf := []int{5, 1, 2}
	some, err := Voters(t.Context(), m, []int{3, 7}, shelf, &Options{Draws: 4000})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range some {
		f, err := model.PredictAnswers(t.Context(), m, v.User, shelf)
		if err != nil {
			t.Fatal(err)
		}
		want, err := f.Choice(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for k := range shelf {
			if math.Abs(v.Share[k]-100*want[k]) > 2 {
				t.Errorf("voter %d: share %.1f of item %d, expected %.1f", v.User, v.Share[k], shelf[k], 100*want[k])
			}
		}
	}
	orders, err := Orders(t.Context(), m, []int{3}, &Options{Draws: 4000})
	if err != nil {
		t.Fatal(err)
	}
	first := make([]float64, 8)
	for _, order := range orders {
		at := slices.IndexFunc(order, func(i int) bool { return slices.Contains(shelf, i) })
		first[order[at]] += 100 / float64(len(orders))
	}
	for k, i := range shelf {
		if math.Abs(first[i]-some[0].Share[k]) > 4 {
			t.Errorf("item %d is the first of a shelf in %.1f%% of orders, share %.1f", i, first[i], some[0].Share[k])
		}
	}
	total := Total(all)
	var sum float64
	for k, x := range total {
		sum += x.Share
		if k > 0 && x.Share > total[k-1].Share || !(x.Lo <= x.Share && x.Share <= x.Hi) {
			t.Errorf("place %d: share %g between %g and %g after %g", k, x.Share, x.Lo, x.Hi, total[max(0, k-1)].Share)
		}
	}
	if math.Abs(sum-100) > 1e-6 {
		t.Errorf("shares sum to %g", sum)
	}
	for _, items := range [][]int{{1}, {1, 1}, {0, 99}} {
		if _, err := Voters(t.Context(), m, []int{0}, items, nil); err == nil {
			t.Errorf("items %v: no error", items)
		}
	}
}

// Scores against an anchor are differences to it, with intervals of differences and the chance
// to be above it, and their mean over people has an interval of its own.
func TestAnchor(t *testing.T) {
	m, truth := people(t, 60, 8, 8, 0)
	anchored, err := Voters(t.Context(), m, everybody(m), nil, &Options{Zero: []int{3}})
	if err != nil {
		t.Fatal(err)
	}
	centred, err := Voters(t.Context(), m, everybody(m), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var held, above, sure, cells float64
	for u, v := range anchored {
		for i := range v.Score {
			x := truth[u][i] - truth[u][3]
			if math.Abs(v.Score[i]-(centred[u].Score[i]-centred[u].Score[3])) > 1e-9 || v.Share[i] != centred[u].Share[i] {
				t.Fatalf("voter %d, item %d: %g, less the anchor %g", u, i, v.Score[i], centred[u].Score[i]-centred[u].Score[3])
			}
			if i == 3 {
				if v.Score[i] != 0 || v.Lo[i] != 0 || v.Hi[i] != 0 || v.Above[i] != 0.5 {
					t.Errorf("voter %d: the anchor has %g from %g to %g, above with %g", u, v.Score[i], v.Lo[i], v.Hi[i], v.Above[i])
				}
				continue
			}
			if cells++; v.Lo[i] <= x && x <= v.Hi[i] {
				held++
			}
			if sure += max(v.Above[i], 1-v.Above[i]); (v.Above[i] > 0.5) == (x > 0) {
				above++
			}
		}
	}
	if held /= cells; held < 0.9 || held > 0.98 {
		t.Errorf("95%% intervals hold the truth %.3f of the time", held)
	}
	if math.Abs(above-sure)/cells > 0.05 {
		t.Errorf("%.3f are on the side that was said, expected %.3f", above/cells, sure/cells)
	}
	for _, x := range Total(anchored) {
		if !(x.ScoreLo <= x.Score && x.Score <= x.ScoreHi) || x.Item == 3 && (x.ScoreLo != 0 || math.Abs(x.Above-0.5) > 1e-9) {
			t.Errorf("item %d: %+v", x.Item, x)
		}
	}
	if _, err := Voters(t.Context(), m, everybody(m), nil, &Options{Zero: []int{8}}); err == nil {
		t.Error("an anchor that is no item: no error")
	}
}

// Those who answer at random are told from those who do not.
func TestConsistency(t *testing.T) {
	const random = 8
	m, _ := people(t, 44, 8, 12, random)
	found, wrong := 0, 0
	for u := range m.NumUsers() {
		c, err := m.(*model.Population).Consistency(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		if c.Answers != 12 || math.Abs(c.Chance-1.0/12) > 1e-9 || math.Abs(c.Gain-12*math.Log(c.RLH/c.Chance)) > 1e-9 {
			t.Fatalf("voter %d: %+v", u, c)
		}
		switch {
		case u < random && !c.Consistent():
			found++
		case u >= random && !c.Consistent():
			wrong++
		}
	}
	if t.Logf("%d of %d found, %d of %d taken for them", found, random, wrong, m.NumUsers()-random); found < random-2 || wrong > 4 {
		t.Errorf("%d of %d found, %d of %d taken for them", found, random, wrong, m.NumUsers()-random)
	}
}

// The best portfolio is that of all; taking one by one comes near, and its bound holds.
func TestPortfolio(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for range 20 {
		r := &Reach{draws: 300}
		for range 9 {
			words := make([]uint64, 5)
			for d := range 300 {
				if rng.Float64() < 0.25 {
					words[d/64] |= 1 << (d % 64)
				}
			}
			r.of = append(r.of, words)
		}
		for size := 1; size <= 5; size++ {
			for _, with := range [][]int{nil, {4}} {
				most := 0
				for set := range 1 << 9 {
					var items []int
					for i := range 9 {
						if set>>i&1 == 1 {
							items = append(items, i)
						}
					}
					if len(items) == size && (with == nil || slices.Contains(items, 4)) {
						most = max(most, count(r.covered(items)))
					}
				}
				best := float64(most) / 300
				p, err := r.Portfolio(t.Context(), size, with)
				if err != nil {
					t.Fatal(err)
				}
				if !p.Exact || p.Reach != best || p.Bound != best || len(p.Items) != size || with != nil && !slices.Contains(p.Items, 4) {
					t.Errorf("%d with %v: %+v, want %g", size, with, p, best)
				}
				g := r.greedy(size, with)
				if g.Reach > best || g.Bound < best || g.Reach < 0.95*best || g.Exact && g.Reach != best {
					t.Errorf("%d with %v, one by one: %+v, the best is %g", size, with, g, best)
				}
			}
		}
	}
	m, _ := people(t, 30, 6, 6, 0)
	all, err := Reaching(t.Context(), m, everybody(m), &Options{Top: 2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := all.Portfolio(t.Context(), 6, nil)
	if err != nil || p.Reach != 1 || math.Abs(p.Frequency-2) > 1e-9 {
		t.Errorf("all items reach %+v, %v", p, err)
	}
	if _, err := all.Portfolio(t.Context(), 7, nil); err == nil {
		t.Error("seven of six items: no error")
	}
	if _, err := Reaching(t.Context(), m, everybody(m), &Options{Top: 6}); err == nil {
		t.Error("the six best of six items: no error")
	}
}
