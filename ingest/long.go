package ingest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"palate/internal/wording"
)

// markedForm has an item a row, and a column that marks the one that was chosen, or the best and the worst.
func markedForm() form {
	return form{"item,chosen", func(header []string) *layout {
		item, mark := itemColumn(header), wording.Find(header, "chosen", "choice", "selected", "picked", "best_worst", "winner")
		if item < 0 || mark < 0 {
			return nil
		}
		return gathers(header, func(w *ballots, a *gathered) *fault {
			return w.marked(a, item, mark, func(row int) (marks, bool) { return readMark(w.cell(a, row, mark), w.opt.Columns.bestCode()) })
		}, item, mark)
	}}
}

// twoMarksForm is the same, with a column of 0 and 1 for the best and one for the worst.
func twoMarksForm() form {
	return form{"item,best,worst", func(header []string) *layout {
		item, best, worst := itemColumn(header), wording.Find(header, "best", "most"), wording.Find(header, "worst", "least")
		if item < 0 || best < 0 || worst < 0 {
			return nil
		}
		return gathers(header, func(w *ballots, a *gathered) *fault {
			return w.marked(a, item, best, func(row int) (marks, bool) {
				top, ok := readMark(w.cell(a, row, best), "")
				bottom, also := readMark(w.cell(a, row, worst), "")
				return top + 2*bottom, ok && also && max(top, bottom) <= isBest
			})
		}, item, best, worst)
	}}
}

// marks are what a cell says of its item.
type marks uint8

const (
	unmarked marks = iota
	isBest
	isWorst
	isBoth // the sum of the two
)

// readMark reads what marks an item, in numbers or words; code is what else stands for the best, and every other
// number then for the worst.
func readMark(text []byte, code string) (m marks, ok bool) {
	plain := strings.ToLower(strings.TrimSuffix(string(text), ".0"))
	switch {
	case plain == "" || plain == "0" && code != "0":
		return unmarked, true
	case code != "" && plain == code:
		return isBest, true
	case code != "":
		_, number := ParseNumber(plain)
		return isWorst, number
	}
	switch plain {
	case "1", "+1", "true", "yes", "y", "x", "chosen", "selected":
		return isBest, true
	case "-1", "−1":
		return isWorst, true
	case "false", "no", "n", "neither", "none":
		return unmarked, true
	}
	words := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) })
	best := slices.Contains(words, "best") || slices.Contains(words, "most")
	worst := slices.Contains(words, "worst") || slices.Contains(words, "least")
	switch {
	case best && !worst:
		return isBest, true
	case worst && !best:
		return isWorst, true
	}
	return unmarked, false
}

// marked casts the votes of an answer whose items are marked, each in its row.
func (w *ballots) marked(a *gathered, item, mark int, read func(row int) (marks, bool)) *fault {
	least := 2
	if w.opt.None != "" {
		least = 1
	}
	items, bad := w.listed(a, item, least)
	if bad != nil {
		return bad
	}
	var best, worst []byte
	for k, id := range items {
		m, ok := read(k)
		switch {
		case !ok:
			return w.fault(mark, fmt.Sprintf("%s is not 1 or 0, nor best or worst", wording.Quote(w.cell(a, k, mark))))
		case m == isBoth:
			return w.fault(mark, fmt.Sprintf("%s is best and worst", wording.Quote(id)))
		case m == isBest && best != nil:
			return w.fault(mark, fmt.Sprintf("%s, and %s of the same answer is chosen already%s", wording.Quote(id), wording.Quote(best), w.apart()))
		case m == isWorst && worst != nil:
			return w.fault(mark, fmt.Sprintf("%s, and %s of the same answer is the worst already%s", wording.Quote(id), wording.Quote(worst), w.apart()))
		case m == isBest:
			best = id
		case m == isWorst:
			worst = id
		}
	}
	if a.at = 0; best == nil && worst == nil && w.opt.None == "" {
		return w.fault(mark, "no item of the answer is chosen; if none could be, say so with --none NAME")
	}
	w.picked(a.by, items, best, worst, "")
	return nil
}

