package feature

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/ingest"
	"palate/internal/npy"
)

// essays writes texts of two styles about some topics.
func essays(n int) []string {
	rng := rand.New(rand.NewPCG(3, 4))
	topics := [][]string{
		strings.Fields("school uniform pupils teacher class lesson discipline clothes parents"),
		strings.Fields("nuclear power plant energy waste reactor coal climate electricity"),
		strings.Fields("film book story author reader cinema novel scene ending"),
	}
	var texts []string
	for i := range n {
		topic := topics[i%len(topics)]
		var s strings.Builder
		for k := range 2 + rng.IntN(5) {
			if k > 0 {
				s.WriteByte(' ')
			}
			fmt.Fprintf(&s, "The %s is important, because the %s and the %s show it.", topic[rng.IntN(9)], topic[rng.IntN(9)], topic[rng.IntN(9)])
		}
		text := s.String()
		if i%2 == 1 {
			text = strings.ToLower(strings.ReplaceAll(text, ".", "!!")) + " lol u dont know"
		}
		texts = append(texts, text)
	}
	return texts
}

func TestText(t *testing.T) {
	texts := essays(90)
	var csv bytes.Buffer
	csv.WriteString("id,text:body\n")
	for i, text := range texts {
		fmt.Fprintf(&csv, "i%d,\"%s\"\n", i, strings.ReplaceAll(text, `"`, `""`))
	}
	table, err := ingest.ReadTable(t.Context(), "items.csv", &csv)
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
	c := &e.Columns[0]
	n := len(surfaceNames())
	if n != 33 || f.Cols != n+c.Text.Words.Rank+c.Text.Grams.Rank || c.Text.Words.Rank < 10 || c.Text.Grams.Rank < 10 || f.Names[0] != "body.chars" {
		t.Fatalf("%d features, ranks %d and %d", f.Cols, c.Text.Words.Rank, c.Text.Grams.Rank)
	}
	// Each block has mean 0, and a mean variance of 1 over its width.
	for _, b := range [][2]int{{0, n}, {n, n + c.Text.Words.Rank}, {n + c.Text.Words.Rank, f.Cols}} {
		total, constant := 0.0, 0
		for j := b[0]; j < b[1]; j++ {
			mean, sum := 0.0, 0.0
			for i := range f.Rows {
				mean += f.At(i, j) / float64(f.Rows)
				sum += f.At(i, j) * f.At(i, j) / float64(f.Rows)
			}
			if math.Abs(mean) > 1e-6 {
				t.Errorf("feature %s has mean %v", f.Names[j], mean)
			}
			if sum == 0 {
				constant++
			}
			total += sum
		}
		if want := 1 - float64(constant)/float64(b[1]-b[0]); math.Abs(total-want) > 1e-5 {
			t.Errorf("features %v have total variance %v, want %v", b, total, want)
		}
	}
	// New texts are encoded as they would be among the old ones, also by an encoder from a file.
	js, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back Encoder
	if err := json.Unmarshal(js, &back); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(*e, back) {
		t.Error("the encoder changed on its way through JSON")
	}
	one, err := ingest.ReadTable(t.Context(), "new.jsonl", strings.NewReader(fmt.Sprintf(`{"id":"x","text:body":%q}`, texts[7])))
	if err != nil {
		t.Fatal(err)
	}
	g, err := back.Encode(t.Context(), one)
	if err != nil || !slices.Equal(g.Row(0), f.Row(7)) {
		t.Errorf("alone the text is different: %v", err)
	}
	// A text of unknown words has its place, too.
	if g, err = back.Encode(t.Context(), &ingest.Table{Columns: one.Columns, IDs: []string{"y"}, Lines: []int{1}, Cells: []string{"Ψ"}}); err != nil {
		t.Error(err)
	}
	for _, x := range g.Row(0) {
		if math.IsNaN(x) || math.Abs(x) > 10 {
			t.Errorf("a strange text has a feature %v", x)
		}
	}
	for _, bad := range []string{
		strings.Replace(string(js), `"rank":`, `"rank":1`, 1), strings.Replace(string(js), `"clip_sd":[`, `"clip_sd":[0,`, 1),
		`{"columns":[{"name":"text:x","kind":"text"}],"mean":[],"sd":[]}`, `{"columns":[{"name":"x","kind":"vector"}],"mean":[],"sd":[]}`, strings.Replace(string(js), `"texts":90`, `"texts":1`, 1),
	} {
		if json.Unmarshal([]byte(bad), new(Encoder)) == nil {
			t.Errorf("took an encoder: %.80s", bad)
		}
	}
}

