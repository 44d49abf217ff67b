package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"palate"
)

// contest is votes between answers whose lengths differ: of some items they are longer on
// the whole, and they vary from answer to answer.
type contest struct {
	items, votes int
	users        int
	effect       float64 // of a length longer by 100
	own          float64 // deviation of the items' mean lengths, in hundreds
	tone         float64 // what a friendly answer is worth, in place of a plain one
	bonus        float64 // of the left item where the language is de
	ties         bool
}

// draw returns votes with their properties, and what the items are worth.
func (c contest) draw(t testing.TB, seed uint64) (*palate.Dataset, []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0xc0e7))
	b := palate.NewBuilder()
	u, usual := make([]float64, c.items), make([]float64, c.items)
	for i := range u {
		u[i], usual[i] = rng.NormFloat64(), c.own*rng.NormFloat64()
		b.Item(fmt.Sprintf("item %d", i))
	}
	for k := range c.users {
		b.User(fmt.Sprintf("voter %d", k))
	}
	length := palate.Property{Name: "length", Columns: []string{"length_left", "length_right"}}
	tone := palate.Property{Name: "tone", Levels: []string{"friendly", "plain"}}
	language := palate.Property{Name: "language", Levels: []string{"de", "en"}}
	for range c.votes {
		l, r := rng.IntN(c.items), rng.IntN(c.items-1)
		if r >= l {
			r++
		}
		x, y := usual[l]+rng.NormFloat64(), usual[r]+rng.NormFloat64()
		f, g := indicator(rng.Float64() < 0.3), indicator(rng.Float64() < 0.3)
		de := indicator(rng.Float64() < 0.4)
		length.Left, length.Right = append(length.Left, 500+100*x), append(length.Right, 500+100*y)
		tone.Left, tone.Right = append(tone.Left, 1-f), append(tone.Right, 1-g)
		language.Left = append(language.Left, 1-de)
		v := palate.Vote{User: -1, Left: l, Right: r, Weight: 1}
		if c.users > 0 {
			v.User = rng.IntN(c.users)
		}
		switch z := u[l] - u[r] + c.effect*(x-y) + c.tone*(f-g) + c.bonus*de + rng.NormFloat64(); {
		case c.ties && math.Abs(z) < 0.3:
			v.Outcome = palate.Tie
		case z < 0:
			v.Outcome = palate.Right
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d := built(t, b)
	return d.WithProperties([]palate.Property{length, tone, language}), u
}

// covered is how many differences between an item and a few others lie within 95 %
// intervals, and how wide these are on the whole.
func covered(t testing.TB, m *Single, u []float64) (share, width float64) {
	t.Helper()
	d := drawsOf(t, m, -1, 1000, rand.New(rand.NewPCG(1, 2)))
	pairs := 0.0
	for i := range u {
		for j := max(0, i-7); j < i; j++ {
			x := make([]float64, len(d.Weight))
			for k := range x {
				f := d.F.RawRowView(k)
				x[k] = f[i] - f[j]
			}
			order := argsort(x)
			var below float64
			lo, hi := math.NaN(), math.NaN()
			for _, k := range order {
				if below += d.Weight[k]; math.IsNaN(lo) && below >= 0.025 {
					lo = x[k]
				}
				if math.IsNaN(hi) && below >= 0.975 {
					hi = x[k]
				}
			}
			if lo <= u[i]-u[j] && u[i]-u[j] <= hi {
				share++
			}
			width += hi - lo
			pairs++
		}
	}
	return share / pairs, width / pairs
}

// Planted effects are found, with intervals that cover them, and the board at equal length
// covers what the items are worth where one that does not know of length does not.
func TestPropertiesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const drawings = 12
	c := contest{items: 8, votes: 300, effect: 0.6, own: 1, tone: 0.5, bonus: 0.8}
	var within, all, at, without float64
	for seed := range uint64(drawings) {
		d, u := c.draw(t, seed)
		m := fit(t, d, nil)
		for _, e := range m.Effects() {
			truth := map[string]float64{"length": c.effect * e.Unit / 100, "tone=friendly": c.tone, leftEffect + "×language=de": c.bonus, leftEffect: 0}[e.Name]
			lo, hi := e.Interval(0.95)
			within += indicator(lo <= truth && truth <= hi)
			all++
		}
		share, _ := covered(t, m, u)
		at += share / drawings
		share, _ = covered(t, fit(t, d.WithProperties(nil), nil), u)
		without += share / drawings
	}
	t.Logf("effects within %.3f of %g, differences at equal length %.3f, without %.3f", within/all, all, at, without)
	if all < 3*drawings || within/all < 0.9 || at < 0.92 || without > 0.75 {
		t.Errorf("effects within %.3f of %g, differences at equal length %.3f, without %.3f", within/all, all, at, without)
	}
}