// rankForm has an item a row, and its place among those of the answer, 1 being the best. One without a place was shown
// and not ranked.
func rankForm() form {
	return form{"item,rank", func(header []string) *layout {
		item, rank := itemColumn(header), wording.Find(header, "rank", "place", "position")
		if item < 0 || rank < 0 {
			return nil
		}
		return gathers(header, func(w *ballots, a *gathered) *fault {
			items, bad := w.listed(a, item, 2)
			if bad != nil {
				return bad
			}
			cells := make([][]byte, len(items))
			for k := range cells {
				cells[k] = w.cell(a, k, rank)
			}
			places, at, why := readPlaces(items, cells)
			if why == "" {
				at, why = 0, w.ordered(&a.rec, a.by, places, !w.opt.Unordered, items)
			}
			if a.at = at; why != "" {
				return w.fault(rank, why)
			}
			return nil
		}, item, rank)
	}}
}

// readPlaces puts items into the order of their places. After n items of one place comes the next place or the one n
// places on, as sports count them; items that share places may have the middle of these. Items without one are left out.
func readPlaces(items, cells [][]byte) (places [][][]byte, at int, why string) {
	type ranked struct {
		row  int
		rank float64
	}
	var all []ranked
	for k, text := range cells {
		if len(text) == 0 {
			continue
		}
		x, ok := ParseNumber(string(text))
		if !ok {
			return nil, k, fmt.Sprintf("%s is not a number", wording.Quote(text))
		}
		all = append(all, ranked{k, x})
	}
	slices.SortStableFunc(all, func(a, b ranked) int {
		switch {
		case a.rank < b.rank:
			return -1
		case a.rank > b.rank:
			return 1
		}
		return 0
	})
	for from, dense := 0, 0; from < len(all); dense++ {
		to := from + 1
		for to < len(all) && all[to].rank == all[from].rank {
			to++
		}
		x, n := all[from].rank, float64(to-from)
		first := float64(from + 1)
		if x != float64(dense+1) && x != first && x != first+(n-1)/2 {
			return nil, all[from].row, fmt.Sprintf("%v follows on %s: there is a gap; ranks of some of more items are read with --columns rating=NAME --lower-is-better", x, before(from, all[max(from-1, 0)].rank))
		}
		var place [][]byte
		for _, r := range all[from:to] {
			place = append(place, items[r.row])
		}
		places = append(places, place)
		from = to
	}
	return places, 0, ""
}

// before names what is in front of a rank.
func before(ranked int, last float64) string {
	if ranked == 0 {
		return "nothing, and the first is 1"
	}
	return fmt.Sprint(last)
}

// aboveForm has an item a row, and whether it is above the anchor: important, or to be bought.
func aboveForm() form {
	return form{"item,anchor", func(header []string) *layout {
		item, above := itemColumn(header), wording.Find(header, "anchor", "important")
		if item < 0 || above < 0 {
			return nil
		}
		return gathers(header, func(w *ballots, a *gathered) *fault {
			items, bad := w.listed(a, item, 1)
			if bad != nil {
				return bad
			}
			g := graded{}
			for k := range items {
				text := w.cell(a, k, above)
				m, ok := readMark(text, "")
				if !ok || m == isWorst || len(text) == 0 {
					return w.fault(above, fmt.Sprintf("%s is neither yes nor no", wording.Quote(text)))
				}
				g.grades = append(g.grades, float64(m)-.5)
			}
			items = append(items, []byte(w.none()))
			g.grades = append(g.grades, 0)
			if why := distinct(items); why != "" {
				return w.fault(item, why)
			}
			w.graded(&a.rec, a.by, &g, items)
			return nil
		}, item, above)
	}}
}
