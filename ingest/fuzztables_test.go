package ingest

import (
	"bytes"
	"math"
	"strings"
	"testing"
)

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

// FuzzArray reads NumPy arrays as tables: all numbers are finite, and there is a vector for every identifier.
func FuzzArray(f *testing.F) {
	head := func(kind, shape string) string {
		h := "{'descr': '" + kind + "', 'fortran_order': False, 'shape': " + shape + ", }"
		h += strings.Repeat(" ", 117-len(h)) + "\n"
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(h)), 0}) + h
	}
	f.Add([]byte(head("<f4", "(2, 1)") + "\x00\x00\x80\x3f\x00\x00\x00\x40"))
	f.Add([]byte(head("<f8", "(1, 2)") + "\x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\xf8\x7f"))
	f.Add([]byte(head("<f4", "(1000000000, 1000)")))
	f.Add([]byte(head("<i8", "(1, 1)") + "\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !bytes.HasPrefix(text, []byte("\x93NUMPY")) {
			return
		}
		table, err := ReadTable(t.Context(), "x.npy", bytes.NewReader(text))
		checkError(t, err)
		if err != nil {
			return
		}
		a := table.array("vector")
		if len(a.data) != a.width*len(table.IDs) {
			t.Fatalf("%d numbers of width %d for %d rows", len(a.data), a.width, len(table.IDs))
		}
		encodes(t, table, ScaleNumbers)
		other := &Table{File: "items.csv", IDs: table.IDs, Lines: table.Lines}
		if err := other.AddVectors(t.Context(), "v", "x.npy", bytes.NewReader(text)); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzText makes features of any running text, alone and in groups.
func FuzzText(f *testing.F) {
	f.Add("Hello there. I am!", "hello you", "there, i am?", true)
	f.Add("", "ÄÖÜ ß 2015", "\u202e\u0301 ﬁ 😀 —", false)
	f.Fuzz(func(t *testing.T, a, b, c string, grouped bool) {
		table := &Table{File: "items.csv", Columns: []string{"text:t"}, IDs: []string{"a", "b", "c"}, Lines: []int{2, 3, 4}, cells: []string{a, b, c}}
		if grouped {
			table.Columns, table.cells = []string{"text:t", "group:g"}, []string{a, "1", b, "1", c, "2"}
		}
		for _, cell := range table.cells {
			if unreadable([]byte(cell)) != "" {
				return
			}
		}
		encodes(t, table, ScaleAll)
	})
}
