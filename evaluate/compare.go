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
	case d.SE == 0: // all units agree, as often as coins that all fall alike
		return math.Exp2(float64(1 - e.units))
	}
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(e.units - 1)}.Survival(math.Abs(d.Value/d.SE))
}

// Best returns the method of the smallest cross-entropy.
func (r *Result) Best() string {
	return slices.MinFunc(r.Scores, func(a, b Score) int { return cmp.Compare(a.CrossEntropy.Value, b.CrossEntropy.Value) }).Method
}

// Finding is which of the differences between methods are real.
type Finding struct {
	Best    string
	Worse   []string     // methods that it is really better than
	Close   []Difference // from those that it may lead by chance
	Unknown []string     // models that nothing shows to know more than a coin
}

// Finding says which differences are real.
func (r *Result) Finding() Finding {
	f := Finding{Best: r.Best()}
	for _, s := range r.Scores {
		for _, d := range r.Differences {
			switch {
			case d.A != f.Best || d.B != s.Method:
			case d.Real:
				f.Worse = append(f.Worse, s.Method)
			default:
				f.Close = append(f.Close, d)
			}
		}
		if !s.Yardstick && r.has("coin") && !r.real(s.Method, "coin") && !(s.Accuracy.Lo > 0.5) {
			f.Unknown = append(f.Unknown, s.Method)
		}
	}
	return f
}

// Verdict says it in plain words.
func (r *Result) Verdict() string {
	f := r.Finding()
	if len(r.Scores) > 0 && math.IsNaN(r.Scores[0].CrossEntropy.Value) {
		return "No vote that was held out was decided: there is nothing to measure."
	}
	if len(f.Close) == 0 && len(f.Worse) == 0 {
		return "There is nothing to compare " + f.Best + " with."
	}
	text := f.Best + " predicts best"
	if len(f.Worse) > 0 {
		text += ", and really better than " + and(f.Worse)
	}
	var near []string
	for _, d := range f.Close {
		if math.IsNaN(d.CrossEntropy.SE) { // a single unit was held out
			near = append(near, fmt.Sprintf("%s (by %.3f)", d.B, d.CrossEntropy.Value))
		} else {
			near = append(near, fmt.Sprintf("%s (by %.3f ± %.3f)", d.B, d.CrossEntropy.Value, d.CrossEntropy.SE))
		}
	}
	if len(near) > 0 {
		text += fmt.Sprintf("; its lead over %s may be chance", and(near))
	}
	text += "."
	for _, method := range f.Unknown {
		text += fmt.Sprintf(" Nothing shows that %s knows more than a coin.", method)
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
