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
	var pairs, ratings, table, texts, links, vectors strings.Builder
	pairs.WriteString("user,left,right,winner\n")
	ratings.WriteString("user,item,rating\n")
	table.WriteString("id,size\n")
	texts.WriteString("id,text:says\n")
	links.WriteString("from,to\n")
	const n = 60
	for i := range n {
		fmt.Fprintf(&table, "i%d,%d\n", i, i)
		fmt.Fprintf(&texts, "i%d,\"number %d has %d words, and some more of them\"\n", i, i, i%7)
		fmt.Fprintf(&links, "i%d,i%d\n", i, (i+1)%n)
		for j := range n {
			if i != j {
				fmt.Fprintf(&pairs, "u%d,i%d,i%d,left\n", (i+j)%20, i, j)
			}
			fmt.Fprintf(&ratings, "u%d,i%d,%d\n", i, j, (i*j)%5)
		}
	}
	vectors.WriteString("\x93NUMPY\x01\x00\x76\x00")
	fmt.Fprintf(&vectors, "%-117s\n", fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, 1000), }", n))
	vectors.Write(make([]byte, n*1000*8))
	small := Options{block: 1000}
	built := func(text string) *palate.Builder {
		b := palate.NewBuilder()
		if _, err := Votes(t.Context(), "votes", strings.NewReader(text), b, Options{}); err != nil {
			t.Fatal(err)
		}
		return b
	}
	d, err := built(pairs.String()).Build()
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
	checked := func(look func(*Checker, context.Context) error) func(context.Context) error {
		return func(ctx context.Context) error {
			c := NewChecker(small)
			if _, err := c.Read(t.Context(), "votes", strings.NewReader(pairs.String())); err != nil {
				t.Fatal(err)
			}
			return look(c, ctx)
		}
	}
	heed.Law(t, map[string]func(context.Context) error{
		"Votes":         votes(pairs.String()),
		"Votes ratings": votes(ratings.String()),
		"Votes parquet": votes(parquet.String()),
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
		"Items": func(ctx context.Context) error {
			_, err := Items(ctx, "items", strings.NewReader(texts.String()), built(pairs.String()), TableOptions{})
			return err
		},
		"Users": func(ctx context.Context) error {
			_, err := Users(ctx, "users", strings.NewReader(strings.ReplaceAll(texts.String(), "\ni", "\nu")), built(pairs.String()), TableOptions{})
			return err
		},
		"TableItems": func(ctx context.Context) error {
			_, err := TableItems(ctx, read("items", texts.String()), built(pairs.String()), TableOptions{})
			return err
		},
		"NewEncoder": func(ctx context.Context) error {
			_, err := NewEncoder(ctx, read("items", texts.String()), TableOptions{})
			return err
		},
		"Encoder.Encode": func(ctx context.Context) error {
			e, err := NewEncoder(t.Context(), read("items", texts.String()), TableOptions{})
			if err == nil {
				_, err = e.Encode(ctx, read("items", texts.String()))
			}
			return err
		},
		"Write":      func(ctx context.Context) error { return Write(ctx, io.Discard, d, WriteOptions{Format: "jsonl"}) },
		"WriteVotes": func(ctx context.Context) error { return WriteVotes(ctx, io.Discard, d) },
		"Checker.Read": checked(func(c *Checker, ctx context.Context) error {
			_, err := c.Read(ctx, "more", strings.NewReader(pairs.String()))
			return err
		}),
		"Checker.Items": checked(func(c *Checker, ctx context.Context) error {
			return c.Items(ctx, "items", strings.NewReader(texts.String()))
		}),
		"Checker.Users": checked(func(c *Checker, ctx context.Context) error {
			return c.Users(ctx, "users", strings.NewReader(texts.String()))
		}),
		"Checker.Survey": checked(func(c *Checker, ctx context.Context) error { _, err := c.Survey(ctx, 3); return err }),
	})
}
