package paper

import (
	"context"
	"math"
	"math/rand/v2"

	"palate/check"
	"palate/lab/internal/worlds"
	"palate/metric"
	"palate/model"
)

// worldResult is how a model did in one world, by the names of worldMeasures; those that do not apply are not there.
type worldResult map[string]float64

// worldDraws are the joint draws from which expected τ is taken.
const worldDraws = 2000

// judgeBoard holds the board of a model to the truth. Items that no votes connect are not compared.
func judgeBoard(ctx context.Context, m model.Model, d *worlds.Drawn, rng *rand.Rand) (worldResult, error) {
	board, err := model.NewBoard(ctx, m, -1, &model.BoardOptions{Seed: rng.Uint64()})
	if err != nil {
		return nil, err
	}
	draws, err := m.Draws(ctx, -1, worldDraws, rng)
	if err != nil {
		return nil, err
	}
	var items, pairs, held, width, several, claims, wrong, apart, said, was, over, excess float64
	for _, g := range board.Groups {
		if len(g.Rows) < 2 {
			continue
		}
		var mean float64
		for _, r := range g.Rows {
			mean += d.Target[r.Item] / float64(len(g.Rows))
		}
		leaders := map[int]int{} // first item of each tier, by its rank
		for k, r := range g.Rows {
			x := d.Target[r.Item] - mean
			items++
			width += r.Hi - r.Lo
			if r.Lo <= x && x <= r.Hi {
				held++
			}
			if _, ok := leaders[r.Tier]; !ok {
				leaders[r.Tier] = k
			}
		}
		if len(leaders) > 1 {
			several = 1
		}
		for k, r := range g.Rows {
			for j, s := range g.Rows {
				below := d.Target[s.Item] > d.Target[r.Item]
				if s.Tier < r.Tier {
					if !below {
						apart = 1
					}
					if leaders[s.Tier] == j {
						claims++
						if !below {
							wrong++
						}
					}
				}
				if j >= k {
					continue
				}
				pairs++ // s is above r
				said += concord(draws, s.Item, r.Item)
				was += sign(d.Target[s.Item] - d.Target[r.Item])
				p, truth := m.Prefer(-1, s.Item, r.Item), d.Chance(s.Item, r.Item)
				excess += divergence(truth, p)
				if p < 0.5 { // of the favourite
					p, truth = 1-p, 1-truth
				}
				over += p - truth
			}
		}
	}
	result := worldResult{"several": several, "true_claims": claims - wrong, "false_tiers": math.Min(1, wrong), "false_pairs": apart}
	if pairs > 0 {
		result["coverage"], result["width"] = held/items, width/items
		result["tau_said"], result["tau"], result["tau_over"] = said/pairs, was/pairs, (said-was)/pairs
		result["overclaim"], result["excess"] = over/pairs, excess/pairs
	}
	return result, nil
}

// judgeVotes says which assumptions of models a check finds not to hold.
func judgeVotes(ctx context.Context, d *worlds.Drawn) (worldResult, error) {
	found, err := check.Assumptions(ctx, d.Votes, func(int) bool { return true })
	if err != nil {
		return nil, err
	}
	result := worldResult{"found": math.Min(1, float64(len(found)))}
	for kind, name := range assumptionMeasures() {
		result[name] = 0
		for _, f := range found {
			if f.Kind == kind {
				result[name] = 1
			}
		}
	}
	return result, nil
}

// assumptionMeasures are the measures of what a check finds, by its kind.
func assumptionMeasures() map[string]string {
	return map[string]string{check.Tastes: "found_tastes", check.Repeats: "found_repeats", check.Sides: "found_sides", check.Drift: "found_drift", check.Circles: "found_circles"}
}

// judgePeople holds what a model says of voters to their true chances.
func judgePeople(m interface {
	Prefer(user, left, right int) float64
}, d *worlds.Drawn) worldResult {
	const bins = 10
	p, truth, w := make([]float64, len(d.Asked)), make([]float64, len(d.Asked)), make([]float64, len(d.Asked))
	var excess, over float64
	for k, q := range d.Asked {
		p[k], truth[k], w[k] = m.Prefer(q.User, q.Left, q.Right), q.Chance, 1
		excess += divergence(truth[k], p[k]) / float64(len(d.Asked))
		if p[k] < 0.5 { // of the favourite
			p[k], truth[k] = 1-p[k], 1-truth[k]
		}
		over += (p[k] - truth[k]) / float64(len(d.Asked))
		p[k] = 2*p[k] - 1 // the bins are over all of [0, 1]
	}
	var ece float64
	for _, b := range metric.Reliability(p, truth, w, bins) {
		if b.Weight > 0 {
			ece += b.Weight / float64(len(d.Asked)) * math.Abs((1+b.Predicted)/2-b.Observed)
		}
	}
	return worldResult{"excess": excess, "overclaim": over, "calibration": ece}
}

// concord is the expected sign of the difference of two items.
func concord(d model.Draws, above, below int) (sum float64) {
	for k, w := range d.Weight {
		row := d.F.RawRowView(k)
		sum += w * sign(row[above]-row[below])
	}
	return sum
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// divergence is the cross-entropy of p above that of the truth, in nats.
func divergence(truth, p float64) (nats float64) {
	for _, x := range [][2]float64{{truth, p}, {1 - truth, 1 - p}} {
		if x[0] > 0 {
			nats += x[0] * math.Log(x[0]/math.Max(x[1], 1e-12))
		}
	}
	return nats
}
