package ui

import (
	"html/template"
	"math"
	"strings"
	"time"

	"palate"
	"palate/model"
	"palate/server"
	"palate/store"
)

// functions are the words that templates use, in a language.
func (p *pages) functions(t *tongue) template.FuncMap {
	return template.FuncMap{
		"static":     func(name string) string { return "/static/" + p.version + "/" + name },
		"item":       itemShower(),
		"say":        t.Say,
		"tongue":     func() string { return t.Tag.String() },
		"tongues":    func() []choice { return p.choices(t) },
		"dir":        t.Dir,
		"percent":    t.Percent,
		"chance":     t.Chance,
		"number":     func(x float64) string { return t.Number(x, 2) },
		"span":       t.Span,
		"ago":        t.Ago,
		"count":      t.Count,
		"whole":      func(x float64) string { return t.Count(int(math.Round(x))) },
		"importSays": t.importSays,
		"outcome":    t.outcome,
		"proposed":   t.proposed,
		"minute":     func(at time.Time) string { return at.UTC().Format(minute) },
		"why":        t.why,
		"question":   t.question,
		"ways":       store.Ways,
		"way":        t.way,
		"overs":      func() []string { return append([]string{""}, model.PeriodUnits()...) },
		"over":       t.over,
		"goal":       t.progress,
		"trust":      t.trust,
		"value":      t.value,
		"inc":        func(k int) int { return k + 1 },
		"dec":        func(k int) int { return k - 1 },
		"day":        t.Day,
		"machine":    func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
	}
}

func (t *tongue) outcome(o palate.Outcome) string {
	switch o {
	case palate.Left:
		return t.Say("answer-left")
	case palate.Right:
		return t.Say("answer-right")
	case palate.Tie:
		return t.Say("answer-tie")
	}
	return t.Say("answer-skip")
}

// why says the reason of an answer; those that the page offers are kept in English.
func (t *tongue) why(reason string) string {
	switch reason {
	case bothBad:
		return t.Say("reason-both-bad")
	case cannotSay:
		return t.Say("reason-cannot-say")
	case unknown:
		return t.Say("reason-unknown")
	case wrong:
		return t.Say("reason-wrong")
	}
	return reason
}

// question is what voters are asked; an owner who wrote nothing asks in their language.
func (t *tongue) question(text string, way store.Way) string {
	if text != server.DefaultQuestion {
		return text
	}
	switch way {
	case store.Choice:
		return t.Say("which-is-best")
	case store.BestWorst:
		return t.Say("best-and-worst")
	case store.Ranking:
		return t.Say("in-which-order")
	}
	return t.Say("which-is-better")
}

// way says how voters are asked.
func (t *tongue) way(w store.Way) string {
	switch w {
	case store.Choice:
		return t.Say("ask-choice")
	case store.BestWorst:
		return t.Say("ask-best-worst")
	case store.Ranking:
		return t.Say("ask-ranking")
	}
	return t.Say("ask-pairs")
}

// over says over what unit of time opinions may change.
func (t *tongue) over(unit string) string {
	switch unit {
	case "hour":
		return t.Say("over-hour")
	case "day":
		return t.Say("over-day")
	case "week":
		return t.Say("over-week")
	case "month":
		return t.Say("over-month")
	case "quarter":
		return t.Say("over-quarter")
	case "year":
		return t.Say("over-year")
	}
	return t.Say("over-none")
}

// badAnswer says what is wrong with an answer about several items.
func (t *tongue) badAnswer(e *server.BadAnswer) string {
	switch e.Why {
	case server.NotAsked:
		return t.Say("answer-not-asked", e.Item)
	case server.NamedTwice:
		return t.Say("answer-twice", e.Item)
	case server.BestIsLast:
		return t.Say("answer-both", e.Item)
	case server.Incomplete:
		return t.Say("answer-incomplete")
	}
	return t.Say("answer-other")
}

// progress says how far a goal is.
func (t *tongue) progress(p server.Progress) string {
	settled, open := "settled-ranking", "open-ranking"
	args := []any{t.Percent(p.Settled), t.Percent(p.Level)}
	switch top, found := strings.CutPrefix(p.Goal, "top-"); {
	case p.Goal == "optimum":
		settled, open = "duels-enough", "duels-help"
		args = []any{t.Chance(1 - p.Settled/2)}
	case p.Goal == "best":
		settled, open = "settled-best", "open-best"
	case found && top != "first":
		settled, open = "settled-top", "open-top"
		args = append(args, top)
	}
	if p.Done {
		return t.Say(settled, args...)
	}
	return t.Say(open, args...)
}

// proposed says what became of a proposal.
func (t *tongue) proposed(s store.ProposalState) string {
	switch s {
	case store.Accepted:
		return t.Say("proposal-accepted")
	case store.Refused:
		return t.Say("proposal-refused")
	}
	return t.Say("proposal-waits")
}
