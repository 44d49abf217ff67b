package ingest

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"palate/internal/wording"
)

// questionRows takes off the two rows that an export of Qualtrics has below its header: the texts of questions, and
// what their columns are to an import, such as {"ImportId":"QID1_1"}.
func (s *source) questionRows() {
	for size := max(s.size, 1<<16); ; size *= 2 {
		s.fill(size)
		first := csvRecord(s.buf, s.comma)
		second := csvRecord(s.buf[first:], s.comma)
		if (first == 0 || second == 0) && s.err == nil && size < recordMax {
			continue
		}
		if first == 0 || second == 0 || !bytes.Contains(s.buf[first:first+second], []byte("ImportId")) {
			return
		}
		var texts []string
		var rec record
		r := &csvRows{comma: s.comma}
		r.reset(block{text: s.buf[:first+second], line: s.line})
		for r.next(&rec); texts == nil; r.next(&rec) {
			for _, f := range rec.fields {
				texts = append(texts, string(f))
			}
		}
		if len(texts) == len(s.header) && !slices.ContainsFunc(rec.fields, func(f []byte) bool { return !bytes.HasPrefix(f, []byte("{")) }) {
			s.texts = texts
			s.drop(first + second)
		}
		return
	}
}

// question is one of an export with a column for each of its items.
type question struct {
	name  string
	items [][]byte
	at    []int    // the columns of the items
	ids   []string // their numbers in the question
	order int      // the column that lists which were displayed, −1: there is none
	shown []int    // columns by item, with its place on the screen or nothing; nil: there are none
	ranks bool     // else it asks for the best and the worst
}

var questionColumn = regexp.MustCompile(`^(.+?)(_DO)?_([0-9]+)$`)

// questions finds those of an export that have several items.
func (s *source) questions() (all []question) {
	index := map[string]int{}
	display := map[string]map[string]int{}
	for k, name := range s.header {
		m := questionColumn.FindStringSubmatch(name)
		switch {
		case m == nil:
		case m[2] != "":
			if display[m[1]] == nil {
				display[m[1]] = map[string]int{}
			}
			display[m[1]][m[3]] = k
		default:
			n, ok := index[m[1]]
			if !ok {
				n = len(all)
				index[m[1]] = n
				order := slices.IndexFunc(s.header, func(h string) bool { return h == m[1]+"_DO" || h == "DO-Q-"+m[1] })
				all = append(all, question{name: m[1], order: order})
			}
			all[n].at, all[n].ids = append(all[n].at, k), append(all[n].ids, m[3])
		}
	}
	all = slices.DeleteFunc(all, func(q question) bool { return len(q.at) < 2 })
	for i := range all {
		q := &all[i]
		for k, id := range itemTexts(s.texts, q.at) {
			q.items = append(q.items, []byte(id))
			if at, ok := display[q.name][q.ids[k]]; ok {
				q.shown = append(q.shown, at)
			}
		}
		if len(q.shown) < len(q.at) {
			q.shown = nil
		}
	}
	return all
}

// itemTexts are what follows on the text of the question, and a dash, that all of some columns have.
func itemTexts(texts []string, at []int) (items []string) {
	common := texts[at[0]]
	for _, k := range at {
		for !strings.HasPrefix(texts[k], common) {
			common = common[:len(common)-1]
		}
	}
	from := strings.LastIndex(common, "-") + 1
	if n := strings.LastIndex(common, " - "); n >= 0 {
		from = n + 3
	}
	for _, k := range at {
		items = append(items, strings.TrimSpace(texts[k][from:]))
	}
	return items
}

