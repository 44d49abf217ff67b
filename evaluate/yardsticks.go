package evaluate

import (
	"context"

	"palate"
	"palate/model"
)

// Yardsticks are the methods that a model has to beat: a coin, counting, and the kinds
// of model that are there to be compared with.
func Yardsticks() []Method {
	all := []Method{
		{"coin", true, func(context.Context, *palate.Dataset, uint64) (Predictor, error) { return Coin{}, nil }},
		{"majority", true, func(_ context.Context, d *palate.Dataset, _ uint64) (Predictor, error) { return NewMajority(d), nil }},
	}
	for _, e := range model.Catalogue() {
		if e.Yardstick {
			all = append(all, Method{e.Name, true, func(ctx context.Context, d *palate.Dataset, _ uint64) (Predictor, error) {
				return asPredictor(e.Fit(ctx, d, nil))
			}})
		}
	}
	return all
}

// Coin knows nothing.
type Coin struct{}

// Prefer returns ½.
func (Coin) Prefer(_, _, _ int) float64 { return 0.5 }

// Utility returns 0.
func (Coin) Utility(_, _ int) (mean, variance float64) { return 0, 0 }

// Majority counts wins, with one win more on either side of a pair (Laplace's
// rule). The utility of an item is its share of wins.
type Majority struct {
	wins      map[[2]int]float64
	won, took []float64
}

// NewMajority counts the votes of d, voters pooled. A tie is half a win for each.
func NewMajority(d *palate.Dataset) *Majority {
	m := &Majority{map[[2]int]float64{}, make([]float64, d.NumItems()), make([]float64, d.NumItems())}
	for _, t := range d.Tallies(false) {
		share := 1.0
		if t.Tie {
			share = 0.5
			m.wins[[2]int{t.B, t.A}] += share * t.Weight
		}
		m.wins[[2]int{t.A, t.B}] += share * t.Weight
		m.won[t.A] += share * t.Weight
		m.won[t.B] += (1 - share) * t.Weight
		m.took[t.A] += t.Weight
		m.took[t.B] += t.Weight
	}
	return m
}

// Prefer returns the share of votes on this pair that left won.
func (m *Majority) Prefer(_, left, right int) float64 {
	w, l := m.wins[[2]int{left, right}], m.wins[[2]int{right, left}]
	return (w + 1) / (w + l + 2)
}

// Utility returns the share of its votes that the item won.
func (m *Majority) Utility(_, item int) (mean, variance float64) {
	n := m.took[item] + 2
	p := (m.won[item] + 1) / n
	return p, p * (1 - p) / n
}