// Where properties bear on nothing, knowing them costs next to nothing.
func TestPropertiesOfNoEffect(t *testing.T) {
	var with, without float64
	for seed := range uint64(4) {
		d, u := contest{items: 8, votes: 300}.draw(t, seed)
		_, a := covered(t, fit(t, d, nil), u)
		_, b := covered(t, fit(t, d.WithProperties(nil), nil), u)
		with, without = with+a, without+b
	}
	if with > 1.04*without {
		t.Errorf("intervals of %.3f in place of %.3f", with, without)
	}
}

// What is learnt of effects and items hangs neither on the order of rows nor on which item
// is called left.
func TestPropertiesWhateverTheOrder(t *testing.T) {
	d, _ := contest{items: 6, votes: 300, effect: 0.6, own: 0.5, tone: 0.5, bonus: 0.5, users: 6, ties: true}.draw(t, 3)
	m := fit(t, d, nil)
	order := rand.New(rand.NewPCG(5, 5)).Perm(d.NumVotes())
	other := fit(t, d.Select(order), nil)
	if fmt.Sprint(m.Effects()) != fmt.Sprint(other.Effects()) || !slices.Equal(chancesOf(m), chancesOf(other)) {
		t.Errorf("effects %v; in another order %v", m.Effects(), other.Effects())
	}
	if len(m.Effects()) < 3 {
		t.Errorf("effects %v", m.Effects())
	}
}

// Along the graph of comparisons effects are learnt to what they are where they are
// integrated out.
func TestPropertiesAlongGraph(t *testing.T) {
	for _, users := range []int{0, 5} {
		d, _ := contest{items: 8, votes: 1200, effect: 0.6, own: 0.5, tone: 0.4, bonus: 0.5, users: users}.draw(t, 9)
		dense, graph := fit(t, d, nil), fit(t, d, &Options{DenseLimit: 4})
		a, b := dense.Effects(), graph.Effects()
		if !graph.own || len(a) < 3 || len(a) != len(b) {
			t.Fatalf("effects %v; along the graph %v", a, b)
		}
		for k := range a {
			if a[k].Name != b[k].Name || math.Abs(a[k].Mean-b[k].Mean) > 0.2*a[k].SD || math.Abs(a[k].SD/b[k].SD-1) > 0.1 {
				t.Errorf("effect %v; along the graph %v", a[k], b[k])
			}
		}
		for i := range 8 {
			x, _ := dense.Utility(-1, i)
			y, _ := graph.Utility(-1, i)
			if math.Abs(x-y) > 0.05 {
				t.Errorf("item %d is %.3f; along the graph %.3f", i, x, y)
			}
		}
	}
}

// With more than a hundred items effects are learnt along the graph first, and then
// integrated out.
func TestPropertiesOfManyItems(t *testing.T) {
	d, u := contest{items: 120, votes: 2000, effect: 0.6, own: 1}.draw(t, 4)
	m := fit(t, d, nil)
	if e := m.Effects(); m.own || len(e) < 3 || math.Abs(e[0].Mean-0.6*e[0].Unit/100) > 3*e[0].SD || m.obs.context == nil {
		t.Errorf("effects %v", e)
	}
	if share, _ := covered(t, m, u); share < 0.9 {
		t.Errorf("differences within %.3f", share)
	}
}

