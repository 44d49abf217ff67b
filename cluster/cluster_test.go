package cluster

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"palate"
	"palate/ingest"
	"palate/model"
	"palate/population"
)

var prism = Runner{Name: "prism"}

func TestMain(m *testing.M) {
	flag.Parse()
	Start()
	os.Exit(m.Run())
}

// made are votes of voters of different tastes.
func made(t *testing.T, voters, items, each int, ties bool) *palate.Dataset {
	rng := rand.New(rand.NewPCG(8, 4))
	b := palate.NewBuilder()
	for u := range voters {
		a, c := rng.NormFloat64(), rng.NormFloat64()
		for range each {
			i := rng.IntN(items)
			j := (i + 1 + rng.IntN(items-1)) % items
			of := func(i int) float64 {
				return math.Sin(float64(i)) + a*math.Cos(float64(3*i)) + 0.5*c*math.Sin(float64(5*i))
			}
			d, o := of(i)-of(j)+rng.NormFloat64(), palate.Right
			switch {
			case ties && math.Abs(d) < 0.3:
				o = palate.Tie
			case d > 0:
				o = palate.Left
			}
			if err := b.Say(fmt.Sprintf("voter %03d", u), fmt.Sprintf("item %02d", i), fmt.Sprintf("item %02d", j), o); err != nil {
				t.Fatal(err)
			}
		}
	}
	b.SortNames()
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// written writes votes to a file of a folder, packed if the name says so.
func written(t *testing.T, d *palate.Dataset, folder, name string) string {
	t.Helper()
	var out bytes.Buffer
	if err := ingest.Write(context.Background(), &out, d, ingest.WriteOptions{Format: ingest.FormatOf(name)}); err != nil {
		t.Fatal(err)
	}
	data := out.Bytes()
	if filepath.Ext(name) == ".gz" {
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		z.Write(data)
		z.Close()
		data = packed.Bytes()
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// dealAll deals votes to a folder of its own.
func dealAll(t *testing.T, d *palate.Dataset, o Dealing) *Deal {
	t.Helper()
	folder := t.TempDir()
	deal, err := o.Make(context.Background(), prism, []string{written(t, d, folder, "votes.csv")}, filepath.Join(folder, "crowd"))
	if err != nil {
		t.Fatal(err)
	}
	return deal
}

// logged keeps the evidence of every evaluation.
type logged struct {
	population.Evaluator
	evidence []float64
}

func (l *logged) Evaluate(ctx context.Context, q population.Query) (*population.Statistics, error) {
	s, err := l.Evaluator.Evaluate(ctx, q)
	if err == nil {
		l.evidence = append(l.evidence, s.Evidence)
	}
	return s, err
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d, on one machine %d", what, len(got), len(want))
	}
	for k, x := range want {
		if d := math.Abs(got[k] - x); !(d <= tolerance*max(1, math.Abs(x))) {
			t.Errorf("%s %d is %.12g, on one machine %.12g", what, k, got[k], x)
			return
		}
	}
}

// A fit in shards is that of one machine: after every evaluation the evidence to 1e-9, in the end the population to
// 1e-6, and what the gathered model says of every voter.
func TestFitIsThatOfOneMachine(t *testing.T) {
	for _, ties := range []bool{false, true} {
		t.Run(fmt.Sprint("ties ", ties), func(t *testing.T) {
			ctx := context.Background()
			d := made(t, 150, 12, 16, ties)
			people, err := population.NewPeople(d.NumItems(), d.Tallies(true))
			if err != nil {
				t.Fatal(err)
			}
			one, err := population.NewShard(people, nil, population.Settings{})
			if err != nil {
				t.Fatal(err)
			}
			here := &logged{Evaluator: one}
			want, err := population.LearnFrom(ctx, here, population.NewItems(d.NumItems(), nil, nil, nil), ties, &population.Options{Rank: 3, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			var there []float64
			o := Fitting{Factors: 3, Seed: 5, Progress: func(p Progress) { there = append(there, p.Evidence) }}
			f, err := o.Run(ctx, prism, dealAll(t, d, Dealing{Shards: 5}))
			if err != nil {
				t.Fatal(err)
			}
			near(t, "evidence", there, here.evidence, 1e-9)
			near(t, "mean", f.learnt.T, want.T, 1e-6)
			near(t, "factor", f.learnt.A, want.A, 1e-6)
			near(t, "parameter", []float64{f.learnt.Scale, f.learnt.Spread, f.learnt.Threshold}, []float64{want.Scale, want.Spread, want.Threshold}, 1e-6)
			m, closing, err := f.Gather(ctx, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			defer closing()
			if ties { // whether ties are learnt from at all is settled on one machine, by a trial
				return
			}
			alone, err := model.FitPopulation(ctx, d, &model.PopulationOptions{Rank: 3, Seed: 5})
			if err != nil {
				t.Fatal(err)
			}
			var files [2]bytes.Buffer
			var chances [2][]float64
			for k, m := range []model.Model{m, alone} {
				if err := m.Save(ctx, &files[k]); err != nil {
					t.Fatal(err)
				}
				again, err := model.Read(bytes.NewReader(files[k].Bytes()), int64(files[k].Len()))
				if err != nil {
					t.Fatal(err)
				}
				for u := range d.NumUsers() {
					if again.UserID(u) != d.UserID(u) {
						t.Fatalf("user %d is %s, not %s", u, again.UserID(u), d.UserID(u))
					}
					chances[k] = append(chances[k], again.Prefer(u, u%12, (u+5)%12))
				}
			}
			near(t, "chance", chances[0], chances[1], 1e-6)
		})
	}
}

// The same votes make the same shards to the last byte, in whatever files, formats and order they are; and each
// voter is in one shard, whole.
func TestDealIsStable(t *testing.T) {
	ctx := context.Background()
	d := made(t, 40, 9, 12, true)
	order := rand.New(rand.NewPCG(3, 1)).Perm(d.NumVotes())
	cut := len(order) / 3
	other := t.TempDir()
	for k, name := range []string{"a.jsonl.gz", "b.parquet", "c.csv"} {
		written(t, d.Select(order[k*cut:(k+1)*cut+(k/2)*(len(order)-3*cut)]), other, name)
	}
	o := Dealing{Shards: 4, HoldOut: 0.2}
	one := dealAll(t, d, o)
	two, err := o.Make(ctx, prism, []string{other + "/*"}, filepath.Join(t.TempDir(), "crowd"))
	if err != nil {
		t.Fatal(err)
	}
	voters := map[string]bool{}
	heldOut, pairs := 0, 0
	for k := range 4 {
		var files [2][]byte
		for n, deal := range []*Deal{one, two} {
			if files[n], err = os.ReadFile(shardFile(deal.folder, k, 4)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Errorf("shard %d is another", k)
		}
		x, err := openShard(ctx, one.folder, k, 4, one.Shards[k].Sum, true)
		if err != nil {
			t.Fatal(err)
		}
		heldOut, pairs = heldOut+len(x.heldOut), pairs+x.people.NumPairs()
		for _, name := range x.users {
			if voters[name] {
				t.Errorf("%s is in two shards", name)
			}
			voters[name] = true
		}
	}
	if len(voters) != 40 || heldOut == 0 || heldOut+pairs != len(d.Tallies(true)) {
		t.Errorf("%d voters, %d pairs and %d held out of %d", len(voters), pairs, heldOut, len(d.Tallies(true)))
	}
	if !slices.EqualFunc(one.Groups, d.Components(), slices.Equal) || one.Ties != two.Ties || !slices.Equal(one.Votes, two.Votes) {
		t.Errorf("groups %v, ties %v and %v", one.Groups, one.Ties, two.Ties)
	}
}

// A bundle that is run again repeats itself: it reads the sites of the evaluation before, whatever it wrote.
func TestBundleRepeatsItself(t *testing.T) {
	ctx := context.Background()
	deal := dealAll(t, made(t, 30, 8, 10, false), Dealing{Shards: 2})
	e := &evaluator{deal: deal, fit: deal.fitFolder(), runner: prism}
	prior := &population.LowRank{Items: deal.items(), Scale: 2, D: 1, A: make([]float64, 8), T: make([]float64, 8)}
	q := population.Query{Prior: prior, Tolerance: 1e-3}
	for range 2 {
		if _, err := e.Evaluate(ctx, q); err != nil {
			t.Fatal(err)
		}
		prior.T[0]++
	}
	f := &inferFn{Deal: deal.folder, Fit: e.fit, Sums: deal.sums(), Evaluation: 3, query: &q}
	var says, sites [][]byte
	for range 3 {
		tell := func(_ int, t told) {
			b, _ := encodeTold(t)
			says = append(says, b)
		}
		if err := f.StartBundle(ctx, tell); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.ProcessElement(ctx, 1, tell), f.FinishBundle(ctx, tell)); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(siteFile(e.fit, 3, 1))
		if err != nil {
			t.Fatal(err)
		}
		sites = append(sites, b)
	}
	for k := range 2 {
		if !bytes.Equal(says[k], says[k+1]) || !bytes.Equal(sites[k], sites[k+1]) {
			t.Errorf("run %d again it tells something else", k)
		}
	}
}
