package ingest

import (
	"slices"
	"strings"
	"testing"

	"palate"
)

func known(t testing.TB) *palate.Dataset {
	t.Helper()
	b := palate.NewBuilder()
	if _, err := Votes(t.Context(), "votes.csv", strings.NewReader("left,right,winner,user\na,b,a,ann\n"), b, Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestPairs(t *testing.T) {
	for name, c := range map[string]struct{ in, out string }{
		"csv": {
			"note,right,left,user\nfirst,b,a,ann\n\"x, \"\"y\"\"\",a,b,\r\n",
			"note,right,left,user,p_left\nfirst,b,a,ann,0.75\n\"x, \"\"y\"\"\",a,b,,\"no, really\"\n"},
		"tsv": {
			"left\tright\tuser\na\tb\tann\nb\ta\t",
			"left\tright\tuser\tp_left\na\tb\tann\t0.75\nb\ta\t\tno, really\n"},
		"votes": {
			"model_a,model_b,winner,judge\na,b,a,ann\nb,a,b,\n",
			"model_a,model_b,winner,judge,p_left\na,b,a,ann,0.75\nb,a,b,,\"no, really\"\n"},
		"jsonl": {
			`{"left":"a", "right":"b", "user":"ann", "more":[1]} ` + "\n" + `{"left":"b","right":"a"}`,
			`{"left":"a", "right":"b", "user":"ann", "more":[1],"p_left":0.75}` + "\n" + `{"left":"b","right":"a","p_left":"no, really"}` + "\n"},
	} {
		for _, size := range []int{0, 1, 9} {
			p, report, err := ReadPairs(t.Context(), "pairs.csv", strings.NewReader(c.in), known(t), Options{block: size})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if p.Len() != 2 || report.Good() != 2 || !slices.Equal(p.Left, []int{0, 1}) || !slices.Equal(p.Right, []int{1, 0}) || !slices.Equal(p.User, []int{0, -1}) {
				t.Errorf("%s: %+v", name, p)
			}
			var out strings.Builder
			if err := p.WriteWith(&out, "p_left", []string{"0.75", "no, really"}); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.out {
				t.Errorf("%s: got\n%swant\n%s", name, out.String(), c.out)
			}
		}
	}
}

func badPairs() map[string]struct{ text, want string } {
	return map[string]struct{ text, want string }{
		"empty":        {"", "pairs.csv: the file is empty"},
		"header only":  {"left,right\n", "pairs.csv: no pairs: there is nothing after the header"},
		"no column":    {"left,write\n", `pairs.csv:1: no column right in the header, which has left, write; pairs are read from left,right with an optional user, and other names are told by --columns left=NAME,right=NAME`},
		"column twice": {"left,right,RIGHT\n", "pairs.csv:1: column RIGHT: two columns have this name"},
		"unknown item": {"left,right\na,b\na,zed\n", `pairs.csv:3: column right: unknown item "zed"`},
		"unknown user": {"left,right,user\na,b,zoe\n", `pairs.csv:2: column user: unknown user "zoe"`},
		"misspelt":     {"left,right,user\na,B,ann\n", `pairs.csv:2: column right: unknown item "B"; did you mean "b"?`},
		"misspelt too": {"left,right,user\na,b,anna\n", `pairs.csv:2: column user: unknown user "anna"; did you mean "ann"?`},
		"itself":       {"left,right\na,a\n", `pairs.csv:2: column right: "a" against itself`},
		"no item":      {"left,right\n,a\n", `pairs.csv:2: column left: is empty`},
		"too many":     {"left,right\na,b,c\n", `pairs.csv:2: column right: is not the last: 3 fields where the header has 2; a field that holds ',' must be quoted`},
		"not UTF-8":    {"left,right\na,\xff\n", `pairs.csv:2: column right: "\xff" is not UTF-8`},
	}
}

func TestBadPairs(t *testing.T) {
	for name, file := range badPairs() {
		if _, _, err := ReadPairs(t.Context(), "pairs.csv", strings.NewReader(file.text), known(t), Options{}); err == nil || err.Error() != file.want {
			t.Errorf("%s:\ngot  %v\nwant %s", name, err, file.want)
		}
	}
	p, report, err := ReadPairs(t.Context(), "pairs.csv", strings.NewReader("left,right,user\na,zed,ann\na,b,zoe\na,b,ann\n"), known(t), Options{SkipBad: true})
	if err != nil || p.Len() != 1 || p.Lines[0] != 4 || report.Bad != 2 || report.Examples[1].Line != 3 {
		t.Fatalf("%v: %+v, %+v", err, p, report)
	}
	p, report, err = ReadPairs(t.Context(), "pairs.csv", strings.NewReader("left,right,user\na,b,zoe\nzed,zod,Ann\na,zed,ann\n"), known(t), Options{NewUsers: true, NewItems: true})
	if err != nil || p.Len() != 3 || !slices.Equal(p.Left, []int{0, -1, 0}) || !slices.Equal(p.Right, []int{1, -1, -1}) || !slices.Equal(p.User, []int{-1, -1, 0}) || report.Bad != 0 ||
		p.NewItems.Rows != 2 || !slices.Equal(p.NewItems.Names, []string{"zed", "zod"}) || p.NewUsers.Rows != 2 || !slices.Equal(p.NewUsers.Names, []string{"zoe", "Ann"}) {
		t.Fatalf("%v: %+v, %+v", err, p, report)
	}
	p, _, err = ReadPairs(t.Context(), "pairs.csv", strings.NewReader("ann,a,b\n"), known(t), Options{Columns: Columns{{"left", "3"}, {"right", "2"}, {"user", "1"}}})
	if err != nil || p.Len() != 1 || p.Left[0] != 1 || p.Right[0] != 0 || p.User[0] != 0 {
		t.Fatalf("by places: %v, %+v", err, p)
	}
	p, report, err = ReadPairs(t.Context(), "pairs.csv", strings.NewReader("left,right,user\na,b,zoe\n"), known(t), Options{NewUsers: true})
	if err != nil || p.Len() != 1 || p.User[0] != -1 || report.Bad != 0 {
		t.Fatalf("%v: %+v, %+v", err, p, report)
	}
}
