package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"palate/internal/num"

	"gonum.org/v1/gonum/mat"

	"palate"
)

// voters draws a population with item and user features that matter, and votes.
type voters struct {
	items, users, votes int
	ties                bool
	itemFeatures        bool
	userFeatures        bool
}

func (c voters) draw(t testing.TB, seed uint64) (*palate.Dataset, [][]float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	b := palate.NewBuilder()
	x := &palate.Features{Names: []string{"size", "hue"}, Rows: c.items, Cols: 2}
	y := &palate.Features{Names: []string{"age", "noise"}, Rows: c.users, Cols: 2}
	for i := range c.items {
		b.Item(fmt.Sprintf("i%d", i))
		x.Data = append(x.Data, rng.NormFloat64(), rng.NormFloat64())
	}
	f := make([][]float64, c.users)
	for u := range c.users {
		b.User(fmt.Sprintf("u%d", u))
		y.Data = append(y.Data, 30+10*rng.NormFloat64(), rng.NormFloat64())
		taste := rng.NormFloat64()
		age := (y.At(u, 0) - 30) / 10
		for i := range c.items {
			f[u] = append(f[u], 1.5*x.At(i, 0)+2*taste*x.At(i, 1)+1.5*age*x.At(i, 1)+0.5*rng.NormFloat64())
		}
		for range c.votes {
			l, r := rng.IntN(c.items), rng.IntN(c.items-1)
			if r >= l {
				r++
			}
			v := palate.Vote{User: u, Left: l, Right: r, Weight: 1}
			switch z := f[u][l] - f[u][r] + rng.NormFloat64(); {
			case c.ties && math.Abs(z) < 0.4:
				v.Outcome = palate.Tie
			case z < 0:
				v.Outcome = palate.Right
			}
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	if c.itemFeatures {
		b.SetItemFeatures(x)
	}
	if c.userFeatures {
		b.SetUserFeatures(y)
	}
	d := built(t, b)
	return d, f
}

// populations are all ways to fit one.
var populations = []struct {
	name    string
	options PopulationOptions
	voters  voters
}{
	{"default", PopulationOptions{}, voters{items: 12, users: 40, votes: 12, itemFeatures: true}},
	{"without features", PopulationOptions{}, voters{items: 12, users: 40, votes: 12}},
	{"with ties", PopulationOptions{}, voters{items: 12, users: 40, votes: 15, itemFeatures: true, ties: true}},
	{"person features", PopulationOptions{VoterFeatures: WithFeatures}, voters{items: 12, users: 60, votes: 10, itemFeatures: true, userFeatures: true}},
	{"full covariance", PopulationOptions{Covariance: FullCovariance}, voters{items: 12, users: 40, votes: 12, itemFeatures: true}},
}

func TestPopulation(t *testing.T) {
	for _, p := range populations {
		t.Run(p.name, func(t *testing.T) {
			d, truth := p.voters.draw(t, 1)
			m := populationOf(t, d, &p.options)
			var right, all float64
			for u, f := range truth {
				for i := range f {
					for j := range i {
						q := m.Prefer(u, i, j)
						if !(q > 0 && q < 1) || math.Abs(q+m.Prefer(u, j, i)-1) > 1e-9 {
							t.Fatalf("user %d: %d beats %d with %v, the reverse with %v", u, i, j, q, m.Prefer(u, j, i))
						}
						all++
						if q > 0.5 == (f[i] > f[j]) {
							right++
						}
					}
				}
			}
			if right/all < 0.7 {
				t.Errorf("only %.3f of the true orders are found", right/all)
			}
			t.Run("draws", func(t *testing.T) { checkPopulationDraws(t, m) })
			t.Run("file", func(t *testing.T) { checkPopulationFile(t, m) })
			t.Run("fold in", func(t *testing.T) { checkPopulationFoldIn(t, m, d) })
		})
	}
}

// Joint draws have the means and covariances that Utility and CovarianceTo tell.
func checkPopulationDraws(t *testing.T, m *Population) {
	const n = 20000
	for _, user := range []int{-1, 3} {
		var f *mat.Dense
		if user < 0 {
			f = drawsOf(t, m, user, n, rand.New(rand.NewPCG(1, 1))).F
		} else { // as the Gaussian has them
			var err error
			if f, _, _, err = m.posterior(user).Draws(t.Context(), n, rand.New(rand.NewPCG(1, 1))); err != nil {
				t.Fatal(err)
			}
		}
		c := make([]float64, m.NumItems())
		all := num.Indices(m.NumItems())
		for i := range all {
			mean, variance := m.Utility(user, i)
			m.CovarianceTo(c, user, i, all)
			if math.Abs(c[i]-variance) > 1e-9*variance {
				t.Errorf("user %d, item %d: variance %v, covariance with itself %v", user, i, variance, c[i])
			}
			col := mat.Col(nil, i, f)
			var got float64
			for _, x := range col {
				got += x / n
			}
			if math.Abs(got-mean) > 5*math.Sqrt(variance/n) {
				t.Errorf("user %d, item %d: mean of the draws %.4f, want %.4f", user, i, got, mean)
			}
			first := mat.Col(nil, 0, f)
			m0, _ := m.Utility(user, 0)
			var cov, square float64 // of a blend, whose tails are heavier than those of a Gaussian
			for k := range col {
				x := (col[k] - mean) * (first[k] - m0)
				cov += x / n
				square += x * x / n
			}
			if math.Abs(cov-c[0]) > 6*math.Sqrt((square-cov*cov)/n) {
				t.Errorf("user %d, items 0 and %d: covariance of the draws %.4f, want %.4f", user, i, cov, c[0])
			}
		}
	}
	b := boardOf(t, m, 3, nil)
	if len(b.Groups) == 0 || b.Groups[0].Rows[0].Rank != 1 {
		t.Error("no board for a person")
	}
}

func checkPopulationFile(t *testing.T, m *Population) {
	var b bytes.Buffer
	if err := m.Save(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	p, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	l := p.(*Population)
	if l.Name() != m.Name() || l.NumUsers() != m.NumUsers() || l.UserID(2) != m.UserID(2) || l.ItemID(1) != m.ItemID(1) {
		t.Error("names are lost")
	}
	for _, u := range []int{-1, 0, 5, m.NumUsers() - 1} {
		for i := range m.NumItems() {
			if math.Abs(m.Prefer(u, i, 0)-l.Prefer(u, i, 0)) > 1e-12 {
				t.Fatalf("user %d, items %d and 0: %v before, %v after", u, i, m.Prefer(u, i, 0), l.Prefer(u, i, 0))
			}
			a, va := m.Utility(u, i)
			c, vc := l.Utility(u, i)
			if math.Abs(a-c) > 1e-9 || math.Abs(va-vc) > 1e-9 {
				t.Fatalf("user %d, item %d: %v ± %v before, %v ± %v after", u, i, a, va, c, vc)
			}
		}
	}
	var again bytes.Buffer
	if err := l.Save(t.Context(), &again); err != nil || !bytes.Equal(again.Bytes(), b.Bytes()) {
		t.Errorf("saved again, the file differs: %v", err)
	}
	// Cut short it is refused.
	for _, n := range []int{0, 10, b.Len() / 2} {
		if _, err := Read(bytes.NewReader(b.Bytes()[:n]), int64(n)); err == nil {
			t.Errorf("%d of %d bytes were accepted", n, b.Len())
		}
	}
}

func checkPopulationFoldIn(t *testing.T, m *Population, d *palate.Dataset) {
	for _, u := range []int{0, 7} {
		var votes []palate.Vote
		for _, v := range d.Votes() {
			if v.User == u {
				votes = append(votes, v)
			}
		}
		var x []float64
		if f := d.UserFeatures(); f != nil {
			x = f.Row(u)
		}
		p, err := m.FoldIn(votes, x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.NumItems() {
			if a, b := p.Prefer(i, 0), m.Prefer(u, i, 0); math.Abs(a-b) > 1e-4 {
				t.Errorf("user %d, items %d and 0: %v folded in, %v fitted", u, i, a, b)
			}
		}
		if b, err := NewBoard(t.Context(), p.Alone(), 0, nil); err != nil || b.Groups[0].Rows[0].Rank != 1 {
			t.Error("no board for a folded-in person")
		}
	}
	nobody, err := m.FoldIn(nil, nil)
	if err != nil || math.Abs(nobody.Prefer(0, 1)-m.Prefer(-1, 0, 1)) > 1e-9 {
		t.Errorf("no votes: %v, %v for a new voter (%v)", nobody.Prefer(0, 1), m.Prefer(-1, 0, 1), err)
	}
	if _, err := m.FoldIn([]palate.Vote{{Left: 0, Right: 0}}, nil); err == nil {
		t.Error("an item against itself was accepted")
	}
}

// More votes of one taste make the model surer of that taste and of nothing
// else (COLLAB figure 4).
func TestPopulationGrowsSure(t *testing.T) {
	d, _ := voters{items: 20, users: 150, votes: 20, itemFeatures: true}.draw(t, 4)
	m := populationOf(t, d, nil)
	x := d.ItemFeatures()
	order := num.Indices(20)
	slices.SortFunc(order, func(a, b int) int { return int(math.Copysign(1, x.At(b, 1)-x.At(a, 1))) })
	var votes []palate.Vote
	last := m.Prefer(-1, order[0], order[19])
	for k := 1; k < 9; k++ {
		votes = append(votes, palate.Vote{Left: order[k], Right: order[19-k], Weight: 1})
		p, err := m.FoldIn(votes, nil)
		if err != nil {
			t.Fatal(err)
		}
		if k%4 == 0 {
			if now := p.Prefer(order[0], order[19]); now < last {
				t.Errorf("after %d votes: %.3f, before %.3f", k, now, last)
			} else {
				last = now
			}
		}
	}
	if last < 0.9 {
		t.Errorf("after 8 votes of one taste only %.3f", last)
	}
}

// A new item is placed by its features.
func TestPopulationExtend(t *testing.T) {
	whole, truth := voters{items: 30, users: 100, votes: 30, itemFeatures: true}.draw(t, 2)
	b := palate.NewBuilder()
	for i := range 25 {
		b.Item(whole.ItemID(i))
	}
	for u := range whole.NumUsers() {
		b.User(whole.UserID(u))
	}
	for _, v := range whole.Votes() {
		if v.Left < 25 && v.Right < 25 {
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	x := whole.ItemFeatures()
	b.SetItemFeatures(&palate.Features{Names: x.Names, Rows: 25, Cols: 2, Data: x.Data[:50]})
	d := built(t, b)
	m := populationOf(t, d, nil)
	e, err := m.Extend([]string{"a", "b", "c", "d", "e"}, mat.NewDense(5, 2, x.Data[50:]))
	if err != nil {
		t.Fatal(err)
	}
	var right, all float64
	for u, f := range truth {
		if math.Abs(e.Prefer(u, 0, 1)-m.Prefer(u, 0, 1)) > 1e-9 {
			t.Fatalf("user %d: what was known has changed", u)
		}
		for i := 25; i < 30; i++ {
			for j := range i {
				all++
				if e.Prefer(u, i, j) > 0.5 == (f[i] > f[j]) {
					right++
				}
			}
		}
		_, before := e.Utility(u, 0)
		if _, v := e.Utility(u, 27); v < before/4 {
			t.Errorf("user %d: variance %v of a new item, %v of a known one", u, v, before)
		}
	}
	if right/all < 0.7 {
		t.Errorf("only %.3f of the orders of new items are found", right/all)
	}
	checkPopulationFile(t, e.(*Population))
	again, err := e.Extend([]string{"f"}, mat.NewDense(1, 2, x.Data[50:52]))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := again.Prefer(-1, 25, 0), again.Prefer(-1, 30, 0); math.Abs(a-b) > 1e-6 {
		t.Errorf("an item and its twin: %v and %v", a, b)
	}
	if _, err := m.Extend([]string{"z"}, mat.NewDense(1, 3, nil)); err == nil {
		t.Error("features of another width were accepted")
	}
}

// Bad input is handled, or refused with a reason.
func TestPopulationBadInput(t *testing.T) {
	vote := func(u, l, r int, o palate.Outcome) palate.Vote {
		return palate.Vote{User: u, Left: l, Right: r, Outcome: o, Weight: 1}
	}
	same := &palate.Features{Names: []string{"x"}, Rows: 6, Cols: 1, Data: make([]float64, 6)}
	twins := &palate.Features{Names: []string{"x"}, Rows: 6, Cols: 1, Data: []float64{1, 1, 1, 2, 2, 2}}
	for _, c := range []struct {
		name     string
		users    int
		votes    []palate.Vote
		features *palate.Features
		options  PopulationOptions
		refused  string // part of the reason
	}{
		{name: "one vote in all", users: 1, votes: []palate.Vote{vote(0, 0, 1, palate.Left)}},
		{name: "one-sided voters", users: 3, votes: []palate.Vote{vote(0, 0, 1, 0), vote(0, 0, 2, 0), vote(0, 0, 3, 0), vote(1, 0, 1, 0), vote(1, 0, 4, 0), vote(2, 0, 5, 0)}},
		{name: "contradictory votes", users: 1, votes: []palate.Vote{vote(0, 0, 1, 0), vote(0, 1, 0, 0), vote(0, 0, 1, 0), vote(0, 1, 2, 0), vote(0, 2, 0, 0)}},
		{name: "unknown voters", votes: []palate.Vote{vote(-1, 0, 1, 0), vote(-1, 0, 1, 0), vote(-1, 1, 2, 0)}},
		{name: "items never compared", users: 1, votes: []palate.Vote{vote(0, 0, 1, 0)}, features: twins},
		{name: "features that are all equal", users: 1, votes: []palate.Vote{vote(0, 0, 1, 0)}, features: same},
		{name: "duplicate features", users: 2, votes: []palate.Vote{vote(0, 0, 1, 0), vote(1, 1, 2, 0), vote(1, 3, 0, 0)}, features: twins},
		{name: "rank above the number of items", users: 1, votes: []palate.Vote{vote(0, 0, 1, 0)}, options: PopulationOptions{Rank: 50}},
		{name: "only ties", users: 2, votes: []palate.Vote{vote(0, 0, 1, palate.Tie), vote(1, 1, 2, palate.Tie)}},
		{name: "half a vote", users: 1, votes: []palate.Vote{{User: 0, Left: 0, Right: 1, Weight: 0.5}, vote(0, 1, 2, 0)}},
		{name: "only skips", users: 1, votes: []palate.Vote{vote(0, 0, 1, palate.Skip)}, refused: "all skipped"},
		{name: "no votes", refused: "no votes"},
		{name: "too little memory", users: 1, votes: []palate.Vote{vote(0, 0, 1, 0)}, features: twins, options: PopulationOptions{MaxMemory: 1e4}, refused: "more than the limit of 0 MB"},
		{name: "ties with any covariance", users: 1, votes: []palate.Vote{vote(0, 0, 1, palate.Tie)}, options: PopulationOptions{Covariance: FullCovariance}, refused: "ties"},
		{name: "all votes held out", users: 1, votes: []palate.Vote{vote(0, 0, 1, 0)}, options: PopulationOptions{HoldOut: 1}, refused: "share"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := palate.NewBuilder()
			for i := range 6 {
				b.Item(fmt.Sprint(i))
			}
			for u := range c.users {
				b.User(fmt.Sprint(u))
			}
			for _, v := range c.votes {
				if err := b.Add(v); err != nil {
					t.Fatal(err)
				}
			}
			b.SetItemFeatures(c.features)
			d := built(t, b)
			m, err := FitPopulation(context.Background(), d, &c.options)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("error %v, want one about %q", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for u := -1; u < c.users; u++ {
				for i := range 6 {
					p := m.Prefer(u, i, (i+1)%6)
					mean, v := m.Utility(u, i)
					if !(p > 0 && p < 1) || math.IsNaN(mean) || !(v > 0) {
						t.Errorf("user %d, item %d: %v; %v ± %v", u, i, p, mean, v)
					}
				}
			}
			if c.name == "duplicate features" && math.Abs(m.Prefer(-1, 4, 5)-0.5) > 1e-6 {
				t.Errorf("two items nobody has seen, with equal features: %v", m.Prefer(-1, 4, 5))
			}
		})
	}
}

// A fit that is interrupted returns the reason.
func TestPopulationInterrupted(t *testing.T) {
	d, _ := voters{items: 12, users: 40, votes: 12, itemFeatures: true}.draw(t, 3)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FitPopulation(ctx, d, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before it began: %v", err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	m, err := FitPopulation(ctx, d, &PopulationOptions{Progress: func(p Progress) {
		if p.Round > 4 {
			cancel()
		}
	}})
	if m != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted in the middle: %v, %v", m, err)
	}
}

// A fit that was cut off goes on from its checkpoint and ends where it would
// have anyway; one of other votes is refused.
func TestPopulationCheckpoint(t *testing.T) {
	d, _ := voters{items: 12, users: 40, votes: 12, itemFeatures: true, userFeatures: true}.draw(t, 3)
	path := filepath.Join(t.TempDir(), "state")
	o := PopulationOptions{VoterFeatures: WithFeatures}
	whole := populationOf(t, d, &o)
	ctx, cancel := context.WithCancel(context.Background())
	o.Checkpoint, o.CheckpointEvery = path, 1 // every step
	o.Progress = func(p Progress) {
		if p.Round > 8 {
			cancel()
		}
	}
	if _, err := FitPopulation(ctx, d, &o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	other, _ := voters{items: 12, users: 40, votes: 12, itemFeatures: true}.draw(t, 4)
	if _, err := FitPopulation(context.Background(), other, &o); err == nil || !strings.Contains(err.Error(), "other votes") {
		t.Errorf("checkpoint of other votes: %v", err)
	}
	o.Progress = nil
	rest := populationOf(t, d, &o)
	if a, b := whole.Fit().Objective, rest.Fit().Objective; a != b {
		t.Errorf("objective %v, resumed %v", a, b)
	}
	for i := 1; i < 12; i++ {
		if a, b := whole.Prefer(3, 0, i), rest.Prefer(3, 0, i); a != b {
			t.Errorf("items 0 and %d: %v, resumed %v", i, a, b)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the checkpoint is still there")
	}
}

// What the model says of all items at once is what it says of each, for a voter
// and for the consensus, of one Gaussian and of several.
func TestPopulationIsJoint(t *testing.T) {
	d, _, _, silent := circles(t, 2, 0.5)
	for _, o := range []PopulationOptions{{}, {Rank: 20}} {
		m := populationOf(t, d, &o)
		if m.blended() != (o.Rank == 0) {
			t.Fatalf("rank %d, but several forms: %v", o.Rank, m.blended())
		}
		n := d.NumItems()
		for _, user := range []int{-1, 0, silent} {
			mean, variance, c := make([]float64, n), make([]float64, n), make([]float64, n)
			m.UtilitiesTo(t.Context(), mean, variance, user)
			m.CovarianceTo(c, user, 3, num.Indices(n))
			for i := range n {
				mu, v := m.Utility(user, i)
				near(t, "mean", mean[i], mu, 1e-12)
				near(t, "variance", variance[i], v, 1e-12)
				if i == 3 {
					near(t, "own covariance", c[i], v, 1e-9)
					continue
				}
				if user < 0 {
					continue
				}
				apart, spread := m.posterior(user).Difference(3, i)
				near(t, "mean of a difference", mean[3]-mu, apart, 1e-9)
				near(t, "variance of a difference", variance[3]+v-2*c[i], spread, 1e-9)
				if !m.blended() {
					near(t, "chance", voting{}.prefer(apart, spread), m.Prefer(user, 3, i), 1e-9)
				}
			}
		}
	}
}

// Voters of two opposed tastes are two segments: the model says so, with how probable it
// is, and its file keeps that.
func TestPopulationSegments(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 7))
	b := palate.NewBuilder()
	for i := range 6 {
		b.Item(string(rune('a' + i)))
	}
	for u := range 60 {
		b.User(string(rune('A' + u)))
		for range 8 {
			i := rng.IntN(6)
			v := palate.Vote{User: u, Left: i, Right: (i + 1 + rng.IntN(5)) % 6, Weight: 1}
			if (v.Left < v.Right) == (u%3 == 0) {
				v.Outcome = palate.Right
			}
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	d := built(t, b)
	m := populationOf(t, d, nil)
	chance := m.Segments()
	var sum float64
	for _, p := range chance {
		sum += p
	}
	near(t, "sum of chances", sum, 1, 1e-12)
	if len(chance) < 2 || chance[1] != slices.Max(chance) || !strings.Contains(m.Fit().Form, "2 segments") {
		t.Errorf("numbers of segments have the chances %.2f; %s", chance, m.Fit().Form)
	}
	file := saved(t, m)
	back, err := Read(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	if got := back.(*Population).Segments(); !slices.Equal(got, chance) {
		t.Errorf("chances %.3f, from a file %.3f", chance, got)
	}
}
