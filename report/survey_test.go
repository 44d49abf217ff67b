package report

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/model"
)

// asked is a fake whose voters tell what they choose from several items.
type asked struct {
	fake
	names interface{ ItemID(i int) string }
}

func (a asked) ItemID(i int) string { return a.names.ItemID(i) }

func (a asked) UtilitiesTo(ctx context.Context, mean, variance []float64, user int) error {
	for i := range mean {
		mean[i], variance[i] = a.Utility(user, i)
		mean[i] *= 4 / float64(a.n)
	}
	return ctx.Err()
}

func (a asked) CovarianceTo(dst []float64, _, item int, others []int) {
	for k, j := range others {
		if dst[k] = 0; j == item {
			dst[k] = 1
		}
	}
}

func (a asked) Draws(ctx context.Context, user, n int, rng *rand.Rand) (model.Draws, error) {
	d := model.Draws{F: mat.NewDense(n, a.n, nil), Weight: slices.Repeat([]float64{1 / float64(n)}, n)}
	mean, variance := make([]float64, a.n), make([]float64, a.n)
	err := a.UtilitiesTo(ctx, mean, variance, user)
	for k := range n {
		for i, x := range mean {
			d.F.Set(k, i, x+rng.NormFloat64())
		}
	}
	return d, err
}

// surveys makes the charts of a survey about n items with such names, in a language.
func surveys(t *testing.T, n int, names interface{ ItemID(i int) string }, language string) (all []*Chart) {
	s := must(NewSurvey(t.Context(), asked{fake{n, 6}, names}, SurveyOptions{Anchor: []int{n / 2}}))
	for u := range 6 {
		x := float64(u) / 10
		s.Care = append(s.Care, model.Consistency{Answers: 12, RLH: x, Chance: 1. / 12, Gain: x - 1./12})
	}
	for _, chart := range surveyCharts() {
		all = append(all, must(chart(t.Context(), s, Options{Language: language})))
	}
	return all
}

// TestSurvey: the page of a survey has its charts without being asked, in every language, those
// who guess are left out where that is wanted, and other models say why there are none.
func TestSurvey(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	b := palate.NewBuilder()
	for u := range 12 {
		for range 8 {
			shown, group := rng.Perm(5)[:4], b.NewGroup()
			if u > 0 { // the first guesses
				slices.Sort(shown)
			}
			for k := 1; k < 4; k++ {
				for _, pair := range [][2]int{{0, k}, {k, 3}} {
					if pair[0] != pair[1] {
						if err := b.Add(palate.Vote{User: b.User(named{}.UserID(u)), Left: b.Item(named{}.ItemID(shown[pair[0]])), Right: b.Item(named{}.ItemID(shown[pair[1]])), Weight: 1, Group: group, Unsided: true}); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.FitPopulation(t.Context(), d, &model.PopulationOptions{Whole: true})
	if err != nil {
		t.Fatal(err)
	}
	board, err := model.NewBoard(t.Context(), m, -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, language := range Languages() {
		var out bytes.Buffer
		p := &Page{Paper: Paper{Title: "snacks"}, Model: m, User: -1, Board: board, Options: Options{Language: language}, Survey: SurveyOptions{Consistent: true, Anchor: []int{2}, Shelf: []int{0, 1, 4}}}
		if err := HTML(t.Context(), &out, p); err != nil {
			t.Fatal(err)
		}
		for _, name := range surveySections() {
			if !strings.Contains(out.String(), `<figure id="`+name+`">`) {
				t.Errorf("%s: no %s", language, name)
			}
		}
		if says := in(language).Say("chart-left-out", "1"); !strings.Contains(out.String(), says) {
			t.Errorf("%s: no %q", language, says)
		}
	}
	var out bytes.Buffer
	if err := HTML(t.Context(), &out, &Page{Model: fake{10, 0}, User: -1, Board: boardOf(10), Sections: []string{"shares"}}); err != nil || !strings.Contains(out.String(), "No shares of preference and portfolios: a fake model has one utility for all voters") {
		t.Errorf("%v: %s", err, out.String())
	}
	if _, err := NewSurvey(t.Context(), fake{10, 4}, SurveyOptions{}); err == nil || !strings.Contains(err.Error(), "does not tell what is chosen") {
		t.Errorf("a survey of what does not tell: %v", err)
	}
}
