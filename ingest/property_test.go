package ingest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"palate"
)

func TestParseContext(t *testing.T) {
	for text, want := range map[string]string{
		"language":                     "{language [language] false}",
		"length_left,length_right":     "{length [length_left length_right] false}",
		"left_length, right_length":    "{length [left_length right_length] false}",
		"a.words,b.words":              "{words [a.words b.words] false}",
		"conv_a_tokens,conv_b_tokens":  "{conv_tokens [conv_a_tokens conv_b_tokens] false}",
		"size1,size2":                  "{size [size1 size2] false}",
		"x,y":                          "{x,y [x y] false}",
		"length=chars,letters":         "{length [chars letters] false}",
		"category:judge":               "{judge [judge] true}",
		`tone="tone, left",tone right`: "{tone [tone, left tone right] false}",
	} {
		if c, err := ParseContext(text); err != nil || fmt.Sprint(struct {
			string
			any
			bool
		}{c.Name, c.Columns, c.Words}) != want {
			t.Errorf("%s: %v, %v; want %s", text, c, err, want)
		} else if again, err := ParseContext(c.String()); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%s: comes back from %s as %v, %v", text, c, again, err)
		}
	}
	for _, text := range []string{"", "a,b,c", "a,", "=", "length,Length"} {
		if c, err := ParseContext(text); err == nil {
			t.Errorf("%q: %v", text, c)
		}
	}
}

func properties(t *testing.T, text string, asked ...string) (string, error) {
	var all []Context
	for _, a := range asked {
		c, err := ParseContext(a)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	p, err := NewProperties(all)
	if err != nil {
		return "", err
	}
	_, r, err := readAs("votes.csv", text, Options{Keep: p.Columns()})
	if err == nil {
		err = p.Add(r, r.Kept)
	}
	if err != nil {
		return "", err
	}
	found, bad, err := p.All()
	if err != nil {
		return "", err
	}
	for vote := range 9 {
		if bad[vote] != nil {
			return "", bad[vote]
		}
	}
	var out []string
	for _, f := range found {
		out = append(out, fmt.Sprint(f.Name, f.Levels, f.Left, f.Right))
	}
	return strings.Join(out, "; "), nil
}

func TestProperties(t *testing.T) {
	const votes = "left,right,winner,la,lb,language,judge\na,b,left,12,9.5,en,2\nb,c,right,NA,3,,1\na,c,tie,7,,de,2\n"
	for _, c := range []struct {
		want  string
		asked []string
	}{
		{"la,lb[] [12 NaN 7] [9.5 3 NaN]; language[de en] [1 NaN 0] []; judge[1 2] [1 0 1] []", []string{"la,lb", "language", "category:judge"}},
		{"judge[] [2 1 2] []", []string{"judge"}},
	} {
		if got, err := properties(t, votes, c.asked...); err != nil || got != c.want {
			t.Errorf("%v: %s, %v; want %s", c.asked, got, err, c.want)
		}
	}
	for _, c := range []struct {
		text, want string
		asked      []string
	}{
		{votes, "no column lc; there are", []string{"la,lc"}},
		{votes, "la is given twice", []string{"la", "la=lb"}},
		{strings.Replace(votes, "NA", "12o", 1), `votes.csv:3: column la: "12o" is not a number`, []string{"la,lb"}},
		{"ranking,city\na > b > c,Oslo\n", "no left and no right item", []string{"city"}},
		{"user,item,rating,city\nu,a,1,Oslo\nu,b,2,Oslo\n", "ratings have no column city", []string{"city"}},
	} {
		if got, err := properties(t, c.text, c.asked...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %s, %v; want %s", c.asked, got, err, c.want)
		}
	}
	// What is written is read again, on whichever side.
	b := palate.NewBuilder()
	r, err := Votes(t.Context(), "votes.csv", strings.NewReader(votes), b, Options{Keep: []string{"la", "lb", "language"}})
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewProperties([]Context{{Name: "l", Columns: []string{"la", "lb"}}, {Name: "language", Columns: []string{"language"}}})
	if err == nil {
		err = p.Add(r, r.Kept)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := p.All()
	if err != nil {
		t.Fatal(err)
	}
	d = d.WithProperties(all).Select([]int{0, 1})
	for form, want := range map[string]string{
		"palate": "user,left,right,winner,la,lb,language\n2,a,b,left,12,9.5,en\n1,b,c,right,,3,\n",
		"wins":   "user,winner,loser,la,lb,language\n2,a,b,12,9.5,en\n1,c,b,3,,\n",
	} {
		var out strings.Builder
		if err := Write(t.Context(), &out, d, WriteOptions{Form: form}); err != nil || out.String() != want {
			t.Errorf("%s: %v\n%s", form, err, out.String())
		}
	}
	rows := []string{"left,right,winner,prompt"}
	for k := range mostLevels + 1 {
		rows = append(rows, fmt.Sprintf("a,b,left,prompt %d", k))
	}
	if _, err := properties(t, strings.Join(rows, "\n"), "prompt"); err == nil || !strings.Contains(err.Error(), "101 different values") {
		t.Error(err)
	}
}
