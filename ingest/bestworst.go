package ingest

import (
	"bytes"
	"fmt"
	"slices"

	"palate"
	"palate/internal/wording"
)

// bestWorstForm has a set of items a row, and which of them are best and worst. The best beats all others, and
// all others beat the worst: 2n−3 votes for n items. A further column may say how they are to an anchor.
func bestWorstForm() form {
	return form{"items,best,worst", func(header []string) *layout {
		best := wording.Find(header, "best", "best_item", "bestitem")
		worst := wording.Find(header, "worst", "worst_item", "worstitem")
		set := shownSet(header)
		if best < 0 || worst < 0 || set == nil {
			return nil
		}
		use := append([]int{best, worst}, set.at...)
		anchor := anchorColumn(header)
		if anchor >= 0 {
			use = append(use, anchor)
		}
		return &layout{use: use, deep: set.deep(), cast: func(w *ballots, rec *record, by answer) *fault {
			items, bad := set.read(w, rec)
			if bad != nil {
				return bad
			}
			return w.bestWorst(rec, by, items, best, worst, anchor)
		}}
	}}
}

// choiceForm has a set of items a row, and which of them was chosen. It beats all others.
func choiceForm() form {
	return form{"items,chosen", func(header []string) *layout {
		chosen := wording.Find(header, "chosen", "choice", "selected", "picked", "winner")
		set := shownSet(header)
		if chosen < 0 || set == nil {
			return nil
		}
		return &layout{use: append([]int{chosen}, set.at...), deep: set.deep(), cast: func(w *ballots, rec *record, by answer) *fault {
			items, bad := set.read(w, rec)
			if bad != nil {
				return bad
			}
			best, bad := w.named(rec, items, chosen)
			if bad != nil {
				return bad
			}
			w.picked(by, items, best, nil, "")
			return nil
		}}
	}}
}

// shown is the set of items that a row is about, as a list in one column or with a column an item.
type shown struct {
	at   []int // the columns
	list bool
}

// shownSet finds the columns of a set; nil where there are none.
func shownSet(header []string) *shown {
	if k := wording.Find(header, "items", "shown", "options", "alternatives"); k >= 0 {
		return &shown{[]int{k}, true}
	}
	if at := numberedColumns(header, "item", "shown", "option", "alternative", "choice", "term"); at != nil {
		return &shown{at, false}
	}
	if k := wording.Find(header, "set", "tuple"); k >= 0 && itemColumn(header) < 0 { // else a number of the task
		return &shown{[]int{k}, true}
	}
	return nil
}

// deep are the columns that may hold a list.
func (s *shown) deep() []int {
	if s.list {
		return s.at
	}
	return nil
}

// read returns the items of a set.
func (s *shown) read(w *ballots, rec *record) (items [][]byte, bad *fault) {
	var why string
	if s.list {
		items, why = readList(rec.fields[s.at[0]])
	} else {
		for _, k := range s.at {
			if id := rec.fields[k]; len(id) > 0 {
				items = append(items, id)
			}
		}
	}
	if why == "" {
		why = distinct(items)
	}
	if why != "" {
		return nil, w.fault(s.at[0], why)
	}
	return items, nil
}

// named returns the item of a set that a column names; with an anchor it may be none of them, which is nil.
func (w *ballots) named(rec *record, items [][]byte, column int) ([]byte, *fault) {
	id := rec.fields[column]
	switch {
	case len(id) == 0:
		return nil, w.fault(column, "is empty")
	case slices.ContainsFunc(items, func(item []byte) bool { return bytes.Equal(item, id) }):
		return id, nil
	case w.opt.None != "" && (isNone(id) || string(id) == w.opt.None):
		return nil, nil
	}
	hint := ""
	if isNone(id) {
		hint = "; if none could be chosen, say so with --none NAME"
	}
	return nil, w.fault(column, fmt.Sprintf("%s is not one of the items of the set%s", wording.Quote(id), hint))
}

// bestWorst casts the votes of an answer whose best and worst items, and how all are to the anchor, columns name.
func (w *ballots) bestWorst(rec *record, by answer, items [][]byte, best, worst, anchor int) *fault {
	b, bad := w.item(rec, best)
	if bad != nil {
		return bad
	}
	l, bad := w.item(rec, worst)
	if bad != nil {
		return bad
	}
	for _, k := range []int{best, worst} {
		if id := rec.fields[k]; !slices.ContainsFunc(items, func(item []byte) bool { return bytes.Equal(item, id) }) {
			return w.fault(k, fmt.Sprintf("%s is not one of the items of the set", wording.Quote(id)))
		}
	}
	if bytes.Equal(b, l) {
		return w.fault(worst, fmt.Sprintf("%s is best and worst", wording.Quote(l)))
	}
	above := ""
	if anchor >= 0 {
		var why string
		if above, why = readAbove(rec.fields[anchor]); why == "" && above != "" {
			why = distinct(append(slices.Clip(items), []byte(w.none())))
		}
		if why != "" {
			return w.fault(anchor, why)
		}
	}
	w.picked(by, items, b, l, above)
	return nil
}

// picked casts the votes of an answer about some items, of which one is the best, one the worst, or both are said. With
// an anchor a choice is of these items and the anchor, which was chosen where none is the best; above says how many of
// the items of other answers are above it: all, some, of which the best is one and the worst is not, or none.
func (w *ballots) picked(by answer, items [][]byte, best, worst []byte, above string) {
	from, anchor := len(w.cast), []byte(w.none())
	if w.opt.None != "" && worst == nil {
		if !slices.ContainsFunc(items, func(item []byte) bool { return bytes.Equal(item, anchor) }) {
			items = append(slices.Clip(items), anchor)
		}
		if best == nil {
			best = anchor
		}
	}
	for _, id := range items {
		if best != nil && !bytes.Equal(id, best) {
			w.vote(by, best, id, palate.Left)
		}
	}
	for _, id := range items {
		if worst != nil && !bytes.Equal(id, best) && !bytes.Equal(id, worst) {
			w.vote(by, id, worst, palate.Left)
		}
	}
	for _, id := range items {
		switch {
		case above == "all" || above == "some" && bytes.Equal(id, best):
			w.vote(by, id, anchor, palate.Left)
		case above == "none" || above == "some" && bytes.Equal(id, worst):
			w.vote(by, anchor, id, palate.Left)
		}
	}
	w.together(from)
}
