package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
	"palate/internal/num"
)

// Part is a kind of model in an Average.
type Part struct {
	Model    string   // a name of Catalogue
	Settings Settings // to fit it with
	Weight   float64  // in what the average says; all of an average sum to one
}

// Average is several models of the same votes where these do not tell which is right, each
// with its weight. What it says of a voter is the mean of what they say, and boards of voters
// are of draws of all. What it says of the consensus is what the first of them says, the
// simplest: models differ in what they say of voters, and boards of the first know of sides and
// of votes that hang together.
type Average struct {
	Base
	mixture[Model]
}

// fitAverage fits the parts that the settings name, or halves of single and population.
func fitAverage(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
	parts := s.Parts
	if parts == nil {
		parts = []Part{{Model: "single", Weight: 0.5}, {Model: "population", Weight: 0.5}}
	}
	d = d.WithProperties(nil)
	a := &Average{}
	for _, p := range parts {
		e, err := Find(p.Model)
		if err != nil {
			return nil, err
		}
		o := p.Settings
		o.Seed, o.Whole, o.Progress = s.Seed, s.Whole, s.Progress
		m, err := e.Fit(ctx, d, &o)
		if err != nil {
			return nil, err
		}
		a.parts, a.weight = append(a.parts, m), append(a.weight, p.Weight)
	}
	return asModel(a, a.settle())
}

// settle takes items and voters from the parts, and refuses parts that are not of the same.
func (m *Average) settle() error {
	if len(m.parts) == 0 || len(m.weight) != len(m.parts) {
		return fmt.Errorf("model: an average of %d models with %d weights", len(m.parts), len(m.weight))
	}
	var sum float64
	for k, p := range m.parts {
		b := p.(interface{ base() *Base }).base()
		if k == 0 || len(m.users) == 0 { // of a part that tells voters apart, if there is one
			m.Base = *b
			m.ItemEncoder, m.UserEncoder, m.names = nil, nil, &names{}
		}
		if !slices.Equal(b.ids, m.ids) || len(b.users) > 0 && !slices.Equal(b.users, m.users) {
			return fmt.Errorf("model: an average of models of other items or voters")
		}
		if sum += m.weight[k]; !(m.weight[k] > 0) {
			return fmt.Errorf("model: an average with a weight of %g", m.weight[k])
		}
	}
	if math.Abs(sum-1) > 1e-9 {
		return fmt.Errorf("model: an average whose weights sum to %g", sum)
	}
	return nil
}

// Name returns "average".
func (m *Average) Name() string { return "average" }

// Fit returns how the fits went: the evidence is that of the parts by their weights, and a
// bound where one of theirs is; other figures are those of the part with most weight.
func (m *Average) Fit() Fit {
	best := 0
	for k, w := range m.weight {
		if w > m.weight[best] {
			best = k
		}
	}
	f := m.parts[best].Fit()
	f.Form, f.Why = m.String(), ""
	at := make([]float64, len(m.parts))
	for k, p := range m.parts {
		of := p.Fit()
		at[k] = math.Log(m.weight[k]) + of.Objective
		if of.Kind == infer.LowerBound.String() {
			f.Kind = of.Kind
		}
		if of.Status != infer.Converged {
			f.Status = of.Status
		}
	}
	f.Objective = num.LogSumExp(at)
	return f
}

// String says what it is an average of, as "single 40%, population 60%".
func (m *Average) String() string {
	var words []string
	for k, p := range m.parts {
		words = append(words, fmt.Sprintf("%s %.0f%%", p.Name(), 100*m.weight[k]))
	}
	return strings.Join(words, ", ")
}

// Parts returns the models that it is an average of.
func (m *Average) Parts() []Model { return m.parts }

// Reads returns what one or another of the parts was fitted to.
func (m *Average) Reads() (r Reads) {
	for _, p := range m.parts {
		r |= p.Reads()
	}
	return r
}

// Prefer returns the probability that user picks left over right, ties apart.
func (m *Average) Prefer(user, left, right int) float64 {
	if user < 0 {
		return m.parts[0].Prefer(user, left, right)
	}
	return m.mixture.Prefer(user, left, right)
}

// preferTo sets dst to what Prefer says of pairs.
func (m *Average) preferTo(dst []float64, user int, left, right []int) {
	if user < 0 {
		preferring(m.parts[0])(dst, user, left, right)
		return
	}
	m.mixture.preferTo(dst, user, left, right)
}

// Utility returns mean and variance of an item's utility to user.
func (m *Average) Utility(user, item int) (mean, variance float64) {
	if user < 0 {
		return m.parts[0].Utility(user, item)
	}
	return m.mixture.Utility(user, item)
}

// Draws returns joint draws of the utilities of all items to user.
func (m *Average) Draws(ctx context.Context, user, n int, rng *rand.Rand) (Draws, error) {
	if user < 0 {
		return m.parts[0].Draws(ctx, user, n, rng)
	}
	return m.mixture.Draws(ctx, user, n, rng)
}

// PreferShown is Prefer where left and right are the sides on which the two are shown.
func (m *Average) PreferShown(user, left, right int) float64 {
	shown := func(p Model) float64 {
		if s, ok := p.(interface {
			PreferShown(user, left, right int) float64
		}); ok {
			return s.PreferShown(user, left, right)
		}
		return p.Prefer(user, left, right)
	}
	if user < 0 {
		return shown(m.parts[0])
	}
	return m.mean(shown)
}

// Effects returns what bears on votes beside the items, as the first part has it.
func (m *Average) Effects() []Effect {
	if e, ok := m.parts[0].(interface{ Effects() []Effect }); ok {
		return e.Effects()
	}
	return nil
}

// Extend returns the model with further items, known only by their features
// (one row an item, as wide as those of the fit).
func (m *Average) Extend(ids []string, features *mat.Dense) (Model, error) {
	return m.each(func(p Model) (Model, error) { return p.Extend(ids, features) })
}

// TheseVoters returns the model with a Single among its parts about its own voters.
func (m *Average) TheseVoters() (Model, error) {
	return m.each(func(p Model) (Model, error) {
		if s, ok := p.(*Single); ok {
			return asModel(s.TheseVoters())
		}
		return p, nil
	})
}

// each is the average of other models in the place of its parts.
func (m *Average) each(other func(p Model) (Model, error)) (Model, error) {
	a := &Average{}
	a.weight = m.weight
	for _, p := range m.parts {
		o, err := other(p)
		if err != nil {
			return nil, err
		}
		a.parts = append(a.parts, o)
	}
	err := a.settle()
	a.ItemEncoder, a.UserEncoder = m.ItemEncoder, m.UserEncoder
	return asModel(a, err)
}

// predictAnswers is PredictAnswers: of the consensus by the first part, and of voters by all that can.
func (m *Average) predictAnswers(ctx context.Context, user int, items []int) (*AnswerPrediction, error) {
	if user < 0 {
		return PredictAnswers(ctx, m.parts[0], user, items)
	}
	all, sum := &AnswerPrediction{items: items}, 0.0
	var refused error
	for k, p := range m.parts {
		f, err := PredictAnswers(ctx, p, user, items)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			refused = err
			continue
		}
		sum += m.weight[k]
		for _, at := range f.at {
			at.share *= m.weight[k]
			all.at = append(all.at, at)
		}
	}
	if len(all.at) == 0 {
		return nil, refused
	}
	for k := range all.at {
		all.at[k].share /= sum
	}
	return all, nil
}
