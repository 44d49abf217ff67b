package crowd

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
)

// Arrays are what was learnt, as plain numbers for a file: column 0 is the
// consensus, the others are factors.
type Arrays struct {
	Factors     int
	Mean        []float64 // of the weights, column × weight
	Base        []float64 // by column; the weights have the precision Base·I + Precision
	Precision   []float64 // column × weight × weight
	Shape, Rate []float64 // of the inverse scales, by column
	OwnShape    float64   // of voters' own tastes; 0 without
	OwnRate     float64
	Owner       []int64   // the user who is each voter
	ItemStart   []int64   // the items of voter u are Item[ItemStart[u]] … ; empty without own tastes
	Item        []int64   // ascending
	Weight      []float64 // means of weights and own tastes, voter after voter
	Covariance  []float64 // empty where it follows from the votes
	// The votes of voters, from VoteStart[u] on: winner and loser of each, the
	// precision of its site, and the precisions of the weights before the votes, voter ×
	// factor.
	VoteStart      []int64
	VotePair       []int64
	VotePrecision  []float64
	PriorPrecision []float64
	Threshold      float64
	Propagated     bool // voters are inferred by EP
	// Of classes of voters; empty when all are of one.
	Slope, Margin, Share []float64
	Class                []float64 // probabilities, voter × class
	// Of a consensus with nuggets; empty without. Column 0 of the weights is idle
	// then.
	BlockEnd              []int64
	BlockShape, BlockRate []float64 // of the inverse scales, by block; the last is of the nuggets
	Pair                  []int64   // compared, pair × 2
	PairPrecision         []float64
	WeightBase            []float64 // prior precisions; the last is of the nuggets
	WeightMean            []float64
	Nugget                []float64 // mean of the nugget of every item
	most                  int       // items that may hang together

	Features  int       // of voters; 0 without
	Lead      []float64 // means of what features tell, feature × factor
	LeadCov   []float64 // feature × feature, the same for every factor
	Apart     []float64 // how voters differ by it, factor × factor
	Relevance []float64 // mean of every feature's
}

// Arrays returns what was learnt.
func (l *Learnt) Arrays() Arrays {
	a := Arrays{Factors: l.c, Weight: l.w, Covariance: l.cov, Threshold: l.Threshold, Propagated: l.propagated}
	d := l.prior.Dim()
	for k, q := range l.q {
		a.Mean = append(a.Mean, q.Mean...)
		a.Base = append(a.Base, q.Scale)
		a.Precision = append(a.Precision, mat.DenseCopyOf(q.Evidence().Quad).RawMatrix().Data[:d*d]...)
		a.Shape, a.Rate = append(a.Shape, l.scale[k].Shape), append(a.Rate, l.scale[k].Rate)
	}
	for _, u := range l.owner {
		a.Owner = append(a.Owner, int64(u))
	}
	if l.sites != nil {
		l.sites.save(&a)
	}
	if k := l.classes; k != nil {
		a.Slope, a.Margin, a.Share, a.Class = k.slope, k.margin, k.share, k.of
	}
	if l.common != nil {
		l.common.save(&a)
	}
	if l.own {
		a.OwnShape, a.OwnRate = l.ownScale.Shape, l.ownScale.Rate
		for _, i := range l.ownStart {
			a.ItemStart = append(a.ItemStart, int64(i))
		}
		for _, i := range l.ownItem {
			a.Item = append(a.Item, int64(i))
		}
	}
	if b := l.leaning; b != nil {
		a.Features = len(b.groups)
		a.Lead = mat.DenseCopyOf(b.mean).RawMatrix().Data
		a.LeadCov = mat.DenseCopyOf(b.cov).RawMatrix().Data
		a.Apart = mat.DenseCopyOf(b.apart).RawMatrix().Data
		for k := range b.groups {
			a.Relevance = append(a.Relevance, b.relevanceOf(k).Mean())
		}
	}
	return a
}

