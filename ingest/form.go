package ingest

import (
	"fmt"
	"slices"
	"strings"

	"palate"
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

	sided bool      // left and right are sides on which the items were shown
	quick *pairForm // set when a row is nothing but this
	duel  *duel     // set when a row describes its items in place of naming them
	cast  caster    // nil: ratings, gathered by sheets
	rates rater
}

// caster turns a row into votes: it calls w.vote for each, or finds fault with the row.
type caster func(w *ballots, rec *record, by answer) *fault

// forms lists every form; of several that fit a header the first is taken.
func forms() []form {
	all := []form{taskForm(), bestWorstForm()}
	for _, p := range pairForms() {
		all = append(all, p.form())
	}
	all = append(all, duelForms()...)
	return append(all, oneHotForm(), minimalTaskForm(), rankingForm(), placesForm(), ratingForm(), rankForm())
}

// pairForm is a form with one pair a row.
type pairForm struct {
	left, right string // the columns of the two items
	winner      string // the column of the answer; empty when the left item always won
	words       []word // what the answer may say besides the identifier of either item
}

type word struct {
	text    string // in lower case
	outcome palate.Outcome
}

func sides() []word {
	return []word{{"left", palate.Left}, {"right", palate.Right}, {"tie", palate.Tie}, {"skip", palate.Skip}}
}

func pairForms() []pairForm {
	models := []word{{"model_a", palate.Left}, {"model_b", palate.Right}, {"tie", palate.Tie},
		{"tie (bothbad)", palate.Tie}, {"both_bad", palate.Tie}, {"bothbad", palate.Tie}, {"skip", palate.Skip}}
	return []pairForm{
		{"left", "right", "winner", sides()},
		{"left", "right", "label", sides()},      // crowd-kit
		{"model_a", "model_b", "winner", models}, // arena
		{left: "winner", right: "loser"},
		{left: "winner id", right: "loser id"}, // Gavel
		{left: "chosen", right: "rejected"},    // TRL
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
		l := &layout{use: at, pair: at, sided: p.winner != "", quick: &p, cast: p.cast(at)}
		if p.left == "chosen" { // conversations
			l.deep, l.quick = at, nil
		}
		return l
	}}
}

func (p pairForm) cast(at []int) caster {
	return func(w *ballots, rec *record, by answer) *fault {
		left, right, bad := w.pair(rec, at[0], at[1])
		if bad != nil {
			return bad
		}
		outcome := palate.Left
		if len(at) > 2 {
			var why string
			if outcome, why = outcomeOf(p.words, left, right, rec.fields[at[2]]); why != "" {
				return w.fault(at[2], why)
			}
		}
		w.vote(by, left, right, outcome)
		return nil
	}
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
					return w.fault(column, fmt.Sprintf("%s is not 0 or 1", quote(text)))
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
func userColumns() []string {
	return []string{"user", "user_id", "userid", "voter", "voter_id", "worker", "worker_id", "judge", "judge_id", "judge_hash",
		"annotator", "annotator_id", "annotator id", "rater", "rater_id", "ranker"}
}
func weightColumns() []string { return []string{"weight"} }
func timeColumns() []string   { return []string{"time", "timestamp", "tstamp", "created_at"} }
func ballotColumns() []string { return []string{"ballot"} }

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

// split returns the names of the columns in use and of the others.
func split(header []string, used []int) (columns, extra []string) {
	for k, name := range header {
		switch {
		case slices.Contains(used, k):
			columns = append(columns, name)
		case name != "":
			extra = append(extra, name)
		}
	}
	return columns, extra
}

// find returns the place of the first of the names that the header has, or −1.
func find(header []string, names ...string) int {
	for _, name := range names {
		for k, h := range header {
			if strings.EqualFold(h, name) {
				return k
			}
		}
	}
	return -1
}

// places finds all of the names, or returns nil.
func places(header, names []string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		if at[i] = find(header, name); at[i] < 0 {
			return nil
		}
	}
	return at
}

// match finds the form of a header.
func match(header []string) (*layout, *fault) {
	for _, f := range forms() {
		l := f.match(header)
		if l == nil {
			continue
		}
		l.form = f.name
		l.user, l.weight = find(header, userColumns()...), find(header, weightColumns()...)
		l.time, l.ballot = find(header, timeColumns()...), find(header, ballotColumns()...)
		for _, k := range l.columns() {
			if bad := twice(header, k); bad != nil {
				return nil, bad
			}
		}
		if l.rates != nil && l.user < 0 {
			return nil, &fault{"", fmt.Sprintf("%s: ratings need a column user", noColumns(header, []string{"user"}))}
		}
		return l, nil
	}
	var known [][]string
	for _, p := range pairForms() {
		known = append(known, p.required())
	}
	for _, f := range forms() { // of the others, those that are partly there
		if names := strings.Split(f.name, ","); len(missing(header, names)) < len(names) {
			known = append(known, names)
		}
	}
	advice := ""
	if l, r := twins(header); l < 0 && find(header, slices.Concat(append(known, userColumns(), weightColumns(), timeColumns())...)...) < 0 {
		advice = "; the first line has to name the columns"
	} else if l >= 0 {
		known = [][]string{{"left", "right", "winner"}}
		advice = fmt.Sprintf("; %s and %s look like the pair: rename them left and right, and the column that tells who won winner", header[l], header[r])
	}
	return nil, &fault{"", noColumns(header, known...) +
		"; votes are read from left,right,winner or winner,loser and other forms, with optional user, weight, time and ballot" + advice}
}

// twice finds fault with a column in use whose name occurs again.
func twice(header []string, k int) *fault {
	for j, name := range header {
		if j != k && strings.EqualFold(name, header[k]) {
			return &fault{name, "two columns have this name"}
		}
	}
	return nil
}
