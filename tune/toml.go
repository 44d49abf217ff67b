package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// toml reads what a space needs of TOML 1.0 (toml.io): tables, lists of tables, and as values
// texts on one line, numbers, true and false, lists, and tables in braces. Values become JSON,
// so that what is wrong with a space is said in the same words in both.
type toml struct {
	*spaceFile
	at int
}

// table is one under way, as JSON.
type table struct {
	start  int
	keys   []string
	fields bytes.Buffer
}

func (t *table) element() element {
	return elementAt(t.start, "{"+t.fields.String()+"}")
}

// elementAt is one of JSON that stands for what begins at a place of the file.
func elementAt(start int, raw string) element {
	return element{json.RawMessage(raw), int64(start + len(raw))}
}

// splitTOML finds the elements of the file, as split does.
func (f *spaceFile) splitTOML() error {
	f.entries = map[string][]element{}
	r := &toml{spaceFile: f}
	if !utf8.Valid(f.text) {
		return f.fail(0, "the file is no text in UTF-8")
	}
	var name string // of the table under way
	var under *table
	lists := map[string]bool{} // those of tables
	end := func() {
		if under != nil {
			f.entries[name] = append(f.entries[name], under.element())
		}
	}
	for r.skip(true); r.at < len(f.text); r.skip(true) {
		start := r.at
		var err error
		switch {
		case r.take("["):
			end()
			list := r.take("[")
			if name, err = r.header(list); err != nil {
				return err
			}
			if _, twice := f.entries[name]; twice && !(list && lists[name]) {
				return f.fail(int64(start), "%q is there twice", name)
			}
			under, lists[name] = &table{start: start}, list
		case under != nil:
			err = r.field(under)
		default:
			err = r.entry()
		}
		if err != nil {
			return err
		}
		if r.skip(false); r.at < len(f.text) && !r.take("\n") {
			return r.wrong("the line goes on where it should end")
		}
	}
	end()
	return nil
}

// wrong is an error at where it is.
func (r *toml) wrong(format string, args ...any) error { return r.fail(int64(r.at), format, args...) }

// skip goes on to what is neither space nor comment, with lines to that of a later line.
func (r *toml) skip(lines bool) {
	for r.at < len(r.text) {
		switch c := r.text[r.at]; {
		case c == '#':
			for r.at < len(r.text) && r.text[r.at] != '\n' {
				r.at++
			}
		case c == ' ' || c == '\t' || c == '\r' || lines && c == '\n':
			r.at++
		default:
			return
		}
	}
}

func (r *toml) take(word string) bool {
	if !bytes.HasPrefix(r.text[r.at:], []byte(word)) {
		return false
	}
	r.at += len(word)
	return true
}

// header reads the name of a table behind its bracket.
func (r *toml) header(list bool) (string, error) {
	r.skip(false)
	name, err := r.key()
	if err != nil {
		return "", err
	}
	r.skip(false)
	switch {
	case name == "start" && list:
		return "", r.wrong("there is one start: write [start]")
	case name == "parameters" && !list, name == "forbidden" && !list:
		return "", r.wrong("%q is a list: begin each entry with [[%s]]", name, name)
	case name == "constraints":
		return "", r.wrong(`"constraints" is a list of texts: write constraints = ["a + b <= 1"] before all tables`)
	case name != "start" && name != "parameters" && name != "forbidden":
		return "", r.unknown(name)
	}
	closing := "]"
	if list {
		closing = "]]"
	}
	if !r.take(closing) {
		return "", r.wrong("%s is missing", closing)
	}
	return name, nil
}

// unknown is the error of an entry that a space does not have.
func (r *toml) unknown(key string) error {
	return r.wrong(`unknown %q: a space has "parameters", "constraints", "forbidden" and "start"`, key)
}

// entry reads a key outside of tables and its value.
func (r *toml) entry() error {
	key, err := r.assigned()
	if err != nil {
		return err
	}
	if _, twice := r.entries[key]; twice {
		return r.wrong("%q is there twice", key)
	}
	switch key {
	case "start":
		start := r.at
		raw, err := r.value()
		r.entries[key] = []element{elementAt(start, raw)}
		return err
	case "parameters", "constraints", "forbidden":
		if !r.take("[") {
			return r.wrong("%q is a list", key)
		}
		r.entries[key], err = r.list()
		return err
	}
	return r.unknown(key)
}

