package cluster

import (
	"bytes"
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"palate/ingest"
	"palate/model"
)

// Top is what voters like best.
type Top struct {
	Number int    // of items for each
	Unseen bool   // leave out what a voter has voted on
	Format string // of the files: parquet, jsonl or csv
}

// Write writes a file a shard to a folder: user,rank,item,score,sd,chance, in order of user and rank. The chance is
// that the voter picks the item over the first that is not listed.
func (t Top) Write(ctx context.Context, r Runner, f *Fit, folder string) error {
	folder, err := absolute(folder)
	if err != nil {
		return err
	}
	if t.Number < 1 {
		return fmt.Errorf("%d items for each voter: at least one", t.Number)
	}
	return r.run(ctx, "top", func(s beam.Scope) {
		writing(s, &topFn{user: user{Deal: f.deal.folder, Stamp: stamp()}, Top: t, Folder: folder}, numbers(s, len(f.deal.Shards)))
	})
}

type topFn struct {
	user
	Top
	Folder string
}

func (f *topFn) ProcessElement(ctx context.Context, k int) (int, error) {
	m, x, err := f.voters(ctx, k)
	if err != nil {
		return k, failed("%w", err)
	}
	person := make(map[int]int, x.people.Len())
	for p := range x.people.Len() {
		person[x.people.Owner(p)] = p
	}
	var out bytes.Buffer
	sheet, err := ingest.NewSheet(&out, f.Format, []string{"user", "rank", "item", "score", "sd", "chance"})
	if err != nil {
		return k, failed("%w", err)
	}
	seen := map[int]bool{}
	for u := range m.NumUsers() {
		clear(seen)
		if p, ok := person[u]; ok && f.Unseen {
			for _, i := range x.people.Items(p) {
				seen[int(i)] = true
			}
		}
		all, err := model.Top(ctx, m, u, f.Number+1, func(item int) bool { return seen[item] })
		if err != nil {
			return k, failed("%w", err)
		}
		top := all[:min(f.Number, len(all))]
		for rank, c := range top {
			chance := m.Prefer(u, c.Item, all[len(all)-1].Item)
			if err := sheet.Row(m.UserID(u), int64(rank+1), m.ItemID(c.Item), c.Score, c.SD, chance); err != nil {
				return k, failed("%w", err)
			}
		}
	}
	if err := sheet.Close(); err != nil {
		return k, failed("%w", err)
	}
	beam.NewCounter("palate", "voters").Inc(ctx, int64(m.NumUsers()))
	return k, failed("%w", writeFile(ctx, fmt.Sprintf("%s/top-%05d-of-%05d.%s", f.Folder, k, len(f.fit.deal.Shards), f.Format), out.Bytes()))
}

func init() { beam.RegisterDoFn(&topFn{}) }
