package ingest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"palate"
)

// A condition takes the same rows in every format, in blocks of any size.
func TestWhere(t *testing.T) {
	rows := []string{"a,b,left,en,3,2024-01-05", "b,c,right,de,1,2024-02-01", "c,a,tie,,2,2024-02-02", "a,c,left,EN,10,2024-03-09T12:00:00Z"}
	header := "left,right,winner,language,turn,time"
	var objects []string
	for _, r := range rows {
		f := strings.Split(r, ",")
		objects = append(objects, fmt.Sprintf(`{"left":%q,"right":%q,"winner":%q,"language":%q,"turn":%s,"time":%q}`, f[0], f[1], f[2], f[3], f[4], f[5]))
	}
	files := map[string]string{
		"votes.csv":   header + "\n" + strings.Join(rows, "\n") + "\n",
		"votes.jsonl": strings.Join(objects, "\n"),
		"votes.json":  "[" + strings.Join(objects, ", ") + "]",
	}
	for _, c := range []struct {
		where string // with ; between
		want  string // numbers of the rows that stay
	}{
		{"language=en", "0 3"},
		{"Language!=en", "1 2"},
		{"language=de|", "1 2"},
		{"language!=en|de", "2"},
		{"turn>2", "0 3"},
		{"turn<=2", "1 2"},
		{"time>=2024-02-02", "2 3"},
		{"time<2024-03-09T12:00:00Z", "0 1 2"},
		{"time>=2024-02-01;turn>=2", "2 3"},
		{" winner != tie ", "0 1 3"},
	} {
		var where []Condition
		for _, text := range strings.Split(c.where, ";") {
			one, err := ParseCondition(text)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := ParseCondition(one.String()); err != nil || again != one {
				t.Errorf("%q: %v again is %v, %v", text, one, again, err)
			}
			where = append(where, one)
		}
		for name, text := range files {
			for _, block := range []int{0, 40} {
				first := 1
				if name == "votes.csv" {
					first = 2
				}
				var got []string
				_, r, err := readAs(name, text, Options{Where: where, block: block, Each: func(line int, _ palate.Vote) { got = append(got, fmt.Sprint(line-first)) }})
				if err != nil || strings.Join(got, " ") != c.want || r.Rows != 4 || r.Good() != len(got) || r.Votes != len(got) {
					t.Errorf("%s of %s in blocks of %d: rows %v, want %s; %v", c.where, name, block, got, c.want, err)
				}
			}
		}
	}
}

// Of Parquet numbers and times can be compared as well.
func TestWhereParquet(t *testing.T) {
	b := palate.NewBuilder()
	votes := "left,right,winner,weight,time\na,b,left,1,2024-01-05\nb,c,right,2,2024-02-01\nc,a,tie,3,2024-02-02\n"
	if _, err := Votes(t.Context(), "votes.csv", strings.NewReader(votes), b, Options{}); err != nil {
		t.Fatal(err)
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	if err := Write(t.Context(), &packed, d, WriteOptions{Format: "parquet"}); err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]int{"weight>=2": 2, "time<2024-02-01": 1, "winner=tie": 1, "left!=c": 2} {
		c, err := ParseCondition(where)
		if err != nil {
			t.Fatal(err)
		}
		if _, r, err := readAs("votes.parquet", packed.String(), Options{Where: []Condition{c}}); err != nil || r.Votes != want || r.Unmet != 3-want {
			t.Errorf("%s: %d votes, %d rows left out, want %d; %v", where, r.Votes, r.Unmet, want, err)
		}
	}
}

