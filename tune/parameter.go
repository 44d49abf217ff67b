package tune

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is how the values of a parameter hang together.
type Kind int

// The kinds of parameters.
const (
	Continuous  Kind = iota // any number from From to To
	Stepped                 // From, From+Step, and so on up to To; with a step of 1, integers
	Ordered                 // words in an order
	Categorical             // words in none
	Fixed                   // one value
)

var kinds = [...]string{"continuous", "stepped", "ordered", "categorical", "fixed"}

// String returns the name used in messages.
func (k Kind) String() string { return kinds[k] }

// Parameter is something that can be varied.
type Parameter struct {
	Name     string
	Kind     Kind
	From, To float64  // of Continuous and Stepped; of a Fixed number both are its value
	Step     float64  // of Stepped
	Log      bool     // distances are those of logarithms
	Words    []string // of Ordered and Categorical; of a Fixed word it alone
}

// Numeric reports whether values are numbers rather than words.
func (p *Parameter) Numeric() bool { return len(p.Words) == 0 }

// levels returns how many values there are; 0: a continuum.
func (p *Parameter) levels() int {
	switch p.Kind {
	case Continuous:
		return 0
	case Stepped:
		return 1 + int(math.Floor((p.To-p.From)/p.Step*(1+1e-12)))
	case Fixed:
		return 1
	}
	return len(p.Words)
}

// level returns the k-th value: a number, or the place of a word.
func (p *Parameter) level(k int) float64 {
	switch {
	case p.Kind == Stepped:
		return tidy(p.From + float64(k)*p.Step)
	case p.Kind == Fixed && p.Numeric():
		return p.From
	}
	return float64(k)
}

// tidy takes the rounding of sums of decimal steps away.
func tidy(v float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return short
}

// at returns the value at a place of the unit interval, of a parameter that is a continuum.
func (p *Parameter) at(u float64) float64 {
	switch {
	case u <= 0:
		return p.From
	case u >= 1:
		return p.To
	case p.Log:
		return min(max(p.From*math.Pow(p.To/p.From, u), p.From), p.To)
	}
	return min(max(p.From+(p.To-p.From)*u, p.From), p.To)
}

// unit returns the place of a number between the bounds: the inverse of at.
func (p *Parameter) unit(v float64) float64 {
	if p.Log {
		return math.Log(v/p.From) / math.Log(p.To/p.From)
	}
	return (v - p.From) / (p.To - p.From)
}

// speed is the derivative of at, at a value.
func (p *Parameter) speed(v float64) float64 {
	if p.Log {
		return v * math.Log(p.To/p.From)
	}
	return p.To - p.From
}

// Format writes a value as people read it, to so many digits; 0: all of them.
func (p *Parameter) Format(v float64, digits int) string {
	if !p.Numeric() {
		return p.Words[int(v)]
	}
	if digits == 0 || p.Kind != Continuous {
		digits = -1
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// place returns the number that stands for a value of a file: a float64 or a string.
func (p *Parameter) place(value any) (float64, error) {
	switch v := value.(type) {
	case string:
		if p.Numeric() {
			return 0, fmt.Errorf("%s is a number, not %q", p.Name, v)
		}
		if k := slices.Index(p.Words, v); k >= 0 {
			return float64(k), nil
		}
		return 0, fmt.Errorf("%s is %q, and may be %s", p.Name, v, strings.Join(p.Words, ", "))
	case float64:
		if !p.Numeric() {
			return 0, fmt.Errorf("%s is one of the words %s, not %v", p.Name, strings.Join(p.Words, ", "), v)
		}
		if v < p.From || v > p.To {
			if p.Kind == Fixed {
				return 0, fmt.Errorf("%s is %v, and is fixed at %v", p.Name, v, p.From)
			}
			return 0, fmt.Errorf("%s is %v, outside %v to %v", p.Name, v, p.From, p.To)
		}
		if p.Kind == Stepped {
			k := math.Round((v - p.From) / p.Step)
			if math.Abs(p.From+k*p.Step-v) > 1e-9*math.Max(math.Abs(v), p.Step) {
				return 0, fmt.Errorf("%s is %v, which is not %v and a number of steps of %v", p.Name, v, p.From, p.Step)
			}
			return p.level(int(k)), nil
		}
		return v, nil
	}
	return 0, fmt.Errorf("%s is neither a number nor a word", p.Name)
}

// String describes the parameter as messages and headers of logs do.
func (p *Parameter) String() string {
	switch {
	case p.Kind == Fixed:
		return "fixed at " + p.Format(p.level(0), 0)
	case p.Kind == Ordered:
		return strings.Join(p.Words, " < ")
	case p.Kind == Categorical:
		return strings.Join(p.Words, " | ")
	}
	s := fmt.Sprintf("%v to %v", p.From, p.To)
	if p.Kind == Stepped {
		s += fmt.Sprintf(" by %v", p.Step)
	}
	if p.Log {
		s += " log"
	}
	return s
}

// Grid returns at most n values, evenly along the scale of the parameter from one end to the
// other; of words, all.
func (p *Parameter) Grid(n int) (values []float64) {
	levels := p.levels()
	if !p.Numeric() || levels > 0 && levels <= n {
		for k := range levels {
			values = append(values, p.level(k))
		}
		return values
	}
	for k := range n {
		u := float64(k) / float64(n-1)
		if levels == 0 {
			values = append(values, p.at(u))
			continue
		}
		values = append(values, p.level(int(math.Round((p.at(u)-p.From)/p.Step))))
	}
	return slices.Compact(values)
}
