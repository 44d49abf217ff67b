package ingest

import (
	"bytes"
	"compress/gzip"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// FuzzForm does what FuzzVotes does for rows below the header of every form: pairs, rankings, places, best–worst
// sets, ratings, tasks.
func FuzzForm(f *testing.F) {
	heads := formHeads(f)
	for k, head := range heads {
		f.Add(byte(k), []byte(head.rows), true)
		f.Add(byte(k), []byte(head.rows+head.rows), false)
	}
	f.Fuzz(func(t *testing.T, form byte, rows []byte, skip bool) {
		head := heads[int(form)%len(heads)]
		checkVotes(t, slices.Concat([]byte(head.before), rows, []byte(head.after)), skip)
	})
}

// formHead is a file with room for rows.
type formHead struct{ before, rows, after string }

func formHeads(t testing.TB) (heads []formHead) {
	examples := formExamples()
	for _, form := range forms() {
		example, ok := examples[form.name]
		if !ok {
			t.Fatalf("no example of %s", form.name)
		}
		head, rows, _ := strings.Cut(example.text, "\n")
		heads = append(heads, formHead{head + "\n", rows, ""})
	}
	task := formHead{`[{"data":{"text1":"a","text2":"b"},"annotations":`, "", "}]"}
	for _, task.rows = range []string{
		`[{"completed_by":7,"created_at":"2024-05-01T10:00:00Z","result":[{"type":"pairwise","to_name":"text1,text2","value":{"selected":"right"}}]}]`,
		`[{"completed_by":{"email":"e"},"was_cancelled":true,"result":[]},{"result":[{"value":{"ranker":{"x":["a","b","c"]}}}]}]`,
	} {
		heads = append(heads, task)
	}
	return heads
}

// FuzzPacked reads what is packed with gzip or zstd, damaged: an error tells its file, and what can be unpacked is
// read as it would be without.
func FuzzPacked(f *testing.F) {
	for _, example := range formExamples() {
		for _, name := range []string{"x.gz", "x.zst"} {
			var out bytes.Buffer
			w, err := Pack(&out, name)
			if err != nil {
				f.Fatal(err)
			}
			io.WriteString(w, example.text)
			if err := w.Close(); err != nil {
				f.Fatal(err)
			}
			f.Add(out.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var plain []byte
		var err error
		switch {
		case bytes.HasPrefix(text, []byte("\x1f\x8b")):
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
				plain, err = io.ReadAll(io.LimitReader(z, 1<<20))
			}
		case bytes.HasPrefix(text, []byte("\x28\xb5\x2f\xfd")):
			var z *zstd.Decoder
			if z, err = zstd.NewReader(bytes.NewReader(text), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30)); err == nil {
				plain, err = io.ReadAll(io.LimitReader(z, 1<<20))
				z.Close()
			}
		default:
			return
		}
		if len(plain) == 1<<20 || bytes.HasPrefix(plain, []byte("PAR1")) {
			return
		}
		got, _, gotErr := read(string(text), Options{SkipBad: true})
		checkError(t, gotErr)
		if err != nil {
			if gotErr == nil {
				t.Fatalf("read what cannot be unpacked: %v", err)
			}
			return
		}
		if _, err := unpack("x", bytes.NewReader(plain)); err != nil {
			return // it is not text, or packed once more
		}
		if bytes.HasPrefix(plain, []byte("\x1f\x8b")) || bytes.HasPrefix(plain, []byte("\x28\xb5\x2f\xfd")) {
			return
		}
		want, _, wantErr := read(string(plain), Options{SkipBad: true})
		if got != want || (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
			t.Fatalf("packed: %v\n%s\nunpacked: %v\n%s", gotErr, got, wantErr, want)
		}
	})
}

// FuzzColumns reads the same rows from CSV and from Parquet, with dictionaries and without: the same votes, and the
// same faults in the same rows.
func FuzzColumns(f *testing.F) {
	for _, rows := range []string{
		"u|a|b|1680000000.5|1|model_a\n|b|c|2024-01-01||tie\nu|c|c|yesterday|-1|x\nv||b||2|model_b",
		"u|a|b|||a\nu|a|b|||c\n|model_b|a|||model_b\n|caf\xe9|b|||b",
	} {
		f.Add(rows, true)
		f.Add(rows, false)
	}
	names := []string{"judge", "model_a", "model_b", "tstamp", "weight", "winner"} // in the order that a schema has them
	f.Fuzz(func(t *testing.T, text string, words bool) {
		var csv strings.Builder
		csv.WriteString(strings.Join(names, ",") + "\n")
		group := parquet.Group{}
		for _, name := range names {
			node := parquet.String()
			if words {
				node = parquet.Encoded(node, &parquet.RLEDictionary)
			}
			group[name] = parquet.Optional(node)
		}
		schema := parquet.NewSchema("votes", group)
		var file bytes.Buffer
		w := parquet.NewGenericWriter[any](&file, schema, parquet.PageBufferSize(64))
		rows := 0
		for line := range strings.SplitSeq(text, "\n") {
			cells := strings.Split(line, "|")
			if len(cells) != len(names) || strings.EqualFold(line, strings.Join(names, "|")) {
				continue
			}
			row := make(parquet.Row, len(names))
			for k, cell := range cells {
				csv.WriteString(`"` + strings.ReplaceAll(cell, `"`, `""`) + `"` + ",\n"[k/5:k/5+1])
				leaf, _ := schema.Lookup(names[k])
				row[leaf.ColumnIndex] = parquet.ByteArrayValue([]byte(cell)).Level(0, 1, leaf.ColumnIndex)
				if cell == "" {
					row[leaf.ColumnIndex] = parquet.Value{}.Level(0, 0, leaf.ColumnIndex)
				}
			}
			if _, err := w.WriteRows([]parquet.Row{row}); err != nil {
				t.Fatal(err)
			}
			rows++
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if rows == 0 {
			return
		}
		want, wantReport, wantErr := read(csv.String(), Options{SkipBad: true})
		got, report, err := read(file.String(), Options{SkipBad: true})
		if got != want || report.Bad != wantReport.Bad || (err == nil) != (wantErr == nil) {
			t.Fatalf("Parquet: %v, %d bad\n%s\nCSV: %v, %d bad\n%s", err, report.Bad, got, wantErr, wantReport.Bad, want)
		}
		for k, e := range report.Examples {
			if e.Reason != wantReport.Examples[k].Reason || e.Column != wantReport.Examples[k].Column {
				t.Fatalf("Parquet: %v\nCSV: %v", e, wantReport.Examples[k])
			}
		}
	})
}
