package ingest

import (
	"bytes"

	"palate"
)

// quickPairs takes down votes of a block of Parquet straight from its columns, as long as rows hold nothing that
// needs a closer look.
type quickPairs struct {
	w                                       *ballots
	rows                                    *parquetRows
	left, right, winner, user, time, weight *cellData // nil where there is no such column
	said                                    []word    // of the words of the winner
}

// quickPairs returns nil when the block at hand has to be read row by row.
func (w *ballots) quickPairs() *quickPairs {
	l := w.layout
	rows, ok := w.rows.(*parquetRows)
	if !ok || !l.quick || l.answers != byEither || l.ballot >= 0 || w.keep != nil || w.tests != nil || w.clock != nil {
		return nil
	}
	q := &quickPairs{w: w, rows: rows}
	at := func(k int) *cellData {
		if k < 0 || !ok {
			return nil
		}
		c := &w.block.cells[k]
		ok = c.clean && c.of != nil && !c.of.list
		return c
	}
	q.left, q.right, q.user, q.time, q.weight = at(l.pair[0]), at(l.pair[1]), at(l.user), at(l.time), at(l.weight)
	if len(l.pair) > 2 {
		q.winner = at(l.pair[2])
	}
	if !ok {
		return nil
	}
	if q.winner != nil {
		for _, word := range q.winner.words {
			q.said = append(q.said, w.vocabulary.said(word))
		}
	}
	return q
}

// cast takes down votes up to a row that needs a closer look, and returns how many.
func (q *quickPairs) cast() int {
	first, line := q.rows.row, int32(q.rows.block.line)
	i := first
	for ; i < q.rows.block.rows; i++ {
		v := numbered{user: -1, group: -1, line: line + int32(i), outcome: palate.Left, weight: 1}
		left, l := q.left.at(i)
		right, r := q.right.at(i)
		if len(left) == 0 || len(right) == 0 || bytes.Equal(left, right) {
			break
		}
		if q.winner != nil {
			if v.outcome = q.outcome(i, left, right); v.outcome == unsaid {
				break
			}
		}
		var why string
		if q.time != nil {
			if v.time, why = q.time.moment(i); why != "" {
				break
			}
		}
		if q.weight != nil {
			if v.weight, why = q.weight.weight(i); why != "" {
				break
			}
		}
		if q.user != nil {
			if user, u := q.user.at(i); len(user) > 0 {
				v.user = q.number(&q.w.users, user, u)
			}
		}
		v.left, v.right = q.number(&q.w.items, left, l), q.number(&q.w.items, right, r)
		q.w.votes = append(q.w.votes, v)
	}
	q.rows.row = i
	return i - first
}

// outcome returns the answer in row i, or unsaid when there is something odd about it.
func (q *quickPairs) outcome(i int, left, right []byte) palate.Outcome {
	answer, code := q.winner.at(i)
	var word word
	if code > 0 {
		word = q.said[code-1]
	} else {
		word = q.w.vocabulary.said(answer)
	}
	switch meant := named(left, right, answer); {
	case word.tongue == 0:
		q.w.usage.named = q.w.usage.named || meant != unsaid
		return meant
	case word.outcome == unsaid:
		return unsaid
	case meant == unsaid:
		q.w.usage.worded |= word.tongue
		return word.outcome
	case word.outcome == meant:
		return meant
	}
	return unsaid
}

func (q *quickPairs) number(l *local, id []byte, code int32) int32 {
	if code > 0 {
		return wordNumber(code)
	}
	return l.add(id)
}

// wordNumber is how a vote tells an identifier that is a word of its column's dictionary, counted from 1.
func wordNumber(code int32) int32 { return -1 - code }

// glossary knows the indices of words in the builder. A dictionary is that of many blocks.
type glossary struct {
	of    *dictionary
	words [][]byte
	known []int32 // −1: not met yet
}

// index returns that of a word, which is new to the builder unless it was met before.
func (g *glossary) index(n int32, add func(string) int) int {
	k := -n - 2
	if g.known[k] < 0 {
		g.known[k] = int32(add(string(g.words[k])))
	}
	return int(g.known[k])
}

// learn opens the glossaries of a block.
func (t *tally) learn(cells []cellData) {
	for len(t.words) < len(cells) {
		t.words = append(t.words, glossary{})
	}
	for k := range cells {
		g, c := &t.words[k], &cells[k]
		if c.book == nil {
			continue
		}
		if g.of != c.book {
			g.of, g.known = c.book, g.known[:0]
		}
		g.words = c.words
		for len(g.known) < len(g.words) {
			g.known = append(g.known, -1)
		}
	}
}
