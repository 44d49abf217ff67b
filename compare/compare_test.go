package compare

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"palate"
	"palate/internal/num"
	"palate/model"
)

// vote adds votes between random pairs of items with these utilities.
func vote(t *testing.T, b *palate.Builder, f []float64, votes int, rng *rand.Rand) {
	t.Helper()
	for range votes {
		i, j := rng.IntN(len(f)), rng.IntN(len(f)-1)
		if j >= i {
			j++
		}
		say(t, b, f, i, j, rng)
	}
}

// say adds a vote between two items.
func say(t *testing.T, b *palate.Builder, f []float64, i, j int, rng *rand.Rand) {
	t.Helper()
	o := palate.Right
	if rng.Float64() < num.Phi(f[i]-f[j]) {
		o = palate.Left
	}
	if err := b.Say("", strconv.Itoa(i), strconv.Itoa(j), o); err != nil {
		t.Fatal(err)
	}
}

// named returns a builder of n items called by their numbers.
func named(n int) *palate.Builder {
	b := palate.NewBuilder()
	for i := range n {
		b.Item(strconv.Itoa(i))
	}
	return b
}

func build(t *testing.T, b *palate.Builder) *palate.Dataset {
	t.Helper()
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fit(t *testing.T, d *palate.Dataset) *model.Single {
	t.Helper()
	m, err := model.FitSingle(context.Background(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func utilities(n int, rng *rand.Rand) []float64 {
	f := make([]float64, n)
	for i := range f {
		f[i] = rng.NormFloat64()
	}
	return f
}

// The two orders of a pair say the same, and a pair nothing connects says nothing.
func TestItemsTurnedRound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	b := named(8)
	vote(t, b, utilities(6, rng), 60, rng)
	if err := b.Say("", "6", "7", palate.Left); err != nil {
		t.Fatal(err)
	}
	m := fit(t, build(t, b))
	got, err := Items(context.Background(), m, -1, [][2]int{{0, 1}, {1, 0}, {0, 6}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, y := got[0], got[1]
	for _, d := range []float64{x.Better + y.Better - 1, x.Difference + y.Difference, x.Lo + y.Hi, x.Wins + y.Wins - 1} {
		if math.Abs(d) > 1e-3 { // quantiles of draws differ by one draw
			t.Errorf("two orders of a pair: %+v and %+v", x, y)
		}
	}
	if x.More != y.More {
		t.Errorf("%d votes settle a pair, and %d the same turned round", x.More, y.More)
	}
	if got[2].Comparable {
		t.Errorf("nothing connects 0 and 6, but they are compared: %+v", got[2])
	}
}

// After as many votes as are said to settle a pair about half of the pairs are settled.
func TestMoreVotesSettle(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	settled, n := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		f := utilities(6, rng)
		b := named(6)
		vote(t, b, f, 50, rng)
		before, err := Items(context.Background(), fit(t, build(t, b)), -1, [][2]int{{0, 1}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if more := before[0].More; more > 0 && more < 300 {
			for range more {
				say(t, b, f, 0, 1, rng)
			}
			after, err := Items(context.Background(), fit(t, build(t, b)), -1, [][2]int{{0, 1}}, nil)
			if err != nil {
				t.Fatal(err)
			}
			n++
			if after[0].More == 0 {
				settled++
			}
		}
	}
	if share := float64(settled) / float64(n); n < 20 || share < 0.3 || share > 0.7 {
		t.Errorf("%d of %d pairs were settled by the votes that should settle half of them", settled, n)
	}
}

// Votes of a pair count for the one who won, whatever the side, directly and through others.
func TestVotes(t *testing.T) {
	b := palate.NewBuilder()
	for _, v := range []struct {
		left, right string
		o           palate.Outcome
	}{
		{"a", "b", palate.Left}, {"b", "a", palate.Right}, {"b", "a", palate.Left}, {"a", "b", palate.Tie}, {"a", "b", palate.Skip},
		{"a", "c", palate.Left}, {"c", "b", palate.Left}, {"a", "d", palate.Left}, {"c", "d", palate.Left},
	} {
		if err := b.Say("", v.left, v.right, v.o); err != nil {
			t.Fatal(err)
		}
	}
	e := Votes(build(t, b), 0, 1)
	if e.Direct != (Record{Won: 2, Lost: 1, Tied: 1}) {
		t.Errorf("a against b: %+v", e.Direct)
	}
	if len(e.Through) != 1 || e.Through[0] != (Opponent{2, Record{Won: 1}, Record{Lost: 1}}) || e.Through[0].For() != 1 {
		t.Errorf("both met c alone, which speaks for a: %+v", e.Through)
	}
}

// twoBoards draws votes of two boards, on which items moved by as much.
func twoBoards(t *testing.T, seed uint64, moved float64, first, second int) (d *palate.Dataset, of []bool, by []float64) {
	rng := rand.New(rand.NewPCG(seed, 4))
	f := utilities(12, rng)
	g := make([]float64, len(f))
	by = utilities(len(f), rng)
	var mean float64
	for i := range f {
		by[i] *= moved
		g[i] = f[i] + by[i]
		mean += by[i] / float64(len(f))
	}
	for i := range by {
		by[i] -= mean
	}
	b := named(len(f))
	vote(t, b, f, first, rng)
	vote(t, b, g, second, rng)
	of = make([]bool, first+second)
	for k := first; k < len(of); k++ {
		of[k] = true
	}
	return build(t, b), of, by
}

// Of boards on which nothing moved no move is sure, though one has few votes; of such with
// large moves those that are sure are right.
func TestTwins(t *testing.T) {
	for _, x := range []struct {
		moved         float64
		first, second int
		sure          bool
	}{{0, 150, 20, false}, {2, 300, 300, true}} {
		d, of, by := twoBoards(t, 5, x.moved, x.first, x.second)
		twins, err := FitTwins(context.Background(), d, of, nil)
		if err != nil {
			t.Fatal(err)
		}
		sure := sureMoves(t, twins, by)
		if (sure > 0) != x.sure || x.sure && twins.Still() > 0.01 {
			t.Errorf("moves of %g: %d are sure, still with probability %.3f", x.moved, sure, twins.Still())
		}
	}
}

// sureMoves counts the moves that are said to be sure, all of which must be in the direction
// in which the items did move.
func sureMoves(t *testing.T, twins *Twins, by []float64) (sure int) {
	t.Helper()
	c, err := twins.Moves(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Moves {
		i, err := strconv.Atoi(m.ID)
		if err != nil {
			t.Fatal(err)
		}
		if m.Sure {
			if sure++; (by[i] > 0) != (m.Rose > 0.5) {
				t.Errorf("moved by %.2f: %+v", by[i], m)
			}
		}
	}
	return sure
}

// Where there are too many items for the grid what nothing moved stays, and large moves are
// found.
func TestLinkedTwins(t *testing.T) {
	for _, moved := range []float64{0, 2} {
		d, of, by := twoBoards(t, 6, moved, 600, 400)
		part := make([]int, len(of))
		for k, is := range of {
			if is {
				part[k] = 1
			}
		}
		twins := &Twins{}
		for i := range d.NumItems() {
			twins.ids = append(twins.ids, d.ItemID(i))
		}
		if err := twins.link(context.Background(), d.InParts(part, 2), model.Options{}); err != nil {
			t.Fatal(err)
		}
		sure := sureMoves(t, twins, by)
		if (sure > 0) != (moved > 0) || twins.Still() != -1 {
			t.Errorf("moves of %g: %d are sure, still with probability %g", moved, sure, twins.Still())
		}
	}
}

// Boards match items by name, and know what is new and gone.
func TestBoards(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 7))
	f := utilities(10, rng)
	first, second := named(10), named(10)
	vote(t, first, f[:8], 300, rng)
	g := append(make([]float64, 0, 10), f...)
	g[0] += 4
	for range 300 {
		i, j := rng.IntN(9), rng.IntN(9)
		if i != j {
			say(t, second, g, i, j, rng)
		}
	}
	only := func(d *palate.Dataset) model.Predictor { // items that votes name
		b := palate.NewBuilder()
		for _, v := range d.Votes() {
			if err := b.Say("", d.ItemID(v.Left), d.ItemID(v.Right), v.Outcome); err != nil {
				t.Fatal(err)
			}
		}
		return fit(t, build(t, b))
	}
	c, err := Boards(context.Background(), only(build(t, first)), only(build(t, second)), -1, -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Moves) != 8 || len(c.New) != 1 || c.New[0] != "8" || len(c.Gone) != 0 {
		t.Errorf("%d items on both, %v new, %v gone", len(c.Moves), c.New, c.Gone)
	}
	if top := c.Moves[0]; top.ID != "0" || !top.Sure || top.Rose < 0.99 {
		t.Errorf("item 0 rose by 4, but the surest move is %+v", top)
	}
}

// Categories that differ are found to, where they do, and such as are equal are not; what
// votes leave open is drawn to the board of all.
func TestCategories(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 11))
	f := utilities(8, rng)
	for _, moved := range []float64{0, 2} {
		b := named(8)
		var of []string
		for _, c := range []struct {
			name  string
			votes int
		}{{"most", 400}, {"some", 200}, {"few", 12}} {
			g := append([]float64(nil), f...)
			if c.name == "some" {
				g[0] += moved
			}
			vote(t, b, g, c.votes, rng)
			for range c.votes {
				of = append(of, c.name)
			}
		}
		d := build(t, b).WithUsers(of)
		m, err := model.FitPopulation(context.Background(), d, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Categories(context.Background(), d, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Categories) != 3 || got.Categories[0].Name != "most" || got.Categories[2].Votes != 12 {
			t.Fatalf("categories: %+v", got.Categories)
		}
		for _, r := range got.Overall.Groups[0].Rows { // all are between the categories
			lo, hi := math.Inf(1), math.Inf(-1)
			for _, c := range got.Categories {
				for _, x := range c.Board.Groups[0].Rows {
					if x.ID == r.ID {
						lo, hi = min(lo, x.Score), max(hi, x.Score)
					}
				}
			}
			if !(lo-1e-12 <= r.Score && r.Score <= hi+1e-12) {
				t.Errorf("item %s has %g on the board of all, and between %g and %g in categories", r.ID, r.Score, lo, hi)
			}
		}
		top := got.Departures[0]
		if top.Sure != (moved > 0) || moved > 0 && (top.ID != "0" || top.Category != "some" || top.Above < 0.5) {
			t.Errorf("item 0 moved by %g in one category: %+v", moved, top)
		}
		if x, y := got.Categories[2].Board, got.Categories[2].Raw; len(y.Groups) == 1 && x.Groups[0].Rows[0].SD >= y.Groups[0].Rows[0].SD {
			t.Errorf("a dozen votes tell as much alone: %+v and %+v", x.Groups[0].Rows[0], y.Groups[0].Rows[0])
		}
	}
	if _, err := Categories(context.Background(), build(t, named(2)), nil, nil); err == nil {
		t.Error("no categories are broken down")
	}
}

func TestParseClaim(t *testing.T) {
	for _, x := range []struct {
		text string
		want Claim // nothing: it is refused
	}{
		{"P(a > b) > 0.95", Claim{What: Above, A: "a", B: "b", Least: true, Bound: 0.95}},
		{"p( a one<b two )>=95%", Claim{What: Above, A: "b two", B: "a one", Least: true, Even: true, Bound: 0.95}},
		{`P("a>b" > c) < .5`, Claim{What: Above, A: "a>b", B: "c", Bound: 0.5}},
		{"P(a (x) best) > 0.5", Claim{What: First, A: "a (x)", Least: true, Bound: 0.5}},
		{"P(a top 3) <= 1", Claim{What: Among, A: "a", K: 3, Even: true, Bound: 1}},
		{"P(a rose) > 0.9", Claim{What: Rose, A: "a", Least: true, Bound: 0.9}},
		{`P("the best" fell) > 0.9`, Claim{What: Fell, A: "the best", Least: true, Bound: 0.9}},
		{"P(a > b) > 2", Claim{}}, {"P(a > b)", Claim{}}, {"a > b", Claim{}}, {"P(a) > 0.5", Claim{}},
		{"P(a > a) > 0.5", Claim{}}, {"P(a > b > c) > 0.5", Claim{}}, {"P(a top 0) > 0.5", Claim{}}, {"P(a > b) > 0.9.9", Claim{}},
	} {
		got, err := ParseClaim(x.text)
		if got.Text = ""; (err == nil) != (x.want != Claim{}) || got != x.want {
			t.Errorf("%s: %+v, %v", x.text, got, err)
		}
	}
}

// A claim has the probability that comparing gives, and a bound holds on its own side.
func TestClaimChance(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	b := named(5)
	vote(t, b, utilities(5, rng), 60, rng)
	m := fit(t, build(t, b))
	pairs, err := Items(context.Background(), m, -1, [][2]int{{3, 1}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	chance := func(text string) float64 {
		t.Helper()
		c, err := ParseClaim(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := c.Chance(context.Background(), m, -1, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Holds(p) == (Claim{Bound: c.Bound, Least: !c.Least}).Holds(p) {
			t.Errorf("%s: holds both ways at %g", text, p)
		}
		return p
	}
	if p := chance("P(3 > 1) > 0.5"); p != pairs[0].Better {
		t.Errorf("P(3 > 1) is %g, and compared %g", p, pairs[0].Better)
	}
	var best float64
	for i := range 5 {
		best += chance("P(" + strconv.Itoa(i) + " best) > 0.5")
	}
	if c, err := ParseClaim("P(2 top 5) >= 1"); err != nil || !c.Holds(chance(c.Text)) {
		t.Errorf("what is certain does not hold: %v", err)
	}
	if math.Abs(best-1) > 1e-9 || chance("P(2 top 5) > 0.5") < 1-1e-9 {
		t.Errorf("one is the best with probability %g, and 2 is among all five with %g", best, chance("P(2 top 5) > 0.5"))
	}
}
