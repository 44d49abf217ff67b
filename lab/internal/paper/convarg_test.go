package paper

import (
	"context"
	"strings"
	"testing"

	"palate"
	"palate/ingest"
)

// TestArguments: a topic is held out whole, texts to predict are no part of what is learnt, and gold is the right way
// round.
func TestArguments(t *testing.T) {
	a, err := LoadArguments(write(t, argumentFiles(4, 12, 20, 600)))
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Topics) != 4 || len(a.IDs) != 48 || len(a.Users) != 20 || len(a.Votes) != 600 || len(a.Gold) != 600 {
		t.Fatalf("%d topics, %d texts, %d users, %d votes, %d gold", len(a.Topics), len(a.IDs), len(a.Users), len(a.Votes), len(a.Gold))
	}
	if strings.Contains(a.Texts[0], "<br/>") || strings.Contains(a.Texts[0], "\n") {
		t.Errorf("text %q", a.Texts[0])
	}
	for _, personal := range []bool{false, true} {
		s, err := a.Split(1, personal)
		if err != nil {
			t.Fatal(err)
		}
		ties := 0
		for _, v := range s.Train.Votes() {
			if a.Topic[v.Left] == 1 || a.Topic[v.Right] == 1 {
				t.Fatal("a vote on the topic that is held out")
			}
			if v.Outcome == palate.Tie {
				ties++
			}
		}
		for _, v := range s.Test {
			if a.Topic[v.Left] != 1 || v.Outcome == palate.Tie || (v.User >= 0) != personal {
				t.Fatalf("test vote %+v", v)
			}
		}
		if ties == 0 || len(s.Test) == 0 || len(s.Lists) == 0 || (s.Lists[0].User >= 0) != personal {
			t.Errorf("%d ties, %d test votes, %d lists", ties, len(s.Test), len(s.Lists))
		}
		for _, name := range []string{"crowd", "crowd-beside"} {
			m, err := methods([]string{name})
			if err != nil {
				t.Fatal(err)
			}
			p, err := m[0].Fit(context.Background(), Task{"convarg", s.Train, s.Beside, 1, nil})
			if err != nil {
				t.Fatal(err)
			}
			trial, err := measure(p, s)
			if err != nil {
				t.Fatal(err)
			}
			least := 0.8
			if personal {
				least = 0.6
			}
			if trial.Figures[Acc] < least || trial.Figures[Tau] < 0.3 || trial.Figures[TauUser] < 0.2 {
				t.Errorf("%s, personal %v: acc %.3f, τ %.3f, of users %.3f", name, personal, trial.Figures[Acc], trial.Figures[Tau], trial.Figures[TauUser])
			}
		}
	}
	// What was learnt does not change with the texts that are held out.
	before, err := a.Split(0, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, topic := range a.Topic {
		if topic == 0 {
			a.Texts[i] = "Something else entirely, about whales and whaling! Whales sing."
		}
	}
	a.table = nil
	after, err := a.Split(0, false)
	if err != nil {
		t.Fatal(err)
	}
	for i, topic := range a.Topic {
		for j, x := range before.Train.ItemFeatures().Row(i) {
			if topic != 0 && x != after.Train.ItemFeatures().At(i, j) {
				t.Fatalf("text %d of topic %d changed with topic 0", i, topic)
			}
		}
	}
}

// TestArgumentFaults: files that are wrong are named with the line.
func TestArgumentFaults(t *testing.T) {
	for file, change := range map[string][2]string{
		"ukpconvarg/crowd_sample.tsv.gz":      {"\ta1\n", "\ta3\n"},
		"ukpconvarg/gold_pairs_strict.tsv.gz": {"\ta1\t", "\tnone\t"},
		"ukpconvarg/gold_ranking.tsv":         {"\ta1\t", "\ta1\tx"},
		"ukpconvarg/items.tsv.gz":             {"\ta1\t", "\ta0\t"},
	} {
		files := argumentFiles(2, 4, 5, 40)
		files[file] = strings.Replace(files[file], change[0], change[1], 1)
		_, err := LoadArguments(write(t, files))
		if e, ok := err.(*ingest.Error); !ok || e.Line < 2 {
			t.Errorf("%s: %v", file, err)
		}
	}
}
