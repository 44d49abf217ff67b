package ingest

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"palate"
)

// namedExamples has, for each file known by its name, a text and the votes in it.
func namedExamples() map[string]struct{ text, want string } {
	return map[string]struct{ text, want string }{
		"new.soc": {
			"# FILE NAME: x.soc\n# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: ebi (shrimp)\n# ALTERNATIVE NAME 2: ika\n# ALTERNATIVE NAME 3: uni\n5: 2,1,3\n1: 3,2,1\n",
			"ika ebi (shrimp) left ×5 #1\nika uni left ×5 #1\nebi (shrimp) uni left ×5 #1\n" +
				"uni ika left #2\nuni ebi (shrimp) left #2\nika ebi (shrimp) left #2\n"},
		"old.toi": {
			"4\n1,Anna\n2,Anna\n3,Cat\n4,Dan\n7,7,3\n4,{1,2},4\n2,3,1\n1,4\n",
			"Anna (1) Anna (2) tie ×4 #1\nAnna (1) Dan left ×4 #1\nAnna (2) Dan left ×4 #1\nCat Anna (1) left ×2\n"},
		"some.soi": {"# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n\n1: 2,1\n0: 1,2\n5:\n3: 2\n2: 1, 2,\n", "b a left\na b left ×2\n"},
		"some.cat": {"# DATA TYPE: cat\n# NUMBER CATEGORIES: 3\n# CATEGORY NAME 1: Yes\n# CATEGORY NAME 2: Maybe\n# CATEGORY NAME 3: No\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n# ALTERNATIVE NAME 3: c\n" +
			"2: {1,3},{},2\n1: {},{},{1,2,3}\n1: {2},{}\n1: 3,1,{}\n", "a b left ×2 #1\nc b left ×2 #1\nc a left\n"},
		"some.toc": {"# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n2: {1,2}\n1: {},1,{2}\n", "a b tie ×2\na b left\n"},
		"sushi3a.5000.10.order": {
			"10 1\n0 3 5 0 3\n0 2 0 9\n",
			"0: 5 0 left #1\n0: 5 3 left #1\n0: 0 3 left #1\n1: 0 9 left\n"},
		"sushi3b.5000.10.score": {
			"-1 0 4 -1 4\n2 -1 -1 1 -1\n-1 -1 3 -1 -1\n",
			"0: 2 1 left #1\n0: 4 1 left #1\n1: 0 3 left\n"},
		"u.data":      {"196\t242\t3\t881250949\n196\t51\t4\t881250949\n", "196: 51 242 left @1997-12-04T15:55:49Z\n"},
		"ratings.dat": {"1::1193::5::978300760\n1::661::3::978302109\n", "1: 1193 661 left @2000-12-31T22:35:09Z\n"},
	}
}

