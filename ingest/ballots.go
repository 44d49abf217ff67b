package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"palate"
	"palate/internal/wording"
)

// ballots are the votes of one block, with identifiers numbered within the block.
type ballots struct {
	block  block
	rows   rows
	layout *layout
	file   string
	header []string
	opt    Options

	cast []cast // votes of the row at hand, not numbered before the whole row is good
	sets int    // of votes that follow from one answer, in the row at hand

	vocabulary *vocabulary
	usage      usage
	zones      zones
	clock      clock

	tests  []test // of the conditions
	seen   []sighting
	keep   []int // columns whose text is kept
	holds  []int // columns of rows that are held for the others of their answer
	titled bool  // rows are below a line of titles

	items, users, groups    local
	kept                    local
	keptOf                  []int32            // of every vote, the texts of the columns that are kept
	profiles                map[string]profile // of items that rows describe
	votes                   []numbered
	rated                   []rated // instead of votes, when the file is one of ratings
	held                    []held  // instead of votes, when an answer has several rows
	read, unmet, sampled    int
	shared, short           int
	report                  Report // of bad rows only
	first                   *Error // the bad row that ends the reading
	itemOf, userOf, groupOf []int  // index in the builder, filled by merge; −1: not yet
}

// answer is what all votes of a row have in common.
type answer struct {
	user   []byte // empty when unknown
	ballot []byte
	weight float64
	time   time.Time
}

// cast is a vote in the words of the file.
type cast struct {
	answer
	left, right []byte
	outcome     palate.Outcome
	set         int // votes of a row with the same number follow from one answer; 0: on its own
}

// numbered is a vote whose identifiers are numbers of the block, or words of dictionaries.
type numbered struct {
	user, left, right, group, line int32 // user and group −1 when there is none; below: see wordNumber
	outcome                        palate.Outcome
	weight                         float64
	time                           time.Time
}

func newBallots(src *source, l *layout, opt Options) *ballots {
	needs := l.needs(len(src.header))
	keep := src.keep(opt.Keep, needs)
	tests := opt.tests(src.header, l)
	for _, t := range tests {
		needs[t.column] = max(needs[t.column], plainValue)
	}
	clock := opt.clock()
	if clock != nil && l.time >= 0 {
		needs[l.time] = max(needs[l.time], plainValue)
	}
	var sides []string // the names of the columns of a pair
	if l.titles && len(l.pair) > 1 {
		sides = []string{src.header[l.pair[0]], src.header[l.pair[1]]}
	}
	var holds []int
	if l.gather != nil {
		holds = slices.Compact(slices.Sorted(slices.Values(slices.Concat(l.use, keep))))
	}
	return &ballots{
		vocabulary: newVocabulary(l.answers, sides...), clock: clock,
		rows: src.rows(needs), layout: l, file: src.file, header: src.header, opt: opt, tests: tests, keep: keep, holds: holds, titled: src.format == separated,
		items: newLocal(), users: newLocal(), groups: newLocal(), kept: newLocal(),
	}
}

// begin forgets the block before.
func (w *ballots) begin() {
	w.items.reset()
	w.users.reset()
	w.groups.reset()
	w.kept.reset()
	w.keptOf = w.keptOf[:0]
	clear(w.profiles)
	w.votes, w.rated, w.held = w.votes[:0], w.rated[:0], nil
	w.read, w.unmet, w.sampled, w.report, w.first = 0, 0, 0, Report{}, nil
	w.shared, w.short = 0, 0
	w.usage, w.zones, w.seen = usage{}, zones{}, make([]sighting, len(w.tests))
}