// Numbers in few bins say what they say one by one.
func TestPropertiesInBins(t *testing.T) {
	d, _ := contest{items: 8, votes: 500, effect: 0.8, own: 0.5}.draw(t, 2)
	c := newCovariates(d)
	if len(c.values) > 300 {
		t.Errorf("%d classes of 500 votes", len(c.values))
	}
	m := fit(t, d, nil)
	fine := newCovariates(d)
	fine.class, fine.values = nil, nil // every vote a class of its own
	for k, v := range d.Votes() {
		sign := 1.0
		if v.Outcome == palate.Right {
			sign = -1
		}
		x := []float64{0, 0, 0}
		for i, e := range fine.effects {
			x[i] = sign * e.of(&d.Properties()[i], k)
		}
		fine.class, fine.values = append(fine.class, int32(k)), append(fine.values, x)
	}
	one := &Single{Base: newBase(d), options: Options{}, grid: m.grid, properties: fine.effects}
	one.trained, one.obs = len(one.ids), &observations{}
	one.obs = one.observer(d, nil, nil, fine)(false)
	one.sides = func() *observations { return one.observer(d, nil, nil, fine)(true) }
	if err := one.setPrior(nil); err != nil {
		t.Fatal(err)
	}
	if err := one.learn(t.Context()); err != nil {
		t.Fatal(err)
	}
	if one.obs.rows.Len() != d.NumVotes() || m.obs.rows.Len() >= d.NumVotes() {
		t.Errorf("%d rows, in bins %d", one.obs.rows.Len(), m.obs.rows.Len())
	}
	for k, e := range one.Effects() {
		if math.Abs(e.Mean-m.Effects()[k].Mean) > 0.15*e.SD || math.Abs(e.SD/m.Effects()[k].SD-1) > 0.03 {
			t.Errorf("%v, in bins %v", e, m.Effects()[k])
		}
	}
	for i := range 8 {
		x, v := one.Utility(-1, i)
		if y, w := m.Utility(-1, i); math.Abs(x-y) > 0.1*math.Sqrt(v) || math.Abs(w/v-1) > 0.05 {
			t.Errorf("item %d is %.3f ± %.3f, in bins %.3f ± %.3f", i, x, math.Sqrt(v), y, math.Sqrt(w))
		}
	}
}

