package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"
)

// differences compares every pair of methods, the better one first, and says
// which differences are real.
func (e *exam) differences(methods []Method, said [][]float64, level float64) []Difference {
	var all []Difference
	right, entropy := make([][]float64, len(methods)), make([][]float64, len(methods))
	for k := range methods {
		right[k], entropy[k], _ = e.losses(said[k])
	}
	less := func(x, y []float64) []float64 {
		z := make([]float64, len(x))
		for k := range z {
			z[k] = x[k] - y[k]
		}
		return z
	}
	for a := range methods {
		for b := range a {
			i, j := a, b
			d := e.mean(less(entropy[j], entropy[i]), level)
			if d.Value < 0 || d.Value == 0 && j < i {
				i, j = j, i
				d = e.mean(less(entropy[j], entropy[i]), level)
			}
			all = append(all, Difference{methods[i].Name, methods[j].Name, d, e.mean(less(right[i], right[j]), level), e.chance(d), false})
		}
	}
	slices.SortStableFunc(all, func(x, y Difference) int { return cmp.Compare(x.P, y.P) })
	for k := range all { // Holm's steps, until the first that fails
		if !(all[k].P*float64(len(all)-k) < 0.05) {
			break
		}
		all[k].Real = true
	}
	return all
}

// chance is the probability of a difference as large when there is none.
func (e *exam) chance(d Estimate) float64 {
	switch {
	case math.IsNaN(d.SE) || d.Value == 0:
		return 1
	case d.SE == 0:
		return 0
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(e.units - 1)}.Survival(math.Abs(d.Value/d.SE))
}

// Best returns the method of the smallest cross-entropy.
func (r *Result) Best() string {
	return slices.MinFunc(r.Scores, func(a, b Score) int { return cmp.Compare(a.CrossEntropy.Value, b.CrossEntropy.Value) }).Method
}

// Verdict says in plain words which differences are real.
func (r *Result) Verdict() string {
	best := r.Best()
	var worse, close []string
	for _, s := range r.Scores {
		for _, d := range r.Differences {
			if d.A != best || d.B != s.Method {
				continue
			}
			switch {
			case d.Real:
				worse = append(worse, s.Method)
			case math.IsNaN(d.CrossEntropy.SE): // a single unit was held out
				close = append(close, fmt.Sprintf("%s (by %.3f)", s.Method, d.CrossEntropy.Value))
			default:
				close = append(close, fmt.Sprintf("%s (by %.3f ± %.3f)", s.Method, d.CrossEntropy.Value, d.CrossEntropy.SE))
			}
		}
	}
	text := best + " predicts best"
	switch {
	case len(close) == 0 && len(worse) == 0:
		return "There is nothing to compare " + best + " with."
	case len(worse) > 0:
		text += ", and really better than " + and(worse)
	}
	if len(close) > 0 {
		text += fmt.Sprintf("; its lead over %s may be chance", and(close))
	}
	text += "."
	for _, s := range r.Scores {
		if !s.Yardstick && r.has("coin") && !r.real(s.Method, "coin") && !(s.Accuracy.Lo > 0.5) {
			text += fmt.Sprintf(" Nothing shows that %s knows more than a coin.", s.Method)
		}
	}
	return text
}

func (r *Result) has(method string) bool {
	return slices.ContainsFunc(r.Scores, func(s Score) bool { return s.Method == method })
}

// real reports whether a is really better than b.
func (r *Result) real(a, b string) bool {
	return slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.A == a && d.B == b && d.Real })
}

// and lists words as people do.
func and(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return words[0]
}
