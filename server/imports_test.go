package server

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"palate/internal/testdb"
	"palate/store"
)

// manyVotes is a file of n votes by a few voters on four items, later rows of a voter
// on the same pair in the place of earlier ones.
func manyVotes(n int) string {
	var b strings.Builder
	b.WriteString("user,left,right,winner\n")
	for k := range n {
		fmt.Fprintf(&b, "v%d,i%d,i%d,%s\n", k%7, k%4, (k+1+k/4%3)%4, []string{"left", "right", "tie"}[k%3])
	}
	return b.String()
}

// await waits until an import is over.
func await(t *testing.T, s *Service, i store.Import) store.Import {
	t.Helper()
	i, err := s.AwaitImport(t.Context(), i.Board, i.ID, time.Hour)
	if err != nil || !i.State.Over() {
		t.Fatalf("import %+v, %v", i, err)
	}
	return i
}

// under waits until an import has stored something, and is not over.
func under(t *testing.T, s *Service, i store.Import) {
	t.Helper()
	wait(t, func() bool {
		i, err := s.ImportOf(t.Context(), i.Board, i.ID)
		return err != nil || i.Done > 0
	})
}

// TestImport: imports run in the background, fail as a whole, go on after a restart,
// and say what they left when they are cancelled.
// TestUnknownItems: what a file says of items that are not there takes no longer than the file,
// and the first of them is told with one like it.
func TestUnknownItems(t *testing.T) {
	s, _ := start(t, Options{})
	b := makeBoard(t, s, NewBoard{Items: lines(900)}).Board.ID
	var file strings.Builder
	file.WriteString("left,right,winner\n")
	for k := range 100_000 {
		fmt.Fprintf(&file, "i1,j%d,left\n", k)
	}
	began := time.Now()
	i := must(s.Import(t.Context(), b, "owner", "v.csv", strings.NewReader(file.String()), store.ImportSettings{SkipBad: true}))
	if i = must(s.AwaitImport(t.Context(), b, i.ID, time.Hour)); i.Bad != 100_000 || !strings.Contains(i.Says, `v.csv:2: there is no item "j0"`) {
		t.Errorf("%d bad rows, the first: %s", i.Bad, i.Says)
	}
	t.Logf("%d rows in %v", i.Bad, time.Since(began))
	if _, err := s.Predict(t.Context(), b, View{}, "i1", "i1O"); err == nil || !strings.Contains(err.Error(), "did you mean") {
		t.Errorf("an item that is spelt nearly like one: %v", err)
	}
}

// TestAnswersOfFilesHaveAnEnd: rankings of up to fifty items are a vote each, and a small file of
// them does not come to more votes than there is room for.
func TestAnswersOfFilesHaveAnEnd(t *testing.T) {
	s, _ := start(t, Options{})
	b := makeBoard(t, s, NewBoard{Items: lines(maxAnswer)}).Board.ID
	var row strings.Builder
	for k := range maxAnswer {
		fmt.Fprintf(&row, ">i%d", k)
	}
	rankings := func(n int) string {
		return "ranking\n" + strings.Repeat(row.String()[1:]+"\n", n)
	}
	i := must(s.Import(t.Context(), b, "owner", "one.csv", strings.NewReader(rankings(1)), store.ImportSettings{}))
	if i = must(s.AwaitImport(t.Context(), b, i.ID, time.Hour)); i.Added != 1 {
		t.Errorf("a ranking of %d items: %+v", maxAnswer, i)
	}
	for _, skip := range []bool{false, true} {
		i = must(s.Import(t.Context(), b, "owner", "many.csv", strings.NewReader(rankings(2*MaxVotes/1000)), store.ImportSettings{SkipBad: skip}))
		if i = must(s.AwaitImport(t.Context(), b, i.ID, time.Hour)); i.State != store.Failed || i.Added != 0 || !strings.Contains(i.Says, "import it in parts") {
			t.Errorf("many rankings: %+v", i)
		}
	}
}

