package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"palate/internal/num"
	"palate/model"
	"palate/survey"
)

// surveyTruth is what is so of people who are asked.
type surveyTruth struct {
	users      []int
	utilities  [][]float64 // of each of them
	share      []float64   // of their choices, in percent
	everywhere []float64   // share of the choices of all such people, in percent
	reach      *survey.Reach
	best       *survey.Portfolio // of four items
}

// newSurveyTruth is that of people whose numbers begin at one, beside many others.
func newSurveyTruth(ctx context.Context, asked [][]float64, from int, person func(*rand.Rand) []float64, rng *rand.Rand) (t *surveyTruth, err error) {
	const others = 5000
	t = &surveyTruth{utilities: asked, share: trueShares(asked, 2000, rng)}
	t.everywhere = trueShares(several(others, person, rng), 100, rng)
	var likes [][]int
	for k, f := range asked {
		t.users, likes = append(t.users, from+k), append(likes, survey.Best(f, 1))
	}
	t.reach = survey.NewReach(len(asked[0]), likes)
	t.best, err = t.reach.Portfolio(ctx, 4, nil)
	return t, err
}

// add adds how near a model comes to the truth.
func (r *maxDiffResult) add(ctx context.Context, way string, m model.Model, t *surveyTruth) error {
	voters, found, err := surveyOf(ctx, m, t.users)
	if err != nil {
		return err
	}
	items, people := float64(len(t.share)), float64(len(t.users))
	var correlation, held, off float64
	got := make([]float64, len(t.share))
	for u, v := range voters {
		level := stat.Mean(t.utilities[u], nil)
		correlation += stat.Correlation(v.Score, t.utilities[u], nil) / people
		for i := range got {
			got[i] += v.Share[i] / people
			if v.Lo == nil {
				held = -1
			} else if x := t.utilities[u][i] - level; v.Lo[i] <= x && x <= v.Hi[i] {
				held += 1 / (people * items)
			}
		}
	}
	for i, x := range t.share {
		off += math.Abs(got[i]-x) / items
	}
	sharesHeld := -1.0
	if held >= 0 {
		sharesHeld = 0
		for _, x := range survey.Total(voters) {
			if x.Lo <= t.everywhere[x.Item] && t.everywhere[x.Item] <= x.Hi {
				sharesHeld += 1 / items
			}
		}
	}
	r.Ways, r.Correlation, r.Off = append(r.Ways, way), append(r.Correlation, correlation), append(r.Off, off)
	r.Held, r.SharesHeld, r.Lost = append(r.Held, held), append(r.SharesHeld, sharesHeld), append(r.Lost, 1-t.reach.Of(found).Reach/t.best.Reach)
	return nil
}

// surveyOf is what a model says of voters, and the portfolio of four that it finds. A model of
// strengths says the same of all: shares by their logit, and the four that are strongest.
func surveyOf(ctx context.Context, m model.Model, users []int) ([]survey.Voter, []int, error) {
	if m.NumUsers() > 0 {
		voters, err := survey.Voters(ctx, m, users, nil, nil)
		if err != nil {
			return nil, nil, err
		}
		reach, err := survey.Reaching(ctx, m, users, nil)
		if err != nil {
			return nil, nil, err
		}
		p, err := reach.Portfolio(ctx, 4, nil)
		if err != nil {
			return nil, nil, err
		}
		return voters, p.Items, nil
	}
	score, share := make([]float64, m.NumItems()), make([]float64, m.NumItems())
	for i := range score {
		score[i], _ = m.Utility(-1, i)
	}
	total := num.LogSumExp(score)
	for i, x := range score {
		share[i] = 100 * math.Exp(x-total)
	}
	return slices.Repeat([]survey.Voter{{Score: score, Share: share}}, len(users)), survey.Best(score, 4), nil
}

// trueShares are the shares of people's choices from among all items, so many each, in percent.
func trueShares(truth [][]float64, times int, rng *rand.Rand) []float64 {
	share := make([]float64, len(truth[0]))
	u := make([]float64, len(share))
	for _, f := range truth {
		for range times {
			for i, x := range f {
				u[i] = x + math.Sqrt(0.5)*rng.NormFloat64()
			}
			share[survey.Best(u, 1)[0]] += 100 / (float64(times) * float64(len(truth)))
		}
	}
	return share
}
