package ingest

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"palate"
)

func parquetFile[T any](t testing.TB, rows ...T) string {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

type message struct {
	Role    string `parquet:"role"`
	Content string `parquet:"content"`
}

// TestParquetColumns reads votes whose columns are of every kind.
func TestParquetColumns(t *testing.T) {
	at := time.Date(2024, 1, 2, 3, 4, 5, 678e6, time.UTC)
	type arena struct {
		A            string    `parquet:"model_a,dict"`
		B            string    `parquet:"model_b"`
		Winner       *string   `parquet:"winner,optional"`
		Judge        int64     `parquet:"judge"`
		When         time.Time `parquet:"tstamp,timestamp(millisecond)"`
		Weight       float32   `parquet:"weight"`
		Conversation []message `parquet:"conversation_a,list"`
	}
	b := "model_b"
	type ranked struct {
		User    uint32   `parquet:"user"`
		Ranking []string `parquet:"ranking,list"`
	}
	type preferred struct {
		Chosen   []message `parquet:"chosen,list"`
		Rejected []message `parquet:"rejected,list"`
	}
	for name, c := range map[string]struct{ file, want string }{
		"arena": {parquetFile(t, arena{"x", "y", &b, 7, at, 0.1, []message{{"user", "hm"}, {"assistant", "ha"}}}, arena{"y", "z", &b, -1, at, 1, nil}),
			"7: x y right ×0.1 @2024-01-02T03:04:05.678Z\n-1: y z right @2024-01-02T03:04:05.678Z\n"},
		"ranking": {parquetFile(t, ranked{1, []string{"a", `"b"`, "c"}}, ranked{4294967295, []string{"c", "a"}}),
			"1: a \"b\" left #1\n1: a c left #1\n1: \"b\" c left #1\n4294967295: c a left\n"},
		"conversations": {parquetFile(t, preferred{[]message{{"user", "?"}, {"assistant", "yes"}}, []message{{"assistant", "no"}}}), "yes no left\n"},
	} {
		if got, _, err := readAs("x.parquet", c.file, Options{}); err != nil || got != c.want {
			t.Errorf("%s: %v, got\n%swant\n%s", name, err, got, c.want)
		}
	}
	for name, c := range map[string]struct{ file, want string }{
		"no winner":  {parquetFile(t, arena{"x", "y", &b, 7, at, 1, nil}, arena{A: "x", B: "y", Weight: 1}), "x.parquet:2: column winner: is empty: who won?"},
		"empty list": {parquetFile(t, ranked{1, nil}), "x.parquet:1: column ranking: is empty"},
		"not UTF-8":  {parquetFile(t, arena{"caf\xe9", "y", &b, 7, at, 1, nil}), `x.parquet:1: column model_a: "caf\xe9" is not UTF-8`},
		"no rows":    {parquetFile[ranked](t), "x.parquet: no votes: there is nothing after the header"},
	} {
		if _, _, err := readAs("x.parquet", c.file, Options{}); err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, c.want)
		}
	}
}

// TestParquetBlocks reads more rows than go into a block, in several row groups.
func TestParquetBlocks(t *testing.T) {
	type row struct {
		Winner string `parquet:"winner"`
		Loser  string `parquet:"loser"`
	}
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, parquet.MaxRowsPerRowGroup(11_000))
	var want strings.Builder
	for k := range 30_000 {
		r := row{string(rune('a' + k%7)), string(rune('h' + k%11))}
		if _, err := w.Write([]row{r}); err != nil {
			t.Fatal(err)
		}
		want.WriteString(r.Winner + " " + r.Loser + " left\n")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, report, err := readAs("x.parquet", out.String(), Options{})
	if err != nil || got != want.String() || report.Rows != 30_000 {
		t.Fatalf("%v after %d rows", err, report.Rows)
	}
	if _, _, err := readAs("x.parquet", out.String()[:out.Len()/2], Options{}); err == nil || !strings.Contains(err.Error(), "x.parquet: the Parquet data are damaged") {
		t.Errorf("cut in half: %v", err)
	}
}

func TestParquetPairs(t *testing.T) {
	type row struct {
		Left  string  `parquet:"left"`
		Right string  `parquet:"right"`
		Note  string  `parquet:"note"`
		X     float64 `parquet:"x"`
	}
	p, _, err := ReadPairs("pairs.parquet", strings.NewReader(parquetFile(t, row{"a", "b", "hm, well", 1.5})), known(t), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := p.WriteWith(&out, "p_left", []string{"0.5"}); err != nil {
		t.Fatal(err)
	}
	if want := "left,right,note,x,p_left\na,b,\"hm, well\",1.5,0.5\n"; out.String() != want {
		t.Errorf("got %s", out.String())
	}
}

func BenchmarkParquet(b *testing.B) {
	build := palate.NewBuilder()
	if _, err := Votes("votes", bytes.NewReader(benchVotes("csv")), build, Options{}); err != nil {
		b.Fatal(err)
	}
	d, err := build.Build()
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(&out, d, WriteOptions{Format: "parquet"}); err != nil {
		b.Fatal(err)
	}
	benchRead(b, out.Bytes())
}
