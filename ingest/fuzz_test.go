package ingest

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"palate"
)

// FuzzVotes reads votes of any format: whatever the size of blocks, the votes or the error are the same, every
// error has its file, and what was read is read again after writing.
func FuzzVotes(f *testing.F) {
	for _, file := range badFiles() {
		f.Add([]byte(file.text), true)
	}
	for _, example := range formExamples() {
		f.Add([]byte(example.text), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, skip bool) {
		checkVotes(t, text, skip)
	})
}

// FuzzJSONVotes does the same for rows of JSON after a good first one.
func FuzzJSONVotes(f *testing.F) {
	for _, row := range []string{`{"left":"b","right":"c","winner":"tie"}`, `{"left":1,"right":true,"winner":null}`,
		`{"left":"\u0061\ud800","right":{"a":[]},"winner":"x","weight":1e3,"time":"2020-01-01"}`, `[]`, `{}`, ``} {
		f.Add([]byte(row), true)
	}
	f.Fuzz(func(t *testing.T, rows []byte, skip bool) {
		checkVotes(t, append([]byte("{\"left\":\"a\",\"right\":\"b\",\"winner\":\"a\"}\n"), rows...), skip)
	})
}

// FuzzNamed does the same for files that are known by their names.
func FuzzNamed(f *testing.F) {
	var names []string
	for name, example := range namedExamples() {
		names = append(names, name)
		f.Add(name, []byte(example.text), true)
	}
	for _, file := range badNamed() {
		f.Add(file.name, []byte(file.text), true)
	}
	f.Fuzz(func(t *testing.T, name string, text []byte, skip bool) {
		if slices.Contains(names, name) {
			checkNamed(t, name, text, skip)
		}
	})
}

// FuzzParquet reads damaged Parquet files.
func FuzzParquet(f *testing.F) {
	for _, example := range formExamples() {
		b := palate.NewBuilder()
		if _, err := Votes(context.Background(), "votes.csv", strings.NewReader(example.text), b, Options{Design: exampleDesign()}); err != nil {
			f.Fatal(err)
		}
		d, err := b.Build()
		if err != nil {
			f.Fatal(err)
		}
		var out bytes.Buffer
		if err := Write(context.Background(), &out, d, WriteOptions{Format: "parquet"}); err != nil {
			f.Fatal(err)
		}
		f.Add(out.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !bytes.HasPrefix(text, []byte("PAR1")) || manyRows(text) {
			return
		}
		_, _, err := read(string(text), Options{SkipBad: true})
		checkError(t, err)
		_, err = ReadTable(t.Context(), "items.parquet", bytes.NewReader(text))
		checkError(t, err)
	})
}

// manyRows reports whether a Parquet file claims more rows than are worth the
// time: a few bytes may stand for a million.
func manyRows(text []byte) (many bool) {
	src, err := newSource(context.Background(), "x.parquet", bytes.NewReader(text), 0)
	if err != nil {
		return false
	}
	rows := int64(0)
	for _, g := range src.table.f.Metadata().RowGroups {
		many = many || g.NumRows > 10_000
		rows += max(g.NumRows, 0)
	}
	return many || rows > 100_000
}

func checkVotes(t *testing.T, text []byte, skip bool) { checkNamed(t, "votes.csv", text, skip) }

func checkNamed(t *testing.T, name string, text []byte, skip bool) {
	if bytes.HasPrefix(text, []byte("PAR1")) || bytes.HasPrefix(text, []byte("\x28\xb5\x2f\xfd")) {
		return
	}
	want, wantReport, wantErr := readAs(name, string(text), Options{SkipBad: skip})
	checkError(t, wantErr)
	for _, size := range []int{1, 7} {
		got, report, err := readAs(name, string(text), Options{SkipBad: skip, block: size})
		if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
			t.Fatalf("blocks of %d: error %v, whole: %v", size, err, wantErr)
		}
		if got != want || err == nil && (report.Rows != wantReport.Rows || report.Bad != wantReport.Bad) {
			t.Fatalf("blocks of %d: got\n%s%+v\nwhole:\n%s%+v", size, got, report, want, wantReport)
		}
	}
	if wantErr != nil {
		return
	}
	b := palate.NewBuilder()
	if _, err := Votes(t.Context(), name, bytes.NewReader(text), b, Options{SkipBad: skip, Design: exampleDesign()}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatalf("what was read cannot be built: %v", err)
	}
	for _, format := range WriteFormats() {
		var out bytes.Buffer
		if err := Write(t.Context(), &out, d, WriteOptions{Format: format}); err != nil {
			t.Fatal(err)
		}
		if again, _, err := read(out.String(), Options{}); err != nil || again != showWritten(d) {
			t.Fatalf("after writing %s: %v\n%s\nwant\n%s", format, err, again, showWritten(d))
		}
	}
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if err != nil && (!errors.As(err, &e) || e.File == "" || e.Reason == "") {
		t.Fatalf("%v is not a whole Error", err)
	}
}