// Properties that tell nothing are left out, and what was done is said.
func TestPropertiesThatTellNothing(t *testing.T) {
	d, _ := contest{items: 6, votes: 200, effect: 0.5}.draw(t, 1)
	n := d.NumVotes()
	side := func(of func(k int, item int) float64) (left, right []float64) {
		for k, v := range d.Votes() {
			left, right = append(left, of(k, v.Left)), append(right, of(k, v.Right))
		}
		return left, right
	}
	property := func(name string, of func(k, item int) float64) palate.Property {
		p := palate.Property{Name: name}
		p.Left, p.Right = side(of)
		return p
	}
	rng := rand.New(rand.NewPCG(3, 3))
	noise := make([]float64, n)
	for k := range noise {
		noise[k] = rng.NormFloat64()
	}
	hour := palate.Property{Name: "hour", Left: noise}
	vote := func(name string, x float64) palate.Property {
		p := palate.Property{Name: name, Left: make([]float64, n)}
		for k := range p.Left {
			p.Left[k] = x
		}
		return p
	}
	length := d.Properties()[0]
	some := palate.Property{Name: "length", Left: slices.Clone(length.Left), Right: slices.Clone(length.Right)}
	for k := range 20 {
		some.Left[10*k] = math.NaN()
	}
	for _, c := range []struct {
		of      []palate.Property
		effects int // that are left
		remark  string
	}{
		{[]palate.Property{length}, 1, ""},
		{[]palate.Property{hour}, 1, ""},
		{[]palate.Property{some}, 1, "length is not known of 20 of 200 votes, which are taken as votes at equal length"},
		{[]palate.Property{vote("round", 3)}, 0, "round is the same in all votes"},
		{[]palate.Property{vote("round", math.NaN())}, 0, "round is not known of any vote"},
		{[]palate.Property{property("size", func(_, i int) float64 { return 2 })}, 0, "size is the same of both items in all votes"},
		{[]palate.Property{property("size", func(_, i int) float64 { return float64(i * i) })}, 0, "size is always the same for an item"},
		{[]palate.Property{property("size", func(k, i int) float64 { return float64(100*i) + noise[k]*indicator(i%2 == 0) })}, 1, "% of the differences in size are between the items"},
		{[]palate.Property{length, {Name: "words", Left: length.Left, Right: length.Right}}, 1, "words goes with the side and the other properties alone"},
	} {
		m := fit(t, d.WithProperties(c.of), nil)
		said := strings.Join(m.Remarks(), "\n")
		if len(m.properties) != c.effects || (c.remark == "") != (said == "") || !strings.Contains(said, c.remark) {
			t.Errorf("%s: %d effects, %q", c.of[len(c.of)-1].Name, len(m.properties), said)
		}
		for _, e := range m.Effects() {
			if math.IsNaN(e.Mean) || !(e.SD > 0) {
				t.Errorf("%v", e)
			}
		}
	}
}

// A model with properties comes back from its file as it was, and says what properties are
// worth where they are known.
func TestPropertiesInFiles(t *testing.T) {
	for _, o := range []*Options{nil, {DenseLimit: 4}} {
		d, _ := contest{items: 6, votes: 400, effect: 0.8, tone: 0.4, bonus: 0.6}.draw(t, 6)
		m := fit(t, d, o)
		back := reopened(t, m)
		again := back.(*Single)
		if fmt.Sprint(again.Effects()) != fmt.Sprint(m.Effects()) || !slices.Equal(chancesOf(m), chancesOf(again)) || again.Reads() != m.Reads() {
			t.Errorf("%v comes back as %v", m.Effects(), again.Effects())
		}
		a, b := drawsOf(t, m, -1, 500, rand.New(rand.NewPCG(1, 1))), drawsOf(t, again, -1, 500, rand.New(rand.NewPCG(1, 1)))
		for k := range a.Weight {
			if !slices.Equal(a.F.RawRowView(k), b.F.RawRowView(k)) || a.Weight[k] != b.Weight[k] {
				t.Fatalf("draw %d is another", k)
			}
		}
		german := []palate.Property{{Name: "language", Levels: []string{"de", "en"}, Left: []float64{0}}}
		if p, q := m.PreferIn(german, 0, true, -1, 0, 1), m.PreferIn(german, 0, true, -1, 1, 0); p+q < 1.05 || m.PreferIn(german, 0, false, -1, 0, 1) != m.Prefer(-1, 0, 1) {
			t.Errorf("chances %.3f and %.3f on the left, where that is worth something", p, q)
		}
		longer := []palate.Property{{Name: "length", Left: []float64{700, 500, math.NaN()}, Right: []float64{500, 700, 3}}}
		at := m.Prefer(-1, 0, 1)
		if p, q, r := m.PreferIn(longer, 0, false, -1, 0, 1), again.PreferIn(longer, 1, false, -1, 0, 1), m.PreferIn(longer, 2, false, -1, 0, 1); !(p > at && at > q) || p/(1-p)*(1-q)/q < 4 || r != at {
			t.Errorf("chances %.3f of the longer, %.3f of the shorter, %.3f where it is not known; %.3f at equal length", p, q, r, at)
		}
	}
}
