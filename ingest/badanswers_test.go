package ingest

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"palate"
)

// badAnswer is a file whose first answer cannot be, and what is said of it. What follows can be read.
type badAnswer struct {
	text, want string
	rows       int // of the bad answer; 0 means 1
}

const prefLib = "# DATA TYPE: toi\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n# ALTERNATIVE NAME 3: c\n"

// badAnswers has, for every form of answers and everything that can be wrong with them, a file, or why there is none.
func badAnswers() map[string]map[string]badAnswer {
	none := func(why string) badAnswer { return badAnswer{want: why} }
	return map[string]map[string]badAnswer{
		"ranking": {
			"item twice":         {"ranking\na>b>a\na>b\n", `votes.csv:2: column ranking: "a" is there twice`, 0},
			"one item":           {"ranking\na\na>b\n", "votes.csv:2: column ranking: 1 item: it takes two to compare", 0},
			"best is worst":      none("the first and the last are two unless an item is there twice"),
			"gap":                {"ranking\na>>b\na>b\n", "votes.csv:2: column ranking: an item without a name", 0},
			"not what was shown": {"ranking,shown\na>d,a;b;c\na>b,a;b\n", `votes.csv:2: column ranking: "d" is not one of the items that were shown`, 0},
		},
		"rank1,rank2": {
			"item twice":         {"rank1,rank2,rank3\na,b,a\na,b,c\n", `votes.csv:2: column rank3: "a" is there twice`, 0},
			"one item":           {"rank1,rank2\na,\na,b\n", "votes.csv:2: column rank2: 1 item: it takes two to compare", 0},
			"best is worst":      none("the first and the last are two unless an item is there twice"),
			"gap":                {"rank1,rank2,rank3\na,,b\na,b,c\n", `votes.csv:2: column rank2: is empty, but a later place has "b"`, 0},
			"not what was shown": {"rank1,rank2,shown\na,d,a;b;c\na,b,a;b\n", `votes.csv:2: column rank2: "d" is not one of the items that were shown`, 0},
		},
		"item,rank": {
			"item twice":         {"user,item,rank\nann,a,1\nann,a,2\nbob,a,1\nbob,b,2\n", `votes.csv:3: column item: "a" is on line 2 of the same answer already; a column task tells several answers of a voter apart`, 2},
			"one item":           {"task,item,rank\n1,a,1\n2,a,1\n2,b,2\n", "votes.csv:2: column item: 1 item: it takes two to compare", 0},
			"best is worst":      none("the first and the last are two unless an item is there twice"),
			"gap":                {"task,item,rank\n1,a,1\n1,b,3\n1,c,4\n2,a,1\n2,b,2\n", "votes.csv:3: column rank: 3 follows on 1: there is a gap; ranks of some of more items are read with --columns rating=NAME --lower-is-better", 3},
			"not what was shown": none("the rows are what was shown"),
		},
		"items,best,worst": {
			"item twice":         {"items,best,worst\na;b;a,a,b\na;b,a,b\n", `votes.csv:2: column items: "a" is there twice`, 0},
			"one item":           {"item1,item2,best,worst\na,,a,a\na,b,a,b\n", "votes.csv:2: column item1: 1 item: it takes two to compare", 0},
			"best is worst":      {"items,best,worst\na;b;c,a,a\na;b,a,b\n", `votes.csv:2: column worst: "a" is best and worst`, 0},
			"gap":                none("there are no ranks"),
			"not what was shown": {"items,best,worst\na;b;c,a,d\na;b,a,b\n", `votes.csv:2: column worst: "d" is not one of the items of the set`, 0},
		},
		"item,best,worst": {
			"item twice":         {"task,item,best,worst\n1,a,1,0\n1,a,0,1\n2,a,1,0\n2,b,0,1\n", `votes.csv:3: column item: "a" is on line 2 of the same answer already`, 2},
			"one item":           {"task,item,best,worst\n1,a,1,0\n2,a,1,0\n2,b,0,1\n", "votes.csv:2: column item: 1 item: it takes two to compare", 0},
			"best is worst":      {"task,item,best,worst\n1,a,0,0\n1,b,1,1\n2,a,1,0\n2,b,0,1\n", `votes.csv:3: column best: "b" is best and worst`, 2},
			"gap":                none("there are no ranks"),
			"not what was shown": none("the rows are what was shown"),
		},
		"item,chosen": {
			"item twice":         {"task,item,chosen\n1,a,1\n1,b,0\n1,a,0\n2,a,1\n2,b,0\n", `votes.csv:4: column item: "a" is on line 2 of the same answer already`, 3},
			"one item":           {"task,item,chosen\n1,a,1\n2,a,1\n2,b,0\n", "votes.csv:2: column item: 1 item: it takes two to compare", 0},
			"best is worst":      {"user,item,chosen\nann,a,best\nann,b,best\nbob,a,1\nbob,b,-1\n", `votes.csv:3: column chosen: "b", and "a" of the same answer is chosen already; a column task tells several answers of a voter apart`, 2},
			"gap":                none("there are no ranks"),
			"not what was shown": {"task,item,chosen\n1,a,0\n1,b,0\n2,a,1\n2,b,0\n", "votes.csv:2: column chosen: no item of the answer is chosen; if none could be, say so with --none NAME", 2},
		},
		"items,chosen": {
			"item twice":         {"items,chosen\na;b;a,a\na;b,a\n", `votes.csv:2: column items: "a" is there twice`, 0},
			"one item":           {"items,chosen\na,a\na;b,a\n", "votes.csv:2: column items: 1 item: it takes two to compare", 0},
			"best is worst":      none("there is no worst"),
			"gap":                none("there are no ranks"),
			"not what was shown": {"items,chosen\na;b;c,none\na;b,a\n", `votes.csv:2: column chosen: "none" is not one of the items of the set; if none could be chosen, say so with --none NAME`, 0},
		},
		"task,best,worst": {
			"item twice":         {"user,version,best1,worst1\nann,1,b,a\nann,2,d,a\nbob,1,b,a\n", `votes.csv:3: column user: "ann" is on line 2 already`, 2},
			"one item":           none("the design has two at the least"),
			"best is worst":      {"user,version,task,best,worst\nann,1,1,b,b\nbob,1,1,b,a\n", `votes.csv:2: column worst: "b" is best and worst`, 0},
			"gap":                {"user,version,task,best,worst\nann,1,3,b,a\nbob,1,1,b,a\n", "votes.csv:2: column task: design.csv has no task 3 of version 1", 0},
			"not what was shown": {"user,version,task,best,worst\nann,1,1,d,a\nbob,1,1,b,a\n", `votes.csv:2: column best: "d" is not one of the items of the task: a, b, c`, 0},
		},
		"item,anchor": {
			"item twice":         {"user,item,anchor\nann,a,yes\nann,a,no\nbob,a,yes\n", `votes.csv:3: column item: "a" is on line 2 of the same answer already; a column task tells several answers of a voter apart`, 2},
			"one item":           none("it is compared with none of them"),
			"best is worst":      none("there is no worst"),
			"gap":                {"user,item,anchor\nann,a,maybe\nbob,a,yes\n", `votes.csv:2: column anchor: "maybe" is neither yes nor no`, 0},
			"not what was shown": {"user,item,anchor\nann,none,yes\nbob,a,yes\n", `votes.csv:2: column item: "none" is there twice`, 0},
		},
		"item,rating": {
			"item twice":         {"user,item,rating\nann,a,1\nann,a,2\nann,b,3\n", `votes.csv:3: column item: "ann" rated "a" on line 2 already`, 0},
			"one item":           none("a rating is of one item"),
			"best is worst":      none("there is no worst"),
			"gap":                {"user,item,rating\nann,a,6\nann,b,2\nann,c,3\n", `votes.csv:2: column rating: "6" is not on the scale from 1 to 5`, 0},
			"not what was shown": {"user,item,rating\nann,a,good\nann,b,2\nann,c,3\n", `votes.csv:2: column rating: "good" is not a number`, 0},
		},
		"PrefLib": {
			"item twice":         {prefLib + "1: 1,2,1\n2: 1,2\n", `votes.csv:5: column order: "a" is there twice`, 0},
			"one item":           none("an order of one alternative is one that PrefLib has, and says nothing"),
			"best is worst":      none("the first and the last are two unless an item is there twice"),
			"gap":                {prefLib + "1: 1,{,2\n2: 1,2\n", `votes.csv:5: column order: there is no alternative ""`, 0},
			"not what was shown": {prefLib + "1: 1,4\n2: 1,2\n", `votes.csv:5: column order: there is no alternative "4"`, 0},
		},
	}
}