func (w *ballots) parse() {
	w.begin()
	w.rows.reset(w.block)
	quick := w.quickPairs()
	var rec record
	for {
		if quick != nil {
			w.read += quick.cast()
		}
		if !w.rows.next(&rec) {
			return
		}
		w.read++
		bad := rec.bad
		if bad == nil {
			bad = w.add(&rec)
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

// add reads one row.
func (w *ballots) add(rec *record) *fault {
	l, by := w.layout, answer{weight: 1}
	if w.titled && w.isHeader(rec) {
		return w.fault(l.use[0], "is the header again, as where files are put one after the other")
	}
	if met, bad := w.meets(rec); bad != nil {
		return bad
	} else if !met {
		w.unmet++
		return nil
	}
	var why string
	if l.weight >= 0 {
		if by.weight, why = rec.weight(l.weight); why != "" {
			return w.fault(l.weight, why)
		}
	}
	if l.time >= 0 {
		if by.time, why = w.moment(rec); why != "" {
			return w.fault(l.time, why)
		}
	}
	if l.user >= 0 {
		by.user = rec.fields[l.user]
	}
	if l.ballot >= 0 {
		by.ballot = rec.fields[l.ballot]
	}
	switch {
	case l.rates != nil:
		return l.rates(w, rec, by)
	case l.gather != nil:
		return w.hold(rec, by)
	}
	if l.cast == nil {
		left, right, outcome, bad := w.said(rec)
		if bad == nil {
			w.take(rec, &by, left, right, outcome, -1)
		}
		return bad
	}
	w.cast, w.sets = w.cast[:0], 0
	if bad := l.cast(w, rec, by); bad != nil {
		return bad
	}
	w.settle(rec)
	return nil
}

// settle numbers the votes that were cast: all of the answer, or answers, is good.
func (w *ballots) settle(rec *record) {
	before := int32(len(w.groups.ids)) - 1 // group of set 0
	for range w.sets {
		w.groups.fresh()
	}
	for k := range w.cast {
		c, group := &w.cast[k], int32(-1)
		if c.set > 0 {
			group = before + int32(c.set)
		}
		w.take(rec, &c.answer, c.left, c.right, c.outcome, group)
	}
}

// take takes down a vote of a good row. Its ballot goes before the group.
func (w *ballots) take(rec *record, by *answer, left, right []byte, outcome palate.Outcome, group int32) {
	l := w.layout
	v := numbered{user: -1, group: group, line: int32(rec.line), outcome: outcome, weight: by.weight, time: by.time}
	if len(by.ballot) > 0 {
		v.group = w.groups.add(by.ballot)
	}
	if len(by.user) > 0 {
		v.user = w.number(&w.users, rec, l.user, by.user)
	}
	for _, column := range w.keep {
		w.keptOf = append(w.keptOf, w.kept.add(rec.number(column)))
	}
	if l.pair != nil {
		v.left, v.right = w.number(&w.items, rec, l.pair[0], left), w.number(&w.items, rec, l.pair[1], right)
	} else {
		v.left, v.right = w.items.add(left), w.items.add(right)
	}
	w.votes = append(w.votes, v)
}

// moment reads the time of a row.
func (w *ballots) moment(rec *record) (time.Time, string) {
	if w.clock != nil {
		return w.clock(rec.fields[w.layout.time])
	}
	t, why := rec.moment(w.layout.time)
	if rec.cells == nil && why == "" {
		w.zones.add(rec.fields[w.layout.time], rec.line)
	}
	return t, why
}

// number numbers the identifier in a column. That of a word of the column's dictionary is known already.
func (w *ballots) number(l *local, rec *record, column int, id []byte) int32 {
	if rec.codes == nil || column < 0 || rec.codes[column] <= 0 || !bytes.Equal(id, rec.fields[column]) {
		return l.add(id)
	}
	return wordNumber(rec.codes[column])
}

// isHeader reports whether a row has the names of its columns in the place of values.
func (w *ballots) isHeader(rec *record) bool {
	for _, k := range w.layout.use {
		if len(rec.fields[k]) != len(w.header[k]) || !strings.EqualFold(string(rec.fields[k]), w.header[k]) {
			return false
		}
	}
	return true
}

// vote takes down a vote of the row at hand.
func (w *ballots) vote(by answer, left, right []byte, outcome palate.Outcome) {
	w.cast = append(w.cast, cast{answer: by, left: left, right: right, outcome: outcome})
}

// together makes one set of the votes from the given one on, when there are several.
func (w *ballots) together(from int) {
	if len(w.cast)-from < 2 {
		return
	}
	w.sets++
	for k := range w.cast[from:] {
		w.cast[from+k].set = w.sets
	}
}

// said returns the two items of a row and what it says of them; where there is no column for that, the left one won.
func (w *ballots) said(rec *record) (left, right []byte, outcome palate.Outcome, bad *fault) {
	at := w.layout.pair
	if left, right, bad = w.pair(rec, at[0], at[1]); bad != nil || len(at) < 3 {
		return left, right, palate.Left, bad
	}
	outcome, why := w.outcome(rec, at[2], left, right, rec.fields[at[2]])
	if why != "" {
		bad = w.fault(at[2], why)
	}
	return left, right, outcome, bad
}

// pair returns the two items of a row.
func (w *ballots) pair(rec *record, l, r int) (left, right []byte, bad *fault) {
	if left, bad = w.item(rec, l); bad != nil {
		return nil, nil, bad
	}
	if right, bad = w.item(rec, r); bad != nil {
		return nil, nil, bad
	}
	if string(left) == string(right) {
		return nil, nil, w.fault(r, fmt.Sprintf("%s against itself", wording.Quote(left)))
	}
	return left, right, nil
}

// item returns the item in a column; a conversation stands for its last message.
func (w *ballots) item(rec *record, k int) ([]byte, *fault) {
	id := rec.fields[k]
	if rec.deep(k) {
		var why string
		if id, why = lastMessage(id); why != "" {
			return nil, w.fault(k, why)
		}
	}
	if len(id) == 0 {
		return nil, w.fault(k, "is empty")
	}
	return id, nil
}

func (w *ballots) fault(column int, reason string) *fault { return &fault{w.header[column], reason} }
