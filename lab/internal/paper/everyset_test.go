package paper

import (
	"context"
	"maps"
	"math"
	"strings"
	"testing"
)

// everySet is every kind of set that experiments have, of a size for tests: by data, and by what is asked.
func everySet() Experiment {
	e := convarg()
	e.Sets = append(e.Sets, sushiSet("A", 'A', 20, 5, 25, 1),
		movieSet("movielens-100k", "paper", LoadMovieLens100K, (*Ratings).PaperSplit, 1),
		movieSet("movielens-1m", "honest", LoadMovieLens1M, (*Ratings).HonestSplit, 1),
		scaleSet("small", crowdSize{people: 40, items: 12, features: 2, votes: 10}))
	for k := range e.Sets {
		if e.Sets[k].Folds > 0 {
			e.Sets[k].Folds = 1
		}
	}
	return e
}

// TestEveryMethodOnEverySet: a method either says something on a set, or is refused before any work, never fails on the
// way. What is predicted is not all ½, as it is by a kernel at length-scales that set all items apart, or by a method
// that knows nothing of a new voter.
func TestEveryMethodOnEverySet(t *testing.T) {
	files := argumentFiles(3, 6, 8, 120)
	maps.Copy(files, sushiFiles(20))
	maps.Copy(files, movies100K())
	maps.Copy(files, movies1M())
	folder := write(t, files)
	all := everySet()
	type kindOfSet struct {
		data string
		asks Ask
	}
	kinds := map[kindOfSet]bool{}
	kind := func(s Set) kindOfSet { return kindOfSet{s.Data, s.Asks} }
	for _, s := range all.Sets {
		kinds[kind(s)] = true
	}
	for _, e := range Experiments() {
		for _, s := range e.Sets {
			if !kinds[kind(s)] {
				t.Errorf("%s is not among the sets tried", s.Name())
			}
		}
	}
	for _, m := range Methods() {
		var sets []string
		for _, s := range all.Sets {
			if s.refuses(m) == nil {
				sets = append(sets, s.Name())
				continue
			}
			err := all.Check(Options{Models: []string{m.Name}, Sets: []string{s.Name()}})
			if err == nil || !strings.Contains(err.Error(), m.Name) || !strings.Contains(err.Error(), s.Name()) {
				t.Errorf("%s on %s: %v", m.Name, s.Name(), err)
			}
		}
		for table, err := range all.Run(context.Background(), Options{Folder: folder, Sets: sets, Models: []string{m.Name}, Seed: 1}) {
			if err != nil {
				t.Errorf("%s: %v", m.Name, err)
				continue
			}
			f := table.Rows[0].Mean
			// The bound of which the paper learns length-scales may want all items alike.
			free := m.Yardstick || strings.HasSuffix(m.Name, "-opt")
			if math.IsNaN(f[CE]) || math.IsInf(f[CE], 0) || !free && math.Abs(f[CE]-math.Ln2) < 1e-4 {
				t.Errorf("%s on %s says nothing: %v", m.Name, table.Name(), f)
			}
		}
	}
}
