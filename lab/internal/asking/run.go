package asking

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"palate"
	"palate/internal/num"
	"palate/metric"
	"palate/model"
)

// Sizes are the numbers of items.
func Sizes() []int { return []int{20, 100, 500} }

// Marks are the votes an item at which orders are held to the truth.
func Marks() []float64 { return []float64{2.5, 5, 10} }

// Order is how near an order is to the truth.
type Order struct {
	Tau float64 // Kendall's
	One float64 // whether the best item is first
	Ten float64 // the share of the ten best among the first ten
}

// Run asks about items with utilities of deviation 1 in units of the noise of a vote,
// and says how near their order is to the truth at every mark. All start from a ring of
// votes. Items and the ring are the same for all policies.
func Run(ctx context.Context, p Policy, n int, items, rng *rand.Rand) ([]Order, error) {
	u := make([]float64, n)
	for i := range u {
		u[i] = items.NormFloat64()
	}
	b := palate.NewBuilder()
	for i := range u {
		b.Item(fmt.Sprint(i))
	}
	votes := 0
	ask := func(i, j int, rng *rand.Rand) error {
		votes++
		v := palate.Vote{User: -1, Left: i, Right: j, Weight: 1}
		if rng.Float64() > num.Phi(u[i]-u[j]) {
			v.Outcome = palate.Right
		}
		return b.Add(v)
	}
	for i := range n {
		if err := ask(i, (i+1)%n, items); err != nil {
			return nil, err
		}
	}
	var found []Order
	for marks := Marks(); len(marks) > 0; {
		d, err := b.Build()
		if err != nil {
			return nil, err
		}
		m, err := model.FitSingle(ctx, d, &model.Options{DenseLimit: 1})
		if err != nil {
			return nil, err
		}
		most := int(marks[0]*float64(n)) - votes
		if most <= 0 {
			found = append(found, order(m, u))
			marks = marks[1:]
			continue
		}
		pairs, err := p.next(ctx, m, min(most, between(n)), rng)
		if err != nil {
			return nil, err
		}
		for _, q := range pairs[:min(most, len(pairs))] {
			if err := ask(q[0], q[1], rng); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// between is how many pairs are asked between fits: a tenth of a pair an item, and of very
// many items a fifth.
func between(n int) int {
	if n > 100 {
		return n / 5
	}
	return max(1, n/10)
}

// order holds the order by means to the truth.
func order(m *model.Single, u []float64) (o Order) {
	mean := make([]float64, len(u))
	for i := range mean {
		mean[i], _ = m.Utility(-1, i)
	}
	o.Tau = metric.KendallTauA(mean, u)
	by := func(x []float64) []int {
		order := num.Indices(len(x))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[b], x[a]) })
		return order
	}
	ours, truth := by(mean), by(u)
	if ours[0] == truth[0] {
		o.One = 1
	}
	for _, i := range ours[:10] {
		if slices.Contains(truth[:10], i) {
			o.Ten += 0.1
		}
	}
	return o
}
