package ingest

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"palate/internal/wording"
)

// roleOf says which role a column of an example has, whatever the example calls it.
func roleOf(title string) string {
	for role, names := range map[string][]string{
		"user": userColumns(), "weight": weightColumns(), "time": timeColumns(), "ballot": ballotColumns(),
		"left": {"left", "model_a"}, "right": {"right", "model_b"}, "winner": {"winner", "label", "winner_id", "chosen", "candidate_chosen", "won"},
		"loser": {"loser", "loser_id", "rejected", "not_chosen", "candidate_not_chosen", "lost"},
		"item":  {"item", "movieId"}, "rating": {"rating"}, "rank": {"rank"}, "ranking": {"ranking"},
		"items": {"items"}, "best": {"best"}, "worst": {"worst"}, "task": {"task"}, "anchor": {"anchor"},
	} {
		if wording.Find(names, title) >= 0 {
			return role
		}
	}
	return ""
}

// TestAnyColumns: a file of every form that has a column a part is read with columns of other names, and without a
// header by places. The forms that have no roles for their columns are listed.
func TestAnyColumns(t *testing.T) {
	without := []string{"data,annotations", "model_a,model_b,winner_model_a,winner_model_b,winner_tie", "text1,text2,comparison,annotation_id", "rank1,rank2", "left_*,right_*,winner", "winner_*,loser_*", "task,best,worst"}
	examples := formExamples()
	examples["items,best,worst"] = struct{ text, want string }{"items,best,worst\na;b;c,a,c\n", "a b left #1\na c left #1\nb c left #1\n"}
	examples["chosen,rejected"] = struct{ text, want string }{"chosen,rejected,prompt\na,b,what?\n", "a b left\n"}
	for _, f := range forms() {
		if slices.Contains(without, f.name) {
			continue
		}
		rows, err := csv.NewReader(strings.NewReader(examples[f.name].text)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, counted := range []bool{false, true} {
			var columns Columns
			for k, title := range slices.Clone(rows[0]) {
				name := strconv.Itoa(k + 1)
				if !counted {
					name = fmt.Sprintf("Question %d, part", k+1)
					rows[0][k] = name
				} else {
					title = strings.TrimSpace(formTitles(examples[f.name].text)[k])
				}
				if role := roleOf(strings.TrimSpace(title)); role != "" {
					columns = append(columns, Naming{role, name})
				}
			}
			again, err := ParseColumns(columns.String())
			if err != nil || !slices.Equal(again, columns) {
				t.Fatalf("%s is read as %s: %v", columns, again, err)
			}
			var text strings.Builder
			from := 0
			if counted {
				from = 1
			}
			csv.NewWriter(&text).WriteAll(rows[from:])
			want := examples[f.name].want
			if f.name == "model_a,model_b,winner" { // they are called left and right, and answers keep the names of before
				text2 := strings.NewReplacer(",model_a,", ",left,", ",model_b,", ",right,").Replace(text.String())
				text.Reset()
				text.WriteString(text2)
			}
			for _, size := range []int{0, 1, 9} {
				got, report, err := read(text.String(), Options{Columns: columns, block: size})
				if err != nil || got != want || report.Bad != 0 {
					t.Errorf("%s with --columns %s, blocks of %d: %v, got\n%swant\n%s", f.name, columns, size, err, got, want)
				}
			}
		}
	}
}

func formTitles(text string) []string {
	head, _, _ := strings.Cut(text, "\n")
	return strings.Split(head, ",")
}

// Columns that are named go before what the header says, and what is not named is found by the header.
func TestColumnsFirst(t *testing.T) {
	for _, c := range []struct{ columns, text, want string }{
		{"left=model_x,right=model_y", "left,right,winner,model_x,model_y,worker\na,b,left,x,y,ann\n", "ann: x y left\n"},
		{"winner=best,loser=worst", "left,right,winner,best,worst\na,b,tie,x,y\n", "x y left\n"},
		{"user=who", "winner,loser,user,who\na,b,ann,bob\n", "bob: a b left\n"},
		{"left=b,right=a", "a,b,winner\nx,y,a\nx,y,y\n", "y x right\ny x left\n"},
		{"winner-side=winner", "left,right,winner\n2,1,1\n1,2,1\n3,1,B\n", "2 1 left\n1 2 left\n3 1 right\n"},
		{"winner-item=winner", "left,right,winner\n2,1,1\n1,2,1\n3,1,tie\n", "2 1 right\n1 2 left\n3 1 tie\n"},
		{"Winner=Who won?,loser=Who did not?", "Who won?,Who did not?\na,b\n", "a b left\n"},
	} {
		columns, err := ParseColumns(c.columns)
		if err != nil {
			t.Fatal(err)
		}
		if got, _, err := read(c.text, Options{Columns: columns}); err != nil || got != c.want {
			t.Errorf("%s: %v, got\n%swant\n%s", c.columns, err, got, c.want)
		}
	}
}

// badColumns has columns that are refused: by themselves, or because of the file.
func badColumns() []struct{ columns, text, want string } {
	return []struct{ columns, text, want string }{
		{"", "", `"" names no columns: write winner=chosen,loser=rejected`},
		{"winner", "", `"winner" does not say what a column is: write winner=chosen,loser=rejected`},
		{"winner=", "", `"winner=" does not say what a column is: write winner=chosen,loser=rejected`},
		{"winer=a,loser=b", "", `winer=a: "winer" is not one of left, right, winner, winner-side, winner-item, loser, user, weight, time, ballot, item, task, rating, rank, ranking, items, best, worst, best-worst, best-code, anchor; did you mean "winner"?`},
		{"winner=a,winner=b", "", `winner is named twice: by winner=a and by winner=b`},
		{"winner=a,winner-side=b", "", `winner is named twice: by winner=a and by winner-side=b`},
		{"winner=a,loser=A", "", `the column A is named twice: as winner and as loser`},
		{"winner=chosen,loser=othr", "chosen,other\na,b\n", `votes.csv:1: --columns loser=othr: there is no column "othr" among chosen, other; did you mean "other"?`},
		{"winner=chosen_one,loser=other", "chosen one,chosen_one,other,OTHER\n", `votes.csv:1: column OTHER: two columns have this name`},
		{"winner=a b,loser=a_b", "ab,c\n", `votes.csv:1: column ab: --columns names it twice`},
		{"winner=a", "a,b\n1,2\n", `votes.csv:1: --columns winner=a: no column loser in the header, which has winner, b; votes need left,right,winner or winner,loser or user,item,rating`},
		{"winner=1,loser=3", "a,b\n", `votes.csv:1: --columns loser=3: there is no column "3" among 1, 2`},
		{"winner=2,loser=1", "loser,winner\na,b\n", `votes.csv:1: --columns winner=2,loser=1 counts columns of a file without a header, but the first line has one: name them`},
		{"winner=1,loser=2", `{"a":1,"b":2}`, `votes.csv:1: --columns winner=1: there is no column "1" among a, b`},
		{"winner=a,loser=b", "# ALTERNATIVE NAME 1: a\n1: 1\n", `votes.csv: --columns winner=a,loser=b: a file of PrefLib has no columns to name`},
	}
}

func TestBadColumns(t *testing.T) {
	for _, c := range badColumns() {
		columns, err := ParseColumns(c.columns)
		if err == nil {
			_, _, err = read(c.text, Options{Columns: columns})
		}
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\ngot  %v\nwant %s", c.columns, err, c.want)
		}
	}
}

