package tune

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
)

// parameterEntry is a parameter as files write it. Which of the fields are there says of
// what kind it is.
type parameterEntry struct {
	Name    string   `json:"name"`
	From    *float64 `json:"from,omitempty"`
	To      *float64 `json:"to,omitempty"`
	Step    *float64 `json:"step,omitempty"`
	Scale   string   `json:"scale,omitempty"`
	Ordered []string `json:"ordered,omitempty"`
	Choices []string `json:"choices,omitempty"`
	Value   any      `json:"value,omitempty"`
}

// ReadSpace reads a space from JSON,
//
//	{"parameters": [
//	   {"name": "dose", "from": 14, "to": 22},
//	   {"name": "gain", "from": 0.1, "to": 10, "scale": "log"},
//	   {"name": "shots", "from": 1, "to": 4, "step": 1},
//	   {"name": "grind", "ordered": ["fine", "medium", "coarse"]},
//	   {"name": "milk", "choices": ["none", "oat", "cow"]},
//	   {"name": "water", "value": "tap"}],
//	 "constraints": ["dose + 2*shots <= 26"],
//	 "forbidden": [{"milk": "none", "gain": [1, 10]}],
//	 "start": {"dose": 18, "gain": 1, "shots": 2, "grind": "fine", "milk": "oat"}}
//
// or, where the name of the file ends in .toml, the same in TOML. Errors name the file, the line
// and the reason. When ctx ends before a point of the space is found it returns the error of ctx.
func ReadSpace(ctx context.Context, name string, r io.Reader) (*Space, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &spaceFile{name: name, text: text}
	return f.read(ctx, nil)
}

// spaceFile is a file of a space under way.
type spaceFile struct {
	name string
	text []byte

	parameters  []Parameter
	constraints []Constraint
	forbidden   []Combination
	entries     map[string][]element
}

// element is a part of the file, and where it ends.
type element struct {
	raw json.RawMessage
	end int64
}

// fail puts file and line before a reason.
func (f *spaceFile) fail(at int64, format string, args ...any) error {
	at = min(max(at, 0), int64(len(f.text)))
	line := 1 + bytes.Count(f.text[:at], []byte("\n"))
	return fmt.Errorf("%s: line %d: %s", f.name, line, fmt.Sprintf(format, args...))
}

func (f *spaceFile) failAt(e element, format string, args ...any) error {
	return f.fail(e.end-int64(len(e.raw)), format, args...)
}

// read reads the file; see ParseSpace.
func (f *spaceFile) read(ctx context.Context, fits Fits) (*Space, error) {
	split := f.split
	if strings.HasSuffix(f.name, ".toml") {
		split = f.splitTOML
	}
	if err := split(); err != nil {
		return nil, err
	}
	if len(f.entries["parameters"]) == 0 {
		return nil, f.fail(0, `there are no "parameters"`)
	}
	for _, e := range f.entries["parameters"] {
		if err := f.parameter(e); err != nil {
			return nil, err
		}
	}
	for _, e := range f.entries["constraints"] {
		var text string
		if err := json.Unmarshal(e.raw, &text); err != nil {
			return nil, f.failAt(e, `a constraint is a text such as "2*a + b <= 70"`)
		}
		c, err := ParseConstraint(text, f.parameters)
		if err != nil {
			return nil, f.failAt(e, "%v", err)
		}
		f.constraints = append(f.constraints, c)
	}
	for _, e := range f.entries["forbidden"] {
		c, err := f.combination(e.raw)
		if err != nil {
			return nil, f.failAt(e, "%v", err)
		}
		f.forbidden = append(f.forbidden, c)
	}
	s, err := newSpace(ctx, f.name, fits, f.parameters, f.constraints, f.forbidden)
	if err != nil {
		return nil, err
	}
	for _, e := range f.entries["start"] {
		if s.Start, err = s.ReadPoint(e.raw); err != nil {
			return nil, f.failAt(e, "start: %v", err)
		}
	}
	return s, nil
}

// split finds the elements of the file.
func (f *spaceFile) split() error {
	f.entries = map[string][]element{}
	d := json.NewDecoder(bytes.NewReader(f.text))
	syntax := func(err error) error {
		var at *json.SyntaxError
		if errors.As(err, &at) {
			return f.fail(at.Offset, "%v", at)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return f.fail(int64(len(f.text)), "the file ends too early")
		}
		return f.fail(d.InputOffset(), "%v", err)
	}
	next := func() (element, error) {
		var e element
		err := d.Decode(&e.raw)
		e.end = d.InputOffset()
		return e, err
	}
	if text := bytes.TrimSpace(f.text); len(text) > 0 && text[0] != '{' {
		return f.fail(0, "a space is a JSON object, or TOML in a file whose name ends in .toml")
	}
	if _, err := d.Token(); err != nil {
		return syntax(err)
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return syntax(err)
		}
		key, _ := t.(string)
		if _, twice := f.entries[key]; twice {
			return f.fail(d.InputOffset(), "%q is there twice", key)
		}
		f.entries[key] = nil
		switch key {
		case "start":
			e, err := next()
			if err != nil {
				return syntax(err)
			}
			f.entries[key] = append(f.entries[key], e)
		case "parameters", "constraints", "forbidden":
			if t, err := d.Token(); err != nil {
				return syntax(err)
			} else if t != json.Delim('[') {
				return f.fail(d.InputOffset(), "%q is a list", key)
			}
			for d.More() {
				e, err := next()
				if err != nil {
					return syntax(err)
				}
				f.entries[key] = append(f.entries[key], e)
			}
			if _, err := d.Token(); err != nil {
				return syntax(err)
			}
		default:
			return f.fail(d.InputOffset(), `unknown %q: a space has "parameters", "constraints", "forbidden" and "start"`, key)
		}
	}
	if _, err := d.Token(); err != nil {
		return syntax(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return f.fail(d.InputOffset(), "there is something after the space")
	}
	return nil
}

