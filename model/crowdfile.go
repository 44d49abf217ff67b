package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"

	crowds "palate/crowd"
	"palate/infer"
	"palate/kernel"
)

// crowdHeader is model.json of a crowd.
type crowdHeader struct {
	heading
	VoterKernel *kernel.Spec `json:"voter_kernel,omitempty"` // of features of voters
	Kernel      *kernel.Spec `json:"kernel,omitempty"`
	Trained     int          `json:"trained_items"` // the others were added by their features
	Factors     int          `json:"factors"`
	Tastes      string       `json:"tastes"`                // how far voters may differ
	Smoothness  string       `json:"smoothness,omitempty"`  // of utilities in features
	Why         string       `json:"why,omitempty"`         // these two, where votes held out have chosen them
	ScalePrior  []float64    `json:"scale_prior,omitempty"` // shape and rate of the consensus's, where they are not the engine's own
	Steps       *Steps       `json:"steps,omitempty"`       // of a fit by batches of voters
	Threshold   float64      `json:"tie_threshold,omitempty"`
	OwnShape    float64      `json:"own_shape,omitempty"`
	OwnRate     float64      `json:"own_rate,omitempty"`
	Propagated  bool         `json:"propagated,omitempty"` // voters are inferred by EP
	Answers     bool         `json:"answers,omitempty"`    // about several items were taken as such
	Objective   float64      `json:"objective"`
	Kind        string       `json:"objective_kind"` // a lower bound in files of before, which do not say
	Status      infer.Status `json:"status"`
	Stats       infer.Stats  `json:"stats"`
	Total       float64      `json:"votes"`
	Ties        float64      `json:"ties,omitempty"`
	Seed        uint64       `json:"seed"`
}

// Save writes the model as a zip of model.json and .npy arrays: consensus and
// factors as means and precisions of their weights, the scales, and every voter's
// weights and own tastes with their covariance, or with the votes' precisions from
// which it follows.
func (m *Crowd) Save(ctx context.Context, w io.Writer) error {
	l := m.learnt.Arrays()
	h := crowdHeader{
		heading: m.heading(m.Name()), Trained: m.trained, Factors: l.Factors, Threshold: l.Threshold, OwnShape: l.OwnShape, OwnRate: l.OwnRate, Propagated: l.Propagated,
		Objective: m.fit.Objective, Kind: m.fit.Kind, Status: m.fit.Status, Stats: m.fit.Stats, Total: m.fit.Votes, Ties: m.fit.Ties,
		Answers: m.answers, Seed: m.options.Seed, Tastes: m.form.Tastes.String(), Why: m.form.Why, Steps: m.steps,
	}
	if g := m.options.ConsensusScale; g != (infer.Gamma{}) {
		h.ScalePrior = []float64{g.Shape, g.Rate}
	}
	if m.form.Smoothness != ChosenSmoothness {
		h.Smoothness = m.form.Smoothness.String()
	}
	if m.kernel != nil {
		s := kernel.SpecOf(m.kernel)
		h.Kernel = &s
	}
	if m.about != nil {
		s := kernel.SpecOf(m.about.kernel)
		h.VoterKernel = &s
	}
	return m.save(ctx, w, m, h, func(a *arrayWriter) { m.saveArrays(a, l) })
}

func (m *Crowd) saveArrays(a *arrayWriter, l crowds.Arrays) {
	k := l.Factors + 1
	d := len(l.Mean) / k
	a.matrix("features", m.features)
	a.matrix("inducing", m.z)
	a.floats("weight_mean", l.Mean, k, d)
	a.floats("weight_base", l.Base, k)
	a.floats("weight_precision", l.Precision, k, d, d)
	a.floats("scale_shape", l.Shape, k)
	a.floats("scale_rate", l.Rate, k)
	writeArray(a, "voter_user", l.Owner, len(l.Owner))
	if l.OwnShape != 0 {
		writeArray(a, "voter_item_start", l.ItemStart, len(l.ItemStart))
		writeArray(a, "voter_items", l.Item, len(l.Item))
	}
	a.floats("voter_mean", l.Weight, len(l.Weight))
	a.floats("voter_covariance", l.Covariance, len(l.Covariance))
	if n := len(l.VoteStart); n > 0 {
		writeArray(a, "voter_vote_start", l.VoteStart, n)
		writeArray(a, "voter_votes", l.VotePair, len(l.VotePrecision), 2)
		a.floats("vote_precision", l.VotePrecision, len(l.VotePrecision))
		a.floats("voter_stiffness", l.PriorPrecision, len(l.Owner), l.Factors)
	}
	if n := len(l.Share); n > 0 {
		a.floats("class_slope", l.Slope, n)
		a.floats("class_margin", l.Margin, n)
		a.floats("class_share", l.Share, n)
		a.floats("voter_class", l.Class, len(l.Owner), n)
	}
	if n := len(l.BlockEnd); n > 0 {
		writeArray(a, "block_end", l.BlockEnd, n)
		a.floats("block_shape", l.BlockShape, n+1)
		a.floats("block_rate", l.BlockRate, n+1)
		writeArray(a, "pairs", l.Pair, len(l.PairPrecision), 2)
		a.floats("pair_precision", l.PairPrecision, len(l.PairPrecision))
		a.floats("consensus_base", l.WeightBase, d+1)
		a.floats("consensus_mean", l.WeightMean, d)
		a.floats("nugget_mean", l.Nugget[:m.trained], m.trained)
	}
	m.saveVoters(a, l)
}

