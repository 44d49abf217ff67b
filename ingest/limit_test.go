package ingest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"palate"
)

// bombs are small files with much content, one of each packing and format.
func bombs(t *testing.T) map[string][]byte {
	const rows = 1 << 18
	csv := "winner,loser\n" + strings.Repeat("a,b\n", rows)
	all := map[string][]byte{
		"plain.csv": []byte(csv), "lines.jsonl": []byte(strings.Repeat(`{"winner":"a","loser":"b"}`+"\n", rows)),
		"array.json": []byte("[" + strings.Repeat(`{"winner":"a","loser":"b"},`, rows) + `{"winner":"a","loser":"b"}]`),
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, csv)
	z.Close()
	all["packed.csv.gz"] = packed.Bytes()
	e, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	all["packed.csv.zst"] = e.EncodeAll([]byte(csv), nil)
	var table bytes.Buffer
	s, err := NewSheet(&table, "parquet", []string{"winner", "loser"})
	if err != nil {
		t.Fatal(err)
	}
	for range rows {
		if err := s.Row("a", "b"); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	all["rows.parquet"] = table.Bytes()
	return all
}

// TestLimitReader reads small files with much content, with room for it and without.
func TestLimitReader(t *testing.T) {
	for name, file := range bombs(t) {
		t.Run(name, func(t *testing.T) {
			read := func(limit int64) error {
				_, err := Votes(t.Context(), name, LimitReader(bytes.NewReader(file), limit), palate.NewBuilder(), Options{})
				return err
			}
			if err := read(64 << 20); err != nil {
				t.Errorf("with room for it: %v", err)
			}
			if err := read(1 << 19); err == nil || !strings.HasPrefix(err.Error(), name) || !strings.Contains(err.Error(), "524288 bytes of content") {
				t.Errorf("without: %v", err)
			}
		})
	}
}

// TestLimitedTable reads a small file of many items.
func TestLimitedTable(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, "id,x\n")
	for i := range 1 << 16 {
		fmt.Fprintf(z, "%08d,0000000000000000\n", i)
	}
	z.Close()
	for limit, room := range map[int64]bool{64 << 20: true, 1 << 20: false} {
		_, err := ReadTable(t.Context(), "items.csv.gz", LimitReader(bytes.NewReader(packed.Bytes()), limit))
		if room != (err == nil) || !room && !strings.Contains(err.Error(), "1048576 bytes of content") {
			t.Errorf("%d bytes for a file of %d: %v", limit, packed.Len(), err)
		}
	}
}
