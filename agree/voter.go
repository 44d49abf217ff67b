package agree

import (
	"math"

	"palate"
	"palate/internal/num"
	"palate/metric"
)

// judge compares the votes of a voter with scores.
func (v voter) judge(d *palate.Dataset, scores []float64, sided bool, level float64) Voter {
	out := Voter{User: v.user, ID: d.UserID(v.user)}
	var decided, agreed, ties float64
	answers := map[[2]int]palate.Outcome{}
	repeated, contradicted := map[[2]int]bool{}, map[[2]int]bool{}
	for _, k := range v.votes {
		vote := d.Vote(k)
		out.Votes += vote.Weight
		lead := scores[vote.Left] - scores[vote.Right]
		if y := vote.Outcome.Share(); y != 0.5 {
			decided += vote.Weight
			out.Expected += vote.Weight * num.Sigmoid(math.Abs(lead))
			switch {
			case lead == 0:
				agreed += vote.Weight / 2
			case (lead > 0) == (y > 0.5):
				agreed += vote.Weight
			}
		} else {
			ties += vote.Weight
		}
		if vote.Left > vote.Right {
			vote = vote.Swap()
		}
		pair := [2]int{vote.Left, vote.Right}
		if before, ok := answers[pair]; ok {
			repeated[pair] = true
			if before != vote.Outcome {
				contradicted[pair] = true
			}
		}
		answers[pair] = vote.Outcome
	}
	out.Repeated, out.Contradicted = len(repeated), len(contradicted)
	out.Expected /= decided
	lo, hi := metric.Wilson(agreed, decided, level)
	out.Agrees = Interval{agreed / decided, lo, hi}
	if decided == 0 {
		out.Agrees = Interval{math.NaN(), math.NaN(), math.NaN()}
	}
	lo, hi = metric.Wilson(ties, out.Votes, level)
	out.Ties = Interval{ties / out.Votes, lo, hi}
	r := v.regress(d, scores, sided)
	z := math.Sqrt2 * math.Erfinv(level)
	out.Reliability = Interval{r.slope, r.slope - z*r.slopeSD, r.slope + z*r.slopeSD}
	out.Left = Interval{math.NaN(), math.NaN(), math.NaN()}
	if r.sided {
		out.Left = Interval{num.Sigmoid(r.bias), num.Sigmoid(r.bias - z*r.biasSD), num.Sigmoid(r.bias + z*r.biasSD)}
	}
	return out
}

// regression is a voter's slope and bias, with standard deviations.
type regression struct {
	slope, slopeSD float64
	bias, biasSD   float64
	sided          bool // there is a bias to speak of
}

// regress finds the mode of Σ w·log p + log prior by Newton's method, and the
// spread there. Steps that would overshoot are halved; the objective is concave.
func (v voter) regress(d *palate.Dataset, scores []float64, sided bool) regression {
	r := regression{slope: 1}
	each := func(f func(vote palate.Vote, x, side float64)) {
		for _, k := range v.votes {
			vote := d.Vote(k)
			side := 0.0
			if sided && vote.Group == 0 { // the items of a ranking were not shown on sides
				side = 1
			}
			f(vote, scores[vote.Left]-scores[vote.Right], side)
		}
	}
	height := func(slope, bias float64) float64 {
		h := -0.5 * ((slope-1)*(slope-1) + bias*bias)
		each(func(vote palate.Vote, x, side float64) {
			y, z := vote.Outcome.Share(), slope*x+bias*side
			h += vote.Weight * (y*num.LogSigmoid(z) + (1-y)*num.LogSigmoid(-z))
		})
		return h
	}
	at := height(r.slope, r.bias)
	var h11, h12, h22 float64
	for range 100 {
		g1, g2 := 1-r.slope, -r.bias
		h11, h12, h22 = 1, 0, 1
		each(func(vote palate.Vote, x, side float64) {
			r.sided = r.sided || side == 1
			p := num.Sigmoid(r.slope*x + r.bias*side)
			e, c := vote.Weight*(vote.Outcome.Share()-p), vote.Weight*p*(1-p)
			g1, g2 = g1+e*x, g2+e*side
			h11, h12, h22 = h11+c*x*x, h12+c*x*side, h22+c*side*side
		})
		det := h11*h22 - h12*h12
		da, db := (h22*g1-h12*g2)/det, (h11*g2-h12*g1)/det
		if math.Abs(da)+math.Abs(db) < 1e-10 {
			break
		}
		to := height(r.slope+da, r.bias+db)
		for to < at-1e-12*math.Abs(at) && math.Abs(da)+math.Abs(db) >= 1e-10 { // rounding is no fall
			da, db = da/2, db/2
			to = height(r.slope+da, r.bias+db)
		}
		r.slope, r.bias, at = r.slope+da, r.bias+db, to
	}
	det := h11*h22 - h12*h12
	r.slopeSD, r.biasSD = math.Sqrt(h22/det), math.Sqrt(h11/det)
	return r
}
