package tune

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseParameter reads a parameter from a word of a command line: dose=14..22, gain=0.1..10:log,
// shots=1..4:1 with a step, grind=fine<medium<coarse in an order, milk=none|oat|cow in none, or
// water=tap, which is fixed.
func ParseParameter(text string) (Parameter, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok {
		return Parameter{}, fmt.Errorf("tune: %q is no parameter such as dose=14..22, shots=1..4:1, gain=0.1..10:log, grind=fine<coarse or milk=none|oat", text)
	}
	in := parameterEntry{Name: strings.TrimSpace(name)}
	words := func(by string) (list []string) {
		for _, w := range strings.Split(rest, by) {
			list = append(list, strings.TrimSpace(w))
		}
		return list
	}
	bounds, options, _ := strings.Cut(rest, ":")
	from, to, isRange := strings.Cut(bounds, "..")
	switch {
	case isRange:
		for _, part := range []struct {
			text string
			to   **float64
		}{{from, &in.From}, {to, &in.To}} {
			v, err := strconv.ParseFloat(strings.TrimSpace(part.text), 64)
			if err != nil {
				return Parameter{}, fmt.Errorf("tune: parameter %q: %q is no number", in.Name, part.text)
			}
			*part.to = &v
		}
		for _, o := range strings.FieldsFunc(options, func(r rune) bool { return r == ':' }) {
			if step, err := strconv.ParseFloat(o, 64); err == nil {
				in.Step = &step
			} else {
				in.Scale = o
			}
		}
	case strings.Contains(rest, "<"):
		in.Ordered = words("<")
	case strings.Contains(rest, "|"):
		in.Choices = words("|")
	default:
		in.Value = strings.TrimSpace(rest)
		if v, err := strconv.ParseFloat(in.Value.(string), 64); err == nil {
			in.Value = v
		}
	}
	p, err := in.parameter()
	if err != nil {
		return p, fmt.Errorf("tune: %w", err)
	}
	return p, nil
}
