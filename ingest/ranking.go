package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"palate"
	"palate/internal/wording"
)

// rankingForm has a whole ranking in one column, best first.
func rankingForm() form {
	return form{"ranking", func(header []string) *layout {
		k := wording.Find(header, "ranking", "order")
		if k < 0 {
			return nil
		}
		set := shownList(header)
		use := append([]int{k}, set...)
		return &layout{use: use, deep: use, cast: func(w *ballots, rec *record, by answer) *fault {
			places, why := readRanking(rec.fields[k])
			if why != "" {
				return w.fault(k, why)
			}
			return w.rankedOf(rec, by, places, k, set)
		}}
	}}
}

// placesForm has one column a place.
func placesForm() form {
	return form{"rank1,rank2", func(header []string) *layout {
		at := numberedColumns(header, "rank", "place", "position", "choice", "preference", "")
		if len(at) < 2 {
			return nil
		}
		set := shownList(header)
		return &layout{use: append(slices.Clip(at), set...), deep: set, cast: func(w *ballots, rec *record, by answer) *fault {
			var places [][][]byte
			gap := -1
			for _, k := range at {
				switch id := rec.fields[k]; {
				case len(id) == 0 && gap < 0:
					gap = k
				case len(id) > 0 && gap >= 0:
					return w.fault(gap, fmt.Sprintf("is empty, but a later place has %s", wording.Quote(id)))
				case len(id) > 0:
					places = append(places, [][]byte{id})
				}
			}
			return w.rankedOf(rec, by, places, at[min(len(places), len(at)-1)], set)
		}}
	}}
}

// shownList is the column that lists the items which were shown to be ranked; none where there is none.
func shownList(header []string) []int {
	if k := wording.Find(header, "shown"); k >= 0 {
		return []int{k}
	}
	return nil
}

// rankedOf casts the votes of a ranking of items that were shown, if a column lists them.
func (w *ballots) rankedOf(rec *record, by answer, places [][][]byte, column int, set []int) *fault {
	var shown [][]byte
	if len(set) > 0 {
		list, why := readList(rec.fields[set[0]])
		if why == "" {
			why = distinct(list)
		}
		if why == "" {
			shown = list
		} else if w.opt.Below {
			return w.fault(set[0], why)
		}
	}
	if why := w.ordered(rec, by, places, !w.opt.Unordered, shown); why != "" {
		return w.fault(column, why)
	}
	return nil
}

var numberedName = regexp.MustCompile(`^([a-z]*)[ _-]?([0-9]{1,4})(st|nd|rd|th)?$`)

// numberedColumns finds columns named by one of the stems and a number, 1, 2 and so on without a gap.
func numberedColumns(header []string, stems ...string) []int {
	for _, stem := range stems {
		at := map[int]int{}
		for k, name := range header {
			m := numberedName.FindStringSubmatch(strings.ToLower(name))
			if m == nil || m[1] != stem {
				continue
			}
			n, _ := strconv.Atoi(m[2])
			if _, ok := at[n]; !ok {
				at[n] = k
			}
		}
		var columns []int
		for n := 1; ; n++ {
			k, ok := at[n]
			if !ok {
				break
			}
			columns = append(columns, k)
		}
		if len(columns) > 1 {
			return columns
		}
	}
	return nil
}

// ranked casts the votes of one ranking: every item against all in lower places, and ties within a place.
func (w *ballots) ranked(rec *record, by answer, places [][][]byte) (why string) {
	return w.ordered(rec, by, places, !w.opt.Unordered, nil)
}

// ordered does the same, with ties within a place or without, and those that were shown and not ranked below the last,
// if that is what they are.
func (w *ballots) ordered(rec *record, by answer, places [][][]byte, ties bool, shown [][]byte) (why string) {
	var items [][]byte
	g := graded{ties: ties}
	for p, place := range places {
		for _, id := range place {
			items = append(items, id)
			g.grades = append(g.grades, -float64(p))
		}
	}
	if w.opt.Below {
		if shown == nil {
			return "nothing says which items were shown, for those that were not ranked to be below the last: add a column shown"
		}
		has := func(list [][]byte, id []byte) bool {
			return slices.ContainsFunc(list, func(other []byte) bool { return bytes.Equal(id, other) })
		}
		for _, id := range items {
			if !has(shown, id) {
				return fmt.Sprintf("%s is not one of the items that were shown", wording.Quote(id))
			}
		}
		for _, id := range shown {
			if !has(items[:len(items)-g.rest], id) {
				items, g.rest = append(items, id), g.rest+1
				g.grades = append(g.grades, -float64(len(places)))
			}
		}
	}
	if why := distinct(items); why != "" {
		return why
	}
	if ties == !w.opt.Unordered && len(items)-g.rest > len(places) {
		w.shared++
	}
	if len(items)-g.rest < len(shown) {
		w.short++
	}
	w.graded(rec, by, &g, items)
	return ""
}

