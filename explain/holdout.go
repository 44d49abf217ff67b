package explain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"palate"
	"palate/evaluate"
	"palate/model"
)

// HoldOptions are the settings of HoldOut.
type HoldOptions struct {
	Options
	Folds int // of items; 0 stands for 5
	// Fit fits the model that is explained.
	Fit func(ctx context.Context, d *palate.Dataset) (model.Model, error)
	// Progress, if set, is told before every fit, from 0.
	Progress func(fit, of int)
}

// Held is what features are worth for predicting votes on items that a model has seen no votes on.
type Held struct {
	Votes, Items int      // held out
	Loss         Estimate // cross-entropy of a vote, with all features
	Of           []HeldFeature
}

// HeldFeature is by how much votes are predicted worse without one feature, in nats a vote.
type HeldFeature struct {
	Feature Feature
	// Shuffled is with the values of the items held out given to each other by chance: what the
	// model makes of the feature.
	Shuffled Estimate
	// Without is by a model fitted without the feature: what the others do not make up for.
	Without Estimate
}

// shuffles is how often values are given away by chance.
const shuffles = 5

// HoldOut holds out the votes on some items at a time, and predicts them from the features of these
// items: as they are, with one feature shuffled, and by models fitted without it. Errors are over
// the items held out.
func HoldOut(ctx context.Context, d *palate.Dataset, features []Feature, o *HoldOptions) (*Held, error) {
	f := d.ItemFeatures()
	if f == nil {
		return nil, fmt.Errorf("explain: the items have no features to explain them by")
	}
	folds, err := evaluate.Split(d, &evaluate.SplitOptions{By: evaluate.ByItem, Folds: o.Folds, Seed: o.Seed})
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	h, fits := &Held{}, 0
	fit := func(d *palate.Dataset) (model.Model, error) {
		if o.Progress != nil {
			o.Progress(fits, len(folds)*(1+len(features)))
		}
		fits++
		return o.Fit(ctx, d)
	}
	all, shuffled, without := &losses{}, make([]losses, len(features)), make([]losses, len(features))
	for k, fold := range folds {
		train := d.Select(fold.Train)
		whole, err := fit(train)
		if err != nil {
			return nil, err
		}
		plain := lossOf(d, fold.Test, whole, func(i int) int { return i })
		all.add(fold.Test, plain)
		fresh := unseen(d, fold)
		h.Items += len(fresh)
		for j := range features {
			more, err := shuffledLoss(whole, f, &features[j], d, fold.Test, fresh, rand.New(rand.NewPCG(o.Seed, uint64(k*len(features)+j))))
			if err != nil {
				return nil, err
			}
			shuffled[j].add(fold.Test, less(more, plain))
			part, err := fit(train.WithItemFeatures(lacking(f, &features[j])))
			if err != nil {
				return nil, err
			}
			without[j].add(fold.Test, less(lossOf(d, fold.Test, part, func(i int) int { return i }), plain))
		}
	}
	h.Votes, h.Loss = all.votes(), all.estimate(o.level())
	for j := range features {
		h.Of = append(h.Of, HeldFeature{features[j], shuffled[j].estimate(o.level()), without[j].estimate(o.level())})
	}
	return h, nil
}

// unseen are the items that are in a test and in no vote of the training.
func unseen(d *palate.Dataset, fold evaluate.Fold) (items []int) {
	seen := make([]bool, d.NumItems())
	for _, k := range fold.Train {
		v := d.Vote(k)
		seen[v.Left], seen[v.Right] = true, true
	}
	for _, c := range fold.Test {
		v := d.Vote(c.Vote)
		for _, i := range []int{v.Left, v.Right} {
			if !seen[i] {
				seen[i] = true
				items = append(items, i)
			}
		}
	}
	slices.Sort(items)
	return items
}

