package ingest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"palate"
	"palate/internal/heed"
)

// TestContexts: whatever reads, writes or looks at many votes stops when its context
// ends.
func TestContexts(t *testing.T) {
	var pairs, ratings, table, links, tasks, vectors strings.Builder
	pairs.WriteString("user,left,right,winner\n")
	ratings.WriteString("user,item,rating\n")
	table.WriteString("id,size\n")
	links.WriteString("from,to\n")
	tasks.WriteString("task,item1,item2\n")
	const n = 60
	for i := range n {
		fmt.Fprintf(&table, "i%d,%d\n", i, i)
		fmt.Fprintf(&links, "i%d,i%d\n", i, (i+1)%n)
		for j := range n {
			if i != j {
				fmt.Fprintf(&pairs, "u%d,i%d,i%d,left\n", (i+j)%20, i, j)
				fmt.Fprintf(&tasks, "%d,i%d,i%d\n", i*n+j, i, j)
			}
			fmt.Fprintf(&ratings, "u%d,i%d,%d\n", i, j, (i*j)%5)
		}
	}
	vectors.WriteString("\x93NUMPY\x01\x00\x76\x00")
	fmt.Fprintf(&vectors, "%-117s\n", fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 1000), }", n))
	vectors.Write(make([]byte, n*1000*8))
	small := Options{block: 1000}
	b := palate.NewBuilder()
	if _, err := Votes(t.Context(), "votes", strings.NewReader(pairs.String()), b, Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var parquet bytes.Buffer
	if err := Write(t.Context(), &parquet, d, WriteOptions{Format: "parquet"}); err != nil {
		t.Fatal(err)
	}
	read := func(name, text string) *Table {
		out, err := ReadTable(t.Context(), name, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	votes := func(text string) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := Votes(ctx, "votes", strings.NewReader(text), palate.NewBuilder(), small)
			return err
		}
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Votes":         votes(pairs.String()),
		"Votes ratings": votes(ratings.String()),
		"Votes parquet": votes(parquet.String()),
		"ReadDesign": func(ctx context.Context) error {
			_, err := ReadDesign(ctx, "design", strings.NewReader(tasks.String()))
			return err
		},
		"ReadPairs": func(ctx context.Context) error {
			_, _, err := ReadPairs(ctx, "pairs", strings.NewReader(pairs.String()), d, small)
			return err
		},
		"ItemLinks": func(ctx context.Context) error {
			_, _, err := ItemLinks(ctx, "links", strings.NewReader(links.String()), d, small)
			return err
		},
		"UserLinks": func(ctx context.Context) error {
			_, _, err := UserLinks(ctx, "links", strings.NewReader(strings.ReplaceAll("from,to\nu1,u2\nu2,u3\n", "\n", "\r\n")), d, Options{block: 8})
			return err
		},
		"ReadTable": func(ctx context.Context) error {
			_, err := readTable(ctx, "items", strings.NewReader(table.String()), 100)
			return err
		},
		"Table.AddVectors": func(ctx context.Context) error {
			return read("items", table.String()).AddVectors(ctx, "v", "v.npy", strings.NewReader(vectors.String()))
		},
		"Write":      func(ctx context.Context) error { return Write(ctx, io.Discard, d, WriteOptions{Format: "jsonl"}) },
		"WriteVotes": func(ctx context.Context) error { return WriteVotes(ctx, io.Discard, d) },
	})
}