func TestImport(t *testing.T) {
	for kind, open := range testdb.Each(t) {
		t.Run(kind, func(t *testing.T) {
			ctx, st := t.Context(), open()
			s := startOn(t, st, Options{Poll: 10 * time.Millisecond})
			b := makeBoard(t, s, NewBoard{Items: lines(4)}).Board.ID
			begin := func(s *Service, file string, set store.ImportSettings) store.Import {
				t.Helper()
				i, err := s.Import(ctx, b, "owner", "votes.csv", strings.NewReader(file), set)
				if err != nil {
					t.Fatal(err)
				}
				return i
			}
			stored := func() int {
				t.Helper()
				votes, err := st.Votes(ctx, b, 0, 1_000_000)
				if err != nil {
					t.Fatal(err)
				}
				return len(votes)
			}

			bad := manyVotes(3000) + "v1,i0,nothing,left\nv1,i0,i1,whatever\n"
			i := await(t, s, begin(s, bad, store.ImportSettings{}))
			if i.State != store.Failed || i.Added != 0 || stored() != 0 || !strings.Contains(i.Says, "votes.csv:300") {
				t.Errorf("a bad row: %+v, %d votes", i, stored())
			}
			i = await(t, s, begin(s, bad, store.ImportSettings{SkipBad: true}))
			if i.State != store.Finished || i.Added != 3000 || i.Bad != 2 || stored() != 3000 {
				t.Errorf("bad rows passed over: %+v, %d votes", i, stored())
			}
			if i = await(t, s, begin(s, bad, store.ImportSettings{SkipBad: true})); i.Added != 0 || i.Done != 3000 || stored() != 3000 {
				t.Errorf("the same file again: %+v, %d votes", i, stored())
			}

			i = begin(s, manyVotes(20_000), store.ImportSettings{})
			under(t, s, i)
			if err := s.CancelImport(ctx, b, "owner", i.ID); err != nil {
				t.Fatal(err)
			}
			i = await(t, s, i)
			time.Sleep(50 * time.Millisecond) // a slice that was under way is not stored
			if now := stored(); i.State != store.Cancelled || now != 3000+i.Added || i.Added == 20_000 {
				t.Errorf("cancelled: %+v, %d votes", i, now)
			}
			if err := s.CancelImport(ctx, b, "owner", i.ID); !errors.Is(err, ErrInvalid) {
				t.Errorf("cancelled twice: %v", err)
			}

			before := stored()
			i = begin(s, manyVotes(15_000), store.ImportSettings{})
			under(t, s, i)
			s.Close()
			s = startOn(t, st, Options{Poll: 10 * time.Millisecond})
			i = await(t, s, i)
			if i.State != store.Finished || i.Added != 15_000 || stored() != before+15_000 {
				t.Errorf("after a restart: %+v, %d votes after %d", i, stored(), before)
			}
			// What counts is one vote a voter and pair, in memory and read anew.
			l := settle(t, s, b)
			if n := l.fit.Fit().Votes; n > 7*6 || n < 20 {
				t.Errorf("%g votes of seven voters on six pairs", n)
			}
			if fresh, err := s.load(ctx, b); err != nil || len(fresh.records) != len(l.records) {
				t.Errorf("%d records, read anew %d, %v", len(l.records), len(fresh.records), err)
			}
			// Votes without voters all stand.
			i = await(t, s, begin(s, "left,right,winner\n"+strings.Repeat("i0,i1,left\n", 700), store.ImportSettings{}))
			if n := settle(t, s, b).ballots[nobody].votes; i.Added != 700 || n != 700 {
				t.Errorf("votes of nobody: %+v, %d stand", i, n)
			}
			if _, err := s.Import(ctx, b, "owner", "a\x00", strings.NewReader(""), store.ImportSettings{}); !errors.Is(err, ErrInvalid) {
				t.Errorf("a bad name: %v", err)
			}
		})
	}
}
