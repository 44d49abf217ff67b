package model

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"palate"
	"palate/population"
)

// A population that was learnt elsewhere makes the same file as one that was fitted here.
func TestPopulationElsewhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	b := palate.NewBuilder()
	for range 600 {
		left, right := rng.IntN(9), rng.IntN(9)
		o := palate.Left
		if rng.Float64() < 0.4 {
			o = palate.Right
		}
		if err := b.Say(string(rune('A'+rng.IntN(20))), string(rune('a'+left)), string(rune('a'+(left+1+right%8)%9)), o); err != nil {
			t.Fatal(err)
		}
	}
	b.SortNames()
	d := built(t, b)
	here := populationOf(t, d, &PopulationOptions{Rank: 2, Seed: 3})
	people, err := population.NewPeople(d.NumItems(), d.Tallies(true))
	if err != nil {
		t.Fatal(err)
	}
	l, e, err := population.Learn(context.Background(), people, population.NewItems(d.NumItems(), nil, nil, nil), nil, 0, &population.Options{Rank: 2, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	there := NewPopulation(Elsewhere{
		Items: here.ids, Users: here.users, Votes: here.votes, Groups: d.Components(), Digest: d.Digest(), Seed: 3, Learnt: l, Engine: e,
	})
	var files [2]bytes.Buffer
	for k, m := range []Model{here, there} {
		if err := m.Save(context.Background(), &files[k]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Errorf("%d bytes fitted here, %d others learnt elsewhere", files[0].Len(), files[1].Len())
	}
}