// FromArrays returns what was learnt over the items of a prior.
func FromArrays(prior *gp.Prior, a Arrays) (*Learnt, error) {
	d, k, n := prior.Dim(), a.Factors+1, len(a.Owner)
	if a.Factors < 0 || len(a.Mean) != k*d || len(a.Base) != k || len(a.Precision) != k*d*d || len(a.Shape) != k || len(a.Rate) != k {
		return nil, fmt.Errorf("crowd: %d factors on %d weights do not fit their arrays", a.Factors, d)
	}
	e := &engine{Votes: &Votes{items: prior.Len()}, prior: prior, spanned: prior.Sparse(), c: a.Factors, w: a.Weight, cov: a.Covariance, covStart: []int{0}, propagated: a.Propagated}
	for c := range k {
		if !(a.Base[c] > 0 && a.Shape[c] > 0 && a.Rate[c] > 0) {
			return nil, fmt.Errorf("crowd: column %d: precision %g, inverse scale of shape %g and rate %g", c, a.Base[c], a.Shape[c], a.Rate[c])
		}
		e.scale = append(e.scale, infer.Gamma{Shape: a.Shape[c], Rate: a.Rate[c]})
		mean := a.Mean[c*d : (c+1)*d]
		ev := gp.Evidence{Lin: make([]float64, d), Quad: mat.NewSymDense(d, a.Precision[c*d*d:(c+1)*d*d])}
		if _, err := gp.NewPosterior(prior, a.Base[c], ev); err != nil {
			return nil, fmt.Errorf("crowd: column %d: %w", c, err)
		}
		e.q = append(e.q, around(prior, mean, a.Base[c], ev))
	}
	if e.own = a.OwnShape != 0; e.own {
		if !(a.OwnShape > 0 && a.OwnRate > 0) || len(a.ItemStart) != n+1 || a.ItemStart[0] != 0 || a.ItemStart[n] != int64(len(a.Item)) {
			return nil, fmt.Errorf("crowd: own tastes of %d voters for %d items, inverse scale of shape %g and rate %g", n, len(a.Item), a.OwnShape, a.OwnRate)
		}
		e.ownScale = infer.Gamma{Shape: a.OwnShape, Rate: a.OwnRate}
		for u, i := range a.ItemStart {
			if u > 0 && i < a.ItemStart[u-1] {
				return nil, fmt.Errorf("crowd: the items of voter %d end before they begin", u-1)
			}
			e.ownStart = append(e.ownStart, int(i))
		}
		for _, i := range a.Item {
			if i < 0 || i >= int64(prior.Len()) {
				return nil, fmt.Errorf("crowd: item %d of %d", i, prior.Len())
			}
			e.ownItem = append(e.ownItem, int32(i))
		}
	}
	if k := len(a.Share); k > 0 {
		if len(a.Slope) != k || len(a.Margin) != k || len(a.Class) != n*k {
			return nil, fmt.Errorf("crowd: %d classes of %d voters do not fit their arrays", k, n)
		}
		e.classes = &classes{slope: a.Slope, margin: a.Margin, share: a.Share, of: a.Class}
	}
	if len(a.BlockEnd) > 0 {
		var err error
		if e.common, err = loadConsensus(prior, &a); err != nil {
			return nil, err
		}
	}
	dims := 0
	for u, owner := range a.Owner {
		e.owner = append(e.owner, int(owner))
		d := e.dim(u)
		dims += d
		e.covStart = append(e.covStart, e.covStart[u]+d*d)
	}
	if len(a.VoteStart) > 0 {
		if len(a.Covariance) == 0 && e.covStart[n] > 0 {
			e.cov = nil
		}
		var err error
		if e.sites, err = loadSites(&a, prior.Len()); err != nil {
			return nil, err
		}
	}
	if len(a.Weight) != dims || !e.compact() && len(a.Covariance) != e.covStart[n] {
		return nil, fmt.Errorf("crowd: %d weights and %d covariances for %d dimensions of voters", len(a.Weight), len(a.Covariance), dims)
	}
	if f, c := a.Features, a.Factors; f > 0 {
		if c == 0 || len(a.Lead) != f*c || len(a.LeadCov) != f*f || len(a.Apart) != c*c || len(a.Relevance) != f {
			return nil, fmt.Errorf("crowd: %d features of voters and %d factors do not fit their arrays", f, c)
		}
		e.leaning = leaningOf(f, c, a)
	}
	l := &Learnt{engine: e, Threshold: a.Threshold}
	l.prepareJoint()
	return l, nil
}