// field adds a key and its value to a table.
func (r *toml) field(t *table) error {
	key, err := r.assigned()
	if err != nil {
		return err
	}
	if slices.Contains(t.keys, key) {
		return r.wrong("%q is there twice", key)
	}
	raw, err := r.value()
	if err != nil {
		return err
	}
	if len(t.keys) > 0 {
		t.fields.WriteString(", ")
	}
	t.keys = append(t.keys, key)
	fmt.Fprintf(&t.fields, "%s: %s", quoted(key), raw)
	return nil
}

// quoted is a text as JSON.
func quoted(text string) string {
	raw, _ := json.Marshal(text) // a text is never refused
	return string(raw)
}

// assigned reads a key and what makes it one.
func (r *toml) assigned() (string, error) {
	key, err := r.key()
	if err != nil {
		return "", err
	}
	if r.skip(false); !r.take("=") {
		return "", r.wrong("= is missing after %q", key)
	}
	r.skip(false)
	return key, nil
}

var (
	bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+`)
	number  = regexp.MustCompile(`^[+-]?(0|[1-9](_?[0-9])*)(\.[0-9](_?[0-9])*)?([eE][+-]?[0-9](_?[0-9])*)?`)
)

func (r *toml) key() (string, error) {
	if r.at < len(r.text) && (r.text[r.at] == '"' || r.text[r.at] == '\'') {
		return r.string()
	}
	key := string(bareKey.Find(r.text[r.at:]))
	if key == "" {
		return "", r.wrong("a key is missing, such as name")
	}
	if r.at += len(key); bytes.HasPrefix(r.text[r.at:], []byte(".")) {
		return "", r.wrong("keys with a dot are not read: %s", key+".…")
	}
	return key, nil
}

// value reads one, and returns it as JSON.
func (r *toml) value() (string, error) {
	start := r.at
	switch {
	case r.take("["):
		list, err := r.list()
		var raws []string
		for _, e := range list {
			raws = append(raws, string(e.raw))
		}
		return "[" + strings.Join(raws, ", ") + "]", err
	case r.take("{"):
		t := &table{start: start}
		for r.skip(false); !r.take("}"); r.skip(false) {
			if len(t.keys) > 0 && !r.take(",") {
				return "", r.wrong("a comma or } is missing")
			}
			r.skip(false)
			if err := r.field(t); err != nil {
				return "", err
			}
		}
		return string(t.element().raw), nil
	case r.take("true"):
		return "true", nil
	case r.take("false"):
		return "false", nil
	case r.at < len(r.text) && (r.text[r.at] == '"' || r.text[r.at] == '\''):
		text, err := r.string()
		return quoted(text), err
	}
	raw := string(number.Find(r.text[r.at:]))
	if raw == "" {
		return "", r.wrong(`a value is missing, such as 14, "oat" or [1, 2]`)
	}
	r.at += len(raw)
	return strings.TrimPrefix(strings.ReplaceAll(raw, "_", ""), "+"), nil
}

// list reads values behind a bracket, on as many lines as there are.
func (r *toml) list() (list []element, err error) {
	for r.skip(true); !r.take("]"); r.skip(true) {
		if len(list) > 0 {
			if !r.take(",") {
				return nil, r.wrong("a comma or ] is missing")
			}
			if r.skip(true); r.take("]") {
				break
			}
		}
		start := r.at
		raw, err := r.value()
		if err != nil {
			return nil, err
		}
		list = append(list, elementAt(start, raw))
	}
	return list, nil
}

// string reads a text in quotes, of which single ones have no escapes in them.
func (r *toml) string() (string, error) {
	rest := string(r.text[r.at:])
	if strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, "'''") {
		return "", r.wrong("a text is on one line, in single quotes or double ones")
	}
	line, _, _ := strings.Cut(rest, "\n")
	if line[0] == '\'' {
		text, _, closed := strings.Cut(line[1:], "'")
		if !closed {
			return "", r.wrong("a quote is not closed")
		}
		r.at += len(text) + 2
		return text, nil
	}
	prefix, err := strconv.QuotedPrefix(line)
	if err != nil {
		return "", r.wrong("a quote is not closed, or what follows a backslash is unknown")
	}
	text, err := strconv.Unquote(prefix)
	r.at += len(prefix)
	return text, err
}
