package report

import (
	"cmp"
	"fmt"
	"math"

	"palate/model"
)

// Options say how to show a board. The zero value shows all of it.
type Options struct {
	// Top, if positive, shows only the best Top items of each group, with the
	// probability that they are among the best Board.Top.
	Top int
	// Elo shows scores on the scale of chess ratings.
	Elo bool
	// Points, if positive, are those of a rating that mean odds of ten to one, in place of 400.
	Points float64
	// Shift is added to all scores, as an item with a known one wants it: see Anchored.
	Shift float64
	// Legend adds to a table what its columns mean.
	Legend bool
	// Moves, if set, are how far scores moved, for a column of their own.
	Moves *model.Moves
	// Language is that of charts and pages, of Languages; empty: English.
	Language string
	// Fit, if set, says what the board comes from.
	Fit *Fit
}

func (o Options) fit() Fit {
	if o.Fit == nil {
		return Fit{}
	}
	return *o.Fit
}

// eloCentre is the rating of an item as good as the mean of its group.
const eloCentre = 1000

// eloPoints are those that mean odds of ten to one, unless others are asked for.
const eloPoints = 400

// logisticProbit is the factor at which the logistic function comes nearest to
// Φ, within .0095 everywhere (Haley 1952).
const logisticProbit = 1.702

// scale is a linear change of scores for show.
type scale struct {
	name           string
	factor, centre float64
	decimals       int // in tables; CSV and JSON show one more
	lead           float64
}

func (o Options) scale() scale {
	if !o.Elo {
		return scale{"noise", 1, o.Shift, 2, 1}
	}
	points := o.Points
	points = cmp.Or(points, eloPoints)
	unit := points / math.Ln10 // of the logistic scale
	if o.fit().Likelihood == model.Probit {
		unit *= logisticProbit
	}
	decimals := 0
	if points < 100 {
		decimals = 1
	}
	return scale{"elo", unit, eloCentre + o.Shift, decimals, points / 4}
}

// Anchored returns the options that show an item of a board with a given score.
func (o Options) Anchored(b *model.Board, id string, score float64) (Options, error) {
	for _, g := range b.Groups {
		for _, r := range g.Rows {
			if r.ID == id {
				o.Shift += score - o.scale().at(r.Score)
				return o, nil
			}
		}
	}
	return o, fmt.Errorf("report: no item %q on the board", id)
}

func (s scale) at(score float64) float64 { return s.centre + s.factor*score }

// shown returns the rows of a group that are to be shown.
func (o Options) shown(g model.BoardGroup) []model.BoardRow {
	if o.Top > 0 && o.Top < len(g.Rows) {
		return g.Rows[:o.Top]
	}
	return g.Rows
}

// ranked reports whether there is anything to rank in a group.
func ranked(g model.BoardGroup) bool { return len(g.Rows) > 1 }
