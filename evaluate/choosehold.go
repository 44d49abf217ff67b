package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/internal/trial"
	"palate/model"
)

// How votes are held out: eighths, as many at a time as have about heldVotes, but three at
// most, and one at a time where voters have few: it would leave of most next to nothing to know
// them by. Others are held out in their place until there are so many.
const (
	trialVotes = 2400 // a trial is on so many votes at most, those of whole voters
	heldVotes  = 400
	eighths    = 8
	mostHeld   = 3
	fewEach    = 4 // votes of a voter, in the mean
)

// heldOut is a trial on votes held out, and one on those of its first fold that leaves half as
// much to learn from.
type heldOut struct {
	*trial.Trial
	half *trial.Trial
	// more is what is gained by learning from all votes in place of those of the trial, in
	// parts of what these gained over half of them: as much with every doubling.
	more float64
}

// share is a candidate with its weight in an average.
type share struct {
	trial.Candidate
	weight float64
}

// holdOut holds some of the decided votes out, of those of whole voters where there are
// many.
func holdOut(ctx context.Context, d *palate.Dataset, seed uint64, by By) (*heldOut, error) {
	var decided []int
	for k, v := range d.Votes() {
		if v.Outcome == palate.Left || v.Outcome == palate.Right {
			decided = append(decided, k)
		}
	}
	d = trial.Sample(d.Select(decided), trialVotes, seed)
	copied, err := copies(ctx, d)
	if err != nil {
		return nil, err
	}
	folds, err := Split(d, &SplitOptions{Seed: seed, By: by, Folds: eighths, Pairs: copied})
	if err != nil {
		return nil, err
	}
	in := make([][]int, d.NumVotes()) // folds that hold a vote out
	unit := make([]int, d.NumVotes())
	for f, fold := range folds {
		for _, c := range fold.Test {
			in[c.Vote], unit[c.Vote] = append(in[c.Vote], f), c.Unit
		}
	}
	most := mostHeld
	if d.HasUsers() && d.NumVotes() < fewEach*d.NumUsers() {
		most = 1
	}
	out := min(int(math.Ceil(float64(len(folds)*heldVotes)/float64(d.NumVotes()))), max(1, most*len(folds)/eighths))
	var whole, half []trial.Fold
	held := 0
	for lo := 0; lo+out <= len(folds) && 4*held < 3*heldVotes; lo += out {
		var w, h trial.Fold
		for k, of := range in {
			test, spared := false, false
			for _, f := range of {
				at := (f - lo + len(folds)) % len(folds)
				test = test || at < out
				spared = spared || at >= out+(len(folds)-out+1)/2
			}
			switch {
			case test:
				w.Test = append(w.Test, k)
				continue
			case !spared:
				h.Train = append(h.Train, k)
			}
			w.Train = append(w.Train, k)
		}
		if h.Test = w.Test; len(w.Test) == 0 || len(h.Train) == 0 {
			continue
		}
		whole, half = append(whole, w), append(half, h)
		held += len(w.Test)
	}
	if len(whole) == 0 {
		return nil, fmt.Errorf("evaluate: %d votes are too few to hold some out", d.NumVotes())
	}
	at := func(vote int) int { return unit[vote] }
	h := &heldOut{Trial: trial.New(d, whole, at), half: trial.New(d, half[:1], at)}
	votes, all, some := float64(d.NumVotes()), float64(len(whole[0].Train)), float64(len(half[0].Train))
	if some < all {
		h.more = math.Log(votes/all) / math.Log(all/some)
	}
	return h, nil
}

// behind reports whether a candidate that was tried is clearly worse than one of others.
func (h *heldOut) behind(name string, others []string) bool {
	return slices.ContainsFunc(others, func(o string) bool {
		gain, se := h.Gain(o, name)
		return gain > 2*se
	})
}

// expectedLoss returns the loss that new votes should have under a mean of candidates that were
// tried, and its error. Held-out votes have more, as there was less to learn from; how much
// more is seen by learning from half of that. It is not taken for more than the error: of a
// model that half of the votes mislead it would be.
func (h *heldOut) expectedLoss(ctx context.Context, taken []share) (loss, se float64, err error) {
	var names []string
	var weight []float64
	for _, s := range taken {
		if err := h.half.Try(ctx, s.Candidate); err != nil {
			return 0, 0, err
		}
		names, weight = append(names, s.Name), append(weight, s.weight)
	}
	const taking = "what is taken"
	h.Mix(taking, names, weight)
	h.half.Mix(taking, names, weight)
	lost := h.half.Mean(taking) - h.MeanOf(taking, h.half.Held())
	se = h.Error(taking)
	return h.Mean(taking) - min(h.more*max(0, lost), se), se, nil
}

// copyLevel is the correlation of answers of different voters about one pair, beyond what items
// explain, from which on they are taken for copies of each other; unless it is within
// copyErrors of none. Of votes from the field and of drawn ones it is 0 or less.
const (
	copyLevel  = 0.05
	copyErrors = 3
)

// copies reports whether votes of different voters about one pair look like copies, as labels
// do that were handed on: residuals of Bradley–Terry are correlated within pairs.
func copies(ctx context.Context, d *palate.Dataset) (bool, error) {
	m, err := model.FitBradleyTerry(ctx, d, nil)
	if err != nil {
		return false, ctx.Err() // there are too many items for pairs to recur
	}
	type meeting struct{ a, b, user int }
	own, order := map[meeting][]float64{}, []meeting(nil)
	for k, v := range d.Votes() {
		if v.Outcome == palate.Right {
			v = v.Swap()
		}
		p := m.Prefer(-1, v.Left, v.Right)
		r := math.Sqrt((1 - p) / p)
		if v.Left > v.Right {
			v, r = v.Swap(), -r
		}
		if v.User < 0 {
			v.User = -1 - k
		}
		at := meeting{v.Left, v.Right, v.User}
		if own[at] == nil {
			order = append(order, at)
		}
		own[at] = append(own[at], r)
	}
	slices.SortStableFunc(order, func(x, y meeting) int { return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b)) })
	var together, couples float64
	for lo := 0; lo < len(order); {
		var n, sum, square float64
		hi := lo
		for ; hi < len(order) && order[hi].a == order[lo].a && order[hi].b == order[lo].b; hi++ {
			var mean float64
			for _, r := range own[order[hi]] {
				mean += r / float64(len(own[order[hi]]))
			}
			n, sum, square = n+1, sum+mean, square+mean*mean
		}
		together += sum*sum - square
		couples += n * (n - 1)
		lo = hi
	}
	return together > couples*max(copyLevel, copyErrors*math.Sqrt(2/couples)), nil
}
