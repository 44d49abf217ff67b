package main

import (
	"testing"

	"palate/evaluate"
	"palate/model"
)

// TestFewerVotes holds shortened folds to votes of the whole ones, each once, and
// to nothing both learnt and predicted.
func TestFewerVotes(t *testing.T) {
	d, _, err := model.Simulate(t.Context(), model.SimulateOptions{Votes: 100})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := evaluate.Split(d, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name               string
		folds              []evaluate.Fold
		many, train, tests int
	}{
		{"50 to predict", atMost(whole, 50, 1), 3, 80, 50},
		{"all to predict", atMost(whole, 1000, 1), 5, 80, 100},
		{"10 to learn from", fewer(whole, 10, 1), 3, 10, 60},
	} {
		tests := 0
		for k, f := range c.folds {
			whose := map[int]bool{} // to predict: true
			for _, x := range whole[k].Test {
				whose[x.Vote] = true
			}
			seen := map[int]bool{}
			for _, x := range f.Test {
				if !whose[x.Vote] || seen[x.Vote] {
					t.Errorf("%s: vote %d was not to predict, or is there twice", c.name, x.Vote)
				}
				seen[x.Vote] = true
			}
			for _, x := range f.Train {
				if whose[x] || seen[x] {
					t.Errorf("%s: vote %d is to predict, or there twice", c.name, x)
				}
				seen[x] = true
			}
			if len(f.Train) != c.train {
				t.Errorf("%s: %d votes to learn from, want %d", c.name, len(f.Train), c.train)
			}
			tests += len(f.Test)
		}
		if len(c.folds) != c.many || tests != c.tests {
			t.Errorf("%s: %d folds and %d votes to predict, want %d and %d", c.name, len(c.folds), tests, c.many, c.tests)
		}
	}
}
