package feature

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"palate/ingest"
)

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
		table, err := ingest.ReadTable(t.Context(), "x.npy", bytes.NewReader(text))
		checkError(t, err)
		if err != nil {
			return
		}
		a := table.Array("vector")
		if len(a.Data) != a.Width*len(table.IDs) {
			t.Fatalf("%d numbers of width %d for %d rows", len(a.Data), a.Width, len(table.IDs))
		}
		encodes(t, table, ScaleNumbers)
		other := &ingest.Table{File: "items.csv", IDs: table.IDs, Lines: table.Lines}
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
		var text bytes.Buffer
		for k, says := range []string{a, b, c} {
			row := map[string]string{"id": strconv.Itoa(k), "text:t": says}
			if grouped {
				row["group:g"] = strconv.Itoa(k / 2)
			}
			if err := json.NewEncoder(&text).Encode(row); err != nil {
				t.Fatal(err)
			}
		}
		table, err := ingest.ReadTable(t.Context(), "items.jsonl", &text)
		if checkError(t, err); err == nil {
			encodes(t, table, ScaleAll)
		}
	})
}

// encodes sees that what can be made features of a table is finite, and the same by an encoder that travelled.
func encodes(t *testing.T, table *ingest.Table, s Scaling) {
	e, err := NewEncoder(t.Context(), table, Options{Scaling: s})
	checkError(t, err)
	if err != nil {
		return
	}
	js, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back Encoder
	if err := json.Unmarshal(js, &back); err != nil {
		t.Fatalf("%s: %v", js, err)
	}
	features, err := back.Encode(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	for k, x := range features.Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("feature %d is %v", k, x)
		}
	}
}

// FuzzItems reads tables: features are finite, the encoder survives JSON, and encodes the table it was made from.
func FuzzItems(f *testing.F) {
	for _, file := range badTables() {
		f.Add([]byte(file.text), byte(file.opt.Scaling))
	}
	f.Add([]byte("id,x\n\"a\n\",\"b\n\"c,1\n\"\n"), byte(ScaleNone)) // a quote closed too soon on a later line
	f.Add([]byte("id,x,c,b\na,1,red,yes\nb,2,blue,no\nc,3,red,no\n"), byte(ScaleAll))
	f.Add([]byte("id,text:t,d,v\na,Hello there. I am!,2020-01-01,\"[1,2]\"\nb,hello you,2021-01-01T10:00:00Z,\"[3,4]\"\nc,there i am,1999-12-31,\"[0,0]\"\n"), byte(ScaleNumbers))
	f.Add([]byte("id,v\na,\"[1e308,-1e308]\"\nb,\"[-1e308,1e308]\"\n"), byte(ScaleAll))
	f.Add([]byte("[{\"id\":1,\"v\":[1,2]},\n{\"id\":2,\"v\":[1e-320,0]}]"), byte(ScaleNumbers))
	f.Add([]byte("{\"id\":1,\"x\":2}\n{\"id\":2,\"x\":1e300}\n"), byte(ScaleNumbers))
	f.Fuzz(func(t *testing.T, text []byte, scaling byte) {
		table, err := ingest.ReadTable(t.Context(), "items.csv", bytes.NewReader(text))
		checkError(t, err)
		if err != nil {
			return
		}
		encodes(t, table, Scaling(scaling%3))
	})
}

func checkError(t *testing.T, err error) {
	t.Helper()
	var e *ingest.Error
	if err != nil && (!errors.As(err, &e) || e.File == "" || e.Reason == "") {
		t.Fatalf("%v is not a whole Error", err)
	}
}
