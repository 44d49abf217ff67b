package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
)

// jsonRows reads one object a line; keys are columns.
type jsonRows struct {
	header []string
	column map[string]int
	want   []bool // columns that must hold plain values; nil: all
	seen   []int  // line at which each column was last set

	text  []byte
	line  int
	clean bool
}

func newJSONRows(header []string, want []bool) *jsonRows {
	r := &jsonRows{header: header, column: map[string]int{}, want: want, seen: make([]int, len(header))}
	for k, name := range header {
		if _, ok := r.column[name]; !ok {
			r.column[name] = k
		}
	}
	return r
}

func (r *jsonRows) reset(b block) {
	r.text, r.line = b.text, b.line-1
	r.clean = unreadable(b.text) == ""
	clear(r.seen)
}

func (r *jsonRows) next(rec *record) bool {
	for len(r.text) > 0 {
		var line []byte
		line, r.text, _ = bytes.Cut(r.text, []byte{'\n'})
		r.line++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		rec.line, rec.text, rec.bad = r.line, line, nil
		rec.fields = append(rec.fields[:0], make([][]byte, len(r.header))...)
		r.split(rec)
		return true
	}
	return false
}

func (r *jsonRows) split(rec *record) {
	if !r.clean {
		if why := unreadable(rec.text); why != "" {
			rec.bad = &fault{"", "the line " + why}
			return
		}
	}
	if why := notObject(rec.text); why != "" {
		rec.bad = &fault{"", why}
		return
	}
	for key, value := range members(rec.text) {
		k, ok := r.column[string(key)]
		if !ok {
			continue
		}
		if r.seen[k] == rec.line {
			rec.bad = &fault{r.header[k], "the key stands twice in the object"}
			return
		}
		r.seen[k] = rec.line
		switch value[0] {
		case '"':
			text := unquote(value)
			if bytes.IndexByte(text, 0) >= 0 {
				rec.bad = &fault{r.header[k], fmt.Sprintf("%s holds a NUL byte", quote(text))}
				return
			}
			rec.fields[k] = text
		case '{', '[':
			if r.want == nil || r.want[k] {
				rec.bad = &fault{r.header[k], fmt.Sprintf("%s is not a plain value", quote(value))}
				return
			}
		case 'n': // null is the same as no value
		default:
			rec.fields[k] = value
		}
	}
}

// notObject says why a line is not a JSON object, or nothing when it is.
func notObject(line []byte) string {
	if !json.Valid(line) {
		var any json.RawMessage
		return fmt.Sprintf("not a JSON object: %v", json.Unmarshal(line, &any))
	}
	if bytes.TrimSpace(line)[0] != '{' {
		return "not a JSON object"
	}
	return ""
}

// members goes through the keys and values of an object. The line must be a valid object: syntax is not
// checked again.
func members(line []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		i := bytes.IndexByte(line, '{') + 1
		for {
			for line[i] != '"' { // blanks and commas
				if line[i] == '}' {
					return
				}
				i++
			}
			from := i
			i = jsonString(line, i)
			key := unquote(line[from:i])
			for line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n' || line[i] == ':' {
				i++
			}
			from = i
			i = jsonValue(line, i)
			if !yield(key, line[from:i]) {
				return
			}
		}
	}
}

// jsonString returns the end of the string that begins at i.
func jsonString(line []byte, i int) int {
	for i++; line[i] != '"'; i++ {
		if line[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// jsonValue returns the end of the value that begins at i.
func jsonValue(line []byte, i int) int {
	depth := 0
	for ; ; i++ {
		switch line[i] {
		case '"':
			i = jsonString(line, i) - 1
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
	}
}

// unquote returns the text of a JSON string.
func unquote(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s[1 : len(s)-1]
	}
	var text string
	if err := json.Unmarshal(s, &text); err != nil {
		panic("ingest: " + err.Error()) // the line was valid
	}
	return []byte(text)
}