// TestAxes compares the block of words with the eigenvectors of the whole Gram matrix, centred as a whole or by group.
func TestAxes(t *testing.T) {
	texts := essays(60)
	var topics []string
	for i := range texts {
		topics = append(topics, fmt.Sprint(i%3))
	}
	for name, groups := range map[string][]string{"one": nil, "three": topics} {
		t.Run(name, func(t *testing.T) { axesOf(t, texts, groups) })
	}
}

func axesOf(t *testing.T, texts, groups []string) {
	c, err := newCorpus(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	words := &c.words
	b, err := learnTerms(t.Context(), words, groups, 2, 60)
	if err != nil {
		t.Fatal(err)
	}
	n, m := len(texts), len(b.Terms)
	x := mat.NewDense(n, m, nil)
	got := mat.NewDense(n, b.Rank, nil)
	for i, v := range b.vectors(words) {
		for k, at := range v.at {
			x.Set(i, at, v.x[k])
		}
		mean := b.mean()
		if groups != nil {
			mean = b.Groups[i%3].mean()
		}
		for k, at := range mean.at {
			x.Set(i, at, x.At(i, at)-mean.x[k])
		}
		b.onAxes(got.RawRowView(i), 1, v)
		b.onAxes(got.RawRowView(i), -1, mean)
	}
	var gram, low mat.SymDense
	gram.SymOuterK(1, x)
	low.SymOuterK(1, got)
	var eig mat.EigenSym
	if !eig.Factorize(&gram, true) {
		t.Fatal("no eigenvectors")
	}
	values := eig.Values(nil)
	var v mat.Dense
	eig.VectorsTo(&v)
	want := mat.NewSymDense(n, nil)
	total := 0.0
	for k := range b.Rank {
		want.SymRankOne(want, values[n-1-k], v.ColView(n-1-k))
		total += values[n-1-k] / float64(n)
	}
	for i := range n {
		for j := range n {
			if w := want.At(i, j) / total; math.Abs(low.At(i, j)-w) > 1e-5*(1+math.Abs(w)) {
				t.Fatalf("Gram matrix of the block at %d, %d: %v, want %v", i, j, low.At(i, j), w)
			}
		}
	}
}

// TestGroups: texts of a group have mean zero on the axes; a new group is centred on itself, and a text that stands
// alone on the corpus; the recipe survives as JSON; blocks tell features apart.
func TestGroups(t *testing.T) {
	table := func(n, from int, group func(int) string) *ingest.Table {
		var csv bytes.Buffer
		csv.WriteString("id,size,group:topic,text:body\n")
		for i, text := range essays(n) {
			fmt.Fprintf(&csv, "i%d,%d,%s,\"%s\"\n", from+i, i%7, group(i), text)
		}
		tab, err := ingest.ReadTable(t.Context(), "items.csv", &csv)
		if err != nil {
			t.Fatal(err)
		}
		return tab
	}
	old := table(60, 0, func(i int) string { return fmt.Sprint("t", i%3) })
	e, err := NewEncoder(t.Context(), old, Options{})
	if err != nil {
		t.Fatal(err)
	}
	js, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var back Encoder
	if err := json.Unmarshal(js, &back); err != nil {
		t.Fatal(err)
	}
	f, err := e.Encode(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	text := e.Columns[2].Text
	if want := []int{1, 1, len(surfaceNames()) - 1, text.Words.Rank, text.Grams.Rank}; !slices.Equal(f.Blocks, want) {
		t.Errorf("blocks of %v, want %v", f.Blocks, want)
	}
	if len(text.Words.Groups) != 3 {
		t.Errorf("%d groups", len(text.Words.Groups))
	}
	first := 1 + len(surfaceNames())
	centred := func(what string, f *palate.Features, members func(int) bool, want bool) {
		t.Helper()
		var sum, size float64
		for i := range f.Rows {
			if members(i) {
				sum += f.At(i, first)
				size += math.Abs(f.At(i, first))
			}
		}
		if (math.Abs(sum) < 1e-5*size) != want {
			t.Errorf("%s: features of words sum to %g of %g", what, sum, size)
		}
	}
	for g := range 3 {
		centred("group", f, func(i int) bool { return i%3 == g }, true)
	}
	again, err := back.Encode(t.Context(), old)
	if err != nil || !reflect.DeepEqual(again, f) {
		t.Errorf("read back it encodes differently: %v", err)
	}
	fresh := table(20, 100, func(i int) string {
		if i == 0 {
			return "alone"
		}
		return "new"
	})
	if f, err = e.Encode(t.Context(), fresh); err != nil {
		t.Fatal(err)
	}
	centred("new group", f, func(i int) bool { return i > 0 }, true)
	centred("one alone", f, func(i int) bool { return i == 0 }, false)
	if json.Unmarshal([]byte(strings.Replace(string(js), `"at":[`, `"at":[-1,`, 1)), new(Encoder)) == nil {
		t.Error("took a group with a mean too few")
	}
}

func TestSurface(t *testing.T) {
	c, err := newCorpus(t.Context(), []string{`I think WE should. "You" don't? see http://x.org, 42!`, "I think so", "no"})
	if err != nil {
		t.Fatal(err)
	}
	df := (&Terms{Terms: []string{"think"}, DF: []int{3}}).usage(&c.words, nil)
	rare, logDF := rarity(c.words.of[0], df)
	f := append(c.style[0], rare, logDF)
	got := map[string]float64{}
	for k, name := range surfaceNames()[:len(f)] {
		got[name] = f[k]
	}
	for name, want := range map[string]float64{
		"words": math.Log(12), "commas": math.Log(2), "exclamations": math.Log(2), "questions": math.Log(2), "quotes": math.Log(3),
		"all_caps": math.Log(2), "starts_capital": 1, "ends_stop": 1, "digits": math.Log(3), "links": math.Log(2), "lone_i": 0,
		"i_words": math.Log(3), "you_words": math.Log(2), "negations": math.Log(2), "hedges": math.Log(2), "rare_words": 10. / 11, "mean_log_df": math.Log(3) / 11,
	} {
		if math.Abs(got[name]-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// TestRareCategories: what is rare in the table, or new, is in the pool.
func TestRareCategories(t *testing.T) {
	var text strings.Builder
	text.WriteString("id,maker\n")
	for i := range 400 {
		maker := []string{"ash", "birch"}[i%2]
		if i < 5 {
			maker = fmt.Sprintf("small%d", i)
		}
		fmt.Fprintf(&text, "i%d,%s\n", i, maker)
	}
	table, err := ingest.ReadTable(t.Context(), "items.csv", strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEncoder(t.Context(), table, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"maker=ash", "maker=birch", "maker other"}; !slices.Equal(e.Names(), want) {
		t.Fatalf("features %v", e.Names())
	}
	f, err := e.Encode(t.Context(), &ingest.Table{Columns: []string{"maker"}, IDs: []string{"x", "y"}, Lines: []int{1, 2}, Cells: []string{"new", "ash"}})
	if err != nil || !slices.Equal(f.Data, []float64{0, 0, 1, 1, 0, 0}) {
		t.Fatalf("%v: %v", err, f)
	}
	if e, err = NewEncoder(t.Context(), table, Options{Rare: -1}); err != nil || e.Width() != 7 {
		t.Fatalf("nothing pooled: %v, %d features", err, e.Width())
	}
}

func TestVectors(t *testing.T) {
	read := func() *ingest.Table {
		table, err := ingest.ReadTable(t.Context(), "items.csv", strings.NewReader("id,x\na,1\nb,2\n"))
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	var single, double, tall, flat bytes.Buffer
	npy.Write(&single, []float32{1, 2, 3, 3, 2, 5}, 2, 3)
	npy.Write(&double, []float64{1, 2, 3, 3, 2, 5}, 2, 3)
	npy.Write(&tall, []float64{1, 2, 3}, 3, 1)
	npy.Write(&flat, []float64{1, 2}, 2)
	for _, file := range []*bytes.Buffer{&single, &double} {
		table := read()
		if err := table.AddVectors(t.Context(), "emb", "data/emb.npy", file); err != nil {
			t.Fatal(err)
		}
		e, err := NewEncoder(t.Context(), table, Options{Ignore: []string{"x"}})
		if err != nil {
			t.Fatal(err)
		}
		f, err := e.Encode(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		sd := math.Sqrt((1 + 1) / 2.) // of the columns that spread by 1; the one that does not spread does not count
		if want := []float64{-1 / sd, 0, -1 / sd, 1 / sd, 0, 1 / sd}; !slices.Equal(f.Data, want) || f.Names[2] != "emb[2]" {
			t.Errorf("%v: %v, want %v", f.Names, f.Data, want)
		}
		if _, err := e.Encode(t.Context(), read()); err == nil || err.Error() != "items.csv:1: no column emb in the header, which has x" {
			t.Errorf("without the array: %v", err)
		}
	}
	for name, c := range map[string]struct {
		text, want string
	}{
		"tall":  {tall.String(), "emb.npy: 3 vectors for 2 rows of items.csv"},
		"flat":  {flat.String(), "emb.npy: an array of shape [2]: rows and columns are needed"},
		"other": {"hello", "emb.npy: npy: header: unexpected EOF"},
	} {
		if err := read().AddVectors(t.Context(), "emb", "emb.npy", strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestArrayTable takes an array for a table: its rows are items 0, 1 and so on.
func TestArrayTable(t *testing.T) {
	var file bytes.Buffer
	npy.Write(&file, []float32{1, 2, 3, 4, 5, 6}, 3, 2)
	b := palate.NewBuilder()
	if _, err := ingest.Votes(t.Context(), "votes.csv", strings.NewReader("winner,loser\n2,0\n"), b, ingest.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := Items(t.Context(), "emb.npy", &file, b, Options{Scaling: ScaleNone}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if f := d.ItemFeatures(); !slices.Equal(f.Data, []float64{5, 6, 1, 2, 3, 4}) || f.Names[1] != "vector[1]" || d.ItemID(2) != "1" {
		t.Errorf("%+v", f)
	}
}

// TestVectorColumns reads lists from JSON and Parquet.
func TestVectorColumns(t *testing.T) {
	type row struct {
		ID string    `parquet:"id"`
		V  []float32 `parquet:"v,list"`
	}
	var columns bytes.Buffer
	if err := parquet.Write(&columns, []row{{"a", []float32{1, 2}}, {"b", []float32{3, 4}}}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{"id":"a","v":[1,2]}` + "\n" + `{"id":"b","v":[3,4]}`, columns.String()} {
		table, err := ingest.ReadTable(t.Context(), "items", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		e, err := NewEncoder(t.Context(), table, Options{Scaling: ScaleNone})
		if err != nil {
			t.Fatal(err)
		}
		if f, err := e.Encode(t.Context(), table); err != nil || !slices.Equal(f.Data, []float64{1, 2, 3, 4}) {
			t.Errorf("%v: %v", err, f)
		}
	}
}

// TestGrams: punctuation counts, capitals and the width of gaps do not.
func TestGrams(t *testing.T) {
	got := slices.Collect(gramsOf("Ab,\n  é"))
	if want := []string{" ab", "ab,", "b, ", ", é", " é ", " ab,", "ab, ", "b, é", ", é "}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRows: some rows of a table are a table like any other, whose texts know nothing of the rest.
func TestRows(t *testing.T) {
	var all, some strings.Builder
	var rows []int
	for _, w := range []*strings.Builder{&all, &some} {
		w.WriteString("id,size,text:body\n")
	}
	for i, text := range essays(40) {
		line := fmt.Sprintf("i%d,%d,\"%s\"\n", i, i%7, text)
		all.WriteString(line)
		if i%3 != 0 {
			some.WriteString(line)
			rows = append(rows, i)
		}
	}
	features := func(table *ingest.Table) *palate.Features {
		var vectors bytes.Buffer
		npy.Write(&vectors, make([]float64, 2*len(table.IDs)), len(table.IDs), 2)
		if err := table.AddVectors(t.Context(), "emb", "emb.npy", &vectors); err != nil {
			t.Fatal(err)
		}
		if len(table.IDs) == 40 {
			table = table.Rows(rows)
		}
		e, err := NewEncoder(t.Context(), table, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f, err := e.Encode(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	var got []*palate.Features
	for _, text := range []string{all.String(), some.String()} {
		table, err := ingest.ReadTable(t.Context(), "items.csv", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, features(table))
	}
	if !reflect.DeepEqual(got[0], got[1]) {
		t.Error("some rows of a table are not the table of those rows")
	}
}
