package paper

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"palate/internal/wording"
)

// Experiment is what a paper did, to be done again.
type Experiment struct {
	Name   string
	About  string
	Sets   []Set
	Models []string // those run when none are asked for
	Loss   Measure  // CE or Bits: the unit of the paper
	// Figures are drawn only when asked for; see Draw.
	Figures []Figure
	papers  []string
}

// Set is a data set with a way to split it.
type Set struct {
	Data, Split string
	Repeats     int      // splits drawn when no number is asked for
	Folds       int      // the splits there are, where they are not drawn at random
	Skip        []string // models left out unless asked for by name: they take hours
	Models      []string // those run when none are asked for, in place of the experiment's
	Large       bool     // run only when asked for
	Asks        Ask      // what not every method can do
	Note        string   // what to know of the set when reading its figures
	// Train, if not empty, is a name that sets share whose splits of one number have the same votes to learn from: a fit
	// serves all of them.
	Train string
	open  func(Folder) (func(*rand.Rand) (*Split, error), error)
	folds func(Folder) (func(fold int) (*Split, error), error) // in place of open, with Folds
}

// splits opens the data and returns how split k is drawn.
func (s Set) splits(f Folder) (func(k int, rng *rand.Rand) (*Split, error), error) {
	if s.folds != nil {
		fold, err := s.folds(f)
		return func(k int, _ *rand.Rand) (*Split, error) { return fold(k) }, err
	}
	draw, err := s.open(f)
	return func(_ int, rng *rand.Rand) (*Split, error) { return draw(rng) }, err
}

// stream is the source of randomness of split k, the same for sets with the same votes to learn from.
func (s Set) stream(seed uint64, k int) *rand.Rand {
	if s.Train != "" {
		return stream(seed, s.Train, k)
	}
	return stream(seed, s.Name(), k)
}

// Ask is something that a set asks of a method beyond the choices of users between items, both of whom have cast or
// had votes.
type Ask uint8

const (
	Consensus Ask = 1 << iota // to say what all think, not what one user does
	Ties                      // to learn from votes that say neither
	NewItems                  // to know items without votes by their features
)

// refuses says why a method cannot be run on the set, if so.
func (s Set) refuses(m Method) error {
	var why string
	switch lacks := s.Asks & m.Lacks; {
	case lacks == 0:
		return nil
	case lacks&Consensus != 0:
		why = "does not know what all think, which is asked for"
	case lacks&Ties != 0:
		why = "knows no ties, and there are some"
	default:
		why = "goes without features of items, and is asked about items without votes"
	}
	return fmt.Errorf("paper: %s cannot be run on %s: it %s", m.Name, s.Name(), why)
}

// Name returns data and split, as in sushi/A-small.
func (s Set) Name() string { return s.Data + "/" + s.Split }

// asked marks a set that is run only when asked for.
func (s Set) asked() Set {
	s.Large = true
	return s
}

// noting says what to know of the set.
func (s Set) noting(note string) Set {
	s.Note = note
	return s
}

// without leaves models out unless they are asked for by name.
func (s Set) without(models ...string) Set {
	s.Skip = append(slices.Clone(s.Skip), models...)
	return s
}

// is reports whether a word of --sets means this set: its data, its split or both.
func (s Set) is(word string) bool {
	return slices.ContainsFunc([]string{s.Data, s.Split, s.Name()}, func(w string) bool { return strings.EqualFold(w, word) })
}

// Experiments lists all experiments.
func Experiments() []Experiment { return []Experiment{sushi(), convarg(), collaborative()} }

// Find returns the experiment of this name.
func Find(name string) (Experiment, error) {
	var known []string
	for _, e := range Experiments() {
		if e.Name == name {
			return e, nil
		}
		known = append(known, e.Name)
	}
	return Experiment{}, fmt.Errorf("paper: no experiment %q; there are %s%s", name, strings.Join(known, ", "), wording.DidYouMean(name, slices.Values(known)))
}

// sets returns the sets meant by the words, all when there are none.
func (e Experiment) sets(words []string) ([]Set, error) {
	if len(words) == 0 {
		return slices.DeleteFunc(slices.Clone(e.Sets), func(s Set) bool { return s.Large }), nil
	}
	wanted := make([]bool, len(e.Sets))
	for _, word := range words {
		found := false
		for k, s := range e.Sets {
			if s.is(word) {
				wanted[k], found = true, true
			}
		}
		if !found {
			var known []string
			for _, s := range e.Sets {
				known = append(known, s.Name())
			}
			return nil, fmt.Errorf("paper: %s has no set %q; there are %s", e.Name, word, strings.Join(known, ", "))
		}
	}
	var chosen []Set
	for k, s := range e.Sets {
		if wanted[k] {
			chosen = append(chosen, s)
		}
	}
	return chosen, nil
}

// Papers returns the papers whose figures are shown beside ours.
func (e Experiment) Papers() ([]*Publication, error) {
	var all []*Publication
	for _, short := range e.papers {
		p, err := publication(short)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}
