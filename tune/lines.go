package tune

import (
	"fmt"
	"strings"
)

// ParseSpace reads a space as ReadSpace does, or from lines as people write them: in each a
// parameter, as ParseParameter reads it, or a constraint. Errors name the file, the line and
// the reason.
func ParseSpace(name, text string) (*Space, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return ReadSpace(name, strings.NewReader(text))
	}
	var parameters []Parameter
	var constraints []Constraint
	rules := map[int]string{} // by line: parameters are read first
	lines := strings.Split(text, "\n")
	fail := func(line int, reason any) error {
		return fmt.Errorf("%s: line %d: %s", name, line+1, strings.TrimPrefix(fmt.Sprint(reason), "tune: "))
	}
	for k, line := range lines {
		line = strings.TrimSpace(line)
		before, _, equal := strings.Cut(line, "=")
		if line == "" {
			continue
		}
		if !equal || !parameterName.MatchString(strings.TrimSpace(before)) {
			rules[k] = line
			continue
		}
		p, err := ParseParameter(line)
		if err != nil {
			return nil, fail(k, err)
		}
		for _, other := range parameters {
			if other.Name == p.Name {
				return nil, fail(k, fmt.Sprintf("there are two parameters %q", p.Name))
			}
		}
		parameters = append(parameters, p)
	}
	for k := range lines {
		if rules[k] == "" {
			continue
		}
		c, err := ParseConstraint(rules[k], parameters)
		if err != nil {
			return nil, fail(k, err)
		}
		constraints = append(constraints, c)
	}
	if len(parameters) == 0 {
		return nil, fmt.Errorf("%s: there are no parameters such as dose=14..22", name)
	}
	s, err := NewSpace(parameters, constraints, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "tune: "))
	}
	return s, nil
}
