package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/optimize"

	"palate"
	"palate/internal/num"
)

// penalised is a logistic model of voters by penalised likelihood, to compare with: a consensus, and
// beside it utilities of each voter's own, or factors with weights of each voter. Penalties, and a temperature, are chosen
// by four-fold cross-validation of the votes.
type penalised struct {
	name    string
	factors int       // 0: each voter has utilities of their own
	tried   []float64 // penalties on utilities of voters, or on factors
}

func penalisedModels() []penalised {
	return []penalised{
		{"voter-bt", 0, []float64{0.15, 0.4, 1, 2.5, 6}},
		{"factors-3", 3, []float64{0.7, 2, 5, 12}},
	}
}

// findPenalised returns the model of a name.
func findPenalised(name string) (penalised, bool) {
	for _, b := range penalisedModels() {
		if b.name == name {
			return b, true
		}
	}
	return penalised{}, false
}

// penalisedFit is one that is fitted.
type penalisedFit struct {
	penalised
	items, voters int
	x             []float64 // consensus; then utilities by voter, or weights by voter and factors by item
	temperature   float64
}

// Prefer returns the probability that a voter picks left.
func (m *penalisedFit) Prefer(user, left, right int) float64 {
	return num.Sigmoid(m.temperature * m.lead(user, left, right))
}

// lead is the difference of two utilities to a voter.
func (m *penalisedFit) lead(user, left, right int) float64 {
	d := m.x[left] - m.x[right]
	own := m.x[m.items:]
	if m.factors == 0 {
		return d + own[user*m.items+left] - own[user*m.items+right]
	}
	weight, factor := own[user*m.factors:], own[m.voters*m.factors:]
	for f := range m.factors {
		d += weight[f] * (factor[left*m.factors+f] - factor[right*m.factors+f])
	}
	return d
}

// fitPenalised chooses penalties and temperature, and fits all votes.
func fitPenalised(ctx context.Context, b penalised, d *palate.Dataset, seed uint64) (*penalisedFit, error) {
	const folds = 4
	rng := rand.New(rand.NewPCG(seed, 4))
	votes := make([]palate.Vote, d.NumVotes())
	fold := make([]int, len(votes))
	for k, v := range d.Votes() {
		if v.Outcome > palate.Right || v.User < 0 {
			return nil, fmt.Errorf("%s reads decided votes of voters only", b.name)
		}
		votes[k], fold[k] = v, rng.IntN(folds)
	}
	best, least := [3]float64{}, math.Inf(1)
	for _, consensus := range []float64{0.1, 0.4, 1.5} {
		for _, own := range b.tried {
			lead := make([]float64, len(votes)) // of the winner, held out
			for f := range folds {
				var some []palate.Vote
				for k, v := range votes {
					if fold[k] != f {
						some = append(some, v)
					}
				}
				m, err := b.fit(ctx, d, some, consensus, own, 60, seed)
				if err != nil {
					return nil, err
				}
				for k, v := range votes {
					if fold[k] == f {
						lead[k] = m.lead(v.User, v.Left, v.Right) * (1 - 2*float64(v.Outcome))
					}
				}
			}
			for _, temperature := range []float64{0.6, 0.8, 1, 1.2} {
				var loss float64
				for _, l := range lead {
					loss -= num.LogSigmoid(temperature * l)
				}
				if loss < least {
					best, least = [3]float64{consensus, own, temperature}, loss
				}
			}
		}
	}
	m, err := b.fit(ctx, d, votes, best[0], best[1], 150, seed)
	if err != nil {
		return nil, err
	}
	m.temperature = best[2]
	return m, nil
}

// fit finds the most likely parameters under penalties, by L-BFGS.
func (b penalised) fit(ctx context.Context, d *palate.Dataset, votes []palate.Vote, consensus, own float64, steps int, seed uint64) (*penalisedFit, error) {
	m := &penalisedFit{penalised: b, items: d.NumItems(), voters: d.NumUsers(), temperature: 1}
	size := m.items + m.voters*m.items
	if b.factors > 0 {
		size = m.items + (m.voters+m.items)*b.factors
	}
	penalty := make([]float64, size)
	start := make([]float64, size)
	rng := rand.New(rand.NewPCG(seed, 5))
	for k := range penalty {
		switch {
		case k < m.items:
			penalty[k] = consensus
		case b.factors > 0 && k < m.items+m.voters*b.factors:
			penalty[k] = 1 // of weights: their size is that of the factors
		default:
			penalty[k] = own
		}
		if b.factors > 0 && k >= m.items {
			start[k] = 0.3 * rng.NormFloat64()
		}
	}
	problem := optimize.Problem{
		Func: func(x []float64) (loss float64) {
			m.x = x
			for _, v := range votes {
				loss -= num.LogSigmoid(m.lead(v.User, v.Left, v.Right) * (1 - 2*float64(v.Outcome)))
			}
			for k, p := range penalty {
				loss += p * x[k] * x[k] / 2
			}
			return loss
		},
		Grad: func(g, x []float64) {
			m.x = x
			for k, p := range penalty {
				g[k] = p * x[k]
			}
			for _, v := range votes {
				m.pull(g, v, num.Sigmoid(m.lead(v.User, v.Left, v.Right))-(1-float64(v.Outcome)))
			}
		},
		Status: func() (optimize.Status, error) {
			if err := ctx.Err(); err != nil {
				return optimize.Failure, err
			}
			return optimize.NotTerminated, nil
		},
	}
	found, err := optimize.Minimize(problem, start, &optimize.Settings{MajorIterations: steps, GradientThreshold: 1e-4}, &optimize.LBFGS{})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if found == nil {
		return nil, err
	}
	m.x = found.X
	return m, nil
}

// pull adds the gradient of a vote, whose loss falls with its lead at the rate e.
func (m *penalisedFit) pull(g []float64, v palate.Vote, e float64) {
	g[v.Left] += e
	g[v.Right] -= e
	own, x := g[m.items:], m.x[m.items:]
	if m.factors == 0 {
		own[v.User*m.items+v.Left] += e
		own[v.User*m.items+v.Right] -= e
		return
	}
	after := m.voters * m.factors
	for f := range m.factors {
		weight, left, right := v.User*m.factors+f, after+v.Left*m.factors+f, after+v.Right*m.factors+f
		own[weight] += e * (x[left] - x[right])
		own[left] += e * x[weight]
		own[right] -= e * x[weight]
	}
}
