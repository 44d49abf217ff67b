package worlds

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"palate"
	"palate/internal/heed"
	"palate/internal/num"
)

func draw(t *testing.T, name string, seed uint64) *Drawn {
	t.Helper()
	all := slices.Concat(All(), Features())
	k := slices.IndexFunc(all, func(w World) bool { return w.Name == name })
	if k < 0 {
		t.Fatalf("no world %s", name)
	}
	d, err := all[k].Draw(t.Context(), rand.New(rand.NewPCG(seed, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestWorlds draws every world twice: the seed decides, and the truth is one.
func TestWorlds(t *testing.T) {
	var names []string
	for _, w := range slices.Concat(All(), Features()) {
		if slices.Contains(names, w.Name) || w.About == "" || w.Name != w.Set && !strings.HasPrefix(w.Name, w.Set+"/") {
			t.Errorf("%s: named twice, or not for its set %s, or without a description", w.Name, w.Set)
		}
		names = append(names, w.Name)
		if w.Name == "many/100000x1000000" || w.Name == "many/linked" {
			continue // drawn as smaller ones are
		}
		d, again := draw(t, w.Name, 1), draw(t, w.Name, 1)
		if d.Votes.Digest() != again.Votes.Digest() || !slices.Equal(d.Target, again.Target) || !slices.Equal(d.Asked, again.Asked) {
			t.Errorf("%s: one seed, two worlds", w.Name)
		}
		if d.Votes.Digest() == draw(t, w.Name, 2).Votes.Digest() {
			t.Errorf("%s: two seeds, one world", w.Name)
		}
		if !d.Votes.HasTimes() {
			t.Errorf("%s: votes without times", w.Name)
		}
		if strings.HasPrefix(w.Set, "people") {
			if len(d.Asked) != peopleAsked || d.Target != nil {
				t.Errorf("%s: %d questions", w.Name, len(d.Asked))
			}
			continue
		}
		n := d.Votes.NumItems()
		if w.Set == "features" {
			for k, q := range d.Asked {
				if later := k >= len(d.Asked)/2; (q.Left >= n) != later || (q.Right >= n) != later || max(q.Left, q.Right) >= n+d.Later.Rows {
					t.Fatalf("%s: question %d is about items %d and %d of %d known", w.Name, k, q.Left, q.Right, n)
				}
			}
			continue
		}
		if len(d.Target) != n {
			t.Fatalf("%s: %d utilities of %d items", w.Name, len(d.Target), n)
		}
		for a := range min(n, 100) {
			for b := range a {
				if p, q := d.Chance(a, b), d.Chance(b, a); math.Abs(p+q-1) > 1e-12 || p < 0 || q < 0 {
					t.Fatalf("%s: chances %g and %g of one pair", w.Name, p, q)
				}
			}
		}
	}
}

// TestFrequencies: over many drawings votes are as frequent as their chances say, pair by
// pair in truth and hence in the sums that are tested here.
func TestFrequencies(t *testing.T) {
	for _, w := range Boards() {
		if w.Set == "adaptive" || w.Set == "drift" || w.Set == "context" && !w.Clean || strings.HasPrefix(w.Name, "coin/n50") {
			continue // fits, or chances that change from vote to vote
		}
		fixed := w.Name == "sides/fixed"
		var z, variance, voters float64
		for seed := range uint64(40) {
			d := draw(t, w.Name, seed)
			voters = float64(d.Votes.NumUsers())
			for _, v := range d.Votes.Votes() {
				if v.Outcome == palate.Tie {
					continue
				}
				p := d.Chance(v.Left, v.Right)
				if fixed { // its chances are those without the bonus
					p = num.Phi(num.Quantile(p) + 0.5)
				}
				y := 1 - float64(v.Outcome)
				z += (2*p - 1) * (y - p)
				variance += (2*p - 1) * (2*p - 1) * p * (1 - p)
			}
		}
		// Votes of one voter hang together, and so do repeated ones.
		most := 4.0
		if voters > 0 {
			most = 12
		}
		if variance > 0 && math.Abs(z) > most*math.Sqrt(variance) {
			t.Errorf("%s: favourites win %+.1f standard deviations too often", w.Name, z/math.Sqrt(variance))
		}
	}
}

// TestShares holds worlds to what their descriptions count.
func TestShares(t *testing.T) {
	for name, want := range map[string]float64{
		"sides/two-thirds": 0.66, "sides/random": 0.614, "coin/n20-m1000": 0.5, "sides/no-bonus": 0.5,
	} {
		var left, all float64
		for seed := range uint64(60) {
			for _, v := range draw(t, name, seed).Votes.Votes() {
				left += 1 - float64(v.Outcome)
				all++
			}
		}
		if se := 0.5 / math.Sqrt(all); math.Abs(left/all-want) > 0.005+4*se {
			t.Errorf("%s: left wins %.3f, not %.3f", name, left/all, want)
		}
	}
	for name, want := range map[string]float64{"ties/davidson-5": 0.05, "ties/davidson-50": 0.5, "ties/margin-5": 0.05, "ties/margin-50": 0.5} {
		var tied, all float64
		for seed := range uint64(60) {
			for _, v := range draw(t, name, seed).Votes.Votes() {
				if v.Outcome == palate.Tie {
					tied++
				}
				all++
			}
		}
		if math.Abs(tied/all-want) > 0.25*want {
			t.Errorf("%s: %.3f of the votes are ties, not %.2f", name, tied/all, want)
		}
	}
	few := draw(t, "unbalanced", 1)
	met := make([]int, few.Votes.NumItems())
	for _, v := range few.Votes.Votes() {
		met[v.Left]++
		met[v.Right]++
	}
	for i, k := range met {
		if (i < 10) != (k == 1) {
			t.Errorf("unbalanced: item %d has %d votes", i, k)
		}
	}
}

// TestRepeats: who remembers says the same of a pair every time, and other voters do not.
func TestRepeats(t *testing.T) {
	for name, want := range map[string]bool{"voters/5x200-remembered": true, "voters/10x12-repeated": false, "voters/5x200": false} {
		same := true
		for seed := range uint64(5) {
			said := map[[3]int]palate.Outcome{}
			for _, v := range draw(t, name, seed).Votes.Votes() {
				if v.Left > v.Right {
					v = v.Swap()
				}
				key := [3]int{v.User, v.Left, v.Right}
				if o, met := said[key]; met && o != v.Outcome {
					same = false
				}
				said[key] = v.Outcome
			}
		}
		if same != want {
			t.Errorf("%s: answers to one pair are all the same: %v", name, same)
		}
	}
}

// TestNearest finds utilities again by their own chances, and none in a cycle.
func TestNearest(t *testing.T) {
	u := []float64{-1.5, 0.3, 2.2, -1} // of mean zero
	for i, x := range Nearest(4, probit(u)) {
		if math.Abs(x-u[i]) > 1e-7 {
			t.Errorf("item %d: %.8f, not %g", i, x, u[i])
		}
	}
	const margin = 0.7
	tied, found := NearestTied(4, func(a, b int) (win, tie float64) {
		d := u[a] - u[b]
		return num.Phi(d - margin), num.Phi(margin-d) - num.Phi(-margin-d)
	})
	if math.Abs(found-margin) > 1e-5 {
		t.Errorf("a margin of %g, not %g", found, margin)
	}
	for i, x := range tied {
		if math.Abs(x-u[i]) > 1e-5 {
			t.Errorf("item %d with ties: %.8f, not %g", i, x, u[i])
		}
	}
	for i, x := range draw(t, "cycles/three", 1).Target {
		if math.Abs(x) > 1e-9 {
			t.Errorf("item %d of a cycle: %g", i, x)
		}
	}
}

// TestContexts: a world that takes fits stops when its context ends.
func TestContexts(t *testing.T) {
	heed.Law(t, map[string]func(context.Context) error{
		"World.Draw": func(ctx context.Context) error {
			_, err := adaptive()[0].Draw(ctx, rand.New(rand.NewPCG(1, 1)))
			return err
		},
	})
}

// TestFeatureWorlds: utilities of all items have the deviation that is said of them, as the
// chances of the questions tell.
func TestFeatureWorlds(t *testing.T) {
	for _, w := range Features() {
		var squares float64
		const seeds = 10
		for seed := range uint64(seeds) {
			for _, q := range draw(t, w.Name, seed).Asked {
				gap := num.Quantile(min(max(q.Chance, 1e-12), 1-1e-12))
				squares += gap * gap / (seeds * 2 * describedAsked)
			}
		}
		said := describedDeviation
		if w.Personal { // what is common, and tastes of the same deviation where there are any
			if said = math.Sqrt2; strings.HasSuffix(w.Name, "-none") {
				said = 1
			}
		}
		if sd := math.Sqrt(squares / 2); math.Abs(sd-said) > 0.15 {
			t.Errorf("%s: utilities have a deviation of %.2f", w.Name, sd)
		}
	}
}
