package phrases

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Number says a number with so many decimals, with a real minus sign.
func (t *Tongue) Number(x float64, decimals int) string {
	text := strings.Replace(strconv.FormatFloat(x, 'f', decimals, 64), "-", "−", 1)
	return strings.Replace(text, ".", t.Say("number-point"), 1)
}

// Percent says a share; none and all are said only of just that.
func (t *Tongue) Percent(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case x > 0.995 && x < 1:
		return "> " + t.Say("percent", "99")
	case x > 0 && x < 0.005:
		return "< " + t.Say("percent", "1")
	}
	return t.Say("percent", fmt.Sprintf("%.0f", 100*x))
}

// Chance says a probability: nothing is certain, and nothing quite impossible.
func (t *Tongue) Chance(p float64) string { return t.Percent(min(max(p, 1e-9), 1-1e-9)) }

// Span says a range of whole numbers.
func (t *Tongue) Span(lo, hi int) string {
	if lo == hi {
		return t.Count(lo)
	}
	return t.Count(lo) + "–" + t.Count(hi)
}

// Ago says how long something is past.
func (t *Tongue) Ago(at time.Time) string {
	switch d := time.Since(at); {
	case at.IsZero():
		return t.Say("never")
	case d < 2*time.Second:
		return t.Say("just-now")
	case d < time.Minute:
		return t.Say("seconds-ago", int(d.Seconds()))
	case d < time.Hour:
		return t.Say("minutes-ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return t.Say("hours-ago", int(d.Hours()))
	default:
		return t.Say("days-ago", int(d.Hours()/24))
	}
}

// Day says a time to the minute, in UTC.
func (t *Tongue) Day(at time.Time) string {
	at = at.UTC()
	day := strconv.Itoa(at.Day())
	if at.Day() == 1 {
		day = t.Say("first-of-month")
	}
	month := strings.Split(t.Say("months"), " ")[at.Month()-1]
	return t.Say("date", day, month, strconv.Itoa(at.Year()), at.Format("15:04"))
}

// Date says a day, in UTC.
func (t *Tongue) Date(at time.Time) string {
	at = at.UTC()
	day := strconv.Itoa(at.Day())
	if at.Day() == 1 {
		day = t.Say("first-of-month")
	}
	return t.Say("day", day, strings.Split(t.Say("months"), " ")[at.Month()-1], strconv.Itoa(at.Year()))
}

// Count says a whole number, its thousands apart.
func (t *Tongue) Count(n int) string {
	digits := strconv.Itoa(n)
	if len(digits) < t.grouped {
		return digits
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + t.Say("number-group") + digits[at:]
	}
	return digits
}
