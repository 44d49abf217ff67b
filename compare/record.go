package compare

import (
	"cmp"
	"slices"

	"palate"
)

// Record is how often two sides won against each other, by weight of votes.
type Record struct {
	Won, Lost, Tied float64
}

// Total is the weight of all.
func (r Record) Total() float64 { return r.Won + r.Lost + r.Tied }

// rate is the share that was won, with a tie as half of it.
func (r Record) rate() float64 { return (r.Won + r.Tied/2) / r.Total() }

// add counts a vote between a side on the left and another.
func (r *Record) add(o palate.Outcome, weight float64) {
	switch o {
	case palate.Left:
		r.Won += weight
	case palate.Right:
		r.Lost += weight
	case palate.Tie:
		r.Tied += weight
	}
}

// Evidence are the votes that speak for and against one item of a pair.
type Evidence struct {
	Direct Record // of A against B
	// Through are items that both met, those that tell most first.
	Through []Opponent
}

// Opponent is an item that both of a pair met, with the records of both against it.
type Opponent struct {
	Item int
	A, B Record
}

// For reports the sign of what the opponent says: above 0 that A is better, since it did
// better against it, below that B is.
func (o *Opponent) For() int { return cmp.Compare(o.A.rate(), o.B.rate()) }

// Votes returns the votes that speak about two items, directly or through one that both
// met. Votes of all users count.
func Votes(d *palate.Dataset, a, b int) Evidence {
	var e Evidence
	of := map[int]*[2]Record{} // records of a and b, by opponent
	for _, v := range d.Votes() {
		if v.Outcome == palate.Skip {
			continue
		}
		for _, v := range []palate.Vote{v, v.Swap()} {
			side := slices.Index([]int{a, b}, v.Left)
			switch {
			case side < 0:
			case side == 0 && v.Right == b:
				e.Direct.add(v.Outcome, v.Weight)
			case v.Right != a && v.Right != b:
				r := of[v.Right]
				if r == nil {
					r = &[2]Record{}
					of[v.Right] = r
				}
				r[side].add(v.Outcome, v.Weight)
			}
		}
	}
	for item, r := range of {
		if r[0].Total() > 0 && r[1].Total() > 0 {
			e.Through = append(e.Through, Opponent{item, r[0], r[1]})
		}
	}
	slices.SortFunc(e.Through, func(x, y Opponent) int {
		told := func(o Opponent) float64 { return 1 / (1/o.A.Total() + 1/o.B.Total()) }
		return cmp.Or(cmp.Compare(told(y), told(x)), cmp.Compare(x.Item, y.Item))
	})
	return e
}
