package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
)

// tasters are voters whose utilities go along features: one direction for all, and one of each
// voter's own. It returns the votes, and the chances of pairs of all items; the last few items have
// no votes.
func tasters(t *testing.T, items, later, voters, votes int, seed uint64) (*palate.Dataset, *mat.Dense, func(user, i, j int) float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	const dims = 4
	x := mat.NewDense(items+later, dims, nil)
	for i := range items + later {
		for k := range dims {
			x.Set(i, k, rng.NormFloat64())
		}
	}
	common := []float64{1, 0.5, 0, 0}
	weights := make([][]float64, voters)
	f := &palate.Features{Names: []string{"a", "b", "c", "d"}, Rows: items, Cols: dims, Data: mat.DenseCopyOf(x.Slice(0, items, 0, dims)).RawMatrix().Data}
	b := palate.NewBuilder()
	b.SetItemFeatures(f)
	for i := range items {
		b.Item(string(rune('a' + i)))
	}
	for u := range weights {
		b.User(string(rune('A' + u)))
		for k := range dims {
			weights[u] = append(weights[u], common[k]+0.5*rng.NormFloat64())
		}
	}
	chance := func(user, i, j int) float64 {
		var d float64
		for k, w := range weights[user] {
			d += w * (x.At(i, k) - x.At(j, k))
		}
		return num.Phi(d)
	}
	for range voters * votes {
		v := palate.Vote{User: rng.IntN(voters), Left: rng.IntN(items), Weight: 1, Outcome: palate.Right}
		if v.Right = (v.Left + 1 + rng.IntN(items-1)) % items; rng.Float64() < chance(v.User, v.Left, v.Right) {
			v.Outcome = palate.Left
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d := built(t, b)
	return d, mat.DenseCopyOf(x.Slice(items, items+later, 0, dims)), chance
}

// Where tastes go along features, what votes settle of the kernel tells more of voters than a kernel
// at medians, of items that have votes and of those that have none.
func TestFeaturesOfPersonalModels(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const items, later, voters = 20, 10, 20
	d, x, chance := tasters(t, items, later, voters, 20, 1)
	ids := make([]string, later)
	for i := range ids {
		ids[i] = string(rune('0' + i))
	}
	loss := func(m Model, err error) (known, fresh float64) {
		if err != nil {
			t.Fatal(err)
		}
		if m, err = m.Extend(ids, x); err != nil {
			t.Fatal(err)
		}
		mean := func(lo, hi int) (sum float64) {
			var n float64
			for u := range voters {
				for i := lo; i < hi; i++ {
					for j := lo; j < i; j++ {
						p := min(max(chance(u, i, j), 1e-9), 1-1e-9)
						q := m.Prefer(u, i, j)
						sum -= p*math.Log(q/p) + (1-p)*math.Log((1-q)/(1-p))
						n++
					}
				}
			}
			return sum / n
		}
		return mean(0, items), mean(items, items+later)
	}
	for _, name := range []string{"population"} {
		e, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		known, fresh := loss(e.Fit(t.Context(), d, &Settings{Seed: 1}))
		wasKnown, wasFresh := loss(e.Fit(t.Context(), d, &Settings{Seed: 1, Features: &FeatureKernel{}}))
		t.Logf("%s: %.4f nats above the truth and %.4f of new items; at medians %.4f and %.4f", name, known, fresh, wasKnown, wasFresh)
		if known > 0.9*wasKnown || fresh > 0.9*wasFresh {
			t.Errorf("%s: %.4f nats above the truth and %.4f of new items; at medians %.4f and %.4f", name, known, fresh, wasKnown, wasFresh)
		}
	}
}
