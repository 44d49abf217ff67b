package paper

import "context"

// baselines are the methods that a model has to beat.
func baselines() []Method {
	return []Method{
		{Name: "coin", Yardstick: true, About: "knows nothing", Fit: fitCoin},
		{Name: "majority", Yardstick: true, About: "share of votes that the left item won, all voters pooled", Fit: fitMajority},
	}
}

type coin struct{}

func fitCoin(context.Context, Task) (Predictor, error) { return coin{}, nil }

func (coin) Prefer(_, _, _ int) float64                { return 0.5 }
func (coin) Utility(_, _ int) (mean, variance float64) { return 0, 0 }

// majority counts wins, with one win more on either side of a pair (Laplace's rule), for which the utility of an item
// is its share of wins.
type majority struct {
	wins map[[2]int]float64
	won  []float64
	took []float64
}

func fitMajority(_ context.Context, t Task) (Predictor, error) {
	train := t.Train
	m := &majority{map[[2]int]float64{}, make([]float64, train.NumItems()), make([]float64, train.NumItems())}
	for _, t := range train.Tallies(false) {
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
	return m, nil
}

func (m *majority) Prefer(_, left, right int) float64 {
	w, l := m.wins[[2]int{left, right}], m.wins[[2]int{right, left}]
	return (w + 1) / (w + l + 2)
}

func (m *majority) Utility(_, item int) (mean, variance float64) {
	n := m.took[item] + 2
	p := (m.won[item] + 1) / n
	return p, p * (1 - p) / n
}
