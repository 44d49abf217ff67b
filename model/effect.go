package model

import (
	"fmt"
	"math"
	"slices"

	"palate"
)

// leftEffect is the name of the left item's bonus among effects.
const leftEffect = "left"

// Effect is what is known of how something beside the items bears on votes, in units of
// the noise of a vote: the side on which an item was shown, or a property of votes
// (palate.Property).
type Effect struct {
	Name string  `json:"name"`
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
	// Lean is the deviation of voters' own departures from it; 0 where they share it.
	Lean float64 `json:"lean,omitempty"`

	// Property is what the effect is of, empty for the side alone: of so much more of a
	// number, Unit, or of one word, Level, in place of another, Against, which is the most
	// frequent one.
	Property string   `json:"property,omitempty"`
	Columns  []string `json:"columns,omitempty"` // it was read from
	Unit     float64  `json:"unit,omitempty"`
	Level    string   `json:"level,omitempty"`
	Against  string   `json:"against,omitempty"`
	// OfVote reports whether the property is one of the vote itself, which bears on the item
	// on the left: Centre is the number at which it does so by the bonus of the side alone.
	OfVote bool    `json:"of_vote,omitempty"`
	Centre float64 `json:"centre,omitempty"`
}

// Says is the effect as the subject of a sentence.
func (e Effect) Says() string {
	switch {
	case e.Property == "":
		return "The left side"
	case e.OfVote && e.Unit > 0:
		return fmt.Sprintf("The left side, for every %.3g more of %s,", e.Unit, e.Property)
	case e.OfVote:
		return fmt.Sprintf("The left side where %s is %s, beyond where it is %s,", e.Property, e.Level, e.Against)
	case e.Unit > 0:
		return fmt.Sprintf("%s larger by %.3g", e.Property, e.Unit)
	}
	return fmt.Sprintf("%s %s in place of %s", e.Property, e.Level, e.Against)
}

// Apart says how scores take the effect.
func (e Effect) Apart() string {
	if e.Property == "" || e.OfVote {
		return "scores are without it"
	}
	return "scores are at equal " + e.Property
}

// Interval is where the effect lies with a probability.
func (e Effect) Interval(level float64) (lo, hi float64) {
	by := math.Sqrt2 * math.Erfinv(level) * e.SD
	return e.Mean - by, e.Mean + by
}

// Effects returns what bears on votes beside the items; scores are without it. It is
// empty where nothing does.
func (m *Single) Effects() []Effect { return m.effects }

// Remarks are on properties of votes that told nothing, or not all, and what was done about
// them. A file does not keep them.
func (m *Single) Remarks() []string { return m.remarks }

// of is by how much more the left item of vote k has of what the effect is of, or of
// properties of the vote itself how much of them there is; 0 where that is not known.
func (e Effect) of(p *palate.Property, k int) float64 {
	left, right := p.Left[k], 0.0
	if !p.OfVote() {
		right = p.Right[k]
	}
	if p.Levels != nil {
		at := float64(slices.Index(p.Levels, e.Level))
		return indicator(left == at) - indicator(!p.OfVote() && right == at)
	}
	if x := (left - right - e.Centre) / e.Unit; !math.IsNaN(x) {
		return x
	}
	return 0
}

// indicator is 1 of what is so.
func indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// PreferShown is Prefer where left and right are the sides on which the two are shown.
func (m *Single) PreferShown(user, left, right int) float64 {
	return m.PreferIn(nil, 0, true, user, left, right)
}

// PreferIn is Prefer in a vote k that has some properties, where left and right are the
// sides on which the two are shown, or not: Prefer itself is at equal properties, and on
// sides drawn at random.
func (m *Single) PreferIn(properties []palate.Property, k int, shown bool, user, left, right int) float64 {
	unit := m.dependence.unit()
	var mean, variance float64
	add := func(x float64, e Effect) {
		x *= unit
		mean, variance = mean+x*e.Mean, variance+x*x*(e.SD*e.SD+e.Lean*e.Lean)
	}
	for _, e := range m.effects {
		if e.Property == "" && shown {
			add(1, e)
		}
		for i := range properties {
			p := &properties[i]
			if p.Name == e.Property && p.OfVote() == e.OfVote && (p.Levels == nil) == (e.Unit > 0) && (shown || !e.OfVote) {
				add(e.of(p, k), e)
			}
		}
	}
	return m.prefer(user, left, right, mean, variance, shown)
}