func TestNamedFiles(t *testing.T) {
	for name, example := range namedExamples() {
		for _, size := range []int{0, 1, 9} {
			got, report, err := readAs(name, example.text, Options{block: size})
			if err != nil || got != example.want || report.Form == "" {
				t.Errorf("%s, blocks of %d: %v, form %q, got\n%swant\n%s", name, size, err, report.Form, got, example.want)
			}
		}
		if got, _, err := readAs(name+".zst", squeeze(example.text), Options{}); err != nil || got != example.want {
			t.Errorf("%s.zst: %v\n%s", name, err, got)
		}
	}
	// The name alone is not enough.
	for _, name := range []string{"votes.dat", "votes.data", "votes.order", "votes.score"} {
		if got, _, err := readAs(name, "winner,loser\na,b\n", Options{}); err != nil || got != "a b left\n" {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
	// A PrefLib file is known by its first line, too.
	if got, _, err := read(namedExamples()["new.soc"].text, Options{}); err != nil || got != namedExamples()["new.soc"].want {
		t.Errorf("without its name: %v\n%s", err, got)
	}
}

func squeeze(text string) string {
	var out bytes.Buffer
	z, err := Pack(&out, "x.zst")
	if err != nil {
		panic(err)
	}
	io.WriteString(z, text)
	z.Close()
	return out.String()
}

func TestDamagedZstd(t *testing.T) {
	packed := []byte(squeeze("winner,loser\na,b\n"))
	packed[len(packed)-1] ^= 1
	if _, _, err := read(string(packed), Options{}); err == nil || !strings.Contains(err.Error(), zstd.ErrCRCMismatch.Error()) && !strings.Contains(err.Error(), "checksum") {
		t.Errorf("damaged: %v", err)
	}
}

type badFile struct{ name, text, want string }

// badNamed has files of other forms than pairs that must be refused, with the whole message.
func badNamed() []badFile {
	const soc = "# DATA TYPE: soc\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n# ALTERNATIVE NAME 3: c\n"
	toi := strings.Replace(soc, "soc", "toi", 1)
	return []badFile{
		{"new.soc", "# DATA TYPE: wmd\n# ALTERNATIVE NAME 1: a\n1,2,1.0\n", `new.soc: PrefLib data of type "wmd" are not orders: give soc, soi, toc, toi, cat`},
		{"new.soc", "# DATA TYPE: soc\n1: 1,2\n", `new.soc: no line "# ALTERNATIVE NAME 1: …" before the orders`},
		{"new.soc", "# ALTERNATIVE NAME x: a\n", `new.soc:1: "x" is not the number of an alternative`},
		{"new.soc", "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 1: b\n", `new.soc:2: a second alternative 1`},
		{"new.soc", soc + "1: 1,2\n", `new.soc:5: column order: 2 alternatives in a complete order of 3`},
		{"new.soc", soc + "1: 1,{2,3}\n", `new.soc:5: column order: a tie in a strict order`},
		{"new.soc", soc + "1: 1,2,2\n", `new.soc:5: column order: "b" is there twice`},
		{"new.soc", soc + "1: 1,2,4\n", `new.soc:5: column order: there is no alternative "4"`},
		{"new.soc", soc + "0: 1,2,3\n", `new.soc: no votes: no row tells two items apart`},
		{"new.soc", soc + "-1: 1,2,3\n", `new.soc:5: column order: "-1: 1,2,3" does not begin with a number of voters`},
		{"new.wmd", "# DATA TYPE: wmd\n# ALTERNATIVE NAME 1: a\n1,2,1.0\n", `new.wmd: PrefLib data of type "wmd" are not orders: give soc, soi, toc, toi, cat`},
		{"old.pwg", "2\n1,a\n2,b\n3,3,1\n3,1,2\n", `old.pwg: PrefLib data of type "pwg" are not orders: give soc, soi, toc, toi, cat`},
		{"new.soc", soc, `new.soc: no votes: there is nothing after the header`},
		{"old.toi", toi + "1: {1,2\n", `old.toi:5: column order: a brace is never closed`},
		{"old.toi", toi + "1: {1,{2}\n", `old.toi:5: column order: braces do not match at "{2}"`},
		{"old.toi", "many\n", `old.toi:1: "many" is neither the number of alternatives nor a line "# FILE NAME: …"`},
		{"old.toi", "2\n1,a\n", `old.toi:3: the file ends within the names of the alternatives`},
		{"old.toi", "1\nanna\n", `old.toi:2: "anna" is not "number,name"`},
		{"old.toi", toi + "1: 3\n", `old.toi: no votes: no row tells two items apart`},
		{"sushi3a.5000.10.order", "0 2 1 2\n", `sushi3a.5000.10.order:1: "0 2 1 2" is not a number of items followed by 1`},
		{"sushi3a.5000.10.order", "10 1\n0 3 1 2\n", `sushi3a.5000.10.order:2: column order: "0 3 1 2" does not begin with 0 and the number of items that follow`},
		{"sushi3a.5000.10.order", "10 1\n0 2 1 x\n", `sushi3a.5000.10.order:2: column order: "x" is not the number of an item`},
		{"sushi3b.5000.10.score", "1 2 3\n1 2 x\n", `sushi3b.5000.10.score:2: column scores: score 2, "x", is not a number`},
		{"u.data", "1\t2\t3\t4\n1\t2\t3\n", `u.data:2: column timestamp: is missing: 3 fields where the header has 4`},
		{"u.data", "1\t1\t3\t5\n1\t2\tfour\t5\n", `u.data:2: column rating: "four" is not a number`},
		{"u.data", "1\t2\t3\t5\n1\t2\t4\t5\n", `u.data:2: column item: "1" rated "2" on line 1 already`},
		{"votes.csv", "user,item,rating\n,a,1\n", `votes.csv:2: column user: is empty: whose rating is it?`},
		{"votes.csv", "item,rating\na,1\n", `votes.csv:1: no column user in the header, which has item, rating: ratings need a column user`},
		{"votes.csv", "user,item,rating\nx,a,1\nx,b,1\n", `votes.csv: no votes: no row tells two items apart`},
		{"votes.csv", "ranking\na\n", `votes.csv:2: column ranking: 1 item: it takes two to compare`},
		{"votes.csv", "ranking\na>b>a\n", `votes.csv:2: column ranking: "a" is there twice`},
		{"votes.csv", "ranking\na>>b\n", `votes.csv:2: column ranking: an item without a name`},
		{"votes.csv", "ranking,x\n,1\n", `votes.csv:2: column ranking: is empty`},
		{"votes.csv", "ranking\n[1\n", `votes.csv:2: column ranking: "[1" is not a JSON list`},
		{"votes.csv", `{"ranking":["a",{"b":1}]}`, `votes.csv:1: column ranking: "{\"b\":1}" is not the name of an item`},
		{"votes.csv", "rank1,rank2,rank3\na,,b\n", `votes.csv:2: column rank2: is empty, but a later place has "b"`},
		{"votes.csv", "1st,2nd\na,\n", `votes.csv:2: column 2nd: 1 item: it takes two to compare`},
		{"votes.csv", "items,chosen\na;b;c,d\n", `votes.csv:2: column chosen: "d" is not one of the items of the set`},
		{"votes.csv", "items,chosen\na;b;a,a\n", `votes.csv:2: column items: "a" is there twice`},
		{"votes.csv", "items,chosen\na,a\n", `votes.csv:2: column items: 1 item: it takes two to compare`},
		{"votes.csv", "option1,option2,option3,chosen\na,b,c,\n", `votes.csv:2: column chosen: is empty`},
		{"votes.csv", "items,best,worst\na,a,a\n", `votes.csv:2: column items: 1 item: it takes two to compare`},
		{"votes.csv", "items,best,worst\na;b;c,a,d\n", `votes.csv:2: column worst: "d" is not one of the items of the set`},
		{"votes.csv", "items,best,worst\na;b;c,a,a\n", `votes.csv:2: column worst: "a" is best and worst`},
		{"votes.csv", "items,best,worst\na;b;a,a,b\n", `votes.csv:2: column items: "a" is there twice`},
		{"votes.csv", "items,best,worst\na;b,,b\n", `votes.csv:2: column best: is empty`},
		{"votes.csv", "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,1,1,0\n", `votes.csv:2: column winner_model_b: a second answer is marked 1`},
		{"votes.csv", "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,0,0,0\n", `votes.csv:2: column winner_model_a: no answer is marked 1: who won?`},
		{"votes.csv", "model_a,model_b,winner_model_a,winner_model_b,winner_tie\nx,y,0,2,0\n", `votes.csv:2: column winner_model_b: "2" is not 0 or 1`},
		{"votes.csv", `{"chosen":"x","rejected":[]}`, `votes.csv:1: column rejected: "[]" is neither text nor a conversation`},
		{"votes.csv", `{"chosen":"x","rejected":[{"role":"user"}]}`, `votes.csv:1: column rejected: the last message, "{\"role\":\"user\"}", has no content`},
		{"votes.csv", `[{"data":{"x":1},"annotations":[{"result":[]}]}]`, `votes.csv:1: column annotations: no two of the data are a pair, such as text1 and text2: there is x`},
		{"votes.csv", `[{"data":{"x1":1,"x2":1},"annotations":[{"result":[]}]}]`, `votes.csv:1: column annotations: "1" against itself`},
		{"votes.csv", `[{"data":[],"annotations":[]}]`, `votes.csv:1: column data: is not as Label Studio exports it`},
		{"votes.csv", `[{"data":{"x1":1,"x2":2},"annotations":[{"result":[{"value":{"selected":"up"}}]}]}]`, `votes.csv:1: column annotations: "up" is neither "1" nor "2" (nor one of: left, right, tie, skip)`},
	}
}

func TestBadNamed(t *testing.T) {
	for _, file := range badNamed() {
		for _, size := range []int{0, 1, 7} {
			if _, _, err := readAs(file.name, file.text, Options{block: size}); err == nil || err.Error() != file.want {
				t.Errorf("%q, blocks of %d:\ngot  %v\nwant %s", file.text, size, err, file.want)
			}
		}
	}
}

// TestEveryPair: without a bound there is a vote for every pair of a ranking; with one, so many, no pair twice,
// and each item in as many as the others, give or take two.
func TestEveryPair(t *testing.T) {
	for _, n := range []int{2, 3, 10, 61, 100} {
		g := graded{ties: true}
		for i := range n {
			g.grades = append(g.grades, float64(i/2))
		}
		for _, most := range []int{1, n, 5*n + 1, n * (n - 1) / 2, 1 << 40} {
			seen, count := map[[2]int]bool{}, make([]int, n)
			sampled := g.compare(most, func() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }, func(i, j int, o palate.Outcome) {
				if seen[[2]int{min(i, j), max(i, j)}] || i == j {
					t.Fatalf("%d items: %d and %d again", n, i, j)
				}
				seen[[2]int{min(i, j), max(i, j)}] = true
				count[i]++
				count[j]++
				if (o == palate.Tie) != (i/2 == j/2) || o == palate.Left && i < j || o == palate.Right {
					t.Fatalf("%d against %d is %v", i, j, o)
				}
			})
			if all := n * (n - 1) / 2; len(seen) != min(most, all) || sampled != (most < all) {
				t.Fatalf("%d items, at most %d: %d pairs", n, most, len(seen))
			}
			least, top := count[0], count[0]
			for _, c := range count {
				least, top = min(least, c), max(top, c)
			}
			if top-least > 2 {
				t.Errorf("%d items, at most %d: shares from %d to %d", n, most, least, top)
			}
		}
	}
}

func TestMaxPairs(t *testing.T) {
	var text strings.Builder
	text.WriteString("user,item,rating\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "ann,i%d,%d\n", i, i%5)
	}
	for most, want := range map[int]int{0: 1000, 7: 7, -1: 400000} {
		_, report, err := read(text.String(), Options{MaxPairs: most})
		if err != nil || report.Votes != want || (report.Sampled == 1) != (want < 400000) {
			t.Errorf("at most %d: %d votes, %v", most, report.Votes, err)
		}
	}
	a, _, _ := read(text.String(), Options{Seed: 1})
	b, _, _ := read(text.String(), Options{Seed: 2})
	if again, _, _ := read(text.String(), Options{Seed: 1}); a == b || a != again {
		t.Error("the seed does not decide")
	}
}

// TestWriteForms writes votes in every form and format, and reads them again.
func TestWriteForms(t *testing.T) {
	text := "user,left,right,winner,weight,time,ballot\nann,a,\"b, \"\"c\"\"\",left,2.5,2024-01-02T03:04:05.678901Z,x\n,tie,LEFT,right,1,,\nbob,left,a,tie,1,,x\nbob,model_a,a,right,,,y\n,a,Model_b,left,1e-7,2021-01-01,y\n"
	all, _, err := read(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range WriteForms() {
		for _, format := range WriteFormats() {
			b := palate.NewBuilder()
			if _, err := Votes(t.Context(), "votes.csv", strings.NewReader(text), b, Options{}); err != nil {
				t.Fatal(err)
			}
			d, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			want := all
			if form == "wins" {
				var out bytes.Buffer
				if err := Write(t.Context(), &out, d, WriteOptions{Form: form}); err == nil || err.Error() != `ingest: vote 3: a tie between "left" and "a" has neither winner nor loser` {
					t.Fatalf("a tie: %v", err)
				}
				d = d.Select([]int{0, 1, 3, 4})
				want = strings.NewReplacer("tie LEFT right", "LEFT tie left", "bob: left a tie #1\n", "", "model_a a right", "a model_a left").Replace(want)
			}
			var out bytes.Buffer
			if err := Write(t.Context(), &out, d, WriteOptions{Form: form, Format: format}); err != nil {
				t.Fatal(err)
			}
			if got, _, err := read(out.String(), Options{}); err != nil || got != want {
				t.Errorf("%s as %s: %v, got\n%swant\n%s", form, format, err, got, want)
			}
		}
	}
	for _, opt := range []WriteOptions{{Form: "poem"}, {Format: "xlsx"}} {
		if err := Write(t.Context(), io.Discard, new(palate.Dataset), opt); err == nil {
			t.Errorf("wrote %+v", opt)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for name, want := range map[string]string{"a.csv": "csv", "b.JSONL.gz": "jsonl", "c.parquet": "parquet", "d.soc": "", "-": "", "e.json.zst": "json"} {
		if got := FormatOf(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