// names of parameters stand in constraints and in command lines as they are.
var parameterName = regexp.MustCompile(`^[\pL_][\pL\pN_]*$`)

func (f *spaceFile) parameter(e element) error {
	var in parameterEntry
	if err := strictly(e.raw, &in); err != nil {
		return f.failAt(e, "a parameter is not understood: %s", plain(err))
	}
	p, err := in.parameter()
	if err != nil {
		return f.failAt(e, "%v", err)
	}
	for _, other := range f.parameters {
		if other.Name == p.Name {
			return f.failAt(e, "there are two parameters %q", p.Name)
		}
	}
	f.parameters = append(f.parameters, p)
	return nil
}

// parameter checks an entry.
func (in *parameterEntry) parameter() (Parameter, error) {
	p := Parameter{Name: in.Name}
	fail := func(format string, args ...any) (Parameter, error) {
		return p, fmt.Errorf("parameter %q: %s", in.Name, fmt.Sprintf(format, args...))
	}
	given := 0
	for _, is := range []bool{in.From != nil || in.To != nil, in.Ordered != nil, in.Choices != nil, in.Value != nil} {
		if is {
			given++
		}
	}
	switch {
	case !parameterName.MatchString(in.Name):
		return fail("a name is letters, digits and _, not a digit first")
	case given != 1:
		return fail(`it has either "from" and "to", or "ordered", or "choices", or a "value"`)
	case in.From == nil && (in.Step != nil || in.Scale != ""):
		return fail(`"step" and "scale" go with "from" and "to"`)
	}
	switch v := in.Value.(type) {
	case nil:
	case float64:
		p.Kind, p.From, p.To = Fixed, v, v
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fail("its value is %v, which is no number", v)
		}
		return p, nil
	case string:
		p.Kind, p.Words = Fixed, []string{v}
		return p, nil
	default:
		return fail("its value is neither a number nor a word")
	}
	if words := slices.Concat(in.Ordered, in.Choices); in.From == nil && in.To == nil {
		p.Kind, p.Words = Categorical, words
		if in.Ordered != nil {
			p.Kind = Ordered
		}
		if len(words) < 2 {
			return fail("it has fewer than two words to choose from; what does not vary is a \"value\"")
		}
		for i, w := range words {
			if w == "" || slices.Contains(words[:i], w) {
				return fail("the word %q is empty or there twice", w)
			}
		}
		return p, nil
	}
	if in.From == nil || in.To == nil {
		return fail(`it has "from" and "to", and one of them is missing`)
	}
	p.From, p.To = *in.From, *in.To
	switch {
	case math.IsNaN(p.From) || math.IsNaN(p.To):
		return fail("it goes from %v to %v, and these are no numbers", p.From, p.To)
	case p.From > p.To:
		return fail("its bounds are reversed: from %v to %v", p.From, p.To)
	case p.From == p.To:
		return fail("it goes from %v to %v; what does not vary is a \"value\"", p.From, p.To)
	case math.IsInf(p.To-p.From, 0):
		return fail("its bounds are too far apart")
	case in.Scale != "" && in.Scale != "log" && in.Scale != "linear":
		return fail(`its scale is %q, and may be "linear" or "log"`, in.Scale)
	case in.Scale == "log" && p.From <= 0:
		return fail("it is on a log scale and goes from %v: there is no logarithm of that, let it go from something above 0", p.From)
	case in.Scale == "log" && math.IsInf(p.To/p.From, 0):
		return fail("its bounds are too far apart")
	}
	p.Log = in.Scale == "log"
	if in.Step != nil {
		p.Kind, p.Step = Stepped, *in.Step
		if !(p.Step > 0) || p.Step > p.To-p.From {
			return fail("its step is %v, and must be above 0 and at most %v", p.Step, p.To-p.From)
		}
		if steps := (p.To - p.From) / p.Step; steps >= maxLevels {
			return fail("it has %.0f steps, at most %d: leave the step out", 1+math.Floor(steps), maxLevels)
		}
		p.To = p.level(p.levels() - 1)
	}
	return p, nil
}

// maxLevels is how many steps a parameter may have.
const maxLevels = 100_000

// combination reads values that do not go together.
func (f *spaceFile) combination(raw json.RawMessage) (Combination, error) {
	values, err := fields(raw)
	if err != nil || len(values) == 0 {
		return nil, fmt.Errorf(`a forbidden combination is an object such as {"milk": "none", "gain": [1, 10]}`)
	}
	var c Combination
	for j := range f.parameters {
		p := &f.parameters[j]
		value, ok := values[p.Name]
		if !ok {
			continue
		}
		delete(values, p.Name)
		r := Range{Parameter: j}
		if pair, isRange := value.([]any); isRange && len(pair) == 2 && p.Numeric() {
			lo, ok1 := pair[0].(float64)
			hi, ok2 := pair[1].(float64)
			if !ok1 || !ok2 || lo > hi {
				return nil, fmt.Errorf("%s: a range is two numbers, the smaller first", p.Name)
			}
			r.From, r.To = lo, hi
		} else {
			v, err := p.place(value)
			if err != nil {
				return nil, fmt.Errorf("a forbidden combination: %w", err)
			}
			if p.Kind == Continuous {
				return nil, fmt.Errorf("a forbidden combination: %s is a continuum, of which %v is nothing: forbid a range, as [from, to]", p.Name, v)
			}
			r.From, r.To = v, v
		}
		c = append(c, r)
	}
	for name := range values {
		return nil, fmt.Errorf("a forbidden combination: there is no parameter %q", name)
	}
	return c, nil
}
