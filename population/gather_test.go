package population

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"palate"
)

// People who were dealt to shards, each shard with users of its own, are the same again when
// they are gathered, and so are their sites.
func TestGather(t *testing.T) {
	const items, users, shards = 12, 50, 4
	for _, ties := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(21, 3))
		all, answers := draw(rng, users, items, 15, ties), drawAnswers(rng, users, items, 2, ties)
		whole := mustPeople(t, items, all, answers...)
		shard, err := NewShard(whole, nil, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		prior, _ := example(t, 6, items, 1, 1, false)
		query := Query{Prior: prior, Tolerance: 1e-6, Want: Evidence}
		if ties {
			query.Threshold = 0.4
		}
		if _, err := shard.Evaluate(context.Background(), query); err != nil {
			t.Fatal(err)
		}
		open := func(k int) (*Engine, []int, error) {
			var own []palate.Tally
			var names []int
			for _, x := range all {
				if x.User%shards != k {
					continue
				}
				at := slices.Index(names, x.User)
				if at < 0 {
					at, names = len(names), append(names, x.User)
				}
				x.User = at
				own = append(own, x)
			}
			var said []palate.Answer
			for _, a := range answers {
				if at := slices.Index(names, a.User); at >= 0 { // everybody has votes
					a.User = at
					said = append(said, a)
				}
			}
			part, err := NewShard(mustPeople(t, items, own, said...), nil, Settings{})
			if err != nil {
				return nil, nil, err
			}
			_, err = part.Evaluate(context.Background(), query)
			return part.Engine, names, err
		}
		g, err := Gather(t.TempDir(), shards, open, Settings{Likelihood: Voting(query.Threshold)})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		p := g.Engine.People
		if p.Len() != whole.Len() || !slices.Equal(p.owner, whole.owner) || !slices.Equal(p.item, whole.item) || !slices.Equal(p.pairStart, whole.pairStart) || !slices.Equal(p.answer, whole.answer) {
			t.Fatalf("ties %v: other people", ties)
		}
		for u := range p.Len() {
			said := func(p *People) (out []string) {
				for _, x := range p.Pairs(u) {
					out = append(out, fmt.Sprint(x.Win, x.Lose, x.Count, p.kinds[x.Kind]))
				}
				return out
			}
			if got, want := said(p), said(whole); !reflect.DeepEqual(got, want) {
				t.Errorf("ties %v: person %d said %v, gathered %v", ties, u, want, got)
			}
		}
		if !slices.Equal(g.Engine.Tau, shard.Engine.Tau) || !slices.Equal(g.Engine.Nu, shard.Engine.Nu) {
			t.Errorf("ties %v: other sites", ties)
		}
	}
	lost := fmt.Errorf("shard 2 is lost")
	if _, err := Gather(t.TempDir(), 3, func(int) (*Engine, []int, error) { return nil, nil, lost }, Settings{}); err != lost {
		t.Error(err)
	}
}
