package ingest

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"palate/internal/wording"
)

// sushiOrders reads orders as the SUSHI data have them: a first line "items 1", then a voter a line,
// "0 count item item …", best first. Voters are numbered from 0.
func (s *source) sushiOrders() error {
	if line, err := s.take(); err != nil && err != io.EOF {
		return err
	} else if len(bytes.Fields([]byte(line))) != 2 {
		return &Error{File: s.file, Line: 1, Reason: fmt.Sprintf("%s is not a number of items followed by 1", wording.Quote(line))}
	}
	first := s.line
	s.sushi("SUSHI orders", "order", func(w *ballots, rec *record, by answer) *fault {
		fields := bytes.Fields(rec.fields[0])
		if len(fields) < 2 || string(fields[0]) != "0" || string(fields[1]) != strconv.Itoa(len(fields)-2) {
			return w.fault(0, fmt.Sprintf("%s does not begin with 0 and the number of items that follow", wording.Quote(rec.fields[0])))
		}
		var places [][][]byte
		for _, id := range fields[2:] {
			if _, err := strconv.Atoi(string(id)); err != nil {
				return w.fault(0, fmt.Sprintf("%s is not the number of an item", wording.Quote(id)))
			}
			places = append(places, [][]byte{id})
		}
		by.user = strconv.AppendInt(nil, int64(rec.line-first), 10)
		if why := w.ranked(rec, by, places); why != "" {
			return w.fault(0, why)
		}
		return nil
	})
	return nil
}

// sushiScores reads a voter a line, with a score for each item and −1 where there is none. Items and voters are
// numbered from 0; items scored alike are not compared.
func (s *source) sushiScores() error {
	first := s.line
	s.sushi("SUSHI scores", "scores", func(w *ballots, rec *record, by answer) *fault {
		var items [][]byte
		var g graded
		for k, text := range bytes.Fields(rec.fields[0]) {
			x, ok := ParseNumber(string(text))
			if !ok {
				return w.fault(0, fmt.Sprintf("score %d, %s, is not a number", k, wording.Quote(text)))
			}
			if x == -1 {
				continue
			}
			items = append(items, strconv.AppendInt(nil, int64(k), 10))
			g.grades = append(g.grades, x)
		}
		by.user = strconv.AppendInt(nil, int64(rec.line-first), 10)
		w.graded(rec, by, &g, items)
		return nil
	})
	return nil
}

func (s *source) sushi(form, column string, cast caster) {
	s.format, s.header = lines, []string{column}
	s.layout = &layout{form: form, use: []int{0}, user: -1, weight: -1, time: -1, ballot: -1, cast: cast}
}
