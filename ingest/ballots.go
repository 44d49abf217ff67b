package ingest

import (
	"fmt"
	"time"

	"palate"
)

// ballots are the votes of one block, with identifiers numbered within the block.
type ballots struct {
	block  block
	rows   rows
	layout *layout
	file   string
	header []string
	opt    Options

	items, users   local
	user           []int32 // −1 for unknown
	left, right    []int32
	outcome        []palate.Outcome
	weight         []float64   // nil when the file has no weights
	time           []time.Time // nil when the file has no times
	read           int
	report         Report // of bad rows only
	first          *Error // the bad row that ends the reading
	itemOf, userOf []int  // index in the builder, filled by mergeTo
}

// local numbers identifiers in order of appearance.
type local struct {
	index map[string]int32
	ids   []string
}

func (l *local) add(id []byte) int32 {
	if k, ok := l.index[string(id)]; ok {
		return k
	}
	s, k := string(id), int32(len(l.ids))
	l.ids = append(l.ids, s)
	l.index[s] = k
	return k
}

func (l *local) reset() {
	clear(l.index)
	clear(l.ids)
	l.ids = l.ids[:0]
}

func newBallots(src *source, l *layout, opt Options) *ballots {
	want := make([]bool, len(src.header))
	for _, k := range l.columns() {
		want[k] = true
	}
	return &ballots{
		rows: src.rows(want), layout: l, file: src.file, header: src.header, opt: opt,
		items: local{index: map[string]int32{}}, users: local{index: map[string]int32{}},
	}
}

func (w *ballots) parse() {
	w.items.reset()
	w.users.reset()
	w.user, w.left, w.right, w.outcome = w.user[:0], w.left[:0], w.right[:0], w.outcome[:0]
	w.weight, w.time = w.weight[:0], w.time[:0]
	w.read, w.report, w.first = 0, Report{}, nil
	w.rows.reset(w.block)
	var rec record
	for w.rows.next(&rec) {
		w.read++
		bad := rec.bad
		if bad == nil {
			bad = w.add(rec.fields)
		}
		if bad == nil {
			continue
		}
		e := bad.at(w.file, rec.line)
		if !w.opt.SkipBad {
			w.first = e
			return
		}
		w.report.bad(e, w.opt.examples())
	}
}

// add takes a row, or finds fault with it and takes nothing.
func (w *ballots) add(fields [][]byte) *fault {
	l := w.layout
	left, right := fields[l.left], fields[l.right]
	switch {
	case len(left) == 0:
		return w.fault(l.left, "is empty")
	case len(right) == 0:
		return w.fault(l.right, "is empty")
	case string(left) == string(right):
		return w.fault(l.right, fmt.Sprintf("%s against itself", quote(left)))
	}
	outcome := palate.Left
	if l.winner >= 0 {
		var why string
		if outcome, why = l.form.outcome(left, right, fields[l.winner]); why != "" {
			return w.fault(l.winner, why)
		}
	}
	var mass float64
	if l.weight >= 0 {
		var why string
		if mass, why = weight(fields[l.weight]); why != "" {
			return w.fault(l.weight, why)
		}
	}
	var at time.Time
	if l.time >= 0 {
		var why string
		if at, why = moment(fields[l.time]); why != "" {
			return w.fault(l.time, why)
		}
	}
	user := int32(-1)
	if l.user >= 0 && len(fields[l.user]) > 0 {
		user = w.users.add(fields[l.user])
	}
	w.user = append(w.user, user)
	w.left = append(w.left, w.items.add(left))
	w.right = append(w.right, w.items.add(right))
	w.outcome = append(w.outcome, outcome)
	if l.weight >= 0 {
		w.weight = append(w.weight, mass)
	}
	if l.time >= 0 {
		w.time = append(w.time, at)
	}
	return nil
}

func (w *ballots) fault(column int, reason string) *fault { return &fault{w.header[column], reason} }

// mergeTo adds the votes to a builder, and what was bad to a report.
func (w *ballots) mergeTo(b *palate.Builder, report *Report, opt Options) error {
	report.Rows += w.read
	if w.first != nil {
		return w.first
	}
	report.Bad += w.report.Bad
	for _, e := range w.report.Examples {
		if len(report.Examples) < opt.examples() {
			report.Examples = append(report.Examples, e)
		}
	}
	w.itemOf, w.userOf = w.itemOf[:0], w.userOf[:0]
	for _, id := range w.items.ids {
		w.itemOf = append(w.itemOf, b.Item(id))
	}
	for _, id := range w.users.ids {
		w.userOf = append(w.userOf, b.User(id))
	}
	for k, o := range w.outcome {
		v := palate.Vote{User: -1, Left: w.itemOf[w.left[k]], Right: w.itemOf[w.right[k]], Outcome: o, Weight: 1}
		if u := w.user[k]; u >= 0 {
			v.User = w.userOf[u]
		}
		if w.layout.weight >= 0 {
			v.Weight = w.weight[k]
		}
		if w.layout.time >= 0 {
			v.Time = w.time[k]
		}
		if err := b.Add(v); err != nil {
			return &Error{File: w.file, Reason: err.Error(), Err: err}
		}
	}
	return nil
}
