package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"palate/internal/wording"
)

// Condition is what a row has to meet to be read: a column compared with a value.
type Condition struct {
	Column string // a value inside an object is named by the path to it: meta.language
	Op     string // one of = != < <= > >=
	Value  string // for = and != several, with | between; for the others a number or a time
}

// ParseCondition reads a condition: language=English, language!=English|German, tstamp>=2024-05-01.
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "=!<>")
	if at < 0 {
		return Condition{}, fmt.Errorf("%q compares nothing: write language=English, language!=English or time>=2024-05-01", text)
	}
	c := Condition{Column: strings.TrimSpace(text[:at])}
	for _, op := range []string{"!=", "<=", ">=", "=", "<", ">"} { // the longer ones first
		if rest, ok := strings.CutPrefix(text[at:], op); ok {
			c.Op, c.Value = op, strings.TrimSpace(rest)
			break
		}
	}
	if c.Column == "" {
		return c, fmt.Errorf("%q names no column", text)
	}
	_, err := c.test(ParseTime)
	return c, err
}

// String writes the condition as ParseCondition reads it.
func (c Condition) String() string { return c.Column + c.Op + c.Value }

// test is a condition made ready for the cells of a column: the words of = and !=, or a comparison.
type test struct {
	column int
	words  []string
	equal  bool                                     // a cell has to be one of the words
	holds  func(cell []byte) (met bool, why string) // why a cell cannot be compared
}

// word returns which of the words a cell is, or −1.
func (t *test) word(cell []byte) int {
	return slices.IndexFunc(t.words, func(w string) bool { return strings.EqualFold(w, string(cell)) })
}

// test returns the condition on cells whose times a clock reads.
func (c Condition) test(read clock) (t test, err error) {
	switch c.Op {
	case "=", "!=":
		t.words, t.equal = strings.Split(c.Value, "|"), c.Op == "="
		return t, nil
	case "<", "<=", ">", ">=":
	default:
		return t, fmt.Errorf("%s: %q is not one of = != < <= > >=", c, c.Op)
	}
	met := func(sign int) bool {
		return sign == 0 && len(c.Op) == 2 || sign < 0 && c.Op[0] == '<' || sign > 0 && c.Op[0] == '>'
	}
	if bound, ok := ParseNumber(c.Value); ok {
		t.holds = func(cell []byte) (bool, string) {
			if len(cell) == 0 {
				return false, ""
			}
			x, ok := ParseNumber(string(cell))
			if !ok {
				return false, fmt.Sprintf("%s is not a number, as %s asks for", wording.Quote(cell), c)
			}
			switch {
			case x < bound:
				return met(-1), ""
			case x > bound:
				return met(+1), ""
			}
			return met(0), ""
		}
		return t, nil
	}
	bound, why := ParseTime([]byte(c.Value))
	if why != "" || bound.IsZero() {
		return t, fmt.Errorf("%s: %q is neither a number nor a time such as 2024-05-01", c, c.Value)
	}
	t.holds = func(cell []byte) (bool, string) {
		at, why := read(cell)
		return why == "" && !at.IsZero() && met(at.Compare(bound)), why
	}
	return t, nil
}

// tests finds the columns of the conditions.
func (o Options) tests(header []string, l *layout) []test {
	var all []test
	for _, c := range o.Where {
		k, read := wording.Find(header, c.Column), clock(ParseTime)
		if own := o.clock(); own != nil && k == l.time {
			read = own
		}
		t, err := c.test(read)
		if err != nil {
			panic("ingest: " + err.Error()) // Votes has seen to that
		}
		t.column = k
		all = append(all, t)
	}
	return all
}

// meets reports whether a row meets all conditions.
func (w *ballots) meets(rec *record) (bool, *fault) {
	all := true
	for k := range w.tests {
		t, cell := &w.tests[k], rec.fields[w.tests[k].column]
		w.seen[k].found = w.seen[k].found || cell != nil
		switch {
		case t.words != nil:
			n := t.word(cell)
			w.seen[k].add(n, cell)
			all = all && (n >= 0) == t.equal
		case all:
			met, why := t.holds(rec.number(t.column))
			if why != "" {
				return false, w.fault(t.column, why)
			}
			all = met
		}
	}
	return all, nil
}

// conditions names all of several conditions.
func conditions(all []Condition) string {
	var text []string
	for _, c := range all {
		text = append(text, c.String())
	}
	return strings.Join(text, " and ")
}

// sighting is what was seen of a column that a condition is about.
type sighting struct {
	found  bool            // some row has the column
	words  map[int]bool    // which of the condition's words some row has
	others map[string]bool // some of the values that are none of them
}

// mostOthers is how many of the other values are kept, to name one that may be meant.
const mostOthers = 200

func (s *sighting) add(word int, cell []byte) {
	if s.words == nil {
		s.words, s.others = map[int]bool{}, map[string]bool{}
	}
	switch {
	case word >= 0:
		s.words[word] = true
	case len(cell) > 0 && len(s.others) < mostOthers:
		s.others[string(cell)] = true
	}
}

// join adds what a later part of the file has.
func (s *sighting) join(later *sighting) {
	s.found = s.found || later.found
	for n := range later.words {
		s.add(n, nil)
	}
	for _, value := range slices.Sorted(maps.Keys(later.others)) {
		s.add(-1, []byte(value))
	}
}

// unseen says which words of the conditions no row has, and hints at what may be meant.
func (t *tally) unseen() (all, hints []string) {
	for k, c := range t.opt.Where {
		test, err := c.test(ParseTime)
		if err != nil || k >= len(t.seen) {
			continue
		}
		values := slices.Sorted(maps.Keys(t.seen[k].others))
		for n, w := range test.words {
			if w == "" || t.seen[k].words[n] {
				continue
			}
			hint := wording.DidYouMean(w, slices.Values(values))
			if n := len(values); hint == "" && n > 0 && n <= 8 {
				hint = fmt.Sprintf("; %s is %s", c.Column, strings.Join(values, ", "))
			}
			all, hints = append(all, fmt.Sprintf("no row has %s=%s%s", c.Column, w, hint)), append(hints, hint)
		}
	}
	return all, hints
}
