package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rivo/uniseg"

	"palate/model"
)

var update = flag.Bool("update", false, "rewrite the goldens under testdata")

// group makes a group of rows with falling scores.
func group(tiers []int, ids ...string) model.BoardGroup {
	var g model.BoardGroup
	for i, id := range ids {
		s := 1.234 - 0.45678*float64(i)
		g.Rows = append(g.Rows, model.BoardRow{
			Rank: i + 1, Item: i, ID: id, Score: s, SD: 0.2 + 0.01*float64(i), Lo: s - 0.41, Hi: s + 0.43,
			RankLo: max(1, i), RankHi: min(len(ids), i+2), PBest: 0.8 / float64(1+10*i*i), PTop: 0.999 / float64(1+i),
			Tier: tiers[i], Votes: float64(30 - i),
		})
	}
	return g
}

type example struct {
	board   *model.Board
	options Options
}

func examples() map[string]example {
	fit := &Fit{Model: "single", Rule: "EP", Items: 4, Votes: 57, Counted: true, Ties: 6, Voters: 3, Threshold: 0.2, Objective: -31.26, Kind: "EP log evidence", Status: "converged"}
	logit := &Fit{Model: "single", Rule: "VI", Likelihood: model.Logit, Items: 3, Features: 2, Votes: 10.5, Counted: true, Skips: 1, Objective: -7, Kind: "lower bound of the log evidence", Status: "sweep limit"}
	one := func(g model.BoardGroup) *model.Board {
		return &model.Board{Groups: []model.BoardGroup{g}, Level: 0.95, Top: 3, Draws: 4000, ESS: 3123.4, Mended: true}
	}
	several := one(group([]int{1, 1, 2, 2, 2}, "a", "b", "c", "d", "e"))
	several.Groups = append(several.Groups, group([]int{1, 2}, "x", "y"), group([]int{1}, "alone"), group([]int{1}, "lonely"))
	several.Level = 0.9
	weighted := one(group([]int{1, 1, 1}, "a", "b", "c"))
	weighted.Groups[0].Rows[1].Votes = 2.25
	weighted.Groups[0].Rows[2].Score = -1e-9
	coins, rather := one(group([]int{1, 1}, "a", "b")), one(group([]int{1, 1}, "a", "b"))
	coins.Coins, rather.Coins = 0.24, 0.62
	alone := one(group([]int{1, 1}, "a", "b"))
	alone.Groups = append(alone.Groups, group([]int{1}, "c"))
	stored := &Fit{Model: "single", Items: 2, Votes: 9, Objective: -3, Kind: "EP log evidence", Status: "converged"}
	return map[string]example{
		"stored":  {one(group([]int{1, 1}, "a", "b")), Options{Fit: stored}},
		"plain":   {one(group([]int{1, 1, 2, 3}, "oak", "elm", "ash", "fir")), Options{Fit: fit, Legend: true}},
		"elo":     {one(group([]int{1, 1, 2, 3}, "oak", "elm", "ash", "fir")), Options{Fit: fit, Legend: true, Elo: true}},
		"logit":   {weighted, Options{Fit: logit, Legend: true}},
		"top":     {one(group([]int{1, 1, 2, 3}, "oak", "elm", "ash", "fir")), Options{Top: 3, Legend: true}},
		"groups":  {several, Options{Legend: true}},
		"alone":   {alone, Options{}},
		"coins":   {coins, Options{}},
		"rather":  {rather, Options{Legend: true}},
		"unicode": {one(group([]int{1, 1, 1, 1, 2, 2}, "茶の湯", "Crème brûlée", "👩‍🚀 & Søn", "tab\there\x1b[31m", "a,\"b\"", strings.Repeat("long ", 12)+"tail")), Options{}},
	}
}

type format struct {
	extension string
	write     func(io.Writer, *model.Board, Options) error
}

func formats() []format { return []format{{"txt", Table}, {"csv", CSV}, {"json", JSON}} }

func render(t *testing.T, f format, e example) string {
	t.Helper()
	var out bytes.Buffer
	if err := f.write(&out, e.board, e.options); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGoldens(t *testing.T) {
	for name, e := range examples() {
		for _, f := range formats() {
			path := filepath.Join("testdata", name+"."+f.extension)
			got := render(t, f, e)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s: got\n%swant\n%s", path, got, want)
			}
		}
	}
}

