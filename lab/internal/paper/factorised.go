package paper

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"palate"
	"palate/internal/num"
	"palate/model"
)

// factorised predicts ratings by a matrix factorisation with biases, r = m + b_u + b_i + p_u·q_i, found by alternating
// least squares with ridges (Koren, Bell and Volinsky 2009). Ridges, rank and rounds are those that predict a tenth
// of the training ratings best, and so are chances: how often each rating was given where about so much was predicted.
type factorised struct {
	ridges
	grand        float64
	item, person []float64 // rows of 1+rank: the bias, then the factors
	of, by       [][]given // ratings of an item, and by a person

	values []float64 // that were given, ascending; none where they are many
	edges  []float64 // between bins of what is predicted
	shares [][]float64
	sd     float64 // of what is not predicted
	scale  float64 // of the logistic of a lead
}

type ridges struct {
	rank, rounds  int
	bias, factors float64
}

type given struct {
	at    int
	stars float64
}

// mostStars is up to how many different ratings each has a chance; more are numbers with Gaussian noise.
const mostStars = 12

// newFactorised chooses the settings and learns from all ratings.
func newFactorised(ctx context.Context, d *palate.Dataset, seed uint64) (*factorised, error) {
	rng := rand.New(rand.NewPCG(seed, 0xfac))
	var all, most, tenth []palate.Vote
	for _, v := range d.Votes() {
		if v.Outcome == palate.Rated && v.User >= 0 {
			all = append(all, v)
		}
	}
	for _, k := range rng.Perm(len(all)) {
		if len(tenth) < len(all)/10 {
			tenth = append(tenth, all[k])
		} else {
			most = append(most, all[k])
		}
	}
	if len(tenth) < 2 {
		return nil, fmt.Errorf("paper: %d ratings are too few to choose settings by", len(all))
	}
	var best *factorised
	least := math.Inf(1)
	try := func(s ridges) error {
		const rounds = 15
		f := beginFactorised(d, most, s, seed)
		for round := range rounds {
			if err := ctx.Err(); err != nil {
				return err
			}
			f.turn()
			if loss := f.squares(tenth); loss < least {
				s.rounds, least = round+1, loss
				best = &factorised{ridges: s, grand: f.grand, item: slices.Clone(f.item), person: slices.Clone(f.person)}
			}
		}
		return nil
	}
	for _, bias := range []float64{1, 2, 4, 8} {
		if err := try(ridges{bias: bias}); err != nil {
			return nil, err
		}
	}
	bias := best.bias
	for _, rank := range []int{2, 5, 10, 20} {
		for _, factors := range []float64{4, 8, 16, 32} {
			if err := try(ridges{rank: rank, bias: bias, factors: factors}); err != nil {
				return nil, err
			}
		}
	}
	f := beginFactorised(d, all, best.ridges, seed)
	for range f.rounds {
		f.turn()
	}
	f.sd = math.Sqrt(least)
	f.calibrate(best, all, tenth)
	return f, nil
}

// beginFactorised has small factors and no biases.
func beginFactorised(d *palate.Dataset, votes []palate.Vote, s ridges, seed uint64) *factorised {
	q := 1 + s.rank
	f := &factorised{ridges: s, item: make([]float64, d.NumItems()*q), person: make([]float64, d.NumUsers()*q), of: make([][]given, d.NumItems()), by: make([][]given, d.NumUsers())}
	rng := rand.New(rand.NewPCG(seed, 0x57a))
	for k := range f.item {
		if k%q > 0 {
			f.item[k] = 0.1 * rng.NormFloat64()
		}
	}
	for _, v := range votes {
		f.grand += v.Rating / float64(len(votes))
		f.of[v.Left] = append(f.of[v.Left], given{v.User, v.Rating})
		f.by[v.User] = append(f.by[v.User], given{v.Left, v.Rating})
	}
	return f
}

// turn finds people given items, then items given people.
func (f *factorised) turn() {
	f.solve(f.person, f.by, f.item)
	f.solve(f.item, f.of, f.person)
}

