package model

import (
	"math"

	"palate"
	"palate/likelihood"
)

// orders are the answers of observations that put items in an order, by which draws of
// utilities are weighed.
type orders struct {
	of    *likelihood.Orders
	count []float64
	work  float64 // of their chances at one draw, as that of so many votes
}

// orderRoom is what a goroutine needs to weigh draws.
type orderRoom struct {
	likelihood.OrderRoom
	log []float64
}

// The chance of an order takes sums over a grid, which cost as much as this many votes for
// every item, and where several items share a place between others as this many for each of them.
const (
	orderWork = 12
	placeWork = 40
)

// orders returns the answers about several items, given the margin of ties; nil where there
// are none or some have no order, as items tie or less is said of them than that, where
// other things bear on votes, and where there are too many to weigh draws by.
func (o *observations) orders(margin float64) *orders {
	if o.answer == nil || len(o.effects) > 0 {
		return nil
	}
	out := &orders{}
	var answers [][][]int
	for lo := 0; lo < len(o.answer); {
		hi := lo + 1
		if o.answer[lo] < 0 {
			lo = hi
			continue
		}
		for hi < len(o.answer) && o.answer[hi] == o.answer[lo] {
			hi++
		}
		var a palate.Answer
		for r := lo; r < hi; r++ {
			index, _ := o.rows.Row(r)
			a.Said = append(a.Said, palate.Comparison{A: index[0], B: index[1], Tie: o.outcome[r] == tied})
		}
		levels, ok := a.Levels()
		if !ok {
			return nil
		}
		for j, items := range levels {
			out.work += orderWork * float64(len(items))
			if len(items) > 1 && j > 0 && j < len(levels)-1 {
				out.work += placeWork * float64(len(items))
			}
		}
		answers, out.count = append(answers, levels), append(out.count, o.count[lo])
		lo = hi
	}
	if leastMended*out.work > mendWork {
		return nil
	}
	out.of = likelihood.NewOrders(answers, margin, math.Sqrt(answerNoise))
	return out
}

// logProb is the log likelihood of the answers at utilities f.
func (o *orders) logProb(f []float64, room *orderRoom) (sum float64) {
	if room.log == nil {
		room.log = make([]float64, len(o.count))
	}
	o.of.LogProbs(room.log, f, &room.OrderRoom)
	for a, c := range o.count {
		sum += c * room.log[a]
	}
	return sum
}
