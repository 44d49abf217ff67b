package ingest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"palate"
	"palate/internal/wording"
)

// form is one way to write votes in the columns of a table.
type form struct {
	name  string                        // the columns it needs, as people are told
	match func(header []string) *layout // nil when the header is not of this form
}

// layout tells where in a header the parts of a vote are, and how to read a row.
type layout struct {
	form string
	use  []int // the columns that cast reads
	deep []int // those of them that may hold a list or an object

	user, weight, time, ballot int // −1 when there is none

	pair []int // left, right, and the answer if there is one; nil when a row is not a pair

	sided   bool    // left and right are sides on which the items were shown
	quick   bool    // a row is nothing but a pair and the answer
	answers answers // how the answer is to be read
	titles  bool    // the columns have names, which an answer may be
	duel    *duel   // set when a row describes its items in place of naming them
	cast    caster  // nil: a row is the pair, or where rates is set a rating
	rates   rater   // of ratings, gathered by sheets

	gather   gatherer                             // of answers with a row an item
	task     int                                  // the column that says which rows are one answer, −1: the voter does
	survey   func(w *ballots, rows []held) *Error // looks at all rows before they are gathered
	designed bool                                 // a design says which items were shown
}

// caster turns a row into votes: it calls w.vote for each, or finds fault with the row.
type caster func(w *ballots, rec *record, by answer) *fault

// forms lists every form; of several that fit a header the first is taken.
func forms() []form {
	all := []form{taskForm(), bestWorstForm(), twoMarksForm()}
	for _, p := range pairForms() {
		all = append(all, p.form())
	}
	all = append(all, duelForms()...)
	return append(all, oneHotForm(), minimalTaskForm(), choiceForm(), ratingForm(), markedForm(), aboveForm(), rankingForm(), placesForm(), rankForm(), designedForm())
}

// pairForm is a form with one pair a row.
type pairForm struct {
	left, right string // the columns of the two items
	winner      string // the column of the answer; empty when the left item always won
}

func pairForms() []pairForm {
	return []pairForm{
		{"left", "right", "winner"},
		{"left", "right", "label"},       // crowd-kit
		{"model_a", "model_b", "winner"}, // arena
		{left: "winner", right: "loser"},
		{left: "winner_id", right: "loser_id"},                    // Gavel
		{left: "chosen", right: "rejected"},                       // TRL
		{left: "candidate_chosen", right: "candidate_not_chosen"}, // comparative judgement
		{left: "chosen", right: "not_chosen"},
		{left: "won", right: "lost"},
	}
}

// required lists the columns a file of this form must have.
func (p *pairForm) required() []string {
	if p.winner == "" {
		return []string{p.left, p.right}
	}
	return []string{p.left, p.right, p.winner}
}

func (p pairForm) form() form {
	return form{strings.Join(p.required(), ","), func(header []string) *layout {
		at := places(header, p.required())
		if at == nil {
			return nil
		}
		l := &layout{use: at, pair: at, sided: p.winner != "", quick: true}
		if p.right == "rejected" { // conversations
			l.deep, l.quick = at, false
		}
		return l
	}}
}

// oneHotForm has the answer in three columns of 0 and 1.
func oneHotForm() form {
	names := []string{"model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie"}
	return form{strings.Join(names, ","), func(header []string) *layout {
		at := places(header, names)
		if at == nil {
			return nil
		}
		return &layout{use: at, pair: at[:2], sided: true, cast: func(w *ballots, rec *record, by answer) *fault {
			left, right, bad := w.pair(rec, at[0], at[1])
			if bad != nil {
				return bad
			}
			said := -1
			for k, column := range at[2:] {
				switch text := string(rec.fields[column]); text {
				case "1", "1.0", "true", "True":
					if said >= 0 {
						return w.fault(column, "a second answer is marked 1")
					}
					said = k
				case "0", "0.0", "false", "False":
				default:
					return w.fault(column, fmt.Sprintf("%s is not 0 or 1", wording.Quote(text)))
				}
			}
			if said < 0 {
				return w.fault(at[2], "no answer is marked 1: who won?")
			}
			w.vote(by, left, right, palate.Outcome(said))
			return nil
		}}
	}}
}

// The names of columns that any form may have besides; of several the first is taken.
func userColumns() (names []string) {
	for _, who := range []string{"user", "voter", "worker", "judge", "annotator", "rater", "assessor", "participant", "respondent", "evaluator", "ranker"} {
		names = append(names, who, who+"_id", who+"_hash", who+"_name")
	}
	names = append(names, "sys_respnum", "respondent_number", "respnum")
	return names
}
func weightColumns() []string { return []string{"weight"} }
func timeColumns() []string   { return []string{"time", "timestamp", "tstamp", "created_at"} }
func ballotColumns() []string { return []string{"ballot"} }