// TestBadAnswers: what cannot be is found in every form that can have it, with its place and the reason; with SkipBad
// the whole answer is left out and counted, and the others are read.
func TestBadAnswers(t *testing.T) {
	forms := formExamples()
	for form, faults := range badAnswers() {
		if _, ok := forms[form]; !ok && form != "PrefLib" {
			t.Errorf("there is no form %s", form)
		}
		delete(forms, form)
		for _, fault := range []string{"item twice", "one item", "best is worst", "gap", "not what was shown"} {
			bad, ok := faults[fault]
			if !ok {
				t.Errorf("%s: nothing of %s", form, fault)
			}
			if bad.text == "" {
				continue
			}
			for _, size := range []int{0, 7} {
				opt := Options{block: size, Scale: &Scale{1, 5}, Below: strings.Contains(bad.text, "shown")}
				if _, _, err := read(bad.text, opt); err == nil || err.Error() != bad.want {
					t.Errorf("%s, %s:\ngot  %v\nwant %s", form, fault, err, bad.want)
				}
				opt.SkipBad = true
				_, report, err := read(bad.text, opt)
				if err != nil || report.Bad != max(bad.rows, 1) || len(report.Examples) != 1 || report.Examples[0].Error() != bad.want {
					t.Errorf("%s, %s, left out: %v, %d rows, %v", form, fault, err, report.Bad, report.Examples)
				}
			}
		}
	}
	for form := range forms { // a row is a pair
		if !slices.ContainsFunc(pairForms(), func(p pairForm) bool { return p.form().name == form }) && !strings.Contains(form, "winner") && !strings.Contains(form, "annotation") {
			t.Errorf("no bad answers of the form %s", form)
		}
	}
}

