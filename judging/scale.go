package judging

import (
	"context"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
)

// scale is Bradley–Terry scores of items that votes connect.
type scale struct {
	items []int // of the dataset
	at    []int // where an item of the dataset is among them; −1: nowhere
	pairs []pair
	theta []float64
	se    []float64
}

// pair are the votes between two items of the scale.
type pair struct {
	a, b       int // a < b
	votes, won float64
}

func newScale(d *palate.Dataset, items []int, votes iter.Seq2[int, palate.Vote]) *scale {
	s := &scale{items: items, at: make([]int, d.NumItems()), theta: make([]float64, len(items)), se: make([]float64, len(items))}
	for i := range s.at {
		s.at[i] = -1
	}
	for k, i := range items {
		s.at[i] = k
	}
	of := map[[2]int]int{}
	for _, v := range votes {
		a, b, ok := s.pair(v)
		if !ok {
			continue
		}
		y := v.Outcome.Share()
		if a > b {
			a, b, y = b, a, 1-y
		}
		k, seen := of[[2]int{a, b}]
		if !seen {
			k = len(s.pairs)
			of[[2]int{a, b}] = k
			s.pairs = append(s.pairs, pair{a: a, b: b})
		}
		s.pairs[k].votes += v.Weight
		s.pairs[k].won += v.Weight * y
	}
	return s
}

// pair is where the items of a vote are on the scale.
func (s *scale) pair(v palate.Vote) (a, b int, ok bool) {
	a, b = s.at[v.Left], s.at[v.Right]
	return a, b, v.Outcome != palate.Skip && a >= 0 && b >= 0
}

// climb takes the scores to the top of Firth's penalised likelihood: votes with the leverage
// h pull as if h more had been cast, half to either side, and Newton's steps are those of the
// votes with these. Leverages hang on scores, so that it is a fixed point, which is
// extrapolated to. It ends where no score would move by the tolerance; where votes hardly tell
// how far some items are apart that takes long, and what the last step would have gained is
// then little.
func (s *scale) climb(ctx context.Context, tolerance float64) error {
	n := len(s.theta)
	if n > mostItems {
		return fmt.Errorf("judging: %d items; a scale takes at most %d", n, mostItems)
	}
	inverse, leverage := mat.NewDense(n, n, nil), make([]float64, len(s.pairs))
	pull, step, before, wanted := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	ones := make([]float64, n) // precisions, which stay as they are
	for i := range ones {
		ones[i] = 1
	}
	var fixed num.Anderson
	top, gain := math.Inf(-1), math.Inf(1)
	for range 100 {
		if err := ctx.Err(); err != nil {
			return err
		}
		factor, err := s.information(nil)
		if err != nil {
			return err
		}
		if at := s.likelihood() + factor.LogDet()/2; at < top-1e-12*math.Abs(top) { // too far: half of the way back
			fixed.Reset()
			for i := range before {
				s.theta[i] = (s.theta[i] + before[i]) / 2
			}
			continue
		} else {
			top = at
		}
		copy(before, s.theta)
		inverse.Zero()
		for i := range n {
			inverse.Set(i, i, 1)
		}
		factor.SolveTo(inverse, inverse)
		for i := range s.se {
			s.se[i] = math.Sqrt(max(inverse.At(i, i)-1/float64(n), 0))
		}
		clear(pull)
		for k, p := range s.pairs {
			q := num.Sigmoid(s.theta[p.a] - s.theta[p.b])
			leverage[k] = p.votes * q * (1 - q) * (inverse.At(p.a, p.a) + inverse.At(p.b, p.b) - 2*inverse.At(p.a, p.b))
			by := p.won - p.votes*q + leverage[k]*(0.5-q)
			pull[p.a] += by
			pull[p.b] -= by
		}
		if factor, err = s.information(leverage); err != nil {
			return err
		}
		factor.SolveVecTo(step, pull)
		var change float64
		gain = 0
		for i := range step {
			change = max(change, math.Abs(step[i]))
			gain += pull[i] * step[i] / 2
		}
		if change < tolerance || gain < tolerance*tolerance {
			return nil
		}
		for i := range step {
			wanted[i] = s.theta[i] + step[i]*min(1, 2/change)
		}
		if change > 1 { // far from the top
			fixed.Reset()
		}
		if change > 1 || !fixed.Propose(ones, s.theta, ones, wanted, ones, ones, 1) {
			copy(s.theta, wanted)
		}
	}
	if gain > 1e-2 {
		return fmt.Errorf("judging: scores of %d items do not settle", n)
	}
	return nil
}

// likelihood is that of the votes, its logarithm.
func (s *scale) likelihood() (sum float64) {
	for _, p := range s.pairs {
		z := s.theta[p.a] - s.theta[p.b]
		sum += p.won*num.LogSigmoid(z) + (p.votes-p.won)*num.LogSigmoid(-z)
	}
	return sum
}

// information factors the information of the votes, and of further ones of each pair if there
// are some, with 1/n added everywhere: its inverse is the pseudo-inverse with 1/n added
// everywhere.
func (s *scale) information(further []float64) (*num.Cholesky, error) {
	n := len(s.theta)
	all := mat.NewSymDense(n, nil)
	raw := all.RawSymmetric()
	for k := range raw.Data {
		raw.Data[k] = 1 / float64(n)
	}
	for k, p := range s.pairs {
		q := num.Sigmoid(s.theta[p.a] - s.theta[p.b])
		w := p.votes * q * (1 - q)
		if further != nil {
			w += further[k] * q * (1 - q)
		}
		raw.Data[p.a*raw.Stride+p.a] += w
		raw.Data[p.b*raw.Stride+p.b] += w
		raw.Data[p.a*raw.Stride+p.b] -= w
	}
	factor, err := num.NewCholesky(all)
	if err != nil {
		return nil, fmt.Errorf("judging: %w", err)
	}
	return factor, nil
}
