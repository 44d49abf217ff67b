package server

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"palate"
	"palate/store"
)

func madeUpVotes(n int) []store.Vote {
	rng := rand.New(rand.NewPCG(1, 2))
	votes := make([]store.Vote, n)
	for k := range votes {
		v := &votes[k]
		*v = store.Vote{
			Seq: int64(3 + 2*k), Voter: fmt.Sprint("voter ", rng.IntN(7)), Left: rng.IntN(9), Right: 9 + rng.IntN(9), Outcome: palate.Outcome(rng.IntN(4)),
			Policy: []string{"", "bald"}[k%2], Propensity: rng.Float64(), Response: time.Duration(rng.IntN(1e6)) * time.Microsecond,
			Time: time.UnixMicro(1_700_000_000_000_000 + int64(rng.IntN(1e9))).UTC(),
		}
		if k%5 == 4 {
			v.Reason, v.Undoes = "élan", votes[k-1].Seq
		}
	}
	return votes
}

// TestPack: what was packed is what it was, and what was damaged is not read. Pairs alone are
// packed as they were before there were sets.
func TestPack(t *testing.T) {
	votes := madeUpVotes(500)
	if pack := packed(votes); pack[0] != packVersion || fmt.Sprintf("%x", pack[len(pack)-4:]) != "7490f652" { // its checksum
		t.Errorf("pairs are packed in another way: %x", pack[len(pack)-4:])
	}
	checkPack(t, votes)
	votes = votes[:80]
	for k := range votes {
		switch k % 4 {
		case 1:
			votes[k].Set = store.NewSet(store.Ranking, []int{3, 70, 1}, []int{1, 0, 2})
		case 2:
			votes[k].Set = store.NewSet(store.BestWorst, []int{3, 70, 1, 8}, nil)
		}
	}
	checkPack(t, votes)
}

func checkPack(t *testing.T, votes []store.Vote) {
	t.Helper()
	pack := packed(votes)
	var got []store.Vote
	if err := unpack(pack, func(v store.Vote) { got = append(got, v) }); err != nil || !sound(pack) {
		t.Fatal(err)
	}
	if !slices.Equal(got, votes) {
		t.Errorf("%+v was packed, %+v unpacked", votes[:5], got[:5])
	}
	if max := 40 * len(votes); len(pack) > max {
		t.Errorf("%d bytes for %d votes", len(pack), len(votes))
	}
	for k := range pack {
		damaged := slices.Clone(pack)
		damaged[k] ^= 4
		if sound(damaged) {
			t.Fatalf("byte %d was changed, and nobody saw it", k)
		}
		unpack(damaged, func(store.Vote) {}) // which may say anything, and does not panic
	}
	for k := range pack {
		unpack(pack[:k], func(store.Vote) {})
	}
}

// TestPackedBoard: a board that is read from packed votes is the one that is read from
// its table.
func TestPackedBoard(t *testing.T) {
	s, st := start(t, Options{Poll: 10 * time.Millisecond})
	ctx := t.Context()
	b := makeBoard(t, s, NewBoard{Items: lines(6)}).Board.ID
	who := voterNamed(t, s, b, "ann")
	for k := range 2 {
		votes := make([]store.Vote, page+3)
		for j := range votes {
			votes[j] = store.Vote{Board: b, Voter: who, Key: fmt.Sprint(k, " ", j), Left: j % 3, Right: 3 + j%2, Time: now()}
		}
		i := store.Import{ID: fmt.Sprint("import", k), Board: b, State: store.Running, Created: now(), Changed: now()}
		if err := st.NewImport(ctx, i, store.Action{Board: b, Time: now()}); err != nil {
			t.Fatal(err)
		}
		if _, err := st.ClaimImport(ctx, i.ID, "test", now(), now().Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if _, err := st.AppendSlice(ctx, store.Slice{Import: i.ID, Worker: "test", To: len(votes), Until: now().Add(time.Hour), Votes: votes}); err != nil {
			t.Fatal(err)
		}
	}
	plain, err := s.load(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.pack(ctx, b); err != nil {
		t.Fatal(err)
	}
	last, packs, err := s.packs(ctx, b)
	if err != nil || len(packs) != 2 || last == 0 {
		t.Fatalf("%d packs up to %d, %v", len(packs), last, err)
	}
	fresh, err := s.load(ctx, b)
	if err != nil {
		t.Fatal(err)
	}
	if len(plain.records) != 2*(page+3) || !slices.Equal(plain.records, fresh.records) || !slices.Equal(plain.names, fresh.names) || fresh.seq != plain.seq || len(fresh.ended) != len(plain.ended) {
		t.Errorf("%d records up to %d, packed %d up to %d", len(plain.records), plain.seq, len(fresh.records), fresh.seq)
	}
}