// TestNone: none of these is an item beside those of every set.
func TestNone(t *testing.T) {
	for text, want := range map[string]string{
		"items,chosen\na;b,None of these\na;b,a\na;none,a\n": "none a left #1\nnone b left #1\na b left #2\na none left #2\na none left\n",
		"task,item,chosen\n1,a,0\n1,b,0\n2,a,1\n":            "none a left #1\nnone b left #1\na none left\n",
		"items,best,worst,anchor\na;b;c,a,c,All are important\na;b;c,a,c,some\na;b;c,a,c,none\na;b;c,a,c,\n": "" +
			"a b left #1\na c left #1\nb c left #1\na none left #1\nb none left #1\nc none left #1\n" +
			"a b left #2\na c left #2\nb c left #2\na none left #2\nnone c left #2\n" +
			"a b left #3\na c left #3\nb c left #3\nnone a left #3\nnone b left #3\nnone c left #3\n" +
			"a b left #4\na c left #4\nb c left #4\n",
		"user,version,best1,worst1,anchor1\nann,1,1,2,some\n": "ann: a b left #1\nann: a c left #1\nann: c b left #1\nann: a none left #1\nann: none b left #1\n",
	} {
		if got, _, err := read(text, Options{None: "none"}); err != nil || got != want {
			t.Errorf("%q: %v, got\n%swant\n%s", text, err, got, want)
		}
	}
}