// lossOf is what a model's chances cost at every case, NaN of ties, with the items under other numbers.
func lossOf(d *palate.Dataset, cases []evaluate.Case, m model.Model, as func(int) int) []float64 {
	out := make([]float64, len(cases))
	for k, c := range cases {
		v := d.Vote(c.Vote)
		p := m.Prefer(v.User, as(v.Left), as(v.Right))
		switch v.Outcome {
		case palate.Left:
			out[k] = -math.Log(p)
		case palate.Right:
			out[k] = -math.Log1p(-p)
		default:
			out[k] = math.NaN()
		}
	}
	return out
}

// shuffledLoss is lossOf with the values of a feature of the unseen items given to each other by
// chance, in the mean over some ways.
func shuffledLoss(m model.Model, f *palate.Features, of *Feature, d *palate.Dataset, cases []evaluate.Case, fresh []int, rng *rand.Rand) ([]float64, error) {
	n := len(fresh)
	rows, ids := mat.NewDense(shuffles*n, f.Cols, nil), make([]string, shuffles*n)
	for s := range shuffles {
		from := rng.Perm(n)
		for k, i := range fresh {
			row := rows.RawRowView(s*n + k)
			copy(row, f.Row(i))
			copy(row[of.first:of.first+of.width], f.Row(fresh[from[k]])[of.first:])
			ids[s*n+k] = "\x00" + strconv.Itoa(s*n+k)
		}
	}
	e, err := m.Extend(ids, rows)
	if err != nil {
		return nil, err
	}
	mean := make([]float64, len(cases))
	for s := range shuffles {
		for k, x := range lossOf(d, cases, e, func(i int) int {
			if at, ok := slices.BinarySearch(fresh, i); ok {
				return d.NumItems() + s*n + at
			}
			return i
		}) {
			mean[k] += x / shuffles
		}
	}
	return mean, nil
}

// lacking is a table without a feature; nil where nothing is left.
func lacking(f *palate.Features, of *Feature) *palate.Features {
	if f.Cols == of.width {
		return nil
	}
	out := &palate.Features{Rows: f.Rows, Cols: f.Cols - of.width, Names: slices.Delete(slices.Clone(f.Names), of.first, of.first+of.width)}
	for i := range f.Rows {
		out.Data = append(out.Data, slices.Delete(slices.Clone(f.Row(i)), of.first, of.first+of.width)...)
	}
	at := 0
	for _, size := range f.Blocks {
		gone := max(0, min(at+size, of.first+of.width)-max(at, of.first))
		if at += size; size > gone {
			out.Blocks = append(out.Blocks, size-gone)
		}
	}
	return out
}

func less(a, b []float64) []float64 {
	out := make([]float64, len(a))
	for k := range a {
		out[k] = a[k] - b[k]
	}
	return out
}

// losses are figures of votes, by the item that each was held out for.
type losses struct {
	sum, count []float64
	at         map[int]int
}

func (l *losses) add(cases []evaluate.Case, x []float64) {
	if l.at == nil {
		l.at = map[int]int{}
	}
	for k, c := range cases {
		if math.IsNaN(x[k]) {
			continue
		}
		u, ok := l.at[c.Unit]
		if !ok {
			u = len(l.sum)
			l.at[c.Unit] = u
			l.sum, l.count = append(l.sum, 0), append(l.count, 0)
		}
		l.sum[u] += x[k]
		l.count[u]++
	}
}

func (l *losses) votes() int {
	var n float64
	for _, c := range l.count {
		n += c
	}
	return int(n)
}

// estimate is the mean over votes with an interval over items: that of a ratio of sums.
func (l *losses) estimate(level float64) Estimate {
	units, n := len(l.sum), float64(l.votes())
	var mean, square float64
	for _, x := range l.sum {
		mean += x / n
	}
	if units < 2 {
		return Estimate{mean, math.Inf(-1), math.Inf(1)}
	}
	for u, x := range l.sum {
		gap := (x - mean*l.count[u]) / n
		square += gap * gap
	}
	free := float64(units - 1)
	reach := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: free}.Quantile((1+level)/2) * math.Sqrt(square*float64(units)/free)
	return Estimate{mean, mean - reach, mean + reach}
}
