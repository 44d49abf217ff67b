package agree

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"palate"
)

// crowd is voters of several kinds, who judge random pairs of 10 items.
type crowd struct {
	b   *palate.Builder
	rng *rand.Rand
}

func newCrowd(seed uint64) *crowd {
	c := &crowd{palate.NewBuilder(), rand.New(rand.NewPCG(seed, 1))}
	for i := range 10 {
		c.b.Item(fmt.Sprint("item", i))
	}
	return c
}

// add lets a voter judge pairs: chance is that of the left item, of its lead.
func (c *crowd) add(t *testing.T, id string, votes int, utility func(i int) float64, chance func(lead float64) float64) {
	t.Helper()
	u := c.b.User(id)
	for range votes {
		i, j := c.rng.IntN(10), c.rng.IntN(9)
		if j >= i {
			j++
		}
		v := palate.Vote{User: u, Left: i, Right: j, Weight: 1}
		if c.rng.Float64() > chance(utility(i)-utility(j)) {
			v.Outcome = palate.Right
		}
		if err := c.b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
}

func (c *crowd) build(t *testing.T) *palate.Dataset {
	t.Helper()
	d, err := c.b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func rising(i int) float64       { return float64(i) / 2 }
func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

func analyse(t *testing.T, d *palate.Dataset, o *Options) *Agreement {
	t.Helper()
	a, err := Analyse(t.Context(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestPlanted: everybody planted among ordinary voters is found, and nobody else.
func TestPlanted(t *testing.T) {
	c := newCrowd(1)
	for k := range 40 {
		c.add(t, fmt.Sprint("plain", k), 40, rising, logistic)
	}
	for k := range 3 {
		c.add(t, fmt.Sprint("random", k), 60, rising, func(float64) float64 { return 0.5 })
		c.add(t, fmt.Sprint("left", k), 60, rising, func(float64) float64 { return 0.97 })
	}
	c.add(t, "right", 60, rising, func(float64) float64 { return 0.02 })
	c.add(t, "contrary", 60, rising, func(x float64) float64 { return logistic(-x) })
	a := analyse(t, c.build(t), nil)
	for _, v := range a.Voters {
		want := map[string]string{"plain": "", "random": "votes as if at random", "left": "picks the left one", "right": "picks the right one", "contrary": "votes against the consensus"}[strings.TrimRight(v.ID, "0123456789")]
		if !strings.HasPrefix(v.Remark, want) || want == "" && v.Remark != "" {
			t.Errorf("%s: %q; reliability %v, left %v", v.ID, v.Remark, v.Reliability, v.Left)
		}
		if suspected := strings.HasPrefix(want, "picks") || strings.HasPrefix(want, "votes as"); v.Spammer != suspected {
			t.Errorf("%s: suspected %v", v.ID, v.Spammer)
		}
	}
	if !(a.Alpha.Lo < a.Alpha.Value && a.Alpha.Value < a.Alpha.Hi) || a.Alpha.Value < 0.1 || a.Pairs != 45 {
		t.Errorf("α %+v over %d pairs", a.Alpha, a.Pairs)
	}
}

// TestIntervals: over many voters, intervals hold reliability 1 and no bias about
// as often as they say.
func TestIntervals(t *testing.T) {
	c := newCrowd(2)
	for k := range 300 {
		c.add(t, fmt.Sprint(k), 30, rising, logistic)
	}
	a := analyse(t, c.build(t), &Options{Level: 0.9, Clusters: 1})
	reliable, unbiased, remarks := 0, 0, 0
	for _, v := range a.Voters {
		if v.Reliability.Lo <= 1 && 1 <= v.Reliability.Hi {
			reliable++
		}
		if v.Left.Lo <= 0.5 && 0.5 <= v.Left.Hi {
			unbiased++
		}
		if v.Remark != "" {
			remarks++
		}
	}
	// The prior is centred there, so that intervals hold it somewhat more often.
	if reliable < 261 || unbiased < 261 {
		t.Errorf("of 300 intervals at 90%% %d hold the reliability, %d the bias", reliable, unbiased)
	}
	if remarks > 1 {
		t.Errorf("%d remarks about ordinary voters", remarks)
	}
}

// TestClusters: camps are found, with their rankings and their members; where there
// are none, one cluster it is.
func TestClusters(t *testing.T) {
	c := newCrowd(3)
	for k := range 45 {
		sign := 1.0
		if k%3 == 0 {
			sign = -1
		}
		c.add(t, fmt.Sprint(k), 40, func(i int) float64 { return sign * rising(i) }, logistic)
	}
	a := analyse(t, c.build(t), nil)
	if len(a.Clusters) != 2 || a.ClusterGain <= 0 || a.Clusters[0].Voters != 30 || a.Clusters[1].Voters != 15 {
		t.Fatalf("%d clusters, %+v", len(a.Clusters), a.Clusters)
	}
	if a.Clusters[0].Ranking[0] < 7 || a.Clusters[1].Ranking[0] > 2 {
		t.Errorf("rankings %v and %v", a.Clusters[0].Ranking, a.Clusters[1].Ranking)
	}
	for k, v := range a.Voters {
		if (v.Cluster == 1) != (k%3 == 0) || v.Membership < 0.9 {
			t.Errorf("voter %d in cluster %d with %v", k, v.Cluster, v.Membership)
		}
		if v.Spammer {
			t.Errorf("voter %d of a camp is suspected: %s", k, v.Remark)
		}
	}
	one := newCrowd(4)
	for k := range 45 {
		one.add(t, fmt.Sprint(k), 40, rising, logistic)
	}
	if a := analyse(t, one.build(t), nil); len(a.Clusters) != 1 || a.ClusterGain != 0 {
		t.Errorf("%d clusters of voters who are alike", len(a.Clusters))
	}
}

// TestDissent: a voter who loves an item that nobody likes is found to, and the
// item is the most disputed.
func TestDissent(t *testing.T) {
	c := newCrowd(5)
	for k := range 20 {
		c.add(t, fmt.Sprint("plain", k), 40, rising, logistic)
	}
	for k := range 4 {
		c.add(t, fmt.Sprint("fan", k), 60, func(i int) float64 {
			if i == 0 {
				return 8
			}
			return rising(i)
		}, logistic)
	}
	a := analyse(t, c.build(t), nil)
	for _, v := range a.Voters[20:] {
		if len(v.Dissents) == 0 || v.Dissents[0].Item != 0 || v.Dissents[0].Z < 2 {
			t.Errorf("%s dissents on %+v", v.ID, v.Dissents)
		}
	}
	if a.Items[0].Item != 0 || a.Items[0].Spread < 1.5 {
		t.Errorf("most disputed %+v", a.Items[0])
	}
}

// TestSides: exchanging the sides of all votes exchanges the bias and nothing else;
// without sides there is none.
// However far apart the items are, somebody who always picks the left one of two,
// each pair seen both ways, is found to follow a side and not the items.
func TestRegressionConverges(t *testing.T) {
	for spread := 0.5; spread < 40; spread *= 1.1 {
		b := palate.NewBuilder()
		scores := make([]float64, 5)
		for i := range scores {
			b.Item(fmt.Sprint("item", i))
			scores[i] = spread * float64(i)
		}
		who := b.User("hasty")
		for i := range scores {
			for j := range scores {
				if i == j {
					continue
				}
				if err := b.Add(palate.Vote{User: who, Left: i, Right: j, Outcome: palate.Left, Weight: 1}); err != nil {
					t.Fatal(err)
				}
			}
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		if r := byVoter(d)[0].regress(d, scores, true); !(math.Abs(r.slope) < 0.3 && r.bias > 1.5) {
			t.Errorf("items %.2g apart: slope %.3f, bias %.3f", spread, r.slope, r.bias)
		}
	}
}

func TestSides(t *testing.T) {
	c := newCrowd(6)
	for k := range 12 {
		c.add(t, fmt.Sprint(k), 30, rising, logistic)
	}
	d := c.build(t)
	swapped := newCrowd(6)
	for _, v := range d.Votes() {
		v = v.Swap()
		v.User = swapped.b.User(d.UserID(v.User))
		if err := swapped.b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	a, b, un := analyse(t, d, nil), analyse(t, swapped.build(t), nil), analyse(t, d, &Options{Unsided: true})
	for k, v := range a.Voters {
		w := b.Voters[k]
		if math.Abs(v.Reliability.Value-w.Reliability.Value) > 1e-6 || math.Abs(v.Left.Value+w.Left.Value-1) > 1e-6 || v.Agrees != w.Agrees {
			t.Errorf("voter %d: %+v, swapped %+v", k, v, w)
		}
		if !math.IsNaN(un.Voters[k].Left.Value) {
			t.Errorf("a bias without sides: %v", un.Voters[k].Left)
		}
	}
}

func TestSameBits(t *testing.T) {
	c := newCrowd(7)
	for k := range 12 {
		c.add(t, fmt.Sprint(k), 30, rising, logistic)
	}
	d := c.build(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	a := analyse(t, d, &Options{Unsided: false})
	runtime.GOMAXPROCS(4)
	if b := analyse(t, d, nil); fmt.Sprint(a) != fmt.Sprint(b) || !reflect.DeepEqual(a.Clusters, b.Clusters) {
		t.Error("another answer on more processors")
	}
}

// TestRankings: ten rankings of five items are ten answers, not a hundred votes.
func TestRankings(t *testing.T) {
	rank := func(grouped bool) *palate.Dataset {
		b := palate.NewBuilder()
		for i := range 5 {
			b.Item(fmt.Sprint(i))
		}
		for u := range 10 {
			user, g := b.User(fmt.Sprint(u)), 0
			if grouped {
				g = b.NewGroup()
			}
			for i := range 5 {
				for j := range i {
					if err := b.Add(palate.Vote{User: user, Left: i, Right: j, Weight: 1, Group: g}); err != nil {
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
	whole, loose := analyse(t, rank(true), nil), analyse(t, rank(false), nil)
	for k, v := range whole.Voters {
		w := loose.Voters[k]
		if math.Abs(v.Votes-4) > 1e-9 || w.Votes != 10 {
			t.Errorf("%g and %g votes", v.Votes, w.Votes)
		}
		if v.Agrees.Hi-v.Agrees.Lo <= w.Agrees.Hi-w.Agrees.Lo {
			t.Errorf("intervals %v and %v", v.Agrees, w.Agrees)
		}
		if !math.IsNaN(v.Left.Value) {
			t.Errorf("the pairs of a ranking have sides: %v", v.Left)
		}
	}
}

// TestAlphaKnowsNoOrder: items in another order have the same α, and those of equal
// voters have 1.
func TestAlphaKnowsNoOrder(t *testing.T) {
	c := newCrowd(9)
	for k := range 10 {
		c.add(t, fmt.Sprint(k), 60, rising, logistic)
	}
	d := c.build(t)
	b := palate.NewBuilder()
	for i := range 10 {
		b.Item(fmt.Sprint("item", (7*i+3)%10))
	}
	for _, v := range d.Votes() {
		v.User, v.Left, v.Right = b.User(d.UserID(v.User)), b.Item(d.ItemID(v.Left)), b.Item(d.ItemID(v.Right))
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	shuffled, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	x, y := analyse(t, d, nil).Alpha.Value, analyse(t, shuffled, nil).Alpha.Value
	if math.Abs(x-y) > 1e-12 || x < 0.2 {
		t.Errorf("α %v, in another order %v", x, y)
	}
	same := newCrowd(9)
	for k := range 3 {
		same.add(t, fmt.Sprint(k), 60, rising, func(x float64) float64 { return math.Ceil(logistic(x) - 0.5) })
	}
	if got := analyse(t, same.build(t), nil).Alpha.Value; got != 1 {
		t.Errorf("α of equal voters %v", got)
	}
}

func TestRefuses(t *testing.T) {
	c := newCrowd(8)
	c.add(t, "alone", 5, rising, logistic)
	if _, err := Analyse(t.Context(), c.build(t), nil); err == nil || !strings.Contains(err.Error(), "it takes two") {
		t.Errorf("%v", err)
	}
}

// Every interval holds its estimate, whatever the level.
func TestIntervalsHoldTheirEstimates(t *testing.T) {
	for seed := range uint64(10) {
		c := newCrowd(seed)
		for u := range 4 + seed {
			c.add(t, fmt.Sprint("voter", u), 30, rising, logistic)
		}
		for _, level := range []float64{0.02, 0.5, 0.95} {
			a := analyse(t, c.build(t), &Options{Level: level, Seed: seed})
			check := func(what string, x Interval) {
				if !math.IsNaN(x.Lo) && !(x.Lo <= x.Value && x.Value <= x.Hi) {
					t.Errorf("seed %d, level %v: %s is %v, from %v to %v", seed, level, what, x.Value, x.Lo, x.Hi)
				}
			}
			check("α", a.Alpha)
			for _, v := range a.Voters {
				check("agreement", v.Agrees)
				check("reliability", v.Reliability)
				check("left", v.Left)
			}
		}
	}
}