// TestPlaces: ranks may count items that share one as sports do, closely, or by the middle.
func TestPlaces(t *testing.T) {
	const want = "a b tie #1\na c left #1\nb c left #1\n"
	for _, ranks := range [][3]string{{"1", "1", "3"}, {"1", "1", "2"}, {"1.5", "1.5", "3"}} {
		text := "task,item,rank\n1,a," + ranks[0] + "\n1,b," + ranks[1] + "\n1,c," + ranks[2] + "\n"
		if got, _, err := read(text, Options{}); err != nil || got != want {
			t.Errorf("%v: %v\n%s", ranks, err, got)
		}
		if got, _, err := read(text, Options{Unordered: true}); err != nil || got != strings.Replace(want, "a b tie #1\n", "", 1) {
			t.Errorf("%v, unordered: %v\n%s", ranks, err, got)
		}
	}
	text := "task,item,rank\n1,a,2\n1,b,1\n1,c,\n1,d,\n"
	if got, _, err := read(text, Options{}); err != nil || got != "b a left\n" {
		t.Errorf("unseen: %v\n%s", err, got)
	}
	if got, _, err := read(text, Options{Below: true}); err != nil || got != "b a left #1\nb c left #1\nb d left #1\na c left #1\na d left #1\n" {
		t.Errorf("below: %v\n%s", err, got)
	}
}

