package ingest

import (
	"fmt"
	"strings"
)

// Condition is what a row has to meet to be read: a column compared with a value.
type Condition struct {
	Column string
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
	_, err := c.test()
	return c, err
}

// String writes the condition as ParseCondition reads it.
func (c Condition) String() string { return c.Column + c.Op + c.Value }

// test is a condition made ready for the cells of a column.
type test struct {
	column int
	holds  func(cell []byte) (met bool, why string) // why a cell cannot be compared
}

func (c Condition) test() (t test, err error) {
	switch c.Op {
	case "=", "!=":
		words := strings.Split(c.Value, "|")
		t.holds = func(cell []byte) (bool, string) {
			for _, w := range words {
				if strings.EqualFold(w, string(cell)) {
					return c.Op == "=", ""
				}
			}
			return c.Op == "!=", ""
		}
		return t, nil
	case "<", "<=", ">", ">=":
	default:
		return t, fmt.Errorf("%s: %q is not one of = != < <= > >=", c, c.Op)
	}
	met := func(sign int) bool {
		return sign == 0 && len(c.Op) == 2 || sign < 0 && c.Op[0] == '<' || sign > 0 && c.Op[0] == '>'
	}
	if bound, ok := number(c.Value); ok {
		t.holds = func(cell []byte) (bool, string) {
			if len(cell) == 0 {
				return false, ""
			}
			x, ok := number(string(cell))
			if !ok {
				return false, fmt.Sprintf("%s is not a number, as %s asks for", quote(cell), c)
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
	bound, why := moment([]byte(c.Value))
	if why != "" || bound.IsZero() {
		return t, fmt.Errorf("%s: %q is neither a number nor a time such as 2024-05-01", c, c.Value)
	}
	t.holds = func(cell []byte) (bool, string) {
		at, why := moment(cell)
		return why == "" && !at.IsZero() && met(at.Compare(bound)), why
	}
	return t, nil
}

// tests finds the columns of the conditions.
func (o Options) tests(header []string) []test {
	var all []test
	for _, c := range o.Where {
		t, err := c.test()
		if err != nil {
			panic("ingest: " + err.Error()) // Votes has seen to that
		}
		t.column = find(header, c.Column)
		all = append(all, t)
	}
	return all
}

// meets reports whether a row meets all conditions.
func (w *ballots) meets(rec *record) (bool, *fault) {
	for _, t := range w.tests {
		met, why := t.holds(rec.fields[t.column])
		if why != "" {
			return false, w.fault(t.column, why)
		}
		if !met {
			return false, nil
		}
	}
	return true, nil
}

// conditions names all of several conditions.
func conditions(all []Condition) string {
	var text []string
	for _, c := range all {
		text = append(text, c.String())
	}
	return strings.Join(text, " and ")
}
