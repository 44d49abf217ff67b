package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"palate"
)

const benchRows = 1_000_000

// benchVotes writes rows as an arena would have them: 200 items, 5000 voters.
func benchVotes(format string) []byte {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	rng := rand.New(rand.NewPCG(1, 2))
	if format == "csv" {
		fmt.Fprintln(w, "user,left,right,winner")
	}
	for range benchRows {
		l := rng.IntN(200)
		r := (l + 1 + rng.IntN(199)) % 200
		u, o := rng.IntN(5000), palate.Outcome(rng.IntN(3))
		if format == "csv" {
			fmt.Fprintf(w, "u%d,model%d,model%d,%v\n", u, l, r, o)
		} else {
			fmt.Fprintf(w, `{"user":"u%d","left":"model%d","right":"model%d","winner":"%v"}`+"\n", u, l, r, o)
		}
	}
	w.Flush()
	return out.Bytes()
}

func BenchmarkVotes(b *testing.B) {
	for _, format := range []string{"csv", "jsonl"} {
		text := benchVotes(format)
		b.Run(format, func(b *testing.B) { benchRead(b, text) })
		if format == "csv" {
			var packed bytes.Buffer
			z := gzip.NewWriter(&packed)
			z.Write(text)
			z.Close()
			b.Run("csv.gz", func(b *testing.B) { benchRead(b, packed.Bytes()) })
		}
	}
}

func benchRead(b *testing.B, text []byte) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Votes(context.Background(), "votes", bytes.NewReader(text), palate.NewBuilder(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*benchRows/b.Elapsed().Seconds(), "rows/s")
}