func TestWhereFaults(t *testing.T) {
	for text, want := range map[string]string{
		"language":   "compares nothing",
		"=en":        "names no column",
		"time>later": "neither a number nor a time",
		"turn>":      "neither a number nor a time",
	} {
		if _, err := ParseCondition(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	file := "left,right,winner,turn\na,b,left,1\nb,c,right,two\n"
	for where, want := range map[string]string{
		"city=Oslo":  "votes.csv:1: no column city, as in city=Oslo; there are left, right, winner, turn",
		"tunr=1":     `votes.csv:1: no column tunr, as in tunr=1; there are left, right, winner, turn; did you mean "turn"?`,
		"turn=tow":   `votes.csv: no votes: none of 2 rows has turn=tow; did you mean "two"?`,
		"turn>=1":    `votes.csv:3: column turn: "two" is not a number, as turn>=1 asks for`,
		"turn=three": "votes.csv: no votes: none of 2 rows has turn=three; turn is 1, two",
	} {
		c, err := ParseCondition(where)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := readAs("votes.csv", file, Options{Where: []Condition{c}}); err == nil || err.Error() != want {
			t.Errorf("%s: %v", where, err)
		}
	}
}

// A row of an array has its line, or its number where all are on one line.
func TestArrayRows(t *testing.T) {
	good := `{"left":"a","right":"b","winner":"left"}`
	bad := `{"left":"a","right":"a","winner":"left"}`
	for text, want := range map[string]string{
		"[" + good + "," + good + ", " + bad + "," + good + "]":                   "votes.json:3:",
		"[" + good + ", " + bad + "]\n":                                           "votes.json:2:",
		"[\n" + good + ",\n" + good + ",\n" + bad + "]":                           "votes.json:4:",
		"[" + good + ",\n" + good + ",\n" + bad + "\n]":                           "votes.json:3:",
		"[{\n\"left\":\"a\",\"right\":\"b\",\"winner\":\"left\"\n}, " + bad + "]": "votes.json:3:",
	} {
		for _, block := range []int{0, 40, 100} {
			if _, _, err := readAs("votes.json", text, Options{block: block}); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s in blocks of %d: %v, want %s", text, block, err, want)
			}
		}
	}
}

// Values inside objects are named by their paths, in JSON and in Parquet, and so are columns of later objects; what
// no row has is an error that names what there is.
func TestWhereInside(t *testing.T) {
	type meta struct {
		Language string   `parquet:"language"`
		Turn     *int     `parquet:"turn,optional"`
		Tags     []string `parquet:"tags,list"`
	}
	type row struct {
		Left   string `parquet:"left"`
		Right  string `parquet:"right"`
		Winner string `parquet:"winner"`
		Meta   meta   `parquet:"meta"`
	}
	one, two := 1, 2
	var packed bytes.Buffer
	w := parquet.NewGenericWriter[row](&packed)
	if _, err := w.Write([]row{{"a", "b", "left", meta{"en", &one, nil}}, {"b", "c", "right", meta{"de", nil, []string{"x"}}}, {"c", "a", "tie", meta{"en", &two, nil}}}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	objects := []string{
		`{"left":"a","right":"b","winner":"left","meta":{"language":"en","v.1":{"turn":1},"turn":1},"tags":[{"x":1}]}`,
		`{"left":"b","right":"c","winner":"right","meta":{"language":"de","turn":null},"city":"Oslo"}`,
		`{"left":"c","right":"a","winner":"tie","meta":{"tags":[],"turn":2,"v.1":{"turn":2},"language":"en"}}`,
	}
	for name, text := range map[string]string{"v.jsonl": strings.Join(objects, "\n"), "v.json": "[" + strings.Join(objects, ",\n") + "]", "v.parquet": packed.String()} {
		for where, want := range map[string]string{
			"meta.language=en": "2", "Meta.Language!=en": "1", "meta.turn>=2": "1", "meta.v.1.turn=1": "1", "city=oslo": "1",
			"meta.langauge=en":  "no column meta.langauge, as in meta.langauge=en; there are ",
			"citty=Oslo":        "no column citty, as in citty=Oslo; there are left, right, winner, ",
			"meta.language=eng": `no votes: none of 3 rows has meta.language=eng; did you mean "en"?`,
		} {
			if name == "v.parquet" && (strings.HasPrefix(where, "city") || strings.HasPrefix(where, "meta.v.1")) {
				continue
			}
			c, err := ParseCondition(where)
			if err != nil {
				t.Fatal(err)
			}
			for _, size := range []int{0, 1, 50} {
				_, r, err := readAs(name, text, Options{Where: []Condition{c}, block: size})
				switch {
				case len(want) == 1 && (err != nil || fmt.Sprint(r.Votes) != want):
					t.Errorf("%s of %s: %d votes, want %s; %v", where, name, r.Votes, want, err)
				case len(want) > 1 && (err == nil || !strings.Contains(err.Error(), want) && name != "v.parquet"):
					t.Errorf("%s of %s: %v", where, name, err)
				case err != nil && (strings.Contains(err.Error(), "weight") || strings.Contains(err.Error(), "langauge") && !strings.Contains(err.Error(), `did you mean "meta.language"?`)):
					t.Errorf("%s of %s: %v", where, name, err)
				}
			}
		}
		if _, r, err := readAs(name, text, Options{Keep: []string{"meta.language"}}); err != nil || fmt.Sprint(r.Kept) != "[[en de en]]" {
			t.Errorf("%s: kept %v, %v", name, r.Kept, err)
		}
		if _, _, err := readAs(name, text, Options{Keep: []string{"meta.lang"}}); err == nil {
			t.Errorf("%s: kept a column that is not there", name)
		}
	}
}

// Values of conditions that no row has are told, with what may be meant, though others are there.
func TestWhereUnseen(t *testing.T) {
	c := Condition{"language", "!=", "english|Germann"}
	_, r, err := read("winner,loser,language\na,b,English\nb,c,German\nb,a,French\n", Options{Where: []Condition{c}})
	if want := `[no row has language=Germann; did you mean "German"?]`; err != nil || fmt.Sprint(r.Unseen) != want || r.Votes != 2 {
		t.Errorf("%v, %d votes, %v", r.Unseen, r.Votes, err)
	}
}
