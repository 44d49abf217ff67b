package tune

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// fields reads an object of values.
func fields(raw []byte) (map[string]any, error) {
	var values map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&values); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("there is something after the object")
	}
	return values, nil
}

// ReadPoint reads a point from a JSON object of parameters and their values, and checks that
// it is in the space. Fixed parameters may be left out.
func (s *Space) ReadPoint(raw []byte) (Point, error) {
	values, err := fields(raw)
	if err != nil || values == nil {
		return nil, fmt.Errorf("a point is an object of parameters and their values")
	}
	x := make(Point, len(s.Parameters))
	for j := range s.Parameters {
		p := &s.Parameters[j]
		value, ok := values[p.Name]
		delete(values, p.Name)
		switch {
		case ok:
			if x[j], err = p.place(value); err != nil {
				return nil, err
			}
		case p.Kind == Fixed:
			x[j] = p.level(0)
		default:
			return nil, fmt.Errorf("there is no value of %s", p.Name)
		}
	}
	if len(values) > 0 {
		names := make([]string, 0, len(values))
		for name := range values {
			names = append(names, name)
		}
		slices.Sort(names)
		return nil, fmt.Errorf("there is no parameter %q", names[0])
	}
	if err := s.Check(x); err != nil {
		return nil, err
	}
	return x, nil
}

// WritePoint returns the point as JSON, parameters in the order of the space.
func (s *Space) WritePoint(x Point) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for j := range s.Parameters {
		if j > 0 {
			b.WriteString(", ")
		}
		p := &s.Parameters[j]
		name, _ := json.Marshal(p.Name)
		b.Write(name)
		b.WriteString(": ")
		b.Write(s.WriteValue(j, x[j]))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// WriteQuestion returns points to be compared as JSON, with whose taste it is about: an answer
// to it is this with an "answer".
func (s *Space) WriteQuestion(points []Point, voter string) json.RawMessage {
	if len(points) == 2 {
		return fmt.Appendf(nil, "{\"left\": %s, \"right\": %s%s}", s.WritePoint(points[0]), s.WritePoint(points[1]), voterField(voter))
	}
	var list []string
	for _, x := range points {
		list = append(list, string(s.WritePoint(x)))
	}
	return fmt.Appendf(nil, "{\"points\": [%s]%s}", strings.Join(list, ", "), voterField(voter))
}

// WriteValue returns a value of parameter j as JSON.
func (s *Space) WriteValue(j int, v float64) json.RawMessage {
	var raw []byte
	if p := &s.Parameters[j]; p.Numeric() {
		raw, _ = json.Marshal(v)
	} else {
		raw, _ = json.Marshal(p.Words[int(v)])
	}
	return raw
}

// Describe writes what varies of a point as people read it.
func (s *Space) Describe(x Point) string {
	var words []string
	for _, j := range s.Varying() {
		p := &s.Parameters[j]
		words = append(words, p.Name+" "+p.Format(x[j], 4))
	}
	return strings.Join(words, ", ")
}
