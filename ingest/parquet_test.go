package ingest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
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
	p, _, err := ReadPairs(t.Context(), "pairs.parquet", strings.NewReader(parquetFile(t, row{"a", "b", "hm, well", 1.5})), known(t), Options{})
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
	if _, err := Votes(context.Background(), "votes", bytes.NewReader(benchVotes("csv")), build, Options{}); err != nil {
		b.Fatal(err)
	}
	d, err := build.Build()
	if err != nil {
		b.Fatal(err)
	}
	var out bytes.Buffer
	if err := Write(context.Background(), &out, d, WriteOptions{Format: "parquet"}); err != nil {
		b.Fatal(err)
	}
	benchRead(b, out.Bytes())
}

// TestParquetNumbers: a number tells the same time and the same weight as the text it would be written as.
func TestParquetNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	kinds := map[string]parquet.Node{
		"double": parquet.Leaf(parquet.DoubleType), "int32": parquet.Int(32), "int64": parquet.Int(64), "plain int64": parquet.Leaf(parquet.Int64Type),
		"uint64": parquet.Uint(64), "date": parquet.Date(), "decimal": parquet.Decimal(2, 9, parquet.Int32Type), "time": parquet.Time(parquet.Millisecond),
		"ms": parquet.Timestamp(parquet.Millisecond), "µs": parquet.Timestamp(parquet.Microsecond), "ns": parquet.Timestamp(parquet.Nanosecond),
		"text": parquet.String(), "float": parquet.Leaf(parquet.FloatType),
	}
	typed := 0
	for name, node := range kinds {
		c := &parquetColumn{kind: node.Type()}
		if c.number = numericOf(c.kind); c.number == noNumber {
			continue
		}
		typed++
		values := []int64{0, 1, -1, 86399, 1e10, 1e11, 1e14, 1e17, math.MaxInt32, math.MinInt32, math.MaxInt64, math.MinInt64, -62135596800, 253402300799, 253402300800, 1714557600123}
		for range 2000 {
			values = append(values, rng.Int64()>>rng.IntN(64), -rng.Int64()>>rng.IntN(64))
		}
		var d cellData
		d.reset(c, len(values))
		for k, x := range values {
			v := parquet.Int64Value(x)
			switch c.kind.Kind() {
			case parquet.Double:
				v = parquet.DoubleValue(float64(x) / []float64{1, 3, 1e4, math.Inf(1)}[k%4])
				if x == math.MinInt64 {
					v = parquet.DoubleValue(math.NaN())
				}
			case parquet.Int32:
				v = parquet.Int32Value(int32(x))
			}
			d.setNumbers(k, []int64{raw(v)})
			text := string(c.text(nil, v))
			at, why := d.moment(k)
			if want, reason := ParseTime([]byte(text)); !at.Equal(want) || at.Location() != want.Location() || why != reason {
				t.Fatalf("%s %s: time %v %q, of the text %v %q", name, text, at, why, want, reason)
			}
			w, why := d.weight(k)
			if want, reason := weight([]byte(text)); w != want || why != reason {
				t.Fatalf("%s %s: weight %v %q, of the text %v %q", name, text, w, why, want, reason)
			}
		}
	}
	if typed != 8 {
		t.Errorf("%d kinds of numbers", typed)
	}
}

// TestParquetIsCSV reads the same votes from both, with identifiers in dictionaries and not, times as text and as
// numbers, gaps, and several row groups: the same dataset, to the last bit.
func TestParquetIsCSV(t *testing.T) {
	type row struct {
		A      string   `parquet:"model_a,dict"`
		B      string   `parquet:"model_b"`
		Winner string   `parquet:"winner,dict"`
		Judge  *string  `parquet:"judge,optional,dict"`
		Time   *float64 `parquet:"tstamp,optional"`
		Weight *int64   `parquet:"weight,optional,dict"`
		Other  []string `parquet:"other,list"`
	}
	type stamped struct {
		User   int64     `parquet:"user,dict"`
		Winner *string   `parquet:"winner,optional"`
		Loser  string    `parquet:"loser,dict"`
		Time   time.Time `parquet:"time,timestamp(microsecond),dict"`
	}
	rng := rand.New(rand.NewPCG(2, 3))
	var rows []row
	var stamps []stamped
	arena, wins := "model_a,model_b,winner,judge,tstamp,weight\n", "user,winner,loser,time\n"
	for k := range 3000 {
		i := rng.IntN(20)
		a, b := fmt.Sprintf("m%d", i), fmt.Sprintf("m%d", (i+1+rng.IntN(19))%20)
		r := row{A: a, B: b, Winner: []string{"model_a", "model_b", "tie", "tie (bothbad)", "skip", a, b}[rng.IntN(7)], Other: []string{"x"}}
		judge, at, weight := "", "", ""
		if rng.IntN(5) > 0 {
			judge = fmt.Sprintf("u%d", rng.IntN(400))
			r.Judge = &judge
		}
		if rng.IntN(4) > 0 {
			x := 1.68e9 + float64(k)*3.7
			at, r.Time = strconv.FormatFloat(x, 'f', -1, 64), &x
		}
		if rng.IntN(3) > 0 {
			x := 1 + rng.Int64N(3)
			weight, r.Weight = fmt.Sprint(x), &x
		}
		rows = append(rows, r)
		arena += strings.Join([]string{a, b, r.Winner, judge, at, weight}, ",") + "\n"
		s := stamped{rng.Int64N(300), &a, b, time.UnixMicro(1.7e15 + rng.Int64N(1000)*1e6).UTC()}
		stamps = append(stamps, s)
		wins += fmt.Sprintf("%d,%s,%s,%s\n", s.User, a, b, s.Time.Format(time.RFC3339Nano))
	}
	for _, c := range []struct {
		name, text string
		file       string
	}{{"arena", arena, inGroups(t, rows)}, {"wins", wins, inGroups(t, stamps)}} {
		var digests []string
		for _, text := range []string{c.text, c.file} {
			b := palate.NewBuilder()
			if _, err := Votes(t.Context(), "votes", strings.NewReader(text), b, Options{}); err != nil {
				t.Fatal(err)
			}
			d, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			digests = append(digests, d.Digest()+show(d))
		}
		if digests[0] != digests[1] {
			t.Errorf("%s: CSV has\n%.300s\nParquet\n%.300s", c.name, digests[0], digests[1])
		}
	}
}

// inGroups writes rows in groups of 700, in pages of few values.
func inGroups[T any](t *testing.T, rows []T) string {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[T](&out, parquet.MaxRowsPerRowGroup(700), parquet.PageBufferSize(256))
	for _, r := range rows {
		if _, err := w.Write([]T{r}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestParquetClaims: a page that claims a gigabyte does not get it.
func TestParquetClaims(t *testing.T) {
	seed, err := os.ReadFile("testdata/fuzz/FuzzParquet/claims")
	if err != nil {
		t.Fatal(err)
	}
	_, quoted, _ := strings.Cut(strings.TrimSpace(string(seed)), "[]byte(")
	text, err := strconv.Unquote(strings.TrimSuffix(quoted, ")"))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, _, err := readAs("x.parquet", text, Options{}); err == nil || !strings.Contains(err.Error(), "x.parquet: the Parquet data are damaged") {
		t.Errorf("%v", err)
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
		t.Errorf("took %d MB", took>>20)
	}
}
