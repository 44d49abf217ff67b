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
	Seed  uint64
}

// again is how often every draw of utilities is asked to choose.
const again = 8

func (o *Options) filled() Options {
	var out Options
	if o != nil {
		out = *o
	}
	if out.Draws == 0 {
		out.Draws = 500
	}
	if out.Top == 0 {
		out.Top = 1
	}
	return out
}

// Voter is what a voter thinks of some items, in their order.
type Voter struct {
	User          int
	Score, Lo, Hi []float64 // zero in the mean over the items, with a 95% interval
	Share         []float64 // of preference; they sum to 100
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
	v := Voter{User: user, Share: make([]float64, n)}
	all, variance := make([]float64, m.NumItems()), make([]float64, m.NumItems())
	if err := m.UtilitiesTo(ctx, all, variance, user); err != nil {
		return v, err
	}
	var level, spread float64 // mean and variance of the mean of the items
	with, row := make([]float64, n), make([]float64, n)
	for k, i := range items {
		level += all[i] / float64(n)
		m.CovarianceTo(row, user, i, items)
		for _, c := range row {
			with[k] += c / float64(n)
		}
		spread += with[k] / float64(n)
	}
	for k, i := range items {
		score, wide := all[i]-level, num.Quantile(0.975)*math.Sqrt(max(0, variance[i]-2*with[k]+spread))
		v.Score, v.Lo, v.Hi = append(v.Score, score), append(v.Lo, score-wide), append(v.Hi, score+wide)
	}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(user)))
	d, err := m.Draws(ctx, user, o.Draws, rng)
	if err != nil {
		return v, err
	}
	noise := math.Sqrt(0.5)
	for r, weight := range d.Weight {
		f := d.F.RawRowView(r)
		for range again {
			best, top := 0, math.Inf(-1)
			for k, i := range items {
				if u := f[i] + noise*rng.NormFloat64(); u > top {
					best, top = k, u
				}
			}
			v.Share[best] += 100 * weight / again
		}
	}
	return v, nil
}

// Item is what voters think of an item in the mean.
type Item struct {
	Item           int // its place among those that were asked about
	Score, ScoreSD float64
	Share, Lo, Hi  float64 // of preference, in percent, with a 95% interval of the mean of such people
}

// Total returns the means over voters, the largest share first. ScoreSD is how much voters differ.
func Total(voters []Voter) (out []Item) {
	if len(voters) == 0 {
		return nil
	}
	score, share := make([]float64, len(voters)), make([]float64, len(voters))
	for i := range voters[0].Score {
		for k, v := range voters {
			score[k], share[k] = v.Score[i], v.Share[i]
		}
		x := Item{Item: i, Lo: math.NaN(), Hi: math.NaN()}
		x.Score, x.ScoreSD = stat.MeanStdDev(score, nil)
		var sd float64
		x.Share, sd = stat.MeanStdDev(share, nil)
		if n := float64(len(voters)); n > 1 {
			wide := num.Quantile(0.975) * sd / math.Sqrt(n)
			x.Lo, x.Hi = max(0, x.Share-wide), min(100, x.Share+wide)
		} else {
			x.ScoreSD = 0
		}
		out = append(out, x)
	}
	slices.SortStableFunc(out, func(a, b Item) int { return cmp.Compare(b.Share, a.Share) })
	return out
}
