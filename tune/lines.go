package tune

import (
	"context"
	"fmt"
	"strings"
)

// Fits says why a space is not one to take, before a point of it is looked for; nil: all are.
type Fits func(parameters []Parameter, constraints []Constraint, forbidden []Combination) error

// ParseSpace reads a space as ReadSpace does, or from lines as people write them: in each a
// parameter, as ParseParameter reads it, or a constraint. Errors name the file, the line and
// the reason. When ctx ends before a point of the space is found it returns the error of ctx.
func ParseSpace(ctx context.Context, name, text string, fits Fits) (*Space, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		f := &spaceFile{name: name, text: []byte(text)}
		return f.read(ctx, fits)
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
	return newSpace(ctx, name, fits, parameters, constraints, nil)
}

// newSpace is NewSpace for what a file has, if it fits.
func newSpace(ctx context.Context, name string, fits Fits, parameters []Parameter, constraints []Constraint, forbidden []Combination) (*Space, error) {
	if fits != nil {
		if err := fits(parameters, constraints, forbidden); err != nil {
			return nil, err
		}
	}
	s, err := NewSpace(ctx, parameters, constraints, forbidden)
	if err == nil {
		return s, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%s: %s", name, strings.TrimPrefix(err.Error(), "tune: "))
}
