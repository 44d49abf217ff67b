package feature

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"palate"
	"palate/ingest"
	"palate/internal/heed"
)

// TestContexts: whatever makes features of many texts stops when its context ends.
func TestContexts(t *testing.T) {
	var votes, items strings.Builder
	votes.WriteString("user,left,right,winner\n")
	items.WriteString("id,text:says\n")
	const n = 60
	for i := range n {
		fmt.Fprintf(&votes, "i%d,i%d,i%d,left\n", i, i, (i+1)%n)
		fmt.Fprintf(&items, "i%d,\"number %d has %d words, and some more of them\"\n", i, i, i%7)
	}
	built := func() *palate.Builder {
		b := palate.NewBuilder()
		if _, err := ingest.Votes(t.Context(), "votes", strings.NewReader(votes.String()), b, ingest.Options{}); err != nil {
			t.Fatal(err)
		}
		return b
	}
	table := func() *ingest.Table {
		out, err := ingest.ReadTable(t.Context(), "items", strings.NewReader(items.String()))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Items": func(ctx context.Context) error {
			_, err := Items(ctx, "items", strings.NewReader(items.String()), built(), Options{})
			return err
		},
		"Users": func(ctx context.Context) error {
			_, err := Users(ctx, "users", strings.NewReader(items.String()), built(), Options{})
			return err
		},
		"TableItems": func(ctx context.Context) error {
			_, err := TableItems(ctx, table(), built(), Options{})
			return err
		},
		"NewEncoder": func(ctx context.Context) error {
			_, err := NewEncoder(ctx, table(), Options{})
			return err
		},
		"Encoder.Encode": func(ctx context.Context) error {
			e, err := NewEncoder(t.Context(), table(), Options{})
			if err == nil {
				_, err = e.Encode(ctx, table())
			}
			return err
		},
	})
}
