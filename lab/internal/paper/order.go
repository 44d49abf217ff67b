package paper

import (
	"fmt"
	"io"
	"math"
)

// Verdict says whether an order of two methods that was published is found again.
type Verdict int

const (
	Undecided Verdict = iota // the difference is within two paired standard errors
	Reproduced
	Reversed
)

// Order compares two rows whose methods were both published with different losses.
type Order struct {
	Better, Worse  *Row    // as published
	Published      float64 // loss of Worse less that of Better
	Difference, SE float64 // loss of Worse less that of Better in our runs, paired
}

// Verdict tells how the comparison ends.
func (o Order) Verdict() Verdict {
	switch {
	case !(math.Abs(o.Difference) > 2*o.SE):
		return Undecided
	case o.Difference > 0:
		return Reproduced
	}
	return Reversed
}

// Orders compares all pairs of rows that stand for published methods.
func (t *Table) Orders() (orders []Order) {
	for i, a := range t.Rows {
		for _, b := range t.Rows[i+1:] {
			if a.Published.best() || b.Published.best() {
				continue
			}
			better, worse := a, b
			d := b.Published.Figures[t.Loss] - a.Published.Figures[t.Loss]
			if d < 0 {
				better, worse, d = b, a, -d
			}
			if d > 0 {
				o := Order{Better: better, Worse: worse, Published: d}
				o.Difference, o.SE = worse.Minus(better, t.Loss)
				orders = append(orders, o)
			}
		}
	}
	return orders
}

// writeOrders says how much of the published order is found again, and names what is not.
func (t *Table) writeOrders(w io.Writer) {
	orders := t.Orders()
	if len(orders) == 0 || math.IsNaN(orders[0].SE) {
		return
	}
	var count [3]int
	for _, o := range orders {
		count[o.Verdict()]++
	}
	fmt.Fprintf(w, "\nOf %d published orders of two methods %d are reproduced, %d reversed, %d undecided (within two standard errors)",
		len(orders), count[Reproduced], count[Reversed], count[Undecided])
	if count[Reproduced] == len(orders) {
		fmt.Fprintln(w, ".")
		return
	}
	fmt.Fprint(w, ":\n\n")
	var grid grid
	for _, o := range orders {
		if v := o.Verdict(); v != Reproduced {
			grid.row(o.Worse.Model+" − "+o.Better.Model, [...]string{"undecided", "", "reversed"}[v],
				fmt.Sprintf("published %+.3f", o.Published), fmt.Sprintf("ours %+.4f (%.4f)", o.Difference, o.SE))
		}
	}
	grid.write(w)
}