// qualtrics is the layout of the questions that columns name.
func (s *source) qualtrics(columns Columns) (*layout, *fault) {
	l := &layout{form: "Qualtrics", weight: -1, ballot: -1,
		user: wording.Find(s.header, append(userColumns(), "response_id")...), time: wording.Find(s.header, append(timeColumns(), "recorded_date", "end_date")...)}
	known, asked := s.questions(), []question(nil)
	for _, n := range columns {
		if n.Role != "best-worst" && n.Role != "ranking" {
			k := wording.Find(s.header, n.Column)
			to := map[string]*int{"user": &l.user, "time": &l.time, "weight": &l.weight}[n.Role]
			if !n.code() && (to == nil || k < 0) {
				return nil, &fault{"", fmt.Sprintf("--columns %s=%s: an export of Qualtrics has columns of user, time and weight, and questions of best-worst and ranking", n.Role, n.Column)}
			}
			if to != nil {
				*to = k
			}
			continue
		}
		for name := range strings.SplitSeq(n.Column, "|") {
			k := slices.IndexFunc(known, func(q question) bool { return strings.EqualFold(q.name, strings.TrimSpace(name)) })
			if k < 0 {
				return nil, &fault{"", fmt.Sprintf("--columns %s=%s: no question %s has an item a column; there %s", n.Role, n.Column, wording.Quote(name), questionNames(known))}
			}
			q := known[k]
			q.ranks = n.Role == "ranking"
			asked = append(asked, q)
		}
	}
	if asked == nil {
		return nil, &fault{"", fmt.Sprintf("an export of Qualtrics: say which questions rank items, with --columns ranking=NAME, or ask for the best and the worst, with --columns 'best-worst=NAME|NAME'; there %s", questionNames(known))}
	}
	for _, q := range asked {
		if why := distinct(q.items); why != "" {
			return nil, &fault{s.header[q.at[0]], why}
		}
		if l.use = append(l.use, q.at...); q.order >= 0 {
			l.use = append(l.use, q.order)
		}
		l.use = append(l.use, q.shown...)
	}
	l.cast = func(w *ballots, rec *record, by answer) *fault {
		for i := range asked {
			if bad := asked[i].cast(w, rec, by); bad != nil {
				return bad
			}
		}
		return nil
	}
	return l, nil
}

// questionNames says which questions there are.
func questionNames(all []question) string {
	var names []string
	for _, q := range all {
		names = append(names, fmt.Sprintf("%s of %d items", q.name, len(q.at)))
	}
	if len(names) == 0 {
		return "is no question with an item a column"
	}
	return "are " + strings.Join(names, ", ")
}

// cast casts the votes of one question, if it was answered.
func (q *question) cast(w *ballots, rec *record, by answer) *fault {
	if !slices.ContainsFunc(q.at, func(k int) bool { return len(rec.fields[k]) > 0 }) {
		return nil
	}
	var items, cells [][]byte
	var at []int
	for k, id := range q.items {
		seen := true
		switch {
		case q.shown != nil:
			seen = len(rec.fields[q.shown[k]]) > 0
		case q.order >= 0 && len(rec.fields[q.order]) > 0:
			seen = slices.ContainsFunc(bytes.Split(rec.fields[q.order], []byte{'|'}), func(one []byte) bool {
				one = bytes.TrimSpace(one)
				return string(one) == q.ids[k] || bytes.Equal(one, id)
			})
		}
		switch {
		case seen:
			items, cells, at = append(items, id), append(cells, rec.fields[q.at[k]]), append(at, q.at[k])
		case len(rec.fields[q.at[k]]) > 0:
			return w.fault(q.at[k], fmt.Sprintf("%s is answered and was not displayed", wording.Quote(id)))
		}
	}
	if why := distinct(items); why != "" {
		return w.fault(q.at[0], why)
	}
	if q.ranks {
		places, k, why := readPlaces(items, cells)
		if why == "" {
			k, why = 0, w.ordered(rec, by, places, !w.opt.Unordered, items)
		}
		if why != "" {
			return w.fault(at[k], why)
		}
		return nil
	}
	return q.bestWorst(w, by, items, cells, at)
}

// bestWorst casts the votes of a question that marks the best and the worst.
func (q *question) bestWorst(w *ballots, by answer, items, cells [][]byte, at []int) *fault {
	code := w.opt.Columns.bestCode()
	var said [isBoth][]byte // by mark
	for k, text := range cells {
		m, ok := readMark(text, code)
		if _, number := ParseNumber(string(text)); number && code == "" {
			return w.fault(at[k], fmt.Sprintf("%s does not say whether it marks the best or the worst: export choice text, or name the code of the best with --columns best-code=CODE", wording.Quote(text)))
		}
		switch {
		case !ok:
			return w.fault(at[k], fmt.Sprintf("%s is neither best nor worst, most nor least", wording.Quote(text)))
		case m != unmarked && said[m] != nil:
			return w.fault(at[k], fmt.Sprintf("%s, and %s has the same answer %s", wording.Quote(items[k]), wording.Quote(said[m]), wording.Quote(text)))
		case m != unmarked:
			said[m] = items[k]
		}
	}
	w.picked(by, items, said[isBest], said[isWorst], "")
	return nil
}
