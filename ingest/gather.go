package ingest

import (
	"context"
	"fmt"
	"slices"

	"palate/internal/wording"
)

// gatherer turns the rows of an answer that has one for each of its items into votes, as a caster does with a row, or
// finds fault with one of them.
type gatherer func(w *ballots, a *gathered) *fault

// held is a row that waits for the others of its answer.
type held struct {
	user, task string
	line       int
	by         answer   // without the user
	cells      []string // of the columns that are held
}

// gathered is an answer with all of its rows.
type gathered struct {
	rows []held
	rec  record // of the first row, for what is kept of it
	by   answer
	at   int // the row that is looked at, which is at fault if any is
}

// taskColumns are names of the column that says, beside the voter, which rows are one answer.
func taskColumns() []string {
	return []string{"task", "task_id", "set", "set_id", "choice_set", "question", "question_id", "answer_id", "chid", "trial", "screen", "ballot"}
}

// itemColumn finds the column of the one item of a row.
func itemColumn(header []string) int {
	return wording.Find(header, "item", "item_id", "itemid", "movie", "movie_id", "movieid", "product", "product_id", "alternative", "alt", "option")
}

// gathers is the layout of a form with a row an item.
func gathers(header []string, from gatherer, use ...int) *layout {
	l := &layout{gather: from, task: wording.Find(header, taskColumns()...)}
	if l.use = use; l.task >= 0 && !slices.Contains(use, l.task) {
		l.use = append(l.use, l.task)
	}
	return l
}

// hold keeps a row until the file has ended.
func (w *ballots) hold(rec *record, by answer) *fault {
	l, h := w.layout, held{line: rec.line, by: by}
	if l.task >= 0 {
		if len(rec.fields[l.task]) == 0 {
			return w.fault(l.task, "is empty: which rows are one answer?")
		}
		h.task = w.word(rec.fields[l.task])
	} else if len(by.user) == 0 {
		return w.fault(l.user, "is empty: whose answer is it?")
	}
	h.user, h.by.user, h.by.ballot = w.word(by.user), nil, nil
	for _, k := range w.holds {
		h.cells = append(h.cells, w.word(rec.fields[k]))
	}
	w.held = append(w.held, h)
	return nil
}

// word returns text that lasts, the same for all that is equal in a block.
func (w *ballots) word(text []byte) string { return w.kept.ids[w.kept.add(text)] }

// cell is what a row of an answer has in a column.
func (w *ballots) cell(a *gathered, row, column int) []byte {
	a.at = row
	return []byte(a.rows[row].cells[slices.Index(w.holds, column)])
}

// gather casts the votes of answers that have several rows each, in the order of their first ones.
func (t *tally) gather(ctx context.Context, w *ballots) error {
	if survey := w.layout.survey; survey != nil {
		if err := survey(w, t.held); err != nil {
			return err
		}
	}
	type key struct{ user, task string }
	index := map[key]int{}
	var all [][]held
	for _, h := range t.held {
		k, ok := index[key{h.user, h.task}]
		if !ok {
			k = len(all)
			index[key{h.user, h.task}] = k
			all = append(all, nil)
		}
		all[k] = append(all[k], h)
	}
	t.held, w.block = nil, block{}
	w.begin()
	for k, rows := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		if bad, line := w.answer(rows); bad != nil {
			e := bad.at(w.file, line)
			if !w.opt.SkipBad {
				return e
			}
			w.report.bad(e, w.opt.examples())
			w.report.Bad += len(rows) - 1
		}
		if k == len(all)-1 || len(w.votes) > 1<<14 {
			if err := t.merge(w); err != nil {
				return err
			}
			w.begin()
		}
		all[k] = nil
	}
	return nil
}

// answer casts the votes of the rows of one answer. Its time is the last of theirs.
func (w *ballots) answer(rows []held) (bad *fault, line int) {
	a := &gathered{rows: rows, by: rows[0].by}
	a.by.user = []byte(rows[0].user)
	a.rec = record{line: rows[0].line, fields: make([][]byte, len(w.header))}
	for i, k := range w.holds {
		a.rec.fields[k] = []byte(rows[0].cells[i])
	}
	for k, h := range rows {
		if h.by.weight != a.by.weight {
			return w.fault(w.layout.weight, fmt.Sprintf("is %g, and %g on line %d of the same answer", h.by.weight, a.by.weight, rows[0].line)), rows[k].line
		}
		if h.by.time.After(a.by.time) {
			a.by.time = h.by.time
		}
	}
	w.cast, w.sets = w.cast[:0], 0
	if bad := w.layout.gather(w, a); bad != nil {
		return bad, rows[a.at].line
	}
	w.settle(&a.rec)
	return nil, 0
}

// listed returns the items of an answer, each of which has a row, if there are enough of them.
func (w *ballots) listed(a *gathered, column, least int) (items [][]byte, bad *fault) {
	first := map[string]int{}
	for k, h := range a.rows {
		id := w.cell(a, k, column)
		line, again := first[string(id)]
		switch {
		case len(id) == 0:
			return nil, w.fault(column, "is empty")
		case again:
			return nil, w.fault(column, fmt.Sprintf("%s is on line %d of the same answer already%s", wording.Quote(id), line, w.apart()))
		}
		first[string(id)] = h.line
		items = append(items, id)
	}
	if a.at = 0; len(items) < least {
		return nil, w.fault(column, "1 item: it takes two to compare")
	}
	return items, nil
}

// apart says how several answers of a voter are told apart where nothing does.
func (w *ballots) apart() string {
	if w.layout.task >= 0 {
		return ""
	}
	return "; a column task tells several answers of a voter apart"
}
