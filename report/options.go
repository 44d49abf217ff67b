package report

import (
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
	// Legend adds to a table what its columns mean.
	Legend bool
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

// eloPoints is a unit of the logistic scale in points: 400 points are odds of
// ten to one.
const eloPoints = 400 / math.Ln10

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
		return scale{"noise", 1, 0, 2, 1}
	}
	points := eloPoints * logisticProbit
	if o.fit().Likelihood == model.Logit {
		points = eloPoints
	}
	return scale{"elo", points, eloCentre, 0, 100}
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