// A file without a header is known for one, and what is said of it is how to read it.
func TestUntitled(t *testing.T) {
	for text, want := range map[string]string{
		"573,375\n582,432\n375,432\n":                      "winner=1,loser=2",
		"ann,oak,elm\nann,elm,ash\nbob,oak,ash\n":          "user=1,winner=2,loser=3",
		"oak,elm,oak\nelm,ash,ash\n":                       "left=1,right=2,winner=3",
		"ann;oak;elm;left\nbob;elm;ash;tie\nann;a;b;A\n":   "left=2,right=3,winner=4,user=1",
		"u0\tj1\t-1.6\nu1\tj1\t2.04\n":                     "user=1,item=2,rating=3",
		"oak,elm,ann,oak\nelm,ash,bob,draw\noak,x,ann,x\n": "left=1,right=2,winner=4",
	} {
		_, _, err := read(text, Options{})
		if err == nil || !strings.HasSuffix(err.Error(), "looks like a vote and not like the names of columns; a file without a header is read by places, for example with --columns "+want) {
			t.Errorf("%q: %v", text, err)
			continue
		}
		columns, err := ParseColumns(want)
		if err != nil {
			t.Fatal(err)
		}
		if _, report, err := read(text, Options{Columns: columns}); err != nil && !strings.Contains(err.Error(), "no row tells two items apart") || report.Rows != strings.Count(text, "\n") {
			t.Errorf("%q with --columns %s: %d rows, %v", text, want, report.Rows, err)
		}
	}
	for _, text := range []string{"Q1,Q2,Q3\noak,elm,ash\n", "text a,text b,verdict\nx,y,x\n", "a,b\nc,d\n", "winner,b\nb,c\n"} {
		if _, _, err := read(text, Options{}); err == nil || strings.Contains(err.Error(), "looks like a vote") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Names of items go before words, as long as nothing in the file speaks against it; see badFiles for the rest.
func TestNamesBeforeWords(t *testing.T) {
	const head = "left,right,winner\n"
	for text, want := range map[string]string{
		"x,y,A\nx,y,b\nx,y,1\nx,y,2.0\nx,y,2\n":    "x y left\nx y right\nx y left\nx y right\nx y right\n",
		"b,a,a\na,c,c\n":                           "b a right\na c right\n",
		"a,b,a\nb,c,b\nc,a,a\n":                    "a b left\nb c left\nc a right\n",
		"2,1,1\n1,2,tie\n17,1,17\n":                "2 1 right\n1 2 tie\n17 1 left\n",
		"draw,x,draw\nx,y,y\n":                     "draw x left\nx y right\n",
		"a,b,a\nb,c,c\nc,d,b\n":                    "", // c,d,b is no item of the pair, so b and a are sides; a,b,a agrees
		"x,y,neither\nx,y,Draw\nx,y,Both bad\n":    "x y tie\nx y tie\nx y tie\n",
		"x,y,tie (bothbad)\nx,y,both_bad\nx,y,=\n": "x y tie\nx y tie\nx y tie\n",
	} {
		want = cmp.Or(want, "a b left\nb c right\nc d right\n")
		for _, size := range []int{0, 1, 9} {
			if got, _, err := read(head+text, Options{block: size}); err != nil || got != want {
				t.Errorf("%q: %v, got\n%swant\n%s", text, err, got, want)
			}
		}
	}
	// What cannot be decided is not left out with bad rows.
	if _, _, err := read(head+"x,y,1\nx,y,0\nx,y,1\n", Options{SkipBad: true}); err == nil || !strings.Contains(err.Error(), "votes.csv:3") {
		t.Errorf("0 and 1: %v", err)
	}
}

// FuzzNaming reads files with columns named by hand: blocks of any size give the same, and every error has its file.
func FuzzNaming(f *testing.F) {
	for _, c := range badColumns() {
		f.Add(c.columns, []byte(c.text))
	}
	f.Add("left=2,right=3,winner-side=4,user=1", []byte("ann,oak,elm,left\nbob,elm,ash,B\n"))
	f.Add("item=2,rating=3,user=1", []byte("ann,oak,1\nann,elm,3\n"))
	f.Fuzz(func(t *testing.T, columns string, text []byte) {
		c, err := ParseColumns(columns)
		if err != nil || strings.HasPrefix(string(text), "PAR1") {
			return
		}
		if again, err := ParseColumns(c.String()); err != nil || !slices.Equal(again, c) {
			t.Fatalf("%s again is %s: %v", c, again, err)
		}
		want, _, wantErr := read(string(text), Options{Columns: c})
		checkError(t, wantErr)
		for _, size := range []int{1, 7} {
			got, _, err := read(string(text), Options{Columns: c, block: size})
			if got != want || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Fatalf("blocks of %d: %v\n%swhole: %v\n%s", size, err, got, wantErr, want)
			}
		}
	})
}
