package ui

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"palate"
	"palate/server"
	"palate/store"
)

// functions are the words that templates use, in a language.
func (p *pages) functions(t *tongue) template.FuncMap {
	return template.FuncMap{
		"static":     func(name string) string { return "/static/" + p.version + "/" + name },
		"item":       itemShower(),
		"say":        t.say,
		"tongue":     func() string { return t.tag.String() },
		"tongues":    func() []choice { return p.choices(t) },
		"dir":        t.Dir,
		"percent":    t.percent,
		"chance":     t.chance,
		"number":     t.number,
		"span":       t.span,
		"ago":        t.ago,
		"count":      t.count,
		"whole":      func(x float64) string { return t.count(int(math.Round(x))) },
		"importSays": t.importSays,
		"outcome":    t.outcome,
		"proposed":   t.proposed,
		"minute":     func(at time.Time) string { return at.UTC().Format(minute) },
		"why":        t.why,
		"question":   t.question,
		"goal":       t.progress,
		"trust":      t.trust,
		"inc":        func(k int) int { return k + 1 },
		"dec":        func(k int) int { return k - 1 },
		"day":        t.day,
		"machine":    func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
	}
}

// number says a score, with a real minus sign.
func (t *tongue) number(x float64) string {
	text := strings.Replace(strconv.FormatFloat(x, 'f', 2, 64), "-", "−", 1)
	return strings.Replace(text, ".", t.say("number-point"), 1)
}

// percent says a share; none and all are said only of just that.
func (t *tongue) percent(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case x > 0.995 && x < 1:
		return "> " + t.say("percent", "99")
	case x > 0 && x < 0.005:
		return "< " + t.say("percent", "1")
	}
	return t.say("percent", fmt.Sprintf("%.0f", 100*x))
}

// chance says a probability: nothing is certain, and nothing quite impossible.
func (t *tongue) chance(p float64) string { return t.percent(min(max(p, 1e-9), 1-1e-9)) }

func (t *tongue) span(lo, hi int) string {
	if lo == hi {
		return t.count(lo)
	}
	return t.count(lo) + "–" + t.count(hi)
}

// ago says how long something is past.
func (t *tongue) ago(at time.Time) string {
	switch d := time.Since(at); {
	case at.IsZero():
		return t.say("never")
	case d < 2*time.Second:
		return t.say("just-now")
	case d < time.Minute:
		return t.say("seconds-ago", int(d.Seconds()))
	case d < time.Hour:
		return t.say("minutes-ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return t.say("hours-ago", int(d.Hours()))
	default:
		return t.say("days-ago", int(d.Hours()/24))
	}
}

// day says a time to the minute, in UTC.
func (t *tongue) day(at time.Time) string {
	at = at.UTC()
	day := strconv.Itoa(at.Day())
	if at.Day() == 1 {
		day = t.say("first-of-month")
	}
	month := strings.Split(t.say("months"), " ")[at.Month()-1]
	return t.say("date", day, month, strconv.Itoa(at.Year()), at.Format("15:04"))
}

// count says a whole number, its thousands apart.
func (t *tongue) count(n int) string {
	digits := strconv.Itoa(n)
	if len(digits) < t.grouped {
		return digits
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + t.say("number-group") + digits[at:]
	}
	return digits
}

func (t *tongue) outcome(o palate.Outcome) string {
	switch o {
	case palate.Left:
		return t.say("answer-left")
	case palate.Right:
		return t.say("answer-right")
	case palate.Tie:
		return t.say("answer-tie")
	}
	return t.say("answer-skip")
}

// why says the reason of an answer; those that the page offers are kept in English.
func (t *tongue) why(reason string) string {
	switch reason {
	case bothBad:
		return t.say("reason-both-bad")
	case cannotSay:
		return t.say("reason-cannot-say")
	case unknown:
		return t.say("reason-unknown")
	case wrong:
		return t.say("reason-wrong")
	}
	return reason
}

// question is what voters are asked; an owner who wrote nothing asks in their language.
func (t *tongue) question(text string) string {
	if text == server.DefaultQuestion {
		return t.say("which-is-better")
	}
	return text
}

// progress says how far a goal is.
func (t *tongue) progress(p server.Progress) string {
	settled, open := "settled-ranking", "open-ranking"
	args := []any{t.percent(p.Settled), t.percent(p.Level)}
	switch top, found := strings.CutPrefix(p.Goal, "top-"); {
	case p.Goal == "best":
		settled, open = "settled-best", "open-best"
	case found && top != "first":
		settled, open = "settled-top", "open-top"
		args = append(args, top)
	}
	if p.Done {
		return t.say(settled, args...)
	}
	return t.say(open, args...)
}

// proposed says what became of a proposal.
func (t *tongue) proposed(s store.ProposalState) string {
	switch s {
	case store.Accepted:
		return t.say("proposal-accepted")
	case store.Refused:
		return t.say("proposal-refused")
	}
	return t.say("proposal-waits")
}
