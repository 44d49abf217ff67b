package ingest

import (
	"reflect"
	"strings"
	"testing"
)

type letters struct{}

func (letters) Item(id string) (int, bool) {
	k := strings.Index("abcd", id)
	return k, k >= 0 && len(id) == 1
}
func (letters) NumItems() int       { return 0 }
func (letters) NumUsers() int       { return 0 }
func (letters) ItemID(i int) string { panic(i) }
func (letters) UserID(u int) string { panic(u) }

func (letters) User(id string) (int, bool) {
	k := strings.Index("xyz", id)
	return k, k >= 0 && len(id) == 1
}

func TestLinks(t *testing.T) {
	want := []Link{{0, 1, 1}, {1, 0, 2.5}, {2, 3, 1}}
	for name, text := range map[string]string{
		"csv":         "from,to,weight\na,b,\nb,a,2.5\nc,d,1\n",
		"other order": "note\tWeight\tTO\tFrom\nhi\t1\tb\ta\n\t2.5\ta\tb\n\t1e0\td\tc\n",
		"source":      "source,target,weight\na,b,1\nb,a,2.5\nc,d,1",
		"jsonl":       `{"from":"a","to":"b"}` + "\n" + `{"from":"b","to":"a","weight":2.5}` + "\n" + `{"to":"d","from":"c"}`,
	} {
		got, report, err := ItemLinks(t.Context(), "l", strings.NewReader(text), letters{}, Options{})
		if err != nil || !reflect.DeepEqual(got, want) || report.Rows != 3 {
			t.Errorf("%s: %v, %+v, %v", name, got, report, err)
		}
	}
	got, _, err := UserLinks(t.Context(), "l", strings.NewReader("from,to\nx,z\n"), letters{}, Options{})
	if err != nil || !reflect.DeepEqual(got, []Link{{0, 2, 1}}) {
		t.Errorf("users: %v, %v", got, err)
	}
	if got, _, err := ItemLinks(t.Context(), "l", strings.NewReader("from,to\n"), letters{}, Options{}); err != nil || len(got) != 0 {
		t.Errorf("no links: %v, %v", got, err)
	}
}

func TestBadLinks(t *testing.T) {
	for row, want := range map[string]string{
		"a,a,1":    `l:3: column to: "a" is linked to itself`,
		"a,e,1":    `l:3: column to: unknown item "e"`,
		"x,b,1":    `l:3: column from: unknown item "x"`,
		",b,1":     `l:3: column from: is empty`,
		"a,b,-1":   `l:3: column weight: "-1" is not a positive number`,
		"a,b,0":    `l:3: column weight: "0" is not a positive number`,
		"a,b,NaN":  `l:3: column weight: "NaN" is not a positive number`,
		"a,b,+Inf": `l:3: column weight: "+Inf" is not a positive number`,
		"a,b,much": `l:3: column weight: "much" is not a positive number`,
		"a,b":      `l:3: column weight: is missing: 2 fields where the header has 3`,
	} {
		text := "from,to,weight\nb,c,1\n" + row + "\nc,d,2\n"
		links, _, err := ItemLinks(t.Context(), "l", strings.NewReader(text), letters{}, Options{})
		if err == nil || err.Error() != want || links != nil {
			t.Errorf("%s: %v, %v; want %s", row, links, err, want)
		}
		links, report, err := ItemLinks(t.Context(), "l", strings.NewReader(text), letters{}, Options{SkipBad: true})
		if err != nil || len(links) != 2 || report.Bad != 1 || report.Examples[0].Error() != want {
			t.Errorf("%s, left out: %v, %+v, %v", row, links, report, err)
		}
	}
	for text, want := range map[string]string{
		"":                      "l: the file is empty",
		"a,b\nc,d\n":            "no columns from, to in the header",
		"from,to,from\na,b,c\n": "from",
	} {
		if _, _, err := ItemLinks(t.Context(), "l", strings.NewReader(text), letters{}, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
