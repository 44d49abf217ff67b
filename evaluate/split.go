package evaluate

import (
	"cmp"
	"fmt"
	"slices"

	"palate"
	"palate/internal/trial"
)

// By says what a fold holds out.
type By int

const (
	ByVote  By = iota // answers: votes, or all that follow from one answer
	ByItem            // items
	ByUser            // voters
	ByValue           // values of a column
)

// String returns the word for it.
func (b By) String() string { return [...]string{"vote", "item", "user", "value"}[b] }

// SplitOptions are the settings of Split; nil means the defaults.
type SplitOptions struct {
	By     By
	Values []string // one for every vote, with ByValue
	Folds  int      // 0 stands for 5
	// Share, if positive, holds out that share of the units once, in place of
	// folds.
	Share float64
	Seed  uint64
	// Pairs holds out all votes about a pair of items together, by vote, where there are ten
	// or fewer about each: labels of one pair may be copies of each other.
	Pairs bool
}

// Fold is a division of the votes.
type Fold struct {
	Train []int
	Test  []Case
}

// Case is a vote to be predicted, and the unit for which it was held out.
type Case struct{ Vote, Unit int }

// Split divides the votes; skips are in no fold. With fewer units than folds each
// unit is a fold of its own. Which fold a unit is in hangs on what votes say and on the
// seed, not on the order of votes nor on names.
func Split(d *palate.Dataset, o *SplitOptions) ([]Fold, error) {
	opt := *cmp.Or(o, &SplitOptions{})
	switch {
	case opt.Folds == 0:
		opt.Folds = 5
	case opt.Folds < 2:
		return nil, fmt.Errorf("evaluate: %d folds; at least 2 are needed", opt.Folds)
	}
	if !(opt.Share >= 0 && opt.Share < 1) {
		return nil, fmt.Errorf("evaluate: a share of %g is not between 0 and 1", opt.Share)
	}
	if opt.By == ByValue && len(opt.Values) != d.NumVotes() {
		panic(fmt.Sprintf("evaluate: %d values for %d votes", len(opt.Values), d.NumVotes()))
	}
	keys := trial.NewKeys(d, opt.Seed)
	units, count := opt.units(d, keys)
	if count < 2 {
		noun := [...]string{"answers", "items", "voters", "values"}[opt.By]
		return nil, fmt.Errorf("evaluate: by %v: of %s to hold out there are %d; at least 2 are needed", opt.By, noun, count)
	}
	at := opt.assign(keys.Units(units, count))
	folds := make([]Fold, slices.Max(at)+1)
	for k, u := range units {
		if u == nil {
			continue
		}
		for f := range folds {
			test := slices.IndexFunc(u, func(x int) bool { return at[x] == f })
			if test >= 0 {
				folds[f].Test = append(folds[f].Test, Case{k, u[test]})
			} else if opt.Share == 0 || f == 0 {
				folds[f].Train = append(folds[f].Train, k)
			}
		}
	}
	if opt.Share > 0 {
		folds = folds[:1]
	}
	for f, fold := range folds {
		if len(fold.Train) == 0 || len(fold.Test) == 0 {
			return nil, fmt.Errorf("evaluate: fold %d of %d has %d votes to learn from and %d to predict; there are too few votes for this division", f+1, len(folds), len(fold.Train), len(fold.Test))
		}
	}
	return folds, nil
}

// assign gives every unit a fold. With a share the units held out are those of
// fold 0.
func (o *SplitOptions) assign(keys []uint64) []int {
	units := len(keys)
	at := make([]int, units)
	for k, u := range trial.Order(keys) {
		at[u] = k % min(o.Folds, units)
		if o.Share > 0 {
			at[u] = 1
			if k == 0 || float64(k+1) <= o.Share*float64(units)+0.5 {
				at[u] = 0
			}
		}
	}
	return at
}

// units returns the units that each vote is part of, and their number; nil for a
// skip, and none for a vote that is always learnt from.
func (o *SplitOptions) units(d *palate.Dataset, keys *trial.Keys) ([][]int, int) {
	out := make([][]int, d.NumVotes())
	if o.By == ByVote {
		answers := trial.Answers(d, keys, o.Pairs)
		for k, a := range answers.Of {
			if a >= 0 {
				out[k] = []int{a}
			}
		}
		return out, answers.Count
	}
	number := map[any]int{}
	unit := func(key any) int {
		u, ok := number[key]
		if !ok {
			u = len(number)
			number[key] = u
		}
		return u
	}
	for _, k := range keys.Votes(d) {
		v := d.Vote(k)
		if v.Outcome == palate.Skip {
			continue
		}
		switch o.By {
		case ByItem:
			out[k] = []int{v.Left, v.Right}
		case ByUser:
			out[k] = []int{}
			if v.User >= 0 {
				out[k] = []int{unit(v.User)}
			}
		case ByValue:
			out[k] = []int{unit(o.Values[k])}
		}
	}
	if o.By == ByItem {
		return out, d.NumItems()
	}
	return out, len(number)
}

// Found says what a split by vote finds in the votes beside what they say themselves: rankings
// that were given as pairs. It is empty where there is nothing to say.
func Found(d *palate.Dataset) string {
	return trial.Answers(d, trial.NewKeys(d, 0), false).String()
}
