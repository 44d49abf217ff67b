package report

import (
	"context"
	"encoding/base64"
	"slices"

	"palate/survey"
)

// simulator is what a page needs to find what would be chosen from any shelf: in what orders
// voters would choose items, the first of which that is there they take.
type simulator struct {
	Items  []simulated
	Orders string // a byte an item, order after order, in base 64
}

// simulated is an item, by the order of the model.
type simulated struct {
	Name string
	On   bool // the shelf that is shown first
}

// simulatorBytes is about how large the orders are before they are encoded.
const simulatorBytes = 150_000

// simulator makes the simulator of a page; nil of more items than a byte counts.
func (s *Survey) simulator(ctx context.Context, shelf []int) (*simulator, error) {
	n := s.Model.NumItems()
	if n > 255 {
		return nil, ctx.Err()
	}
	orders, err := survey.Orders(ctx, s.Model, s.Users, &survey.Options{Draws: max(1, simulatorBytes/(n*len(s.Users))), Seed: s.Seed})
	if err != nil {
		return nil, err
	}
	out := &simulator{}
	for i := range n {
		out.Items = append(out.Items, simulated{label(s.Model.ItemID(i)), slices.Contains(shelf, i)})
	}
	var all []byte
	every := 1 + len(orders)*n/(2*simulatorBytes) // of very many voters one stands for so many
	for k := 0; k < len(orders); k += every {
		for _, i := range orders[k] {
			all = append(all, byte(i))
		}
	}
	out.Orders = base64.StdEncoding.EncodeToString(all)
	return out, nil
}