// graded casts the votes between graded items as one answer.
func (w *ballots) graded(rec *record, by answer, g *graded, items [][]byte) {
	from := len(w.cast)
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(w.opt.Seed, uint64(rec.line))) }
	if g.compare(w.opt.maxPairs(), rng, func(i, j int, o palate.Outcome) { w.vote(by, items[i], items[j], o) }) {
		w.sampled++
	}
	w.together(from)
}

// readRanking reads a>b=c, a list separated by one of | ; , or a JSON list, in which a list inside is a tie.
func readRanking(text []byte) (places [][][]byte, why string) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return nil, "is empty"
	}
	if text[0] == '[' {
		return readJSONRanking(text)
	}
	separator := []byte(">")
	for _, s := range []string{">", "|", ";", ","} {
		if bytes.Contains(text, []byte(s)) {
			separator = []byte(s)
			break
		}
	}
	for place := range bytes.SplitSeq(text, separator) {
		tied := [][]byte{place}
		if separator[0] == '>' {
			tied = bytes.Split(place, []byte("="))
		}
		for k := range tied {
			tied[k] = bytes.TrimSpace(tied[k])
		}
		places = append(places, tied)
	}
	return places, ""
}

func readJSONRanking(text []byte) (places [][][]byte, why string) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Sprintf("%s is not a JSON list", wording.Quote(text))
	}
	for _, place := range list {
		tied := []json.RawMessage{place}
		if place[0] == '[' {
			if err := json.Unmarshal(place, &tied); err != nil {
				return nil, fmt.Sprintf("%s is not a JSON list", wording.Quote(place))
			}
		}
		var ids [][]byte
		for _, raw := range tied {
			id, why := plainJSON(raw)
			if why != "" {
				return nil, why
			}
			ids = append(ids, id)
		}
		places = append(places, ids)
	}
	return places, ""
}

// readList reads a list of items, as readRanking does but without ties.
func readList(text []byte) (items [][]byte, why string) {
	places, why := readRanking(text)
	for _, place := range places {
		if len(place) != 1 {
			return nil, fmt.Sprintf("%s is not a list of items", wording.Quote(text))
		}
		items = append(items, place[0])
	}
	return items, why
}

// ReadSet reads two items or more that are separated by one of | ; , or are a JSON list.
func ReadSet(text string) (items []string, err error) {
	list, why := readList([]byte(text))
	if why == "" {
		why = distinct(list)
	}
	if why != "" {
		return nil, errors.New(why)
	}
	for _, id := range list {
		items = append(items, string(id))
	}
	return items, nil
}

// distinct says what is wrong with the items of one answer.
func distinct(items [][]byte) (why string) {
	seen := map[string]bool{}
	for _, id := range items {
		switch {
		case len(id) == 0:
			return "an item without a name"
		case seen[string(id)]:
			return fmt.Sprintf("%s is there twice", wording.Quote(id))
		}
		seen[string(id)] = true
	}
	if len(items) < 2 {
		return fmt.Sprintf("%s: it takes two to compare", wording.Plural(len(items), "item"))
	}
	return ""
}

// plainJSON returns a JSON string or number as an identifier.
func plainJSON(raw []byte) (id []byte, why string) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || raw[0] == '{' || raw[0] == '[' || raw[0] == 'n':
		return nil, fmt.Sprintf("%s is not the name of an item", wording.Quote(raw))
	case raw[0] == '"':
		raw = unquote(raw)
	}
	if bytes.IndexByte(raw, 0) >= 0 {
		return nil, fmt.Sprintf("%s holds a NUL byte", wording.Quote(raw))
	}
	return raw, ""
}

// lastMessage returns what was said last in a conversation, a list of messages or of objects with a content.
func lastMessage(text []byte) (message []byte, why string) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil || len(list) == 0 {
		return nil, fmt.Sprintf("%s is neither text nor a conversation", wording.Quote(text))
	}
	last := bytes.TrimSpace(list[len(list)-1])
	if last[0] == '{' {
		var m struct{ Content json.RawMessage }
		if err := json.Unmarshal(last, &m); err != nil || m.Content == nil {
			return nil, fmt.Sprintf("the last message, %s, has no content", wording.Quote(last))
		}
		last = m.Content
	}
	return plainJSON(last)
}
