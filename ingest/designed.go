package ingest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"palate/internal/wording"
)

// designedForm has the answers to tasks whose items are in a design: a respondent a row, with columns of the best and
// the worst of every task, or a task a row. The answers name items, or count the places that these had on the screen.
func designedForm() form {
	return form{"task,best,worst", func(header []string) *layout {
		d := &designed{version: wording.Find(header, versionColumns()...), task: -1}
		if d.asked = askedColumns(header); len(d.asked) == 0 {
			one := asked{best: wording.Find(header, "best", "most"), worst: wording.Find(header, "worst", "least"), above: anchorColumn(header)}
			d.task = wording.Find(header, taskColumns()...)
			if one.best < 0 || one.worst < 0 || d.task < 0 {
				return nil
			}
			d.asked = []asked{one}
		}
		var use []int
		for _, a := range d.asked {
			use = append(use, a.columns()...)
		}
		for _, k := range []int{d.version, d.task} {
			if k >= 0 {
				use = append(use, k)
			}
		}
		return &layout{gather: d.cast, survey: d.settle, task: d.task, use: use, designed: true}
	}}
}

// designed are columns of answers to tasks of a design.
type designed struct {
	version, task int // −1: there is none
	asked         []asked
	places        bool // answers count places
}

// asked are the columns of one task; −1: there is none.
type asked struct {
	number             string
	best, worst, above int
}

func (a *asked) columns() []int {
	return slices.DeleteFunc([]int{a.best, a.worst, a.above}, func(k int) bool { return k < 0 })
}

var lettersOrDigits = regexp.MustCompile(`[a-z]+|[0-9]+`)

// askedColumns finds columns whose names are those of a task with a number, and best or worst, as Best1, MD_1_W or
// most 1 are.
func askedColumns(header []string) (all []asked) {
	index := map[string]int{}
	for k, name := range header {
		number, part := "", ""
		var rest []string
		for _, word := range lettersOrDigits.FindAllString(strings.ToLower(name), -1) {
			switch {
			case slices.Contains([]string{"best", "most", "b"}, word):
				part = "best"
			case slices.Contains([]string{"worst", "least", "w"}, word):
				part = "worst"
			case slices.Contains([]string{"anchor", "important", "dual"}, word):
				part = "above"
			default:
				if rest = append(rest, word); word[0] <= '9' {
					number = word
				}
			}
		}
		if part == "" || number == "" {
			continue
		}
		key := strings.Join(rest, " ")
		n, ok := index[key]
		if !ok {
			n = len(all)
			index[key] = n
			all = append(all, asked{number, -1, -1, -1})
		}
		*map[string]*int{"best": &all[n].best, "worst": &all[n].worst, "above": &all[n].above}[part] = k
	}
	return slices.DeleteFunc(all, func(a asked) bool { return a.best < 0 && a.worst < 0 })
}

// shown returns the items of a task that a row answers.
func (d *designed) shown(w *ballots, a *gathered, q *asked) ([][]byte, *fault) {
	version, task, column := "", q.number, q.columns()[0]
	if d.version >= 0 {
		version, column = string(w.cell(a, 0, d.version)), d.version
	}
	if d.task >= 0 {
		task, column = string(w.cell(a, 0, d.task)), d.task
	}
	items, why := w.opt.Design.set(version, task)
	if why != "" {
		return nil, w.fault(column, why)
	}
	return items, nil
}

// inPlace returns the item at the place of a set that a number tells, nil if it is none.
func inPlace(items [][]byte, text []byte) []byte {
	n, err := strconv.Atoi(strings.TrimSuffix(string(text), ".0"))
	if err != nil || n < 1 || n > len(items) {
		return nil
	}
	return items[n-1]
}

// settle finds out whether answers count places: more of them can be places than names.
func (d *designed) settle(w *ballots, rows []held) *Error {
	names, places, differ := 0, 0, (*Error)(nil)
	for k := range rows {
		a := &gathered{rows: rows[k : k+1]}
		for i := range d.asked {
			items, bad := d.shown(w, a, &d.asked[i])
			if bad != nil {
				continue
			}
			for _, column := range []int{d.asked[i].best, d.asked[i].worst} {
				if column < 0 {
					continue
				}
				text := w.cell(a, 0, column)
				at, named := inPlace(items, text), slices.ContainsFunc(items, func(id []byte) bool { return bytes.Equal(id, text) })
				if at != nil {
					places++
				}
				if named {
					names++
				}
				if named && at != nil && !bytes.Equal(at, text) && differ == nil {
					differ = w.fault(column, fmt.Sprintf("%s may be an item or the place of one, and so may all answers: name items in the design by words", wording.Quote(text))).at(w.file, rows[k].line)
					differ.Err = errTwoReadings
				}
			}
		}
	}
	if d.places = places > names; places == names && differ != nil {
		return differ
	}
	return nil
}

// cast casts the votes of a row. A task without an answer was not answered.
func (d *designed) cast(w *ballots, a *gathered) *fault {
	if len(a.rows) > 1 {
		a.at = 1
		column := d.task
		if column < 0 {
			column = w.layout.user
		}
		return w.fault(column, fmt.Sprintf("%s is on line %d already", wording.Quote(a.rows[1].user+a.rows[1].task), a.rows[0].line))
	}
	for i := range d.asked {
		q := &d.asked[i]
		items, bad := d.shown(w, a, q)
		if bad != nil {
			return bad
		}
		said := map[int][]byte{}
		for _, column := range []int{q.best, q.worst} {
			if column < 0 {
				continue
			}
			text := w.cell(a, 0, column)
			if d.places && inPlace(items, text) != nil {
				text = inPlace(items, text)
			}
			if len(text) == 0 {
				continue
			}
			if !slices.ContainsFunc(items, func(id []byte) bool { return bytes.Equal(id, text) }) {
				return w.fault(column, fmt.Sprintf("%s is not one of the items of the task: %s", wording.Quote(text), bytes.Join(items, []byte(", "))))
			}
			said[column] = text
		}
		best, worst, above := said[q.best], said[q.worst], ""
		if best != nil && bytes.Equal(best, worst) {
			return w.fault(q.worst, fmt.Sprintf("%s is best and worst", wording.Quote(worst)))
		}
		if q.above >= 0 {
			var why string
			if above, why = readAbove(w.cell(a, 0, q.above)); why != "" {
				return w.fault(q.above, why)
			}
		}
		if best == nil && worst == nil {
			continue
		}
		w.picked(a.by, items, best, worst, above)
	}
	return nil
}
