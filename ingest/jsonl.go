package ingest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"palate/internal/wording"
)

// jsonRows reads objects, one a line or in an array; keys are columns.
type jsonRows struct {
	header []string
	column map[string]int
	needs  []need // nil: all columns are to hold plain values
	inside []int  // columns that may be inside others
	array  bool
	number bool  // rows have numbers in place of lines
	seen   []int // record in which each column was last set
	count  int

	text  []byte
	line  int
	clean bool
}

// newJSONRows reads objects whose first has so many keys.
func newJSONRows(header []string, keys int, needs []need, array, number bool) *jsonRows {
	r := &jsonRows{header: header, column: map[string]int{}, needs: needs, array: array, number: number, seen: make([]int, len(header))}
	for k, name := range header {
		if _, ok := r.column[name]; !ok {
			r.column[name] = k
		}
		if k >= keys && strings.Contains(name, ".") {
			r.inside = append(r.inside, k)
		}
	}
	return r
}

func (r *jsonRows) reset(b block) {
	r.text, r.line = b.text, b.line
	r.clean = unreadable(b.text) == ""
}

func (r *jsonRows) next(rec *record) bool {
	for len(r.text) > 0 {
		line, begins := r.cut()
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		r.count++
		rec.line, rec.text, rec.bad = begins, line, nil
		rec.fields = append(rec.fields[:0], make([][]byte, len(r.header))...)
		rec.nested = append(rec.nested[:0], make([]bool, len(r.header))...)
		r.split(rec)
		return true
	}
	return false
}

// cut takes the next record off the text, and says on which line it begins.
func (r *jsonRows) cut() (text []byte, line int) {
	if !r.array {
		text, r.text, _ = bytes.Cut(r.text, []byte{'\n'})
		r.line++
		return text, r.line - 1
	}
	n := separators(r.text)
	if !r.number {
		r.line += bytes.Count(r.text[:n], []byte{'\n'})
	}
	r.text = r.text[n:]
	if n = jsonElement(r.text); n == 0 {
		n = len(r.text)
	}
	text, line = r.text[:n], r.line
	r.text = r.text[n:]
	if r.number {
		r.line++
	} else {
		r.line += bytes.Count(text, []byte{'\n'})
	}
	return text, line
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
		for _, k := range r.inside {
			if deep := inside(key, value, r.header[k]); deep != nil && r.seen[k] != r.count {
				if r.seen[k] = r.count; !r.set(rec, k, deep) {
					return
				}
			}
		}
		k, ok := r.column[string(key)]
		if !ok {
			continue
		}
		if r.seen[k] == r.count {
			rec.bad = &fault{r.header[k], "the key stands twice in the object"}
			return
		}
		if r.seen[k] = r.count; !r.set(rec, k, value) {
			return
		}
	}
}

// set puts a value in a column, or finds fault with the row.
func (r *jsonRows) set(rec *record, k int, value []byte) bool {
	switch value[0] {
	case '"':
		text := unquote(value)
		if bytes.IndexByte(text, 0) >= 0 {
			rec.bad = &fault{r.header[k], fmt.Sprintf("%s holds a NUL byte", wording.Quote(text))}
			return false
		}
		rec.fields[k] = text
	case '{', '[':
		switch {
		case r.needs == nil || r.needs[k] == plainValue || r.needs[k] == numberValue:
			rec.bad = &fault{r.header[k], fmt.Sprintf("%s is not a plain value", wording.Quote(value))}
			return false
		case r.needs[k] == anyValue:
			rec.fields[k], rec.nested[k] = value, true
		}
	case 'n': // null is the same as no value
	default:
		rec.fields[k] = value
	}
	return true
}

// inside returns the value at a path, such as meta.language, whose beginning is the key of the given one; nil when
// there is none. Keys may have points of their own.
func inside(key, value []byte, path string) []byte {
	n := len(key)
	if len(path) <= n || path[n] != '.' || value[0] != '{' || !strings.EqualFold(path[:n], string(key)) {
		return nil
	}
	path = path[n+1:]
	for key, value := range members(value) {
		if strings.EqualFold(string(key), path) {
			return value
		}
		if deep := inside(key, value, path); deep != nil {
			return deep
		}
	}
	return nil
}

// paths lists what is inside the objects in an object, but not inside lists.
func paths(object []byte, before string) (all []string) {
	for key, value := range members(object) {
		path := before + string(key)
		if value[0] == '{' {
			all = append(all, paths(value, path+".")...)
		} else if before != "" && value[0] != '[' {
			all = append(all, path)
		}
	}
	return all
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

// separators returns the length of what is between two elements of an array.
func separators(text []byte) int {
	return len(text) - len(bytes.TrimLeft(text, ", \t\r\n"))
}

// jsonElement returns the length of the element of an array that the text begins with, 0 when it does not end.
// Whether it is valid is not its business.
func jsonElement(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) {
				return 0
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1
			}
		case ',', '\n':
			if depth == 0 {
				return i
			}
		}
	}
	return 0
}

// cutArray returns where the last whole element of an array ends, or the first when one is set.
func cutArray(text []byte, one bool) int {
	end := 0
	for at := 0; ; {
		at += separators(text[at:])
		if at == len(text) || text[at] == ']' {
			return end
		}
		n := jsonElement(text[at:])
		if n == 0 {
			return end
		}
		if at += n; one {
			return at
		}
		end = at
	}
}

// elements counts the whole elements of a part of an array.
func elements(text []byte) (count int) {
	for at := separators(text); at < len(text); at += separators(text[at:]) {
		n := jsonElement(text[at:])
		if n == 0 {
			return count + 1 // that does not end
		}
		at += n
		count++
	}
	return count
}
