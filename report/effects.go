package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"palate/model"
)

// effects says what bears on votes beside the items, a line each.
func effects(all []model.Effect, level float64, s scale) string {
	var t strings.Builder
	for _, e := range all {
		lo, hi := e.Interval(level)
		show := func(x float64) string { return fixed(s.factor*x, s.decimals) }
		fmt.Fprintf(&t, "%s is worth %s (%s to %s)", e.Says(), show(e.Mean), show(lo), show(hi))
		if e.Lean > 0 {
			fmt.Fprintf(&t, ", and to one voter more than to another, by %s", show(e.Lean))
		}
		fmt.Fprintf(&t, "; %s.\n", e.Apart())
	}
	return t.String()
}

// effect says what an effect is, and where it lies.
func (s speech) effect(e model.Effect, span string) string {
	unit := s.amount(e.Unit)
	switch {
	case e.Property == "":
		return s.Say("effect-side", span)
	case e.OfVote && e.Unit > 0:
		return s.Say("effect-side-more", span, unit, label(e.Property))
	case e.OfVote:
		return s.Say("effect-side-where", span, label(e.Property), label(e.Level), label(e.Against))
	case e.Unit > 0:
		return s.Say("effect-larger", span, label(e.Property), unit)
	}
	return s.Say("effect-in-place", span, label(e.Property), label(e.Level), label(e.Against))
}

// jsonEffect is an effect on the scale of the scores.
type jsonEffect struct {
	Name string       `json:"name"`
	Mean *json.Number `json:"mean"`
	SD   *json.Number `json:"sd"`
	Lo   *json.Number `json:"lo"`
	Hi   *json.Number `json:"hi"`
	Lean *json.Number `json:"voter_sd,omitempty"`

	Property string  `json:"property,omitempty"`
	Of       string  `json:"of,omitempty"`      // items or vote
	Unit     float64 `json:"unit,omitempty"`    // so much more of a number is worth that
	Level    string  `json:"level,omitempty"`   // of words, in place of
	Against  string  `json:"against,omitempty"` // the most frequent one
}

// jsonEffects are effects in JSON.
func jsonEffects(all []model.Effect, level float64, s scale) (out []jsonEffect) {
	for _, e := range all {
		lo, hi := e.Interval(level)
		show := func(x float64) *json.Number { return number(s.factor*x, s.decimals+1) }
		x := jsonEffect{Name: e.Name, Mean: show(e.Mean), SD: show(e.SD), Lo: show(lo), Hi: show(hi)}
		if e.Lean > 0 {
			x.Lean = show(e.Lean)
		}
		if x.Property, x.Unit, x.Level, x.Against = e.Property, e.Unit, e.Level, e.Against; e.Property != "" {
			if x.Of = "items"; e.OfVote {
				x.Of = "vote"
			}
		}
		out = append(out, x)
	}
	return out
}
