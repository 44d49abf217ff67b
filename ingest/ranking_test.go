package ingest

import (
	"strings"
	"testing"
)

// What a ranking says of items in one place, and of those that it leaves out, is as asked.
func TestEqualAndUnranked(t *testing.T) {
	const shown = "ranking,shown\nb>a=c,a;b;c;d;e\na,b;a\n"
	const order = "# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n# ALTERNATIVE NAME 3: c\n# ALTERNATIVE NAME 4: d\n2: 3,1\n1: 2\n"
	for _, c := range []struct {
		name, text string
		opt        Options
		want       string
	}{
		{"votes.csv", "ranking\nb>a=c\n", Options{}, "b a left #1\nb c left #1\na c tie #1\n"},
		{"votes.csv", "ranking\nb>a=c\n", Options{Unordered: true}, "b a left #1\nb c left #1\n"},
		{"votes.csv", "ranking,shown\nb>a=c,a;b;c;d;e\n", Options{}, "b a left #1\nb c left #1\na c tie #1\n"},
		{"votes.csv", shown, Options{Below: true}, "b a left #1\nb c left #1\nb d left #1\nb e left #1\na c tie #1\na d left #1\na e left #1\nc d left #1\nc e left #1\na b left\n"},
		{"votes.csv", shown, Options{Below: true, Unordered: true}, "b a left #1\nb c left #1\nb d left #1\nb e left #1\na d left #1\na e left #1\nc d left #1\nc e left #1\na b left\n"},
		{"votes.csv", "rank1,rank2,shown\nc,a,a|b|c\n", Options{Below: true}, "c a left #1\nc b left #1\na b left #1\n"},
		{"x.soi", order, Options{}, "c a left ×2\n"},
		{"x.soi", order, Options{Below: true}, "c a left ×2 #1\nc b left ×2 #1\nc d left ×2 #1\na b left ×2 #1\na d left ×2 #1\nb a left #2\nb c left #2\nb d left #2\n"},
	} {
		got, report, err := readAs(c.name, c.text, c.opt)
		if err != nil || got != c.want {
			t.Errorf("%q, %+v: %v, got\n%swant\n%s", c.text, c.opt, err, got, c.want)
		}
		if c.text == order && report.Short != 2 { // the one of a single item, too, which says nothing unless others are below
			t.Errorf("%+v: %d orders leave out items, want 2", c.opt, report.Short)
		}
	}
	for text, want := range map[string]string{
		"ranking\na>b\n":           "nothing says which items were shown",
		"ranking,shown\na>b,a;c\n": `"b" is not one of the items that were shown`,
		"ranking,shown\na>b,a;a\n": `column shown: "a" is there twice`,
		"ranking,shown\na,a\n":     "column shown: 1 item: it takes two to compare",
	} {
		if _, _, err := read(text, Options{Below: true}); err == nil || !strings.Contains(err.Error(), "votes.csv:2: column") || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