// OptionalColumns lists the names of each column that any form may have besides its own.
func OptionalColumns() [][]string {
	return [][]string{userColumns(), weightColumns(), timeColumns(), ballotColumns()}
}

// columns lists the columns in use, in the order of the header.
func (l *layout) columns() []int {
	used := slices.Clone(l.use)
	for _, k := range []int{l.user, l.weight, l.time, l.ballot} {
		if k >= 0 && !slices.Contains(used, k) {
			used = append(used, k)
		}
	}
	slices.Sort(used)
	return used
}

// needs tells for each column of the header what it may hold.
func (l *layout) needs(columns int) []need {
	n := make([]need, columns)
	for _, k := range l.columns() {
		n[k] = plainValue
		if (k == l.time || k == l.weight) && !slices.Contains(l.use, k) {
			n[k] = numberValue
		}
	}
	for _, k := range l.deep {
		n[k] = anyValue
	}
	return n
}

// match finds the form of a header, some of whose columns are other than it names them.
func match(header []string, columns Columns) (*layout, *fault) {
	as, at, bad := columns.apply(header)
	if bad != nil {
		return nil, bad
	}
	for _, f := range forms() {
		l := f.match(as)
		if l == nil {
			continue
		}
		l.form, l.answers, l.titles = f.name, columns.answers(), !columns.counted()
		l.user, l.weight = wording.Find(as, userColumns()...), wording.Find(as, weightColumns()...)
		l.time, l.ballot = wording.Find(as, timeColumns()...), wording.Find(as, ballotColumns()...)
		used := l.columns()
		if slices.ContainsFunc(at, func(k int) bool { return !slices.Contains(used, k) }) {
			continue // of another form
		}
		for _, k := range used {
			if bad := twice(as, k); bad != nil {
				return nil, bad
			}
		}
		if l.rates != nil && l.user < 0 {
			return nil, &fault{"", fmt.Sprintf("%s: ratings need a column user", wording.NoColumns(as, []string{"user"}))}
		}
		if l.gather != nil && l.user < 0 && l.task < 0 {
			return nil, &fault{"", fmt.Sprintf("%s: a column task, or user, tells which rows are one answer", wording.NoColumns(as, []string{"task"}))}
		}
		return l, nil
	}
	return nil, &fault{"", formless(header, as, columns)}
}

// formless says why a header is of no form, and what may help.
func formless(header, as []string, columns Columns) string {
	var known [][]string
	for _, p := range pairForms() {
		known = append(known, p.required())
	}
	for _, f := range forms() { // of the others, those that are partly there
		if names := strings.Split(f.name, ","); len(wording.Missing(as, names)) < len(names) {
			known = append(known, names)
		}
	}
	if len(columns) > 0 {
		var roles []string
		for _, n := range columns {
			roles = append(roles, n.title())
		}
		known = slices.DeleteFunc(known, func(names []string) bool { return len(wording.Missing(names, roles)) == len(roles) })
		if len(known) == 0 {
			known = [][]string{{"left", "right", "winner"}, {"winner", "loser"}}
		}
		return fmt.Sprintf("--columns %s: %s; votes need left,right,winner or winner,loser or user,item,rating", columns, wording.NoColumns(as, known...))
	}
	const forms = "; votes are read from left,right,winner or winner,loser and other forms, with optional user, weight, time and ballot"
	l, r := twins(header)
	if l < 0 {
		return wording.NoColumns(header, known...) + forms + "; columns of other names are told by --columns winner=NAME,loser=NAME"
	}
	said := "NAME"
	for k, name := range header {
		for _, part := range []string{"win", "won", "prefer", "better", "best", "choice", "chose", "pick", "answer", "vote", "result", "outcome", "verdict", "label"} {
			if k != l && k != r && strings.Contains(strings.ToLower(name), part) {
				said = name
			}
		}
	}
	guess := Columns{{"left", header[l]}, {"right", header[r]}, {"winner", said}}.String()
	if strings.ContainsAny(guess, " ?!*()[]<>|;&$'\"") {
		guess = strconv.Quote(guess)
	}
	return wording.NoColumns(header, []string{"left", "right", "winner"}) + forms +
		fmt.Sprintf("; %s and %s look like the pair: read it with --columns %s", header[l], header[r], guess)
}
