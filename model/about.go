package model

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// TheseVoters is a Single whose draws, and so its boards, are about the mean of the
// voters who were asked, in place of people like them. It is more certain: that other people
// have other tastes does not matter to it. Scores have the same unit.
type TheseVoters struct {
	*Single
	grid *num.Lazy[*scales]
}

// TheseVoters returns the model about its own voters. It fails where voters are not told
// apart, or along the graph of comparisons, where nothing of their own is kept.
func (m *Single) TheseVoters() (*TheseVoters, error) {
	switch {
	case m.obs.group == nil:
		return nil, fmt.Errorf("model: voters are not told apart, so that nothing is known of them")
	case m.trained < len(m.ids):
		return nil, fmt.Errorf("model: voters have seen nothing of %d new items: scores are about people like them", len(m.ids)-m.trained)
	case m.own:
		return nil, fmt.Errorf("model: voters are told apart along the graph of comparisons, which keeps nothing of their own: scores are about people like them")
	}
	return &TheseVoters{m, &num.Lazy[*scales]{}}, nil
}

// Fit is that of the model, about its voters.
func (v *TheseVoters) Fit() Fit {
	f := v.Single.Fit()
	f.Form = v.dependence.about("its voters")
	return f
}

// Draws returns joint draws of the voters' mean utilities.
func (v *TheseVoters) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	s, err := v.grid.Get(ctx, func(ctx context.Context) (*scales, error) { return v.findScales(ctx, true) })
	if err != nil {
		return Draws{}, err
	}
	return s.mixture(ctx, n, rng)
}

// ofVoters turns draws of utilities at a scale into such of the voters' mean, in place.
func (s *scales) ofVoters(k int, f *mat.Dense, rng *rand.Rand) {
	if s.average == nil || s.average[k] == nil { // nothing is their own
		return
	}
	rows, n := f.Dims()
	utilities, white, unit := make([]float64, n), make([]float64, n), s.unit[k]
	for r := range rows {
		row := f.RawRowView(r)
		for i, x := range row {
			utilities[i], white[i] = x/unit, rng.NormFloat64()
		}
		s.average[k].Draw(row, utilities, white)
		for i := range row {
			row[i] *= unit
		}
	}
}
