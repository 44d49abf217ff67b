package compare

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"palate/internal/num"
	"palate/model"
)

// Options are the settings of Items and Moves; nil means the defaults.
type Options struct {
	Draws int     // joint draws; 0 stands for those of a board
	Level float64 // of intervals and of what counts as settled; 0 stands for 0.95
	Seed  uint64
}

// defaults fills in what was not said.
func (o *Options) defaults() Options {
	opt := *cmp.Or(o, &Options{})
	opt.Draws = cmp.Or(opt.Draws, 4000)
	opt.Level = cmp.Or(opt.Level, 0.95)
	return opt
}

// stream is the stream of random numbers of a seed that draws are made with.
const stream = 0xc0

// Pair is what is known of two items A and B.
type Pair struct {
	A, B int
	// Comparable reports whether votes, features or links connect the two. Where they do
	// not, nothing else is known.
	Comparable bool
	// Coins is the probability that votes tell no more of the items than coins would, the
	// same for all pairs (model.Board). All else but Wins is given that items do differ.
	Coins float64
	// Better is the probability that A's utility is above B's.
	Better float64
	// Difference is the mean of A's utility less B's in units of the noise of a vote, with
	// its deviation and the interval at the level.
	Difference, SD, Lo, Hi float64
	// Wins is the probability that A wins a vote against B, ties apart.
	Wins float64
	// More is about how many more votes between the two would settle which is better, at
	// the level, as likely as not; 0 where it is settled, and MostVotes where it would take
	// that many or more.
	More int
}

// Items compares pairs of items, for a user or, when user is negative, for the consensus.
// It fails only when ctx ends.
func Items(ctx context.Context, p model.Predictor, user int, pairs [][2]int, o *Options) ([]Pair, error) {
	opt := o.defaults()
	d, err := p.Draws(ctx, user, opt.Draws, rand.New(rand.NewPCG(opt.Seed, stream)))
	if err != nil {
		return nil, err
	}
	group := groupsOf(p)
	coins := d.Coins()
	d = d.Different()
	noise := noiseOf(p, user, d, coins)
	out := make([]Pair, len(pairs))
	for k, pair := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a, b := pair[0], pair[1]
		r := Pair{A: a, B: b, Comparable: group[a] == group[b]}
		if r.Comparable {
			x := difference(d, a, b)
			s := summarise(x, d.Weight, opt.Level)
			r.Coins, r.Better, r.Difference, r.SD, r.Lo, r.Hi = coins, s.positive, s.mean, s.sd, s.lo, s.hi
			r.Wins = p.Prefer(user, a, b)
			r.More = votesToSettle(x, d.Weight, noise, opt.Level)
		}
		out[k] = r
	}
	return out, nil
}

// groupsOf is the number of every item's group of comparable ones.
func groupsOf(p model.Predictor) []int {
	group := make([]int, p.NumItems())
	for g, items := range p.Groups() {
		for _, i := range items {
			group[i] = g
		}
	}
	return group
}

// noiseOf is the deviation of the Gaussian noise in votes that comes nearest to how the
// model predicts them, in the unit of its utilities: 1 for probit votes, and more where
// they are logistic or tastes differ. The two items that are the furthest apart tell it.
// The draws are of items that differ; coins is how probable it is that they do not, which
// the model's predictions weigh in.
func noiseOf(p model.Predictor, user int, d model.Draws, coins float64) float64 {
	best, worst, most, least := -1, -1, math.Inf(-1), math.Inf(1)
	for _, i := range p.Groups()[0] {
		var mean float64
		for k, w := range d.Weight {
			mean += w * d.F.At(k, i)
		}
		if mean > most {
			best, most = i, mean
		}
		if mean < least {
			worst, least = i, mean
		}
	}
	if best == worst {
		return 1
	}
	x := difference(d, best, worst)
	s := summarise(x, d.Weight, 0.5)
	z := num.Quantile((p.Prefer(user, best, worst) - coins/2) / (1 - coins))
	if !(z > 0) || !(s.mean > 0) {
		return 1
	}
	// E Φ(d/σ) = Φ(μ/√(σ² + v)) for d ~ N(μ, v).
	return math.Sqrt(max(s.mean*s.mean/(z*z)-s.sd*s.sd, 1))
}

// difference is item a less item b, by draw.
func difference(d model.Draws, a, b int) []float64 {
	x := make([]float64, len(d.Weight))
	for k := range x {
		row := d.F.RawRowView(k)
		x[k] = row[a] - row[b]
	}
	return x
}
