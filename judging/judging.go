package judging

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"palate"
	"palate/internal/num"
)

// mostItems is the most items that are put on a scale: the covariance of all is dense.
const mostItems = 5000

// Options are the settings of Analyse; nil means the defaults.
type Options struct {
	Splits   int // divisions of the judges into halves; 0 stands for 20, and below 0 for none
	Seed     uint64
	Progress func(done, total int) // is told of fits
}

// Judging is how well votes put items on a scale, and which judges and items do not fit it.
type Judging struct {
	Items  []Item  // that are on the scale, the best first
	Judges []Judge // who cast a vote, in order of their users
	Apart  int     // items that votes do not connect with these
	Votes  float64 // between items of the scale

	SD, RMSE    float64 // of scores, and of their errors
	Separation  float64 // G
	Reliability float64 // scale separation reliability
	// SplitHalf is the mean correlation of scores by halves of the judges, and SplitSD its
	// deviation from one division to the next; NaN without divisions.
	SplitHalf, SplitSD float64
	Splits             int
	// JudgeLimit and ItemLimit are the infit above which there are flags.
	JudgeLimit, ItemLimit float64
}

// Fit is how far votes follow the scale: about 1 where they do.
type Fit struct {
	Votes         float64
	Infit, Outfit float64
	Misfit        bool // the infit is beyond the limit
}

// Item is the place of an item on the scale.
type Item struct {
	Item      int
	ID        string
	Score, SE float64
	Won       float64 // of its votes, ties as halves
	Fit
}

// Judge is how the votes of a judge follow the scale.
type Judge struct {
	User int
	ID   string
	Fit
}

// Analyse puts the items of d on a scale. Votes without a judge count for the scale. When ctx
// ends it returns the cause.
func Analyse(ctx context.Context, d *palate.Dataset, o *Options) (*Judging, error) {
	opt := *cmp.Or(o, &Options{})
	opt.Splits = cmp.Or(opt.Splits, 20)
	d = d.Tempered()
	on := d.Components()[0]
	if len(on) < 3 {
		return nil, fmt.Errorf("judging: votes connect %d items; a scale takes three", len(on))
	}
	s := newScale(d, on, d.Votes())
	if err := s.climb(ctx, 1e-7); err != nil {
		return nil, err
	}
	j := &Judging{Apart: d.NumItems() - len(on), SplitHalf: math.NaN(), SplitSD: math.NaN()}
	if err := j.fit(d, s); err != nil {
		return nil, err
	}
	j.separate()
	if opt.Splits > 0 && len(j.Judges) > 1 {
		if err := j.split(ctx, d, s, opt); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// sums are what infit and outfit are of.
type sums struct{ votes, won, square, information, relative float64 }

// add takes in a vote with a chance, of which an item got y.
func (s *sums) add(weight, y, p float64) {
	v := p * (1 - p)
	s.votes += weight
	s.won += weight * y
	s.square += weight * (y - p) * (y - p)
	s.information += weight * v
	s.relative += weight * (y - p) * (y - p) / v
}

func (s *sums) fit() Fit {
	return Fit{Votes: s.votes, Infit: s.square / s.information, Outfit: s.relative / s.votes}
}

// fit holds votes against the scale.
func (j *Judging) fit(d *palate.Dataset, s *scale) error {
	items, judges := make([]sums, len(s.theta)), make([]sums, d.NumUsers())
	for _, v := range d.Votes() {
		a, b, ok := s.pair(v)
		if !ok {
			continue
		}
		p, y := num.Sigmoid(s.theta[a]-s.theta[b]), v.Outcome.Share()
		items[a].add(v.Weight, y, p)
		items[b].add(v.Weight, 1-y, 1-p)
		if v.User >= 0 {
			judges[v.User].add(v.Weight, y, p)
		}
		j.Votes += v.Weight
	}
	for i, x := range items {
		j.Items = append(j.Items, Item{Item: s.items[i], ID: d.ItemID(s.items[i]), Score: s.theta[i], SE: s.se[i], Won: x.won, Fit: x.fit()})
	}
	for u, x := range judges {
		if x.votes > 0 {
			j.Judges = append(j.Judges, Judge{u, d.UserID(u), x.fit()})
		}
	}
	slices.SortStableFunc(j.Items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	j.ItemLimit = flag(len(j.Items), func(i int) *Fit { return &j.Items[i].Fit })
	j.JudgeLimit = flag(len(j.Judges), func(i int) *Fit { return &j.Judges[i].Fit })
	return nil
}

// flag marks what is beyond two standard deviations above the mean, and returns that limit.
func flag(n int, at func(int) *Fit) float64 {
	infit := make([]float64, n)
	for i := range infit {
		infit[i] = at(i).Infit
	}
	if n < 2 {
		return math.NaN()
	}
	mean, sd := stat.MeanStdDev(infit, nil)
	limit := mean + 2*sd
	for i := range infit {
		at(i).Misfit = infit[i] > limit
	}
	return limit
}

// separate takes the variance of scores apart.
func (j *Judging) separate() {
	var scores []float64
	var square float64
	for _, i := range j.Items {
		scores = append(scores, i.Score)
		square += i.SE * i.SE / float64(len(j.Items))
	}
	variance := stat.Variance(scores, nil)
	j.SD, j.RMSE = math.Sqrt(variance), math.Sqrt(square)
	truth := max(variance-square, 0)
	j.Separation = math.Sqrt(truth / square)
	if variance > 0 {
		j.Reliability = truth / variance
	}
}