// TestDesigns: answers are names of items or places of these, whichever more of them can be.
func TestDesigns(t *testing.T) {
	design := func(text string) *Design {
		d, err := ReadDesign(t.Context(), "design.csv", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	numbers := design("Version,Set,Item 1,Item 2,Item 3\n1,1,13,3,11\n1,2,2,7,3\n")
	for text, want := range map[string]string{
		"Respondent,Version,MD_1_B,MD_1_W,MD_2_B,MD_2_W\n1,1,11,3,3,7\n": "1: 11 13 left #1\n1: 11 3 left #1\n1: 13 3 left #1\n1: 3 2 left #2\n1: 3 7 left #2\n1: 2 7 left #2\n",
		"sys_RespNum,Version,Best1,Worst1,Best2,Worst2\n1,1,3,1,1,2\n":   "1: 11 13 left #1\n1: 11 3 left #1\n1: 3 13 left #1\n1: 2 7 left #2\n1: 2 3 left #2\n1: 3 7 left #2\n",
	} {
		if got, _, err := read(text, Options{Design: numbers}); err != nil || got != want {
			t.Errorf("%q: %v, got\n%swant\n%s", text, err, got, want)
		}
	}
	const either = `votes.csv:2: column best: "3" may be an item or the place of one, and so may all answers: name items in the design by words`
	if _, _, err := read("user,task,best,worst\nann,1,3,2\n", Options{Design: design("task,items\n1,2;3;1\n")}); err == nil || err.Error() != either {
		t.Errorf("either: %v", err)
	}
	const needs = "votes.csv:1: which items a task showed is not in this file: name the design, with columns version,task,item1,item2,…, by --design FILE"
	if _, err := Votes(t.Context(), "votes.csv", strings.NewReader("user,task,best,worst\nann,1,3,2\n"), palate.NewBuilder(), Options{}); err == nil || err.Error() != needs {
		t.Errorf("without: %v", err)
	}
	for text, want := range map[string]string{
		"version,item1,item2\n1,a,b\n":            "design.csv:1: no column task in the header, which has version, item1, item2; a design has version,task,item1,item2,…",
		"task,item1,item2\n1,a,a\n":               `design.csv:2: column item1: "a" is there twice`,
		"task,item1,item2\n1,a,b\n1,c,d\n":        "design.csv:3: column task: a second task 1",
		"version,task,items\n2,1,a;b\n2,1,a;c\n":  "design.csv:3: column task: a second task 1 of version 2",
		"version,task,items\n2,,a;b\n":            "design.csv:2: column task: is empty",
		"task,item1,item2\n":                      "design.csv: no tasks: there is nothing after the header",
		"task,item1,item2\n1,a\n":                 "design.csv:2: column item2: is missing: 2 fields where the header has 3",
		"version,task,item1,item2\n1,1,a,\n":      "design.csv:2: column item1: 1 item: it takes two to compare",
		"version,task,item1,item2\n1,1,\"a,b,c\n": "design.csv:2: column item1: the quote is never closed",
	} {
		if _, err := ReadDesign(t.Context(), "design.csv", strings.NewReader(text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestZones: times without a zone beside others of one that is not UTC may mean either.
func TestZones(t *testing.T) {
	const head = "winner,loser,time\na,b,2024-05-01 09:00\n"
	const want = `votes.csv:2: column time: "2024-05-01 09:00" has no zone, and "2024-05-01T10:00:00+02:00" on line 4 has another than UTC: write the zones of all, or say with --time-format how times are written`
	for _, size := range []int{0, 30} {
		_, _, err := read(head+"a,b,2024-05-01\na,b,2024-05-01T10:00:00+02:00\n", Options{block: size})
		if err == nil || err.Error() != want {
			t.Errorf("two zones: %v", err)
		}
	}
	for _, good := range []string{"2024-04-01T10:00:00Z", "2024-05-01T10:00:00+00:00", "2024-04-01", "1714550400", ""} {
		if _, report, err := read(head+"a,b,"+good+"\n", Options{}); err != nil || report.Votes != 2 {
			t.Errorf("%q: %v", good, err)
		}
	}
	zoned := "winner,loser,time\na,b,2024-05-02T10:00:00+02:00\na,b,2024-05-01 10:00:00 -0500\n"
	if got, _, err := read(zoned, Options{}); err != nil || got != "a b left @2024-05-02T08:00:00Z\na b left @2024-05-01T15:00:00Z\n" {
		t.Errorf("two offsets, out of order: %v\n%s", err, got)
	}
}

// surveyed is an export of Qualtrics with two tasks of a best and a worst, and a ranking.
func surveyed(rows string) string {
	return "StartDate,EndDate,ResponseId,Q1_1,Q1_2,Q1_3,Q2_1,Q2_2,Q2_3,Q7_1,Q7_2,Q7_3,Q9,DO-Q-Q1,Q2_DO\n" +
		"Start Date,End Date,Response ID,Most and least?-tea,Most and least?-milk,Most and least?-beer,Best? - tea,Best? - milk,Best? - beer,\"Rank, please - tea\",\"Rank, please - milk\",\"Rank, please - beer\",Age,Display Order: Most and least?,Best? - Display Order\n" +
		`"{""ImportId"":""startDate"",""timeZone"":""America/Denver""}","{""ImportId"":""endDate""}","{""ImportId"":""_recordId""}"` +
		strings.Repeat(`,"{""ImportId"":""QID""}"`, 12) + "\n" + rows
}

// TestQualtrics: questions with an item a column are read by their names.
func TestQualtrics(t *testing.T) {
	columns := func(text string) Columns {
		c, err := ParseColumns(text)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	const worded = "x,2024-05-01 10:00:00,R_1,Most,Least,,,,,2,1,3,30,1|2|3,\nx,2024-05-01 10:01:00,R_2,,,,Best,,worst,1,,,31,,tea|beer\n"
	for _, size := range []int{0, 5} {
		got, report, err := read(surveyed(worded), Options{block: size, Columns: columns("best-worst=Q1|Q2,ranking=Q7"), Below: true})
		const want = "R_1: tea milk left @2024-05-01T10:00:00Z #1\nR_1: tea beer left @2024-05-01T10:00:00Z #1\nR_1: beer milk left @2024-05-01T10:00:00Z #1\n" +
			"R_1: milk tea left @2024-05-01T10:00:00Z #2\nR_1: milk beer left @2024-05-01T10:00:00Z #2\nR_1: tea beer left @2024-05-01T10:00:00Z #2\n" +
			"R_2: tea beer left @2024-05-01T10:01:00Z\nR_2: tea milk left @2024-05-01T10:01:00Z #3\nR_2: tea beer left @2024-05-01T10:01:00Z #3\n"
		if err != nil || got != want || report.Form != "Qualtrics" {
			t.Errorf("%v, got\n%swant\n%s", err, got, want)
		}
	}
	const coded = "x,,R_1,2,1,,,,,,,,30,2|1,\n"
	if got, _, err := read(surveyed(coded), Options{Columns: columns("best-worst=Q1,best-code=2")}); err != nil || got != "R_1: tea milk left\n" {
		t.Errorf("codes: %v\n%s", err, got)
	}
	const there = "there are Q1 of 3 items, Q2 of 3 items, Q7 of 3 items"
	for _, bad := range []struct{ columns, rows, want string }{
		{"", worded, "votes.csv:1: an export of Qualtrics: say which questions rank items, with --columns ranking=NAME, or ask for the best and the worst, with --columns 'best-worst=NAME|NAME'; " + there},
		{"ranking=Q8", worded, `votes.csv:1: --columns ranking=Q8: no question "Q8" has an item a column; ` + there},
		{"ranking=Q7,left=Q9", worded, "votes.csv:1: --columns left=Q9: an export of Qualtrics has columns of user, time and weight, and questions of best-worst and ranking"},
		{"best-worst=Q1", coded, `votes.csv:4: column Q1_1: "2" does not say whether it marks the best or the worst: export choice text, or name the code of the best with --columns best-code=CODE`},
		{"best-worst=Q1", "x,,R_1,Most,Most,,,,,,,,30,,\n", `votes.csv:4: column Q1_2: "milk", and "tea" has the same answer "Most"`},
		{"best-worst=Q1", "x,,R_1,Most,,Least,,,,,,,30,1|2,\n", `votes.csv:4: column Q1_3: "beer" is answered and was not displayed`},
		{"best-worst=Q1", "x,,R_1,Most,,,,,,,,,30,1,\n", "votes.csv:4: column Q1_1: 1 item: it takes two to compare"},
		{"best-worst=Q1", "x,,R_1,Perhaps,,,,,,,,,30,,\n", `votes.csv:4: column Q1_1: "Perhaps" is neither best nor worst, most nor least`},
		{"ranking=Q7", "x,,R_1,,,,,,,1,3,4,30,,\n", "votes.csv:4: column Q7_2: 3 follows on 1: there is a gap; ranks of some of more items are read with --columns rating=NAME --lower-is-better"},
	} {
		opt := Options{}
		if bad.columns != "" {
			opt.Columns = columns(bad.columns)
		}
		if _, _, err := read(surveyed(bad.rows), opt); err == nil || err.Error() != bad.want {
			t.Errorf("%s:\ngot  %v\nwant %s", bad.columns, err, bad.want)
		}
	}
}

// TestAnswersStayTogether: the answers of every form are the same when they are written as votes and read again.
func TestAnswersStayTogether(t *testing.T) {
	for form, example := range formExamples() {
		b := palate.NewBuilder()
		if _, err := Votes(t.Context(), "votes.csv", strings.NewReader(example.text), b, Options{Design: exampleDesign()}); err != nil {
			t.Fatal(err)
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := WriteVotes(t.Context(), &out, d); err != nil {
			t.Fatal(err)
		}
		again := palate.NewBuilder()
		if _, err := Votes(t.Context(), "again.csv", &out, again, Options{}); err != nil {
			t.Fatal(err)
		}
		back, err := again.Build()
		if err != nil {
			t.Fatal(err)
		}
		want, _ := d.SplitAnswers(nil)
		if got, _ := back.SplitAnswers(nil); len(got) != len(want) || back.NumGroups() != d.NumGroups() || showWritten(back) != showWritten(d) {
			t.Errorf("%s: %d answers were read, and %d again", form, len(want), len(got))
		}
	}
}
