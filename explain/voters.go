package explain

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/feature"
	"palate/model"
)

// Leaning is by how much people with one value of a feature of voters like each item more than people
// with another do, on average, in units of the noise of a vote.
type Leaning struct {
	Feature  Feature
	From, To string
	More     []Estimate // of every item, less the mean over items
	// Size is the standard deviation of that over items.
	Size Estimate
	// Matters is the chance that the feature makes a difference to any.
	Matters float64
}

// VoterFeatured is a model that knows what features of voters have to do with their tastes.
type VoterFeatured interface {
	model.Model
	VoterFeatures() *mat.Dense
	VoterContrast(ctx context.Context, to, from []float64) (*model.PartialDependence, error)
}

// OfVoters returns a model as one that knows what features of voters have to do with tastes, with
// these by the names they have in the table. It fails where there is nothing to explain.
func OfVoters(m model.Model) (VoterFeatured, []Feature, error) {
	v, ok := m.(VoterFeatured)
	switch {
	case !ok:
		return nil, nil, fmt.Errorf("explain: a %s model does not say what features of voters have to do with tastes; population does", m.Name())
	case v.VoterFeatures() == nil:
		return nil, nil, fmt.Errorf("explain: the voters of the model have no features to explain tastes by: it was fitted without a table of them, or they were left out, as they are of few voters unless they are asked for")
	}
	_, recipe := m.Encoders()
	var e feature.Encoder
	if recipe == nil || json.Unmarshal(recipe, &e) != nil || e.Width() > cols(v.VoterFeatures()) {
		return v, numbered(cols(v.VoterFeatures())), nil
	}
	return v, Features(&e), nil
}

// Leanings are those between the values of every feature of voters, the largest first: of a number
// between one that few voters are below and one that few are above, of words between each and all
// voters together. Texts and vectors have no such values, and are left out.
func Leanings(ctx context.Context, m VoterFeatured, features []Feature, o *Options) ([]Leaning, error) {
	x := m.VoterFeatures()
	items := make([]Setting, 0, m.NumItems())
	var all []Leaning
	for k := range features {
		f := &features[k]
		for at, pair := range f.contrasts(x, m.UserID) {
			to, from := make([]float64, cols(x)), make([]float64, cols(x))
			copy(to[f.first:], pair[1].block)
			copy(from[f.first:], pair[0].block)
			g, err := m.VoterContrast(ctx, to, from)
			if err != nil {
				return nil, err
			}
			for i := len(items); i < len(g.Mean); i++ {
				items = append(items, Setting{Label: m.ItemID(i), Weight: 1 / float64(len(g.Mean))})
			}
			d, err := newDependence(&Feature{Name: f.Name, Kind: feature.Category}, items, g, o, rand.New(rand.NewPCG(o.seed(), uint64(f.first)<<16+uint64(at))))
			if err != nil {
				return nil, err
			}
			all = append(all, Leaning{*f, pair[0].Label, pair[1].Label, d.Effect, d.Importance, d.Matters})
		}
	}
	slices.SortStableFunc(all, func(a, b Leaning) int { return cmp.Compare(b.Size.Value, a.Size.Value) })
	return all, nil
}

// contrasts are pairs of values between which voters are compared.
func (f *Feature) contrasts(x *mat.Dense, name func(int) string) (pairs [][2]Setting) {
	at := f.settings(x, name)
	switch {
	case len(at) < 2 || !f.Scalar() && f.Categories == nil:
		return nil
	case f.Scalar():
		at = slices.DeleteFunc(at, func(s Setting) bool { return s.Weight == 0 })
		return [][2]Setting{{at[0], at[len(at)-1]}}
	}
	everybody := Setting{Label: "all", block: make([]float64, f.width)}
	for _, s := range at {
		for j, v := range s.block {
			everybody.block[j] += s.Weight * v
		}
	}
	for _, s := range at {
		pairs = append(pairs, [2]Setting{everybody, s})
	}
	return pairs
}
