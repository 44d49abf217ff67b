package ui

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"palate/server"
	"palate/tune"
)

// optimum is where the search of a board of a space stands, as its page shows it.
type optimum struct {
	*server.Optimum
	Start bool // it is compared with the start of the space, not with the first point
	Rows  []optimumRow
	Names []string // of the parameters that vary
	Steps []optimumStep
}

// optimumRow is a parameter of the best point. Where is between the bounds of the parameter,
// and Share of 1.
type optimumRow struct {
	Name       string
	At         tuneValue
	Lo, Hi     tuneValue // of a number
	Likely     []wordChance
	Importance tune.Interval
	Where      whisker
	Share      whisker
}

// tuneValue is a value of a parameter.
type tuneValue struct {
	of *tune.Parameter
	v  float64
}

// wordChance is how likely a word is.
type wordChance struct {
	Word   string
	Chance float64
}

// optimumStep is the best point after some answers.
type optimumStep struct {
	Duels  int
	Values []tuneValue
}

// optimum reads where a board of a space stands.
func (p *pages) optimum(ctx context.Context, board string, v server.View) (*optimum, error) {
	now, err := p.svc.Best(ctx, board, v)
	if err != nil {
		return nil, err
	}
	o := &optimum{Optimum: now, Start: now.Space.Start != nil}
	varying := now.Space.Varying()
	for _, j := range varying {
		o.Names = append(o.Names, now.Space.Parameters[j].Name)
	}
	for _, step := range slices.Backward(now.Path) {
		s := optimumStep{Duels: step.Duels}
		for _, j := range varying {
			s.Values = append(s.Values, tuneValue{&now.Space.Parameters[j], step.Best[j]})
		}
		o.Steps = append(o.Steps, s)
	}
	if st := now.Standing; st != nil {
		for _, j := range varying {
			o.Rows = append(o.Rows, newOptimumRow(&now.Space.Parameters[j], st, j))
		}
	}
	return o, nil
}

func newOptimumRow(p *tune.Parameter, st *tune.Standing, j int) optimumRow {
	r := optimumRow{Name: p.Name, At: tuneValue{p, st.Best[j]}, Importance: st.Importance[j]}
	i := r.Importance
	r.Share = whisker{Lo: along(i.Lo), Hi: along(i.Hi), At: along(i.Mean), Zero: along(0)}
	if st.Likely[j] == nil {
		w := st.Where[j]
		r.Lo, r.Hi = tuneValue{p, w.Lo}, tuneValue{p, w.Hi}
		r.Where = whisker{Lo: along(r.Lo.unit()), Hi: along(r.Hi.unit()), At: along(r.At.unit()), Zero: along(0)}
		return r
	}
	for k, chance := range st.Likely[j] {
		r.Likely = append(r.Likely, wordChance{p.Words[k], chance})
	}
	slices.SortStableFunc(r.Likely, func(a, b wordChance) int { return cmp.Compare(b.Chance, a.Chance) })
	r.Likely = r.Likely[:min(len(r.Likely), wordsShown)]
	return r
}

// wordsShown is how many words of a parameter are shown with their chances.
const wordsShown = 4

// along is a place of the unit interval in the picture of an interval.
func along(u float64) string { return fmt.Sprintf("%.1f", 6+u*(whiskerWidth-12)) }

// unit is where a number is between the bounds of its parameter.
func (x tuneValue) unit() float64 {
	if x.of.Log {
		return math.Log(x.v/x.of.From) / math.Log(x.of.To/x.of.From)
	}
	return (x.v - x.of.From) / (x.of.To - x.of.From)
}

// value says a value of a parameter: a word as it is, a number as the language writes it.
func (t *tongue) value(x tuneValue) string {
	text := x.of.Format(x.v, 4)
	if x.of.Numeric() {
		text = strings.Replace(strings.Replace(text, "-", "−", 1), ".", t.Say("number-point"), 1)
	}
	return text
}
