package ui

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"palate"
)

// functions are the words that templates use.
func (p *pages) functions() template.FuncMap {
	return template.FuncMap{
		"static":     func(name string) string { return "/static/" + p.version + "/" + name },
		"item":       itemShower(),
		"percent":    percent,
		"chance":     chance,
		"number":     number,
		"span":       span,
		"ago":        ago,
		"plural":     plural,
		"noun":       noun,
		"count":      count,
		"importSays": importSays,
		"outcome":    outcomeWord,
		"inc":        func(k int) int { return k + 1 },
		"day":        func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") },
		"machine":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}
}

// number says a score, with a real minus sign.
func number(x float64) string {
	return strings.Replace(strconv.FormatFloat(x, 'f', 2, 64), "-", "−", 1)
}

// percent says a share; none and all are said only of just that.
func percent(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case x > 0.995 && x < 1:
		return "> 99 %"
	case x > 0 && x < 0.005:
		return "< 1 %"
	}
	return fmt.Sprintf("%.0f %%", 100*x)
}

// chance says a probability: nothing is certain, and nothing quite impossible.
func chance(p float64) string { return percent(min(max(p, 1e-9), 1-1e-9)) }

func span(lo, hi int) string {
	if lo == hi {
		return strconv.Itoa(lo)
	}
	return fmt.Sprintf("%d–%d", lo, hi)
}

// ago says how long something is past.
func ago(t time.Time) string {
	switch d := time.Since(t); {
	case t.IsZero():
		return "never"
	case d < 2*time.Second:
		return "just now"
	case d < time.Minute:
		return fmt.Sprintf("%d s ago", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	default:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	}
}

// plural says how many there are of something.
func plural(n int, word string) string { return count(n) + " " + noun(n, word) }

// noun is what so many are called.
func noun(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

// count says a whole number, its thousands apart.
func count(n int) string {
	digits := strconv.Itoa(n)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func outcomeWord(o palate.Outcome) string {
	switch o {
	case palate.Left:
		return "left"
	case palate.Right:
		return "right"
	case palate.Tie:
		return "tie"
	}
	return "skip"
}