func (f *factorised) solve(rows []float64, ratings [][]given, others []float64) {
	q := 1 + f.rank
	num.Parallel(len(ratings), 16, func(lo, hi int) {
		a, inverse, right, x := make([]float64, q*q), make([]float64, q*q), make([]float64, q), make([]float64, q)
		for u := lo; u < hi; u++ {
			clear(a)
			clear(right)
			a[0] = f.bias
			for c := 1; c < q; c++ {
				a[c*q+c] = f.factors
			}
			x[0] = 1
			for _, g := range ratings[u] {
				other := others[g.at*q : (g.at+1)*q]
				copy(x[1:], other[1:])
				num.Axpy(g.stars-f.grand-other[0], x, right)
				for c, y := range x {
					num.Axpy(y, x[:c+1], a[c*q:c*q+c+1])
				}
			}
			if _, ok := num.Invert(inverse, a, q); ok {
				num.Mirror(inverse, q)
				num.SymVec(rows[u*q:(u+1)*q], inverse, right, q)
			}
		}
	})
}

// mean is what somebody would rate an item.
func (f *factorised) mean(user, item int) float64 {
	q := 1 + f.rank
	i := f.item[item*q : (item+1)*q]
	if user < 0 {
		return f.grand + i[0]
	}
	u := f.person[user*q : (user+1)*q]
	return f.grand + i[0] + u[0] + num.Dot(i[1:], u[1:])
}

// squares is the mean square error of some ratings.
func (f *factorised) squares(votes []palate.Vote) (sum float64) {
	for _, v := range votes {
		off := v.Rating - f.mean(v.User, v.Left)
		sum += off * off / float64(len(votes))
	}
	return sum
}

// calibrate learns chances from what a fit to the other ratings predicted of a tenth.
func (f *factorised) calibrate(fit *factorised, all, tenth []palate.Vote) {
	last := map[int]palate.Vote{}
	var leads []float64
	for _, v := range tenth {
		if w, ok := last[v.User]; ok && w.Rating != v.Rating {
			leads = append(leads, math.Copysign(1, v.Rating-w.Rating)*(fit.mean(v.User, v.Left)-fit.mean(w.User, w.Left)))
		}
		last[v.User] = v
	}
	f.scale, _ = logisticScale(leads)
	for _, v := range all {
		if at, ok := slices.BinarySearch(f.values, v.Rating); !ok {
			if f.values = slices.Insert(f.values, at, v.Rating); len(f.values) > mostStars {
				f.values = nil
				return
			}
		}
	}
	bins := min(max(len(tenth)/50, 1), 20)
	means := make([]float64, len(tenth))
	for k, v := range tenth {
		means[k] = fit.mean(v.User, v.Left)
	}
	slices.Sort(means)
	for b := 1; b < bins; b++ {
		f.edges = append(f.edges, means[b*len(means)/bins])
	}
	count := make([]float64, bins)
	for range bins {
		f.shares = append(f.shares, slices.Repeat([]float64{0.5}, len(f.values)))
	}
	for _, v := range tenth {
		b, _ := slices.BinarySearch(f.edges, fit.mean(v.User, v.Left))
		at, _ := slices.BinarySearch(f.values, v.Rating)
		f.shares[b][at]++
		count[b]++
	}
	for b, share := range f.shares {
		for k := range share {
			share[k] /= count[b] + 0.5*float64(len(share))
		}
	}
}

// Rating returns what a user would rate an item.
func (f *factorised) Rating(user, item int) model.RatingPrediction {
	out := model.RatingPrediction{Mean: f.mean(user, item), SD: f.sd, Values: f.values}
	if f.values != nil {
		b, _ := slices.BinarySearch(f.edges, out.Mean)
		out.Chances = f.shares[b]
	}
	return out
}

// LogRating returns the log probability of a rating; of numbers, the log density.
func (f *factorised) LogRating(user, item int, rating float64) float64 {
	said := f.Rating(user, item)
	if f.values == nil {
		z := (rating - said.Mean) / f.sd
		return -0.5*z*z - math.Log(f.sd) - 0.5*math.Log(2*math.Pi)
	}
	at, _ := slices.BinarySearch(f.values, rating)
	return math.Log(said.Chances[at])
}

// LowerBetter is false: the sets have high ratings for what is good.
func (f *factorised) LowerBetter() bool { return false }

// Prefer returns the probability that user rates left higher than right.
func (f *factorised) Prefer(user, left, right int) float64 {
	return num.Sigmoid((f.mean(user, left) - f.mean(user, right)) / f.scale)
}

// Higher is Prefer: its scale is learnt from ratings that differ.
func (f *factorised) Higher(user, left, right int) float64 { return f.Prefer(user, left, right) }

// Utility returns what user would rate an item.
func (f *factorised) Utility(user, item int) (mean, variance float64) { return f.mean(user, item), 0 }