// FuzzCSV compares rows with those of encoding/csv wherever that finds no fault: it does not take quotes inside
// unquoted fields, keeps spaces, and drops the carriage return of a line end inside quotes.
func FuzzCSV(f *testing.F) {
	f.Add([]byte("a,b\nc,\"d\"\"\n\"\r\n\n e ,f"))
	f.Fuzz(func(t *testing.T, text []byte) {
		want, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil || unreadable(text) != "" || bytes.HasPrefix(text, []byte("\ufeff")) {
			return
		}
		normal := func(s string) string { return strings.Trim(strings.ReplaceAll(s, "\r", ""), " \t") }
		r := &csvRows{comma: ','}
		r.reset(block{text: text, line: 1})
		var rec record
		k := 0
		for ; r.next(&rec); k++ {
			if rec.bad != nil || k >= len(want) || len(rec.fields) != len(want[k]) {
				t.Fatalf("row %d: %+v, want %q", k, rec, want)
			}
			for j, field := range rec.fields {
				if normal(string(field)) != normal(want[k][j]) {
					t.Fatalf("row %d field %d: %q, want %q", k, j, field, want[k][j])
				}
			}
		}
		if k != len(want) {
			t.Fatalf("%d rows, want %d", k, len(want))
		}
	})
}

// FuzzTable reads tables, in blocks of any size alike.
func FuzzTable(f *testing.F) {
	f.Add([]byte("id,x\n\"a\n\",\"b\n\"c,1\n\"\n")) // a quote closed too soon on a later line
	f.Add([]byte("id,x,c,b\na,1,red,yes\nb,2,blue,no\nc,3,red,no\n"))
	f.Add([]byte("id,text:t,d,v\na,Hello there. I am!,2020-01-01,\"[1,2]\"\nb,hello you,2021-01-01T10:00:00Z,\"[3,4]\"\nc,there i am,1999-12-31,\"[0,0]\"\n"))
	f.Add([]byte("id,v\na,\"[1e308,-1e308]\"\nb,\"[-1e308,1e308]\"\n"))
	f.Add([]byte("[{\"id\":1,\"v\":[1,2]},\n{\"id\":2,\"v\":[1e-320,0]}]"))
	f.Add([]byte("{\"id\":1,\"x\":2}\n{\"id\":2,\"x\":1e300}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		table, err := ReadTable(t.Context(), "items.csv", bytes.NewReader(text))
		checkError(t, err)
		small, smallErr := readTable(t.Context(), "items.csv", bytes.NewReader(text), 1)
		if (err == nil) != (smallErr == nil) || err != nil && err.Error() != smallErr.Error() || err == nil && len(small.IDs) != len(table.IDs) {
			t.Fatalf("small blocks: %v, whole: %v", smallErr, err)
		}
	})
}

// FuzzPairs reads pairs: every row names known items, and what is written is read again.
func FuzzPairs(f *testing.F) {
	for _, file := range badPairs() {
		f.Add([]byte(file.text), true)
	}
	f.Add([]byte("x,left,right,user\n\"1,\n\",a,b,ann\n"), false)
	f.Add([]byte(`{"left":"a","right":"b"}`+"\n"+`{"left":"b","right":"a","user":"ann"}`), false)
	d := known(f)
	f.Fuzz(func(t *testing.T, text []byte, skip bool) {
		p, _, err := ReadPairs(t.Context(), "pairs.csv", bytes.NewReader(text), d, Options{SkipBad: skip})
		checkError(t, err)
		if err != nil {
			return
		}
		for k := range p.Len() {
			if l, r := p.Left[k], p.Right[k]; l == r || l < 0 || l > 1 || r < 0 || r > 1 || p.User[k] < -1 || p.User[k] > 0 {
				t.Fatalf("pair %d: %d, %d, %d", k, l, r, p.User[k])
			}
		}
		var out bytes.Buffer
		if err := p.WriteWith(&out, "p_left", make([]string, p.Len())); err != nil {
			t.Fatal(err)
		}
		q, _, err := ReadPairs(t.Context(), "pairs.csv", &out, d, Options{})
		if err != nil || q.Len() != p.Len() {
			t.Fatalf("after writing: %v", err)
		}
	})
}

// FuzzLinks reads links: every one is between two known items, and has a weight that can be used.
func FuzzLinks(f *testing.F) {
	f.Add([]byte("from,to,weight\na,b,1\nb,a,\na,a,1\na,x,2\na,b,-1\n"), true)
	f.Add([]byte("source,target\na,b\n"), false)
	f.Add([]byte(`{"from":"a","to":"b"}`+"\n"+`{"from":"b","to":"a","weight":2}`), false)
	d := known(f)
	f.Fuzz(func(t *testing.T, text []byte, skip bool) {
		if bytes.HasPrefix(text, []byte("PAR1")) {
			return
		}
		links, report, err := ItemLinks(t.Context(), "links.csv", bytes.NewReader(text), d, Options{SkipBad: skip})
		checkError(t, err)
		small, _, smallErr := ItemLinks(t.Context(), "links.csv", bytes.NewReader(text), d, Options{SkipBad: skip, block: 1})
		if (err == nil) != (smallErr == nil) || err != nil && err.Error() != smallErr.Error() || len(small) != len(links) {
			t.Fatalf("small blocks: %d, %v; whole: %d, %v", len(small), smallErr, len(links), err)
		}
		if err == nil && len(links) != report.Good() {
			t.Fatalf("%d links of %d rows", len(links), report.Good())
		}
		for _, l := range links {
			if l.From == l.To || min(l.From, l.To) < 0 || max(l.From, l.To) > 1 || !(l.Weight > 0) || math.IsInf(l.Weight, 1) {
				t.Fatalf("%+v", l)
			}
		}
		_, _, err = UserLinks(t.Context(), "links.csv", bytes.NewReader(text), d, Options{SkipBad: skip})
		checkError(t, err)
	})
}
