package main

import (
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"palate"
	"palate/ingest"
)

// brew draws the demo's votes: teas of known quality, voters with some taste of
// their own, noise, and ties when two teas seem alike.
func brew(t *testing.T) string {
	t.Helper()
	teas := []string{"Amber Lantern", "Blue Heron", "Cedar Smoke", "Crème de Lune", "Foghorn Green", "Granny's Shed",
		"Harbour Dusk", "Juniper Jig", "Monsoon Gold", "Old Cartographer", "Snow Monkey", "Velvet Goat"}
	voters := []string{"Ada", "Bela", "Cho", "Dara", "Emil", "Femi", "Gus", "Hana", "Ivo", "Jun",
		"Kaya", "Lev", "Mina", "Noor", "Otto", "Pia", "Ravi", "Suda", "Timo", "Uma"}
	rng := rand.New(rand.NewPCG(12, 400))
	b := palate.NewBuilder()
	quality := make([]float64, len(teas))
	for i, place := range rng.Perm(len(teas)) {
		quality[i] = 1.2 * (1 - 2*float64(place)/float64(len(teas)-1))
		b.Item(teas[i])
	}
	taste := make([][]float64, len(voters))
	for u, name := range voters {
		b.User(name)
		for range teas {
			taste[u] = append(taste[u], 0.4*rng.NormFloat64())
		}
	}
	for range 400 {
		v := palate.Vote{User: rng.IntN(len(voters)), Left: rng.IntN(len(teas)), Weight: 1}
		v.Right = (v.Left + 1 + rng.IntN(len(teas)-1)) % len(teas)
		z := quality[v.Left] + taste[v.User][v.Left] - quality[v.Right] - taste[v.User][v.Right] + rng.NormFloat64()
		switch {
		case math.Abs(z) < 0.2:
			v.Outcome = palate.Tie
		case z < 0:
			v.Outcome = palate.Right
		}
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var s strings.Builder
	if err := ingest.WriteVotes(t.Context(), &s, d); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

func TestDemoVotesAreMadeUp(t *testing.T) {
	got := brew(t)
	if *update {
		if err := os.WriteFile("demo.csv", []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != demoVotes {
		t.Error("demo.csv is not what brew draws; run with -update")
	}
}
