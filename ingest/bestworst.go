package ingest

import (
	"bytes"
	"fmt"

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
		list := wording.Find(header, "items", "set", "options", "alternatives", "tuple")
		at := numberedColumns(header, "item", "option", "alternative", "choice", "term")
		if list < 0 && at == nil {
			return nil
		}
		l := &layout{}
		if list >= 0 {
			at = []int{list}
			l.deep = at
		}
		l.use = append([]int{best, worst}, at...)
		l.cast = func(w *ballots, rec *record, by answer) *fault {
			var items [][]byte
			if list >= 0 {
				var why string
				if items, why = readList(rec.fields[list]); why != "" {
					return w.fault(list, why)
				}
			} else {
				for _, k := range at {
					if id := rec.fields[k]; len(id) > 0 {
						items = append(items, id)
					}
				}
			}
			return w.bestWorst(rec, by, items, at[0], best, worst)
		}
		return l
	}}
}

func (w *ballots) bestWorst(rec *record, by answer, items [][]byte, set, best, worst int) *fault {
	seen := map[string]bool{}
	for _, id := range items {
		switch {
		case len(id) == 0:
			return w.fault(set, "an item without a name")
		case seen[string(id)]:
			return w.fault(set, fmt.Sprintf("%s is there twice", wording.Quote(id)))
		}
		seen[string(id)] = true
	}
	b, l := rec.fields[best], rec.fields[worst]
	for _, k := range []int{best, worst} {
		switch id := rec.fields[k]; {
		case len(id) == 0:
			return w.fault(k, "is empty")
		case !seen[string(id)]:
			return w.fault(k, fmt.Sprintf("%s is not one of the items of the set", wording.Quote(id)))
		}
	}
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