// loadCrowd reads what Save wrote.
func loadCrowd(z *zip.Reader, raw []byte) (*Crowd, error) {
	var h crowdHeader
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	n := len(h.Items)
	switch {
	case n == 0 || h.Trained < 1 || h.Trained > n || h.Factors < 0 || h.Factors > maxElements:
		return nil, fmt.Errorf("model.json: %d items, %d of them trained, %d factors", n, h.Trained, h.Factors)
	case h.Threshold < 0 || h.OwnShape < 0 || h.Status < infer.Converged || h.Status > infer.Interrupted:
		return nil, fmt.Errorf("model.json: tie threshold %g, shape %g of own tastes, status %d", h.Threshold, h.OwnShape, h.Status)
	}
	b, err := h.base()
	if err != nil {
		return nil, err
	}
	m := &Crowd{Base: b, forms: &crowdForms{}}
	m.options.Seed, m.steps, m.answers = h.Seed, h.Steps, h.Answers
	if h.ScalePrior != nil {
		g, err := gammaOf(h.ScalePrior)
		if err != nil {
			return nil, err
		}
		m.options.ConsensusScale = g
	}
	m.form = formOf(h.Tastes, h.Smoothness, h.Why)
	if h.Kind == "" {
		h.Kind = infer.LowerBound.String()
	}
	m.fit = Fit{Objective: h.Objective, Kind: h.Kind, Status: h.Status, Stats: h.Stats, Votes: h.Total, Ties: h.Ties}
	a := arrayReader{z: z}
	m.votes = a.floats("votes", n)
	s := &Single{Base: b} // reads kernel, features and inducing points
	if err := s.loadPrior(&a, header{Kernel: h.Kernel}); err != nil {
		return nil, err
	}
	m.kernel, m.features, m.z, m.trained = s.kernel, s.features, s.z, h.Trained
	if m.kernel == nil && m.trained < n {
		return nil, fmt.Errorf("model.json: %d of %d items trained, and no kernel", m.trained, n)
	}
	prior, err := m.prior()
	if err != nil {
		return nil, err
	}
	k, d := h.Factors+1, prior.Dim()
	l := crowds.Arrays{Factors: h.Factors, Threshold: h.Threshold, OwnShape: h.OwnShape, OwnRate: h.OwnRate, Propagated: h.Propagated}
	l.Mean, l.Base, l.Precision = a.floats("weight_mean", k, d), a.floats("weight_base", k), a.floats("weight_precision", k, d, d)
	l.Shape, l.Rate = a.floats("scale_shape", k), a.floats("scale_rate", k)
	l.Owner, _ = readArray[int64](&a, "voter_user")
	if h.OwnShape != 0 {
		l.ItemStart, _ = readArray[int64](&a, "voter_item_start")
		l.Item, _ = readArray[int64](&a, "voter_items")
	}
	if a.has("voter_vote_start") {
		l.VoteStart, _ = readArray[int64](&a, "voter_vote_start")
		l.VotePair, _ = readArray[int64](&a, "voter_votes")
		l.VotePrecision, l.PriorPrecision = a.floats("vote_precision", len(l.VotePair)/2), a.floats("voter_stiffness", len(l.Owner), h.Factors)
	}
	if a.has("class_share") {
		l.Share = a.vector("class_share")
		n := len(l.Share)
		l.Slope, l.Margin, l.Class = a.floats("class_slope", n), a.floats("class_margin", n), a.floats("voter_class", len(l.Owner), n)
	}
	if a.has("block_end") {
		l.BlockEnd, _ = readArray[int64](&a, "block_end")
		n := len(l.BlockEnd)
		l.BlockShape, l.BlockRate = a.floats("block_shape", n+1), a.floats("block_rate", n+1)
		l.Pair, _ = readArray[int64](&a, "pairs")
		l.PairPrecision = a.floats("pair_precision", len(l.Pair)/2)
		l.WeightBase, l.WeightMean, l.Nugget = a.floats("consensus_base", d+1), a.floats("consensus_mean", d), a.floats("nugget_mean", m.trained)
	}
	l.Weight, l.Covariance = a.vector("voter_mean"), a.vector("voter_covariance")
	if err := m.loadVoters(&a, h.VoterKernel, &l); err != nil {
		return nil, err
	}
	if a.err != nil {
		return nil, a.err
	}
	for _, u := range l.Owner {
		if u < -1 || u >= int64(len(h.Users)) {
			return nil, fmt.Errorf("voter_user.npy: user %d of %d", u, len(h.Users))
		}
	}
	if m.learnt, err = crowds.FromArrays(prior, l); err != nil {
		return nil, err
	}
	if m.trained < n {
		if err := m.extend(); err != nil {
			return nil, err
		}
	}
	m.derive()
	return m, nil
}
