package explain

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"palate"
	"palate/feature"
	"palate/internal/num"
	"palate/model"
)

// ageing draws votes of voters whose liking of the first two items goes with their age, and with
// nothing else that is known of them.
func ageing(t *testing.T, users, votes int, seed uint64) (m *model.Population, effect []float64) {
	t.Helper()
	const items = 8
	rng := rand.New(rand.NewPCG(seed, 9))
	effect = make([]float64, items)
	effect[0], effect[1] = 0.8, -0.6
	b := palate.NewBuilder()
	var table strings.Builder
	table.WriteString("id,age,shoe,region")
	common := make([]float64, items)
	for i := range common {
		common[i] = rng.NormFloat64()
	}
	for u := range users {
		age := rng.NormFloat64()
		fmt.Fprintf(&table, "\nv%d,%.3f,%.3f,%s", u, 40+10*age, 42+2*rng.NormFloat64(), []string{"east", "west", "north"}[rng.IntN(3)])
		f := make([]float64, items)
		for i := range f {
			f[i] = common[i] + effect[i]*age + 0.4*rng.NormFloat64()
		}
		for range votes {
			i, j := rng.IntN(items), rng.IntN(items-1)
			if j >= i {
				j++
			}
			o := palate.Right
			if rng.Float64() < num.Phi(f[i]-f[j]) {
				o = palate.Left
			}
			if err := b.Say(fmt.Sprintf("v%d", u), fmt.Sprintf("i%d", i), fmt.Sprintf("i%d", j), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.SortNames()
	e, err := feature.Users(t.Context(), "users.csv", strings.NewReader(table.String()), b, feature.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if m, err = model.FitPopulation(t.Context(), d, &model.PopulationOptions{VoterFeatures: model.WithFeatures}); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	m.UserEncoder = text
	return m, effect
}

// What goes with a feature of voters is found, on the items it is about, in the units of the table;
// what goes with none is not.
func TestLeanings(t *testing.T) {
	if testing.Short() {
		t.Skip("several fits")
	}
	const worlds = 20
	var covered, of, found [2]float64 // of age, and of the others
	for seed := range uint64(worlds) {
		m, effect := ageing(t, 60, 15, seed)
		v, features, err := OfVoters(m)
		if err != nil {
			t.Fatal(err)
		}
		all, err := Leanings(context.Background(), v, features, nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != 5 { // two numbers and three regions
			t.Fatalf("%d differences", len(all))
		}
		mean := (effect[0] + effect[1]) / float64(len(effect))
		for _, l := range all {
			k := 1
			if l.Feature.Name == "age" {
				k = 0
			}
			if l.Size.Lo > 0 {
				found[k]++
			}
			for i, e := range l.More {
				truth := 0.0
				if k == 0 {
					var from, to float64
					fmt.Sscan(l.From, &from)
					fmt.Sscan(l.To, &to)
					truth = (to - from) / 10 * (effect[i] - mean)
				}
				of[k]++
				if e.Lo <= truth && truth <= e.Hi {
					covered[k]++
				}
			}
		}
	}
	if share := covered[0] / of[0]; share < 0.9 || share > 0.99 {
		t.Errorf("of 95%% intervals of what goes with age %.3f hold the truth", share)
	}
	if share := covered[1] / of[1]; share < 0.95 {
		t.Errorf("of 95%% intervals of what goes with nothing %.3f hold the truth", share)
	}
	if found[0] < worlds/2 || found[1] > 2 {
		t.Errorf("age is found in %v of %d worlds, something else %v times", found[0], worlds, found[1])
	}
}
