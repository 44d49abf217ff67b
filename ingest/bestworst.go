package ingest

import (
	"bytes"
	"fmt"
	"slices"

	"palate"
	"palate/internal/wording"
)

// bestWorstForm has a set of items a row, and which of them are best and worst. The best beats all others, and
// all others beat the worst: 2n−3 votes for n items.
func bestWorstForm() form {
	return form{"items,best,worst", func(header []string) *layout {
		best := wording.Find(header, "best", "best_item", "bestitem")
		worst := wording.Find(header, "worst", "worst_item", "worstitem")
		if best < 0 || worst < 0 {
			return nil
		}
		set := shownSet(header)
		if set == nil {
			return nil
		}
		return &layout{use: append([]int{best, worst}, set.at...), deep: set.deep(), cast: func(w *ballots, rec *record, by answer) *fault {
			items, bad := set.read(w, rec, best, worst)
			if bad != nil {
				return bad
			}
			return w.bestWorst(rec, by, items, best, worst)
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
			items, bad := set.read(w, rec, chosen)
			if bad != nil {
				return bad
			}
			from := len(w.cast)
			for _, id := range items {
				if !bytes.Equal(id, rec.fields[chosen]) {
					w.vote(by, rec.fields[chosen], id, palate.Left)
				}
			}
			w.together(from)
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
	if k := wording.Find(header, "items", "set", "shown", "options", "alternatives", "tuple"); k >= 0 {
		return &shown{[]int{k}, true}
	}
	if at := numberedColumns(header, "item", "shown", "option", "alternative", "choice", "term"); at != nil {
		return &shown{at, false}
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

// read returns the items of a set, of which some columns name one each.
func (s *shown) read(w *ballots, rec *record, named ...int) (items [][]byte, bad *fault) {
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
	for _, k := range named {
		switch id := rec.fields[k]; {
		case len(id) == 0:
			return nil, w.fault(k, "is empty")
		case !slices.ContainsFunc(items, func(item []byte) bool { return bytes.Equal(item, id) }):
			return nil, w.fault(k, fmt.Sprintf("%s is not one of the items of the set", wording.Quote(id)))
		}
	}
	return items, nil
}

func (w *ballots) bestWorst(rec *record, by answer, items [][]byte, best, worst int) *fault {
	b, l := rec.fields[best], rec.fields[worst]
	if bytes.Equal(b, l) {
		return w.fault(worst, fmt.Sprintf("%s is best and worst", wording.Quote(l)))
	}
	from := len(w.cast)
	for _, id := range items {
		if !bytes.Equal(id, b) {
			w.vote(by, b, id, palate.Left)
		}
	}
	for _, id := range items {
		if !bytes.Equal(id, b) && !bytes.Equal(id, l) {
			w.vote(by, id, l, palate.Left)
		}
	}
	w.together(from)
	return nil
}
