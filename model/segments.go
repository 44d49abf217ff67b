package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"palate/internal/num"
)

// Segmentation is how the voters of a population come in segments of like tastes, if they do.
type Segmentation struct {
	Chances  []float64 // of one segment, of two, and so on
	Segments []Segment // the largest first
	// Member is of every voter the chance of being of each segment; nil of one without votes.
	Member [][]float64
}

// Segment are voters who are alike in taste.
type Segment struct {
	Share float64 // of the population
	// Score is what the segment's mean says of every item, less the mean over items, and SD its
	// uncertainty.
	Score, SD []float64
	// More is by how much it likes every item more than the other segments together do, with its
	// uncertainty.
	More, MoreSD []float64
}

// Segmentation returns the segments of the population, those of the likeliest number of them from two
// on; nil where the fit did not look for any, as one of a form that was asked for.
func (m *Population) Segmentation(ctx context.Context) (*Segmentation, error) {
	best := m.family.Segmented()
	if best == nil {
		return nil, ctx.Err()
	}
	member, err := best.Memberships(ctx)
	if err != nil {
		return nil, err
	}
	means, err := best.Means(ctx, m.items, member)
	if err != nil {
		return nil, err
	}
	s := &Segmentation{Chances: m.Segments(), Member: make([][]float64, len(m.users))}
	n := len(m.ids)
	order := num.Indices(len(means))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(best.Classes[b].Share, best.Classes[a].Share) })
	for _, k := range order {
		seg := Segment{Share: best.Classes[k].Share, Score: centredOf(means[k].Mean)}
		seg.SD = centredDeviations(n, means[k].Cov)
		s.Segments = append(s.Segments, seg)
	}
	for k := range s.Segments {
		seg := &s.Segments[k]
		seg.More, seg.MoreSD = slices.Clone(seg.Score), make([]float64, n)
		for i := range n {
			square := seg.SD[i] * seg.SD[i]
			for j, o := range s.Segments {
				if j != k {
					w := o.Share / (1 - seg.Share)
					seg.More[i] -= w * o.Score[i]
					square += w * w * o.SD[i] * o.SD[i]
				}
			}
			seg.MoreSD[i] = math.Sqrt(square)
		}
	}
	for u, p := range m.person {
		if p < 0 {
			continue
		}
		for _, k := range order {
			s.Member[u] = append(s.Member[u], member[k][p])
		}
	}
	return s, ctx.Err()
}

// centredOf takes from numbers their mean.
func centredOf(x []float64) []float64 {
	var mean float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = v - mean
	}
	return out
}

// centredDeviations are those of n numbers, each less the mean of all.
func centredDeviations(n int, cov func(i, j int) float64) []float64 {
	row, all := make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			row[i] += cov(i, j) / float64(n)
		}
		all += row[i] / float64(n)
	}
	out := make([]float64, n)
	for i := range n {
		out[i] = math.Sqrt(max(cov(i, i)-2*row[i]+all, 0))
	}
	return out
}

// Of returns the segment that a voter is most likely of, and the chance; −1 of one without votes.
func (s *Segmentation) Of(voter int) (segment int, chance float64) {
	segment = -1
	for k, p := range s.Member[voter] {
		if p > chance {
			segment, chance = k, p
		}
	}
	return segment, chance
}

// Stability is how far voters are put together in the same way when the population is another sample
// of its voters.
type Stability struct {
	Resamples int
	// One tells that all voters are likeliest of one segment, so that there is nothing to find
	// again: the index is 1 of no division at all.
	One bool
	// Rand is the adjusted Rand index of the segments found in each sample with those of the fit:
	// 1 where all are the same, 0 where they have as much in common as by chance.
	Rand []float64
	// Kept is, of every voter of the fit, the share of samples in which most of the segment's
	// members are with the voter still; NaN of voters without votes.
	Kept []float64
}

// Mean is that of Rand.
func (s *Stability) Mean() float64 {
	var sum float64
	for _, x := range s.Rand {
		sum += x / float64(len(s.Rand))
	}
	return sum
}

// String says in a word how stable segments are.
func (s *Stability) String() string {
	switch x := s.Mean(); {
	case s.One:
		return "not told apart"
	case x >= stable:
		return "stable"
	case x >= unstable:
		return "partly stable"
	}
	return "not stable"
}

// Segments of an adjusted Rand index from stable on are found again, those of one below unstable are
// not (Hennig 2007 draws such lines for another index).
const stable, unstable = 0.75, 0.5

// Stability fits as many segments anew to people drawn with replacement, a number of times, and says
// how far everybody is put together as in the fit.
func (m *Population) Stability(ctx context.Context, s *Segmentation, resamples int, seed uint64) (*Stability, error) {
	best := m.family.Segmented()
	if best == nil {
		return nil, fmt.Errorf("model: there are no segments to find again")
	}
	var persons, first []int
	for u, p := range m.person {
		if p >= 0 {
			k, _ := s.Of(u)
			persons, first = append(persons, u), append(first, k)
		}
	}
	_, groups, _ := tableOf(first, first)
	out := &Stability{Resamples: resamples, One: len(groups) < 2, Kept: make([]float64, len(m.users))}
	for u := range out.Kept {
		out.Kept[u] = math.NaN()
	}
	for r := range resamples {
		member, err := m.family.Resample(ctx, best, m.options.redundancy(), rand.New(rand.NewPCG(seed, uint64(r))))
		if err != nil {
			return nil, err
		}
		second := make([]int, len(persons))
		for k, u := range persons {
			p := m.person[u]
			for c := range member {
				if member[c][p] > member[second[k]][p] {
					second[k] = c
				}
			}
		}
		out.Rand = append(out.Rand, adjustedRand(first, second))
		for k, yes := range kept(first, second) {
			if u := persons[k]; math.IsNaN(out.Kept[u]) {
				out.Kept[u] = 0
			}
			if yes {
				out.Kept[persons[k]] += 1 / float64(resamples)
			}
		}
	}
	return out, ctx.Err()
}

// tableOf counts how many are in each pair of groups of two divisions.
func tableOf(a, b []int) (pairs map[[2]int]float64, rows, cols map[int]float64) {
	pairs, rows, cols = map[[2]int]float64{}, map[int]float64{}, map[int]float64{}
	for k := range a {
		pairs[[2]int{a[k], b[k]}]++
		rows[a[k]]++
		cols[b[k]]++
	}
	return pairs, rows, cols
}

// adjustedRand is the share of pairs that two divisions put together or apart alike, less what chance
// would give, in units of the most above that (Hubert and Arabie 1985).
func adjustedRand(a, b []int) float64 {
	two := func(n float64) float64 { return n * (n - 1) / 2 }
	pairs, rows, cols := tableOf(a, b)
	var both, left, right float64
	for _, n := range pairs {
		both += two(n)
	}
	for _, n := range rows {
		left += two(n)
	}
	for _, n := range cols {
		right += two(n)
	}
	chance := left * right / two(float64(len(a)))
	if most := (left + right) / 2; most > chance {
		return (both - chance) / (most - chance)
	}
	return 1 // there is one way to divide them
}

// kept reports of each whether most of its group in one division are in its group in another.
func kept(a, b []int) []bool {
	pairs, rows, _ := tableOf(a, b)
	out := make([]bool, len(a))
	for k := range a {
		out[k] = 2*pairs[[2]int{a[k], b[k]}] > rows[a[k]]
	}
	return out
}
