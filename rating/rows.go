package rating

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Row is what a person said: of one item a rating, or of two which is better.
type Row struct {
	User, Item int
	Other      int     // the item that Item was compared with; −1: the row is a rating
	Tie        bool    // neither of the two is better; else Item is
	Rating     float64 // as it was given
	Weight     float64 // it counts as so many; below one, for that share of what the whole would tell
}

// rows are those of all people, by person.
type rows struct {
	items, people int
	start         []int // of each person, and the end
	item, other   []int32
	class         []int32   // of a rating; of a vote 0, and 1 of a tie
	number        []float64 // in units, where ratings are numbers
	weight        []float64
	user          []int32
	of            [][]int32 // rows of each item
	rated, voted  bool
	tied          bool
}

// Sort puts rows in an order of their own: by person, then by what they say.
func Sort(in []Row) {
	tied := func(r Row) int {
		if r.Tie {
			return 1
		}
		return 0
	}
	slices.SortFunc(in, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Item, b.Item), cmp.Compare(a.Other, b.Other), cmp.Compare(tied(a), tied(b)),
			cmp.Compare(a.Rating, b.Rating), cmp.Compare(a.Weight, b.Weight))
	})
}

// gather sorts rows, and knows them by person and by item.
func gather(items, people int, in []Row, s *Scale) (*rows, error) {
	in = slices.Clone(in)
	Sort(in)
	r := &rows{items: items, people: people, start: make([]int, people+1), of: make([][]int32, items)}
	for k, x := range in {
		switch {
		case uint(x.Item) >= uint(items) || x.Other >= items || x.Other == x.Item || uint(x.User) >= uint(people):
			return nil, fmt.Errorf("rating: row %d of user %d about items %d and %d", k, x.User, x.Item, x.Other)
		case !(x.Weight > 0) || math.IsInf(x.Weight, 1):
			return nil, fmt.Errorf("rating: row %d with weight %v", k, x.Weight)
		case x.Other < 0 && (math.IsNaN(x.Rating) || math.IsInf(x.Rating, 0)):
			return nil, fmt.Errorf("rating: row %d is rated %v", k, x.Rating)
		case x.Other < 0 && s == nil:
			return nil, fmt.Errorf("rating: row %d is a rating, and there is no scale", k)
		}
		class, number := int32(0), 0.0
		switch {
		case x.Other >= 0:
			if r.voted = true; x.Tie {
				class, r.tied = 1, true
			}
		case s.Numbers():
			number = s.number(x.Rating)
		default:
			class = int32(s.Class(x.Rating))
		}
		r.rated = r.rated || x.Other < 0
		r.start[x.User+1]++
		r.item, r.other, r.user = append(r.item, int32(x.Item)), append(r.other, int32(max(x.Other, -1))), append(r.user, int32(x.User))
		r.class, r.number, r.weight = append(r.class, class), append(r.number, number), append(r.weight, x.Weight)
		r.of[x.Item] = append(r.of[x.Item], int32(k))
		if x.Other >= 0 {
			r.of[x.Other] = append(r.of[x.Other], int32(k))
		}
	}
	for u := range people {
		r.start[u+1] += r.start[u]
	}
	return r, nil
}

func (r *rows) len() int { return len(r.item) }
