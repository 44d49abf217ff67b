package sqlite

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"palate/store"
)

// BenchmarkSlice stores votes of a file, 500 at a time.
func BenchmarkSlice(b *testing.B) {
	ctx := b.Context()
	st, err := Open(ctx, filepath.Join(b.TempDir(), "x.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	var items []store.Item
	for k := range 100 {
		items = append(items, store.Item{ID: fmt.Sprint(k)})
	}
	must(st.CreateBoard(ctx, store.Board{ID: "a"}, items, store.Action{}))
	for k := range 1000 {
		_, err := st.AddVoter(ctx, store.Voter{Board: "a", ID: fmt.Sprint("voter", k)})
		must(err)
	}
	must(st.NewImport(ctx, store.Import{ID: "i", Board: "a"}, store.Action{}))
	_, err = st.ClaimImport(ctx, "i", "w", time.Now(), time.Now())
	must(err)
	const size = 500
	k := 0
	for b.Loop() {
		votes := make([]store.Vote, size)
		for j := range votes {
			votes[j] = store.Vote{Board: "a", Voter: fmt.Sprint("voter", (k*7+j*13)%1000), Key: fmt.Sprintf("file:0123456789abcdef:%d", k+j), Left: j % 100, Right: (j + 1) % 100, Policy: "import", Time: time.Now()}
		}
		_, err := st.AppendSlice(ctx, store.Slice{Import: "i", Worker: "w", From: k, To: k + size, Votes: votes})
		must(err)
		k += size
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(k), "µs/vote")
}