// TestSameFacts compares what CSV and JSON say of each item.
func TestSameFacts(t *testing.T) {
	for name, e := range examples() {
		table, err := csv.NewReader(strings.NewReader(render(t, formats()[1], e))).ReadAll()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !slices.Equal(table[0][:len(columns())], columns()) {
			t.Errorf("%s: columns %v", name, table[0])
		}
		var board struct {
			Coins json.Number
			Rows  []map[string]any
		}
		d := json.NewDecoder(strings.NewReader(render(t, formats()[2], e)))
		d.UseNumber()
		if err := d.Decode(&board); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(board.Rows) != len(table)-1 {
			t.Fatalf("%s: %d rows in JSON, %d in CSV", name, len(board.Rows), len(table)-1)
		}
		for i, row := range board.Rows {
			row["coins"] = board.Coins // of all rows
			for c, column := range table[0] {
				want := table[i+1][c]
				value, ok := row[column]
				if got := fmt.Sprint(value); !ok || got != want && !(value == nil && want == "") {
					t.Errorf("%s: row %d: %s is %s in JSON, %s in CSV", name, i, column, got, want)
				}
			}
		}
	}
}

// TestAligned finds every row of a table as wide as its rules.
func TestAligned(t *testing.T) {
	for name, e := range examples() {
		e.options.Legend, e.options.Fit = false, nil
		width := 0
		for line := range strings.Lines(render(t, formats()[0], e)) {
			line = strings.TrimSuffix(line, "\n")
			if strings.HasPrefix(line, "─") {
				width = uniseg.StringWidth(line)
			} else if width > 0 && line != "" && strings.Contains(line, " … ") && uniseg.StringWidth(line) != width {
				t.Errorf("%s: %q is %d wide, the rule %d", name, line, uniseg.StringWidth(line), width)
			}
		}
		if width == 0 {
			t.Errorf("%s: no rule", name)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{fixed(-0.0004, 3), "0.000"}, {fixed(-0.0006, 3), "-0.001"}, {fixed(0, 0), "0"}, {fixed(-0.2, 0), "0"},
		{amount(1e6), "1000000"}, {amount(100), "100"}, {amount(2.5), "2.5"}, {amount(0), "0"},
		{percent(0.95), "95%"}, {percent(0.999), "99.9%"}, {percent(0.5), "50%"},
		{chance(0), "<1%"}, {chance(1), ">99%"}, {chance(0.506), "51%"}, {chance(0.0051), "1%"},
		{count(1, "vote"), "1 vote"}, {count(1.5, "vote"), "1.5 votes"},
		{shorten("abcdefgh", 8), "abcdefgh"}, {shorten("abcdefghi", 8), "abcd…ghi"}, {shorten("茶茶茶茶茶", 8), "茶茶…茶"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// TestElo checks the points of a lead against the formula of the ratings.
func TestElo(t *testing.T) {
	for _, l := range []model.Likelihood{model.Probit, model.Logit, model.Davidson} {
		for _, points := range []float64{0, 10} {
			o := Options{Elo: true, Points: points, Fit: &Fit{Likelihood: l}}
			lead := points
			lead = cmp.Or(lead, 400)
			if got := o.fit().chance(lead / o.scale().factor); got < 10.0/11-0.0095 || got > 10.0/11+0.0095 {
				t.Errorf("%v: a lead of %g wins %.4f, want %.4f", l, lead, got, 10.0/11)
			}
		}
	}
	// What a lead is worth is what the model predicts, whatever ties are to it.
	ties := Fit{Likelihood: model.Davidson, Threshold: 0.7}
	if got := ties.chance(1); math.Abs(got-1/(1+math.Exp(-1))) > 1e-12 {
		t.Errorf("ties of Davidson bear on the odds of the two: %.4f", got)
	}
}

// TestAnchored: the item has the score that it is to have, and leads stay.
func TestAnchored(t *testing.T) {
	b := &model.Board{Groups: []model.BoardGroup{{Rows: []model.BoardRow{{ID: "a", Score: 1}, {ID: "b", Score: -1}}}}}
	for _, elo := range []bool{false, true} {
		plain := Options{Elo: elo}
		o, err := plain.Anchored(b, "b", 800)
		if err != nil {
			t.Fatal(err)
		}
		if got := o.scale().at(-1); math.Abs(got-800) > 1e-9 {
			t.Errorf("the anchor has %g", got)
		}
		lead, was := o.scale().at(1)-o.scale().at(-1), plain.scale().at(1)-plain.scale().at(-1)
		if math.Abs(lead-was) > 1e-9 {
			t.Errorf("a lead of %g was %g", lead, was)
		}
	}
	if _, err := (Options{}).Anchored(b, "c", 0); err == nil {
		t.Error("an anchor that is not there")
	}
}
