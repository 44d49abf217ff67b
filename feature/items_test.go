package feature

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"palate"
	"palate/ingest"
)

// builder returns a builder with a vote between a and b by ann.
func builder(t testing.TB) *palate.Builder {
	t.Helper()
	b := palate.NewBuilder()
	if _, err := ingest.Votes(t.Context(), "votes.csv", strings.NewReader("left,right,winner,user\na,b,a,ann\n"), b, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	return b
}

// kindExamples has, for each kind, the text of a column, its features for rows a, b, c, and their names.
func kindExamples() map[ColumnKind]struct {
	cells [3]string
	want  [3][]float64
	names []string
} {
	return map[ColumnKind]struct {
		cells [3]string
		want  [3][]float64
		names []string
	}{
		Number:   {[3]string{"1", "-2.5e0", "0"}, [3][]float64{{1}, {-2.5}, {0}}, []string{"x"}},
		Boolean:  {[3]string{"true", "No", "YES"}, [3][]float64{{1}, {0}, {1}}, []string{"x"}},
		Category: {[3]string{"red", "blue", "red"}, [3][]float64{{0, 1}, {1, 0}, {0, 1}}, []string{"x=blue", "x=red"}},
		Date:     {[3]string{"1970-01-02", "1969-12-31T12:00:00Z", "2000-01-01 00:00"}, [3][]float64{{1}, {-0.5}, {10957}}, []string{"x"}},
		Vector:   {[3]string{`"[1,2.5]"`, `"[ -3e0,4 ]"`, `"[0,0]"`}, [3][]float64{{1, 2.5}, {-3, 4}, {0, 0}}, []string{"x[0]", "x[1]"}},
	}
}

func TestKinds(t *testing.T) {
	examples := kindExamples()
	for _, kind := range Kinds() {
		example, ok := examples[kind]
		if kind == Text || kind == Group { // see TestText and TestGroups
			continue
		}
		if !ok {
			t.Errorf("no example of a column of kind %s", kind)
			continue
		}
		text := "x,id\n"
		for i, id := range []string{"b", "c", "a"} { // not the builder's order
			text += example.cells[(i+1)%3] + "," + id + "\n"
		}
		b := builder(t)
		e, err := Items(t.Context(), "items.csv", strings.NewReader(text), b, Options{Scaling: ScaleNone})
		if err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		f := d.ItemFeatures()
		if e.Columns[0].Kind != kind || !slices.Equal(f.Names, example.names) || f.Rows != 3 {
			t.Errorf("%s: encoder %+v, features %+v", kind, e, f)
		}
		for i, id := range []string{"a", "b", "c"} {
			k, ok := d.Item(id)
			if !ok || !slices.Equal(f.Row(k), example.want[i]) {
				t.Errorf("%s: item %s is %v, want %v", kind, id, f.Row(k), example.want[i])
			}
		}
	}
	if len(examples) != len(Kinds())-2 {
		t.Errorf("examples of %d kinds, there are %d", len(examples), len(Kinds()))
	}
}

func TestScaling(t *testing.T) {
	text := "id,price,colour,fair,same\na,1,red,yes,7\nb,2,blue,no,7\nc,3,red,yes,7\nd,6,red,yes,7\n"
	table, err := ingest.ReadTable(t.Context(), "items.csv", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	// price: mean 3, deviations −2 −1 0 3, sd √(14/4); colour=red and fair: mean ¾, sd √3/4.
	sd := math.Sqrt(3.5)
	third := math.Sqrt(3) / 3
	for scaling, want := range map[Scaling][][]float64{
		ScaleNone:    {{1, 0, 1, 1, 7}, {2, 1, 0, 0, 7}, {3, 0, 1, 1, 7}, {6, 0, 1, 1, 7}},
		ScaleNumbers: {{-2 / sd, 0, 1, 1, 0}, {-1 / sd, 1, 0, 0, 0}, {0, 0, 1, 1, 0}, {3 / sd, 0, 1, 1, 0}},
		ScaleAll: {{-2 / sd, -third, third, third, 0}, {-1 / sd, 3 * third, -3 * third, -3 * third, 0},
			{0, -third, third, third, 0}, {3 / sd, -third, third, third, 0}},
	} {
		e, err := NewEncoder(t.Context(), table, Options{Scaling: scaling})
		if err != nil {
			t.Fatal(err)
		}
		f, err := e.Encode(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range want {
			for j, x := range row {
				if math.Abs(f.At(i, j)-x) > 1e-14 {
					t.Errorf("scaling %d: row %d is %v, want %v", scaling, i, f.Row(i), row)
					break
				}
			}
		}
	}
}

// TestEncoderTravels writes an encoder to JSON and encodes a new table, with its columns in another order.
func TestEncoderTravels(t *testing.T) {
	b := builder(t)
	e, err := Items(t.Context(), "items.csv", strings.NewReader("id,price,colour,fair\na,1,red,true\nb,2,blue,false\nc,4,red,true\n"), b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back Encoder
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*e, back) {
		t.Fatalf("%+v became %+v", *e, back)
	}
	table, err := ingest.ReadTable(t.Context(), "new.csv", strings.NewReader("fair\tnote\tid\tcolour\tprice\nTRUE\thm\tb\tblue\t2\nno\t?\tz\tred\t100\n"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := back.Encode(t.Context(), table)
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	i, _ := d.Item("b")
	if old := d.ItemFeatures().Row(i); f.At(0, 0) != old[0] || !slices.Equal(f.Row(0)[1:], []float64{1, 0, 1}) {
		t.Fatalf("b is now %v, was %v", f.Row(0), old)
	}
	for text, want := range map[string]string{
		"id,price,colour\nz,1,red\n":             "new.csv:1: no column fair in the header, which has price, colour",
		"id,price,color,fair\nz,1,red,yes\n":     `new.csv:1: no column colour in the header, which has price, color, fair (did you mean colour by "color"?)`,
		"id,price,colour,fair\nz,cheap,red,no\n": `new.csv:2: column price: "cheap" is not a finite number`,
		"id,price,colour,fair\nz,1,red,maybe\n":  `new.csv:2: column fair: "maybe" is not true, false, yes or no`,
		"id,price,colour,fair\nz,NA,red,yes\n":   `new.csv:2: column price: the value is missing: fill it in, or leave the column out`,
	} {
		table, err := ingest.ReadTable(t.Context(), "new.csv", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := back.Encode(t.Context(), table); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	// A new category is none of the others, or one of the rare ones, and is told.
	for pooled, want := range map[bool][]float64{false: {0, 0, 1}, true: {0, 0, 1, 1}} {
		e := Encoder{Columns: slices.Clone(back.Columns), Mean: make([]float64, 5), SD: []float64{1, 1, 1, 1, 1}}
		e.Columns[1].Pooled = pooled
		table, err := ingest.ReadTable(t.Context(), "new.csv", strings.NewReader("id,price,colour,fair\nz,1,green,yes\ny,1,redd,no\nx,1,red,no\n"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := e.Encode(t.Context(), table)
		if err != nil || !slices.Equal(f.Row(0)[1:], want) {
			t.Errorf("pooled %v: %v, %v", pooled, f, err)
		}
		says := e.Unseen(table)
		if len(says) != 1 || !strings.Contains(says[0], "2 rows have a value of colour") || !strings.Contains(says[0], `"green", "redd" (did you mean "red"?)`) {
			t.Errorf("pooled %v: %q", pooled, says)
		}
	}
	for _, bad := range []string{
		`{"columns":[{"name":"x","kind":"smell"}],"mean":[0],"sd":[1]}`,
		`{"columns":[{"name":"x","kind":"number"}],"mean":[],"sd":[1]}`,
		`{"columns":[{"name":"x","kind":"number"}],"mean":[0],"sd":[0]}`,
		`{"columns":[{"name":"x","kind":"category","categories":["b","a"]}],"mean":[0,0],"sd":[1,1]}`,
		`{"columns":7}`,
	} {
		if err := json.Unmarshal([]byte(bad), new(Encoder)); err == nil {
			t.Errorf("took the encoder %s", bad)
		}
	}
}

func badTables() map[string]struct {
	text string
	opt  Options
	want string
} {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	io.WriteString(z, "id,x\na,1\n")
	z.Close()
	packed := out.Bytes()
	return map[string]struct {
		text string
		opt  Options
		want string
	}{
		"empty":          {text: "", want: "items.csv: the file is empty"},
		"header only":    {text: "id,x\n", want: "items.csv: no rows: there is nothing after the header"},
		"no id":          {text: "idd,x\na,1\n", want: `items.csv:1: no column id in the header, which has idd, x (did you mean id by "idd"?)`},
		"header twice":   {text: "id,x,y,x\n", want: "items.csv:1: column x: two columns have this name"},
		"no heading":     {text: "id,,x\n", want: "items.csv:1: column 2 has no name"},
		"not a date":     {text: "id,d\na,2020-01-01\nb,soon\n", opt: Options{Kinds: map[string]ColumnKind{"d": Date}}, want: `items.csv:3: column d: "soon" is not a date: write 2006-01-02`},
		"short vector":   {text: "id,v\na,\"[1,2]\"\nb,[1]\n", want: "items.csv:3: column v: 1 number where the others have 2"},
		"not a vector":   {text: "id,v\na,x\nb,[1]\n", opt: Options{Kinds: map[string]ColumnKind{"v": Vector}}, want: `items.csv:2: column v: "x" is not a list of numbers`},
		"no text":        {text: "id,text:body\na,hello\nb,\n", want: "items.csv:3: column text:body: the value is missing: fill it in, or leave the column out"},
		"all rare":       {text: "id,c\na,red\nb,blue\nc,green\n", opt: Options{Rare: 2}, want: "items.csv: column c: 3 different values in 3 rows, each of them rare: leave the column out, or call it text:c"},
		"no identifier":  {text: "id,x\n,1\n", want: "items.csv:2: column id: is empty"},
		"id twice":       {text: "id,x\na,1\nb,2\na,3\n", want: `items.csv:4: column id: "a" was already on line 2`},
		"missing":        {text: "id,x\na,1\nb,\n", want: "items.csv:3: column x: the value is missing: fill it in, or leave the column out"},
		"missing word":   {text: "id,c\na,red\nb,\n", want: "items.csv:3: column c: the value is missing: fill it in, or leave the column out"},
		"NaN":            {text: "id,x\na,NaN\nb,2\n", want: "items.csv:2: column x: the value is missing: fill it in, or leave the column out"},
		"infinite":       {text: "id,x\na,1\nb,2\nc,Inf\n", want: `items.csv:4: column x: "Inf" is not a number, as 2 of the 3 values are`},
		"commas":         {text: "id,x\na,1\nb,NA\nc,\"2,5\"\nd,\"3,25\"\n", want: `items.csv:4: column x: "2,5" has a comma, as 2 of the 4 values have: write a point in numbers, and another sign in words`},
		"thousands":      {text: "id;x\na;1,5\nb;2\nc;3.000,5\n", want: `items.csv:4: column x: "3.000,5" is not a number, as 2 of the 3 values are`},
		"odd one out":    {text: "id,x\na,1\nb,2\nc,3o\n", want: `items.csv:4: column x: "3o" is not a number, as 2 of the 3 values are`},
		"forced kind":    {text: "id,x\na,1\nb,red\n", opt: Options{Kinds: map[string]ColumnKind{"x": Number}}, want: `items.csv:3: column x: "red" is not a finite number`},
		"unknown kind":   {text: "id,x\na,1\nb,red\n", opt: Options{Kinds: map[string]ColumnKind{"x": "smell"}}, want: `items.csv: column x: unknown kind "smell"`},
		"kind of what":   {text: "id,x\na,1\nb,2\n", opt: Options{Kinds: map[string]ColumnKind{"y": Number}}, want: `items.csv:1: no column y in the header, which has x`},
		"categories":     {text: "id,c\na,red\nb,blue\nc,green\n", opt: Options{MaxCategories: 2}, want: "items.csv: column c: 3 different values in 3 rows are too many for categories (at most 2): leave the column out"},
		"voted, no row":  {text: "id,x\nb,1\nc,2\n", want: `items.csv: column id: no row for 1 item that the votes name: "a"`},
		"row, no vote":   {text: "id,x\na,1\nz,3\nb,2\n", opt: Options{KnownOnly: true}, want: `items.csv:3: column id: no vote names the item "z"`},
		"too few fields": {text: "id,x,y\na,1,2\nb,1\n", want: "items.csv:3: column y: is missing: 2 fields where the header has 3"},
		"not UTF-8":      {text: "id,x\na,1\nb,\xff\n", want: `items.csv:3: column x: "\xff" is not UTF-8`},
		"JSON key":       {text: `{"id":"a","x":1}` + "\n" + `{"id":"b"}`, want: "items.csv:2: column x: the value is missing: fill it in, or leave the column out"},
		"JSON nested":    {text: `{"id":"a","x":{}}`, want: `items.csv:1: column x: "{}" is not a plain value`},
		"truncated gzip": {text: string(packed[:30]), want: "items.csv:3: the packed data end too early: the file is truncated"},
	}
}

func TestBadTables(t *testing.T) {
	for name, file := range badTables() {
		_, err := Items(t.Context(), "items.csv", strings.NewReader(file.text), builder(t), file.opt)
		if err == nil || err.Error() != file.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, file.want)
		}
	}
}

func TestForcedKindsAndIgnoredColumns(t *testing.T) {
	b := builder(t)
	e, err := Items(t.Context(), "items.csv", strings.NewReader("id,zip,name\na,8001,Alpha\nb,8002,\n"), b,
		Options{Kinds: map[string]ColumnKind{"zip": Category}, Ignore: []string{"name"}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Names(), []string{"zip=8001", "zip=8002"}; !slices.Equal(got, want) {
		t.Fatalf("features %v, want %v", got, want)
	}
}

func TestUsers(t *testing.T) {
	b := builder(t)
	if _, err := Users(t.Context(), "users.jsonl", strings.NewReader(`{"id":"bob","age":30,"eu":true}`+"\n"+`{"id":"ann","age":20,"eu":false}`), b, Options{Scaling: ScaleNone}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	f := d.UserFeatures()
	if d.NumUsers() != 2 || !slices.Equal(f.Data, []float64{20, 0, 30, 1}) || d.ItemFeatures() != nil {
		t.Fatalf("%+v", f)
	}
}

func TestListOfItems(t *testing.T) {
	b := builder(t)
	if _, err := Items(t.Context(), "items.csv", strings.NewReader("id\nb\na\nc\n"), b, Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if d.NumItems() != 3 || d.ItemFeatures() != nil {
		t.Fatalf("%d items, features %v", d.NumItems(), d.ItemFeatures())
	}
}

// TestTinyAndHugeNumbers scales what squares would overflow or underflow.
func TestTinyAndHugeNumbers(t *testing.T) {
	for _, x := range []string{"1e300", "1e-300", "5e-324", "1"} {
		table, err := ingest.ReadTable(t.Context(), "items.csv", strings.NewReader("id,x\na,"+x+"\nb,0\n"))
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewEncoder(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := e.Encode(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		if x == "5e-324" { // half of it cannot be written
			if math.IsNaN(f.Data[0]) || math.IsInf(f.Data[0], 0) {
				t.Errorf("%s: %v", x, f.Data)
			}
		} else if math.Abs(f.Data[0]-1) > 1e-12 || math.Abs(f.Data[1]+1) > 1e-12 {
			t.Errorf("%s: %v, want 1 and −1", x, f.Data)
		}
	}
}
