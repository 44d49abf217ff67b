package survey

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"palate/internal/num"
	"palate/model"
)

// Options are how figures are found. The zero value, and nil, are good.
type Options struct {
	Draws int // of everybody's utilities; 0 stands for 500
	Top   int // how many items a voter likes best, see Reaching; 0 stands for 1
	// Zero are the items whose mean has a score of zero, such as one that stands for none of
	// the others; nil stands for all that are asked about.
	Zero []int
	Seed uint64
}

// again is how often every draw of utilities is asked to choose.
const again = 8

func (o *Options) filled() Options {
	out := *cmp.Or(o, &Options{})
	out.Draws = cmp.Or(out.Draws, 500)
	out.Top = cmp.Or(out.Top, 1)
	return out
}

// Voter is what a voter thinks of some items, in their order.
type Voter struct {
	User          int
	Score, Lo, Hi []float64 // less the mean of Options.Zero, with a 95% interval
	Above         []float64 // the chance that the score is above zero
	Share         []float64 // of preference; they sum to 100
	scatter       []float64 // variance of what is known of the share
}

// joint is what a model must tell.
type joint interface {
	model.Model
	model.Joint
}

// check returns the model, and the items: all where none are listed.
func check(m model.Model, items []int) (joint, []int, error) {
	j, ok := m.(joint)
	if !ok || m.Fit().Likelihood != model.Probit {
		return nil, nil, fmt.Errorf("survey: %s does not tell what is chosen from several items: it takes Gaussian noise, and utilities that vary together", m.Name())
	}
	if items == nil {
		for i := range m.NumItems() {
			items = append(items, i)
		}
	}
	seen := map[int]bool{}
	for _, i := range items {
		if i < 0 || i >= m.NumItems() || seen[i] {
			return nil, nil, fmt.Errorf("survey: item %d of %d, or twice", i, m.NumItems())
		}
		seen[i] = true
	}
	if len(items) < 2 {
		return nil, nil, fmt.Errorf("survey: %d items: shares take two", len(items))
	}
	return j, items, nil
}

// Voters returns what users think of items, nil for all, by themselves: shares are those of
// choices from among these.
func Voters(ctx context.Context, m model.Model, users, items []int, o *Options) ([]Voter, error) {
	j, items, err := check(m, items)
	if err != nil {
		return nil, err
	}
	opt := o.filled()
	for _, i := range opt.Zero {
		if i < 0 || i >= m.NumItems() {
			return nil, fmt.Errorf("survey: zero is item %d of %d", i, m.NumItems())
		}
	}
	out, failed := make([]Voter, len(users)), make([]error, len(users))
	num.Parallel(len(users), 1, func(lo, hi int) {
		for k := lo; k < hi && ctx.Err() == nil; k++ {
			out[k], failed[k] = voter(ctx, j, users[k], items, opt)
		}
	})
	for _, err := range append(failed, ctx.Err()) {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func voter(ctx context.Context, m joint, user int, items []int, o Options) (Voter, error) {
	n := len(items)
	v := Voter{User: user, Share: make([]float64, n), scatter: make([]float64, n)}
	all, variance := make([]float64, m.NumItems()), make([]float64, m.NumItems())
	if err := m.UtilitiesTo(ctx, all, variance, user); err != nil {
		return v, err
	}
	zero := o.Zero
	if zero == nil {
		zero = items
	}
	row, each := make([]float64, len(zero)), 1/float64(len(zero))
	with := func(i int) (sum float64) { // covariance of an item and the mean of zero
		m.CovarianceTo(row, user, i, zero)
		for _, c := range row {
			sum += c * each
		}
		return sum
	}
	var level, spread float64 // mean and variance of zero
	for _, i := range zero {
		level, spread = level+all[i]*each, spread+with(i)*each
	}
	for _, i := range items {
		score, sd := all[i]-level, math.Sqrt(max(0, variance[i]-2*with(i)+spread))
		if len(zero) == 1 && zero[0] == i {
			sd = 0
		}
		wide, above := num.Quantile(0.975)*sd, 0.5
		if sd > 0 {
			above = num.Phi(score / sd)
		}
		v.Score, v.Lo, v.Hi, v.Above = append(v.Score, score), append(v.Lo, score-wide), append(v.Hi, score+wide), append(v.Above, above)
	}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(user)))
	d, err := m.Draws(ctx, user, o.Draws, rng)
	if err != nil {
		return v, err
	}
	noise, chosen := math.Sqrt(0.5), make([]float64, n)
	for r, weight := range d.Weight {
		f := d.F.RawRowView(r)
		clear(chosen)
		for range again {
			best, top := 0, math.Inf(-1)
			for k, i := range items {
				if u := f[i] + noise*rng.NormFloat64(); u > top {
					best, top = k, u
				}
			}
			chosen[best]++
		}
		for k, times := range chosen {
			v.Share[k] += 100 * weight * times / again
			v.scatter[k] += 1e4 * weight * times * (times - 1) / (again * (again - 1)) // the square, of two choices
		}
	}
	for k, share := range v.Share {
		v.scatter[k] = max(0, v.scatter[k]-share*share)
	}
	return v, nil
}

// Item is what voters think of an item in the mean, with 95% intervals of the mean of people
// like these.
type Item struct {
	Item             int // its place among those that were asked about
	Score, ScoreSD   float64
	ScoreLo, ScoreHi float64
	Above            float64 // the share of voters to whom it is above zero, from 0 to 1
	Share, Lo, Hi    float64 // of preference, in percent
}

// Total returns the means over voters, the largest share first. ScoreSD is how much voters differ.
func Total(voters []Voter) (out []Item) {
	if len(voters) == 0 {
		return nil
	}
	n := len(voters)
	score, scatter, share, uncertain := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range voters[0].Score {
		x := Item{Item: i}
		for k, v := range voters {
			sd := (v.Hi[i] - v.Lo[i]) / (2 * num.Quantile(0.975))
			score[k], scatter[k], share[k], uncertain[k] = v.Score[i], sd*sd, v.Share[i], v.scatter[i]
			x.Above += v.Above[i] / float64(n)
		}
		x.Score, x.ScoreLo, x.ScoreHi = interval(score, scatter)
		if x.Share, x.Lo, x.Hi = interval(share, uncertain); n > 1 {
			x.ScoreSD = stat.StdDev(score, nil)
			x.Lo, x.Hi = max(0, x.Lo), min(100, x.Hi)
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b Item) int { return cmp.Compare(b.Share, a.Share) })
	return out
}

// interval is the mean of what is known of people, and a 95% interval of that of all like them;
// none of one. What is known has been drawn towards the mean: with variance s between people and
// v of each, people differ by s + v, and what they said by itself by (s + v)²/s, whose mean is
// that over their number uncertain. It is no more so than if all were uncertain in common.
func interval(x, variance []float64) (mean, lo, hi float64) {
	mean, s := stat.MeanVariance(x, nil)
	n, v := float64(len(x)), stat.Mean(variance, nil)
	if n < 2 {
		return mean, math.NaN(), math.NaN()
	}
	most := v + (s+v)/n
	if by := (s + v) * (s + v) / (s * n); by < most {
		most = by
	}
	wide := num.Quantile(0.975) * math.Sqrt(most)
	return mean, mean - wide, mean + wide
}
