package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"palate/active"
	"palate/model"
)

// anyText are the names that usage lines give to values which may be any text.
func anyText() []string {
	return []string{
		"FILE", "FILES", "FOLDER", "PAIRS", "NAME", "VOTER", "DATE", "ZONE", "GROUP", "ID", "ADDRESS", "TOKEN", "ADDRESSES", "TITLE", "QUESTION", "WHY", "MEMORY", "DATABASE",
		"ITEMS",  // of a file or a model
		"MODELS", // checked word by word, beside what they need
		"ITEMS", "COLUMN", "PROGRAM", "POINT", "ITEM=SCORE",
		"WHAT",   // or a column of the votes
		"PERIOD", // or a number of periods: what is neither is refused with both
		"NAMES", "GRADES", "ITEM",
		"CHARTS", // checked word by word
		"SHAPE",
	}
}

// TestFlagsOfWords: every flag takes any text, or one of the words that it knows; of a
// word that is misspelt it says which may be meant.
func TestFlagsOfWords(t *testing.T) {
	seen := 0
	var look func(cmd *cobra.Command)
	look = func(cmd *cobra.Command) {
		for _, sub := range cmd.Commands() {
			look(sub)
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			path := cmd.CommandPath() + " --" + f.Name
			one, ok := f.Value.(*oneOf)
			if !ok {
				name, usage := pflag.UnquoteUsage(f)
				text := f.Value.Type() == "string" || strings.HasPrefix(f.Value.Type(), "stringSlice")
				if text && f.Name != "time-format" && !slices.Contains(anyText(), name) {
					t.Errorf("%s takes any %s (%s): if it takes one of some words, let completes say so", path, name, usage)
				}
				return
			}
			seen++
			if f.DefValue != "" && !one.known(f.DefValue) {
				t.Errorf("%s: does not know its own default %q", path, f.DefValue)
			}
			for _, word := range one.words {
				if word == "top-K" {
					word = "top-5"
				}
				if err := f.Value.Set(word); err != nil {
					t.Errorf("%s %s: %v", path, word, err)
				}
				if len(word) < 4 { // too short to be misspelt
					continue
				}
				wrong := word[:1] + word[2:] // a letter was left out
				if one.known(wrong) {
					continue
				}
				err := f.Value.Set(wrong)
				if err == nil || !strings.Contains(err.Error(), " is not one of ") || word != "top-5" && !strings.Contains(err.Error(), `did you mean "`) {
					t.Errorf("%s %s, where %s is meant: %v", path, wrong, word, err)
				}
			}
			if err := f.Value.Set("zzzzz"); err == nil || strings.Contains(err.Error(), "did you mean") {
				t.Errorf("%s zzzzz: %v", path, err)
			}
		})
	}
	look(newRoot())
	if seen < 20 {
		t.Errorf("only %d flags of words", seen)
	}
	root := newRoot()
	root.SetArgs([]string{"next", "demo.csv", "--goal", "rankng"})
	err := root.Execute()
	want := `next: --goal "rankng" is not one of ranking, top-first, best, top-K; did you mean "ranking"?; see palate next --help`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// voted is a model of which only the numbers of votes are asked.
type voted struct {
	model.Predictor
	votes []float64
}

func (v voted) Votes() []float64 { return v.votes }

// TestWhyOfNext: next says in words how open a pair is, and never calls a favourite
// open that is not.
func TestWhyOfNext(t *testing.T) {
	for _, c := range []struct {
		chance      float64
		left, right int // ranks
		votes       []float64
		want        string
	}{
		{0.5, 4, 5, []float64{0, 0}, "neither has a vote yet"},
		{0.999, 4, 5, []float64{0, 7}, "one has no vote yet"},
		{0.5, 4, 5, []float64{7, 7}, "an open race"},
		{0.59, 4, 5, []float64{7, 7}, "an open race"},
		{0.41, 2, 9, []float64{7, 7}, "an open race, near the top"},
		{0.61, 4, 5, []float64{7, 7}, "a favourite that is not safe"},
		{0.11, 4, 5, []float64{7, 7}, "a favourite that is not safe"},
		{0.91, 4, 5, []float64{7, 7}, "a clear favourite"},
		{0.02, 3, 5, []float64{7, 7}, "a clear favourite, near the top"},
		{0.991, 4, 5, []float64{7, 7}, "a favourite that is all but certain"},
		{0.004, 9, 1, []float64{7, 7}, "a favourite that is all but certain, for the lead"},
		{1, 4, 5, []float64{7, 7}, "a favourite that is all but certain"},
		{0, 4, 5, []float64{7, 7}, "a favourite that is all but certain"},
	} {
		got := why(voted{votes: c.votes}, active.Pair{Left: 0, Right: 1, Chance: c.chance, LeftRank: c.left, RightRank: c.right})
		if got != c.want {
			t.Errorf("chance %v, ranks %d and %d, votes %v: %q, want %q", c.chance, c.left, c.right, c.votes, got, c.want)
		}
	}
}
