package tune

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"palate/internal/num"
)

// Constraint is Σ Coefficient·x ≤ Limit over numbers, or an equality.
type Constraint struct {
	Text        string    // as it was written
	Coefficient []float64 // one a parameter
	Limit       float64
	Equal       bool
}

// excess is how far x is past the limit.
func (c *Constraint) excess(x Point) float64 {
	sum := -c.Limit
	for j, a := range c.Coefficient {
		if a != 0 {
			sum += a * x[j]
		}
	}
	return sum
}

// size is the scale of what is summed, for tolerances.
func (c *Constraint) size(s *Space) float64 {
	size := math.Abs(c.Limit)
	for j, a := range c.Coefficient {
		if a != 0 {
			p := &s.Parameters[j]
			size = max(size, math.Abs(a)*max(math.Abs(p.From), math.Abs(p.To)))
		}
	}
	return size
}

// relations in the order in which they are looked for.
func relations() []string { return []string{"<=", ">=", "=", "<", ">", "≤", "≥"} }

// ParseConstraint reads a linear relation between parameters, such as
// 2*dose + time <= 70 or arabica + robusta = 1.
func ParseConstraint(text string, parameters []Parameter) (Constraint, error) {
	c := Constraint{Text: text, Coefficient: make([]float64, len(parameters))}
	var relation string
	at := -1
	for _, r := range relations() {
		if at = strings.Index(text, r); at >= 0 {
			relation = r
			break
		}
	}
	if at < 0 {
		return c, fmt.Errorf("%q has no <=, >= or = in it", text)
	}
	for side, part := range []string{text[:at], text[at+len(relation):]} {
		sign := 1.0
		if side == 1 {
			sign = -1
		}
		if strings.ContainsAny(part, "<>=≤≥") {
			return c, fmt.Errorf("%q has more than one relation: write two constraints", text)
		}
		if err := c.add(part, sign, parameters); err != nil {
			return c, fmt.Errorf("%q: %w", text, err)
		}
	}
	if relation == ">=" || relation == ">" || relation == "≥" {
		for j := range c.Coefficient {
			c.Coefficient[j] = -c.Coefficient[j]
		}
		c.Limit = -c.Limit
	}
	c.Equal = relation == "="
	varies := false
	size := math.Abs(c.Limit)
	for j, a := range c.Coefficient {
		p := &parameters[j]
		if a != 0 {
			size += math.Abs(a) * max(math.Abs(p.From), math.Abs(p.To))
		}
		if a == 0 || p.Kind == Fixed {
			continue
		}
		if c.Equal && (p.Kind != Continuous || p.Log) {
			return c, fmt.Errorf("%q: an equality is between continuous parameters that are not log, and %s is %s: vary one parameter less instead", text, p.Name, p)
		}
		varies = true
	}
	switch {
	case !varies:
		return c, fmt.Errorf("%q constrains no parameter that varies", text)
	case math.IsInf(size, 0) || math.IsNaN(size):
		return c, fmt.Errorf("%q: its numbers are too large", text)
	}
	return c, nil
}

// add adds the terms of one side.
func (c *Constraint) add(side string, sign float64, parameters []Parameter) error {
	rest := strings.TrimSpace(side)
	if rest == "" {
		return fmt.Errorf("one side is empty")
	}
	for first := true; rest != ""; first = false {
		s := sign
		switch {
		case rest[0] == '+' || rest[0] == '-':
			if rest[0] == '-' {
				s = -s
			}
			rest = strings.TrimSpace(rest[1:])
		case !first:
			return fmt.Errorf("a + or - is missing before %q", rest)
		}
		end := 0
		for end < len(rest) && (rest[end] != '+' && rest[end] != '-' || exponent(rest[:end])) {
			end++
		}
		if err := c.term(strings.TrimSpace(rest[:end]), s, parameters); err != nil {
			return err
		}
		rest = strings.TrimSpace(rest[end:])
	}
	return nil
}

// exponent reports whether a sign after head belongs to a number such as 1e-3.
func exponent(head string) bool {
	n := len(head)
	return n >= 2 && (head[n-1] == 'e' || head[n-1] == 'E') && (head[n-2] >= '0' && head[n-2] <= '9' || head[n-2] == '.') &&
		strings.IndexFunc(head[:n-1], func(r rune) bool { return !strings.ContainsRune("0123456789.", r) }) < 0
}

// term adds a number, a parameter, or a number times a parameter.
func (c *Constraint) term(text string, sign float64, parameters []Parameter) error {
	var name string
	for _, factor := range strings.Split(text, "*") {
		factor = strings.TrimSpace(factor)
		if v, err := strconv.ParseFloat(factor, 64); err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
			sign *= v
			continue
		}
		if factor == "" || name != "" {
			return fmt.Errorf("%q is not a number, a parameter, or a number times a parameter", text)
		}
		name = factor
	}
	if name == "" {
		c.Limit -= sign
		return nil
	}
	for j := range parameters {
		if p := &parameters[j]; p.Name == name {
			if !p.Numeric() {
				return fmt.Errorf("%s is a word, and constraints are about numbers: forbid combinations instead", name)
			}
			c.Coefficient[j] += sign
			return nil
		}
	}
	return fmt.Errorf("there is no parameter %q", name)
}

// orthogonalise makes the normals of the equalities orthonormal, in unit coordinates.
func (s *Space) orthogonalise() error {
	for i := range s.Constraints {
		c := &s.Constraints[i]
		if !c.Equal {
			continue
		}
		normal, rest := make([]float64, len(s.moving)), -c.excess(s.least())
		for k, j := range s.moving {
			normal[k] = c.Coefficient[j] * (s.Parameters[j].To - s.Parameters[j].From)
		}
		length := norm(normal)
		for range 2 { // the second time for rounding
			for m, b := range s.equal {
				rest -= num.Dot(normal, b) * s.target[m]
				without(normal, s.equal[m:m+1])
			}
		}
		left := norm(normal)
		if left <= 1e-9*length {
			return fmt.Errorf("tune: the equality %q follows from the others, or contradicts them", c.Text)
		}
		scale(normal, 1/left)
		s.equal, s.target = append(s.equal, normal), append(s.target, rest/left)
	}
	if len(s.equal) > 0 && len(s.equal) >= len(s.moving) {
		return fmt.Errorf("tune: %d equalities leave %d continuous parameters nothing to vary", len(s.equal), len(s.moving))
	}
	return nil
}

// least is the point at the lower bound of every number.
func (s *Space) least() Point {
	x := make(Point, len(s.Parameters))
	for j := range s.Parameters {
		if s.Parameters[j].Numeric() {
			x[j] = s.Parameters[j].From
		}
	}
	return x
}

// without takes the components along orthonormal vectors out of v.
func without(v []float64, basis [][]float64) {
	for _, b := range basis {
		d := num.Dot(v, b)
		for k := range v {
			v[k] -= d * b[k]
		}
	}
}

func norm(x []float64) float64 { return math.Sqrt(num.Dot(x, x)) }

func scale(x []float64, c float64) {
	for k := range x {
		x[k] *= c
	}
}
