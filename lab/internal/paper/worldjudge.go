package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

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
	var items, pairs, held, width, apart, said, was, over, excess float64
	var claims, plain tierClaims
	for _, g := range board.Groups {
		if len(g.Rows) < 2 {
			continue
		}
		var mean float64
		for _, r := range g.Rows {
			mean += d.Target[r.Item] / float64(len(g.Rows))
		}
		for _, r := range g.Rows {
			x := d.Target[r.Item] - mean
			items++
			width += r.Hi - r.Lo
			if r.Lo <= x && x <= r.Hi {
				held++
			}
		}
		claims.add(g.Rows, d.Target)
		plain.add(plainTiers(g.Rows, draws), d.Target)
		for k, r := range g.Rows {
			for j, s := range g.Rows {
				if s.Tier < r.Tier && d.Target[s.Item] <= d.Target[r.Item] {
					apart = 1
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
	result := worldResult{
		"several": math.Min(1, claims.held+claims.broken), "false_tiers": math.Min(1, claims.broken), "false_pairs": apart,
		"true_claims": claims.held, "plain_claims": plain.held, "true_next": claims.next, "plain_next": plain.next,
	}
	if pairs > 0 {
		result["coverage"], result["width"] = held/items, width/items
		result["tau_said"], result["tau"], result["tau_over"] = said/pairs, was/pairs, (said-was)/pairs
		result["overclaim"], result["excess"] = over/pairs, excess/pairs
	}
	return result, nil
}

// tierClaims counts what tiers claim of items by the first items of the tiers above.
type tierClaims struct {
	held, broken float64 // claims that hold, one for each tier above, and claims that do not
	next         float64 // claims that hold of the first item of the next tier above
}

// add counts the claims of rows, best first; some may be in an earlier tier than rows before them.
func (t *tierClaims) add(rows []model.BoardRow, target []float64) {
	var first []int // items, a tier each
	for _, r := range rows {
		if r.Tier > len(first) {
			first = append(first, r.Item)
		}
		for above, item := range first[:r.Tier-1] {
			switch {
			case target[item] <= target[r.Item]:
				t.broken++
			case above == r.Tier-2:
				t.next++
				fallthrough
			default:
				t.held++
			}
		}
	}
}

// plainTiers returns the rows in tiers each of which begins at the first item that is below the first of the tier before
// with 95 %, whatever else is claimed, and which all later items are in or below.
func plainTiers(rows []model.BoardRow, draws model.Draws) []model.BoardRow {
	const level = 0.95
	rows = slices.Clone(rows)
	tier, first := 1, rows[0].Item
	for k := range rows {
		if k > 0 && concord(draws, first, rows[k].Item) >= 2*level-1 {
			tier, first = tier+1, rows[k].Item
		}
		rows[k].Tier = tier
	}
	return rows
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
