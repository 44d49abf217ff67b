package ingest

import (
	"slices"

	"palate"
)

// tally is where the ballots of a file come together.
type tally struct {
	b      *palate.Builder
	report *Report
	opt    Options
	groups map[string]int // ballots of this file by name
	sheets *sheets        // nil when the file is not one of ratings
	held   []held         // rows that wait for the others of their answers
	words  []glossary     // of each column
	usage  usage          // of words
	zones  zones          // of times
	seen   []sighting     // of the columns of conditions
}

// merge adds the votes of a block to a builder, and what was bad to a report.
func (t *tally) merge(w *ballots) error {
	report := t.report
	report.Rows += w.read
	report.Unmet += w.unmet
	report.Sampled += w.sampled
	report.Shared += w.shared
	report.Short += w.short
	if w.first != nil {
		return w.first
	}
	report.Bad += w.report.Bad
	t.usage.join(w.usage)
	t.zones.join(w.zones)
	if t.seen == nil {
		t.seen = make([]sighting, len(w.seen))
	}
	for k := range w.seen {
		t.seen[k].join(&w.seen[k])
	}
	for _, e := range w.report.Examples {
		if len(report.Examples) < t.opt.examples() {
			report.Examples = append(report.Examples, e)
		}
	}
	w.itemOf, w.userOf, w.groupOf = unknown(w.itemOf, len(w.items.ids)), unknown(w.userOf, len(w.users.ids)), w.groupOf[:0]
	for _, id := range w.groups.ids {
		w.groupOf = append(w.groupOf, t.group(id))
	}
	if t.opt.Profiles != nil && w.layout.duel != nil {
		for _, id := range w.items.ids {
			t.opt.Profiles.describe(id, w.profiles[id])
		}
	}
	t.learn(w.block.cells)
	left, right := -1, -1 // columns
	if l := w.layout; l.pair != nil {
		left, right = l.pair[0], l.pair[1]
	}
	for k := range w.votes {
		c := &w.votes[k]
		v := palate.Vote{User: -1, Outcome: c.outcome, Weight: c.weight, Time: c.time, Unsided: !w.layout.sided}
		if c.user != -1 {
			v.User = t.user(w, c.user)
		}
		v.Left, v.Right = t.item(w, c.left, left), t.item(w, c.right, right)
		if c.group >= 0 {
			v.Group = w.groupOf[c.group]
		}
		if err := t.add(int(c.line), v); err != nil {
			return err
		}
		if w.keep != nil {
			report.Lines = append(report.Lines, int(c.line))
			for i := range w.keep {
				report.Kept[i] = append(report.Kept[i], w.kept.ids[w.keptOf[k*len(w.keep)+i]])
			}
		}
	}
	for _, r := range w.rated {
		r.user, r.item = int32(t.user(w, r.user)), int32(t.item(w, r.item, -1))
		t.sheets.add(r)
	}
	t.held = append(t.held, w.held...)
	return nil
}

// user returns the index in the builder of a user of a block.
func (t *tally) user(w *ballots, n int32) int {
	if n < 0 {
		return t.words[w.layout.user].index(n, t.b.User)
	}
	if w.userOf[n] < 0 {
		w.userOf[n] = t.b.User(w.users.ids[n])
	}
	return w.userOf[n]
}

// item returns that of an item, which stands in a column.
func (t *tally) item(w *ballots, n int32, column int) int {
	if n < 0 {
		return t.words[column].index(n, t.b.Item)
	}
	if w.itemOf[n] < 0 {
		w.itemOf[n] = t.b.Item(w.items.ids[n])
	}
	return w.itemOf[n]
}

// unknown returns n times −1.
func unknown[T int | int32](over []T, n int) []T {
	over = slices.Grow(over[:0], n)[:n]
	for i := range over {
		over[i] = -1
	}
	return over
}

// group returns the number of the ballot of this name, a new one for no name.
func (t *tally) group(id string) int {
	if id == "" {
		return t.b.NewGroup()
	}
	g, ok := t.groups[id]
	if !ok {
		g = t.b.NewGroup()
		t.groups[id] = g
	}
	return g
}

func (t *tally) add(line int, v palate.Vote) error {
	var err error
	if t.opt.Sink == nil {
		err = t.b.Add(v)
	} else {
		err = t.sink(v)
	}
	if err != nil {
		return &Error{File: t.report.File, Reason: err.Error(), Err: err}
	}
	t.report.Votes++
	if t.opt.Each != nil {
		t.opt.Each(line, v)
	}
	return nil
}

// sink hands a vote on once it is known to be one.
func (t *tally) sink(v palate.Vote) error {
	if err := t.b.Check(v); err != nil {
		return err
	}
	return t.opt.Sink(v)
}
