package ingest

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"palate/internal/wording"
)

// start passes over a byte-order mark and blank lines, and finds the format from the first line.
func (s *source) start() error {
	s.fill(3)
	if bytes.HasPrefix(s.buf, []byte("\ufeff")) {
		s.drop(3)
	}
	blank := 0
	for {
		s.fill(blank + 1)
		if blank < len(s.buf) && (s.buf[blank] == '\n' || s.buf[blank] == '\r' || s.buf[blank] == ' ') {
			if blank++; blank > recordMax {
				return s.fail("nothing but blanks")
			}
			continue
		}
		break
	}
	// Leading blanks of a header line are trimmed with its first name.
	s.drop(bytes.LastIndexByte(s.buf[:blank], '\n') + 1)
	if bytes.HasPrefix(s.buf, []byte("P")) {
		s.fill(4)
		if string(s.buf) == "PAR1" {
			s.format = columnar
			return nil
		}
	}
	s.separatorLine()
	if known, err := s.known(); known || err != nil {
		return err
	}
	first := bytes.TrimLeft(s.buf, " \r")
	if len(first) == 0 {
		if s.err != io.EOF {
			return readError(s.file, s.line, s.err)
		}
		return &Error{File: s.file, Reason: "the file is empty"}
	}
	switch first[0] {
	case '{':
		s.format = objects
		return nil
	case '[':
		s.format = array
		s.drop(len(s.buf) - len(first) + 1)
		return nil
	}
	for n := s.size; s.comma == 0; n *= 2 {
		s.fill(n)
		line, _, ended := bytes.Cut(s.buf, []byte{'\n'})
		if ended || s.err != nil || n >= recordMax {
			s.comma = separator(line)
		}
	}
	return nil
}

// separatorLine takes off a first line such as sep=; by which Excel is told what stands between fields.
func (s *source) separatorLine() {
	s.fill(len(`"sep=;"`) + 2)
	line, _, ended := bytes.Cut(s.buf, []byte{'\n'})
	word := bytes.Trim(bytes.TrimSuffix(line, []byte{'\r'}), `"`)
	if !ended || len(word) != len("sep=;") || !strings.EqualFold(string(word[:4]), "sep=") {
		return
	}
	if c := word[4]; c < utf8.RuneSelf && c != '"' && (unicode.IsPunct(rune(c)) || unicode.IsSymbol(rune(c)) || c == '\t') {
		s.comma = c
		s.drop(len(line) + 1)
	}
}

// locate returns the place of a column that is asked for by name, −1 when there is none. In objects it may be inside
// another, as meta.language, or in later ones only.
func (s *source) locate(name string) int {
	if k := wording.Find(s.header, name); k >= 0 {
		return k
	}
	switch s.format {
	case objects, array:
	case columnar:
		if !s.table.nested(name) {
			return -1
		}
	default:
		return -1
	}
	s.header = append(s.header, name)
	return len(s.header) - 1
}

// names lists the columns that the file has, those inside others too.
func (s *source) names() []string {
	names := slices.Clone(s.header[:s.titles])
	switch s.format {
	case objects, array:
		names = append(names, s.inside...)
	case columnar:
		for _, p := range s.table.f.Schema().Columns() {
			if s.table.leaf(p) {
				names = append(names, strings.Join(p, "."))
			}
		}
	}
	return names
}

// noColumn says that a column that is asked for is not there.
func (s *source) noColumn(name, where string) *Error {
	names := s.names()
	return &Error{File: s.file, Line: s.headerLine, Reason: fmt.Sprintf("no column %s%s; there are %s%s", name, where, wording.Some(names), wording.DidYouMean(name, slices.Values(names)))}
}

// separator returns the one of comma, tab and semicolon that the header has most of, quoted text aside.
func separator(line []byte) byte {
	count := map[byte]int{}
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if !quoted {
			count[c]++
		}
	}
	best := byte(',')
	for _, c := range []byte{'\t', ';'} {
		if count[c] > count[best] {
			best = c
		}
	}
	return best
}

// headings reads the header of separated text.
func (s *source) headings() error {
	line := s.headerLine
	head, err := s.next(block{}, true)
	if err != nil {
		return err
	}
	var rec record
	r := &csvRows{comma: s.comma}
	r.reset(head)
	r.next(&rec)
	if rec.bad != nil {
		return rec.bad.at(s.file, line)
	}
	s.first = head.text
	for _, f := range rec.fields {
		name := strings.TrimSpace(string(f))
		if strings.IndexByte(name, '\r') >= 0 {
			return &Error{File: s.file, Line: line, Reason: "lines end with a carriage return alone: save the file with ordinary line ends"}
		}
		s.header = append(s.header, name)
	}
	return nil
}

// keys takes the keys of the first object as the header. The object stays to be read as a row.
func (s *source) keys() error {
	first, err := s.peek()
	if err != nil {
		return err
	}
	if why := unreadable(first); why != "" {
		return s.fail("the line %s", why)
	}
	if why := notObject(first); why != "" {
		return s.fail("%s", why)
	}
	for key := range members(first) {
		s.header = append(s.header, string(key))
	}
	s.inside = paths(first, "")
	if s.format == array {
		end := len(first)
		s.fill(end + 64) // blanks and the beginning of the next
		end += separators(s.buf[end:])
		s.numbered = end < len(s.buf) && s.buf[end] != ']' && bytes.IndexByte(s.buf[:end], '\n') < 0
	}
	return nil
}
