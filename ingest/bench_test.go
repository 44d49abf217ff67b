package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

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

// BenchmarkNames reports how many times as long numbers of identifiers take from the map alone.
func BenchmarkNames(b *testing.B) {
	ids := make([][]byte, 200)
	for i := range ids {
		ids[i] = fmt.Appendf(nil, "model%03d", i)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	named := make([][]byte, 1<<16)
	for k := range named {
		named[k] = ids[rng.IntN(len(ids))]
	}
	var took [2]time.Duration
	l := newLocal()
	for b.Loop() {
		start := time.Now()
		for _, id := range named {
			l.add(id)
		}
		took[0] += time.Since(start)
		start = time.Now()
		for _, id := range named {
			if _, ok := l.index[string(id)]; !ok {
				b.Fatal("not there")
			}
		}
		took[1] += time.Since(start)
	}
	b.ReportMetric(float64(took[1])/float64(took[0]), "map-vs-marks")
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
