package ingest

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"palate/internal/wording"
)

// csvRows splits separated text as RFC 4180 says.
type csvRows struct {
	comma  byte
	header []string // nil: any number of fields will do

	text    []byte
	line    int
	clean   bool   // the block is UTF-8 without NUL bytes
	scratch []byte // fields with doubled quotes, unquoted
}

func (r *csvRows) reset(b block) {
	r.text, r.line = b.text, b.line
	r.clean = unreadable(b.text) == ""
}

func (r *csvRows) next(rec *record) bool {
	t := r.text
	i := 0
	for i < len(t) && (t[i] == '\n' || t[i] == '\r' && (i+1 == len(t) || t[i+1] == '\n')) {
		if t[i] == '\n' {
			r.line++
		}
		i++
	}
	if i == len(t) {
		r.text = nil
		return false
	}
	start := i
	rec.line, rec.bad, rec.commas = r.line, nil, r.comma == ';'
	rec.fields = rec.fields[:0]
	r.scratch = r.scratch[:0]
	for {
		var field []byte
		if i < len(t) && t[i] == '"' {
			field, i = r.quoted(rec, i)
		} else {
			from := i
			for i < len(t) && t[i] != r.comma && t[i] != '\n' {
				i++
			}
			field = trim(t[from:i])
		}
		rec.fields = append(rec.fields, field)
		if rec.bad != nil {
			i = r.giveUp(rec, start, i)
		}
		if i == len(t) || t[i] == '\n' {
			break
		}
		i++
	}
	rec.text = bytes.TrimSuffix(t[start:i], []byte{'\r'})
	if i < len(t) {
		i++
		r.line++
	}
	r.text = t[i:]
	if rec.bad == nil {
		r.check(rec)
	}
	return true
}

// giveUp ends a bad row with its first line, lest a stray quote swallow good rows, and returns the line's end.
// When the fault was found beyond, the row is read anew from that line alone, as it would be at the end of a block.
func (r *csvRows) giveUp(rec *record, start, found int) int {
	end := len(r.text)
	if n := bytes.IndexByte(r.text[start:], '\n'); n >= 0 {
		end = start + n
	}
	r.line = rec.line
	if found > end {
		alone := csvRows{comma: r.comma, header: r.header, text: r.text[start:end], line: rec.line}
		alone.next(rec)
	}
	return end
}

// quoted reads the field whose opening quote is at i, and returns it with the place of the separator or line
// end after it. Faults are noted in rec.
func (r *csvRows) quoted(rec *record, i int) ([]byte, int) {
	t := r.text
	i++
	from, kept := i, len(r.scratch)
	doubled := false
	for {
		n := bytes.IndexByte(t[i:], '"')
		if n < 0 {
			r.fault(rec, "the quote is never closed")
			return t[from:], len(t)
		}
		i += n + 1
		if i == len(t) || t[i] != '"' {
			break
		}
		doubled = true
		r.scratch = append(r.scratch, t[from:i]...)
		i++
		from = i
	}
	field := t[from : i-1]
	if doubled {
		r.scratch = append(r.scratch, field...)
		field = r.scratch[kept:]
	}
	r.line += bytes.Count(field, []byte{'\n'})
	after := i
	for i < len(t) && t[i] != r.comma && t[i] != '\n' {
		i++
	}
	if rest := t[after:i]; !blank(rest) {
		r.fault(rec, "%s follows a closing quote; a quote inside a quoted field is written twice", wording.Quote(rest))
	}
	return field, i
}

func (r *csvRows) fault(rec *record, format string, args ...any) {
	if rec.bad == nil {
		rec.bad = &fault{r.column(len(rec.fields)), fmt.Sprintf(format, args...)}
	}
}

func (r *csvRows) column(k int) string {
	if k < len(r.header) {
		return r.header[k]
	}
	return ""
}

func (r *csvRows) check(rec *record) {
	if n := len(rec.fields); r.header != nil && n != len(r.header) {
		counts := fmt.Sprintf("%s where the header has %d", wording.Plural(n, "field"), len(r.header))
		if n < len(r.header) {
			rec.bad = &fault{r.header[n], "is missing: " + counts}
		} else {
			rec.bad = &fault{r.header[len(r.header)-1], fmt.Sprintf("is not the last: %s; a field that holds %q must be quoted", counts, r.comma)}
		}
		return
	}
	if r.clean {
		return
	}
	for k, f := range rec.fields {
		if why := unreadable(f); why != "" {
			rec.bad = &fault{r.column(k), fmt.Sprintf("%s %s", wording.Quote(f), why)}
			return
		}
	}
}

// csvRecord returns the length of the record at the start of the text with its line end, 0 when it does not end.
// It sees records exactly as next does.
func csvRecord(t []byte, comma byte) int {
	for i := 0; i < len(t); {
		closed := 0
		if t[i] == '"' {
			for i++; ; i += 2 {
				n := bytes.IndexByte(t[i:], '"')
				if n < 0 {
					return 0
				}
				i += n
				if i+1 == len(t) || t[i+1] != '"' {
					break
				}
			}
			i++
			closed = i
		}
		for i < len(t) && t[i] != comma && t[i] != '\n' {
			i++
		}
		if closed > 0 && !blank(t[closed:i]) {
			return bytes.IndexByte(t, '\n') + 1
		}
		if i < len(t) && t[i] == '\n' {
			return i + 1
		}
		i++
	}
	return 0
}

// blank reports whether there is nothing to see after a closing quote.
func blank(text []byte) bool { return len(bytes.TrimRight(text, " \r")) == 0 }

// trim drops spaces around an unquoted field, and the carriage return of its line end.
func trim(f []byte) []byte {
	if n := len(f); n == 0 || f[0] > ' ' && f[n-1] > ' ' {
		return f
	}
	return bytes.Trim(f, " \t\r")
}

// unreadable says why bytes are not text, or nothing when they are.
func unreadable(text []byte) string {
	switch {
	case !utf8.Valid(text):
		return "is not UTF-8"
	case bytes.IndexByte(text, 0) >= 0:
		return "holds a NUL byte"
	}
	return ""
}
