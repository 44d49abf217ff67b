package judging

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/model"
)

// round is a round of judging: truths, and the scores that judgements leave.
func round(t *testing.T, items, votes int, rng *rand.Rand) (truth []float64, s *Scores) {
	t.Helper()
	truth = make([]float64, items)
	for i := range truth {
		truth[i] = rng.NormFloat64()
	}
	b := palate.NewBuilder()
	for i := range items {
		b.Item(strconv.Itoa(i))
	}
	for range votes {
		p := rng.Perm(items)[:2]
		o := palate.Right
		if rng.Float64() < num.Phi(truth[p[0]]-truth[p[1]]) {
			o = palate.Left
		}
		if err := b.Say("", strconv.Itoa(p[0]), strconv.Itoa(p[1]), o); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.FitSingle(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = DrawScores(t.Context(), m, 1); err != nil {
		t.Fatal(err)
	}
	return truth, s
}

// Intervals of equated scores hold the truth as often as they say, tests of anchors that fit
// reject as often as they say, and an anchor that moved is found.
func TestEquate(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const worlds, items, votes, anchored = 16, 20, 250, 6
	rng := rand.New(rand.NewPCG(5, 5))
	var held, asked, refused, found, wrong, tested float64
	for range worlds {
		truth, s := round(t, items, votes, rng)
		scale := func(x float64) float64 { return 60 + 12*x }
		var anchors []Anchor
		for i := range anchored {
			se := 2.0
			anchors = append(anchors, Anchor{strconv.Itoa(i), scale(truth[i]) + se*rng.NormFloat64(), se})
		}
		moved := *s
		moved.draws = mat.DenseCopyOf(s.draws)
		link, err := s.Equate(anchors)
		if err != nil {
			t.Fatal(err)
		}
		for i := range items {
			mean, sd := s.Score(i)
			asked++
			if math.Abs(mean-scale(truth[i])) < 1.96*sd {
				held++
			}
		}
		if link.P < 0.1 {
			refused++
		}
		for _, a := range link.Anchors {
			if tested++; a.Misfit {
				wrong++
			}
		}
		anchors[2].Score += 40
		if link, err = moved.Equate(anchors); err != nil {
			t.Fatal(err)
		}
		if link.Anchors[0].Item == "2" && link.Anchors[0].Misfit {
			found++
		}
	}
	t.Logf("%.3f of %.0f held; %.2f of the tests refused at .1; %.2f of the moved found, %.0f of %.0f wrongly", held/asked, asked, refused/worlds, found/worlds, wrong, tested)
	if share := held / asked; share < 0.91 || share > 0.985 {
		t.Errorf("intervals of 95 %% hold %.3f", share)
	}
	if refused > 6 || wrong > 5 { // 1.6 and .8 are expected at most
		t.Errorf("%.0f of %d worlds are refused at .1, and %.0f anchors are flagged", refused, worlds, wrong)
	}
	if found < 0.8*worlds {
		t.Errorf("of %d anchors that moved by three deviations %.0f are found", worlds, found)
	}
}

// Anchors without an error have the scores that they are given; a change of units changes all
// scores as it should; and what is no scale is refused.
func TestEquateLaws(t *testing.T) {
	place := func(anchors ...Anchor) (*Scores, *Link, error) {
		_, s := round(t, 9, 60, rand.New(rand.NewPCG(2, 2)))
		link, err := s.Equate(anchors)
		return s, link, err
	}
	s, _, err := place(Anchor{"1", 40, 0}, Anchor{"4", 70, 0}, Anchor{"7", 55, 0})
	if err != nil {
		t.Fatal(err)
	}
	for item, want := range map[int]float64{1: 40, 4: 70, 7: 55} {
		if mean, sd := s.Score(item); math.Abs(mean-want) > 1e-5 || sd > 1e-3 {
			t.Errorf("anchor %d: %g ± %g, not %g", item, mean, sd, want)
		}
	}
	one, a, err := place(Anchor{"1", 0, 0.3}, Anchor{"4", 1, 0.3}, Anchor{"7", 0.5, 0.3}, Anchor{"8", 0.1, 0})
	if err != nil {
		t.Fatal(err)
	}
	ten, b, err := place(Anchor{"1", 5, 3}, Anchor{"4", 15, 3}, Anchor{"7", 10, 3}, Anchor{"8", 6, 0}, Anchor{"not judged", 7, 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 9 {
		x, sd := one.Score(i)
		y, tenSD := ten.Score(i)
		if math.Abs(5+10*x-y) > 1e-6 || math.Abs(10*sd-tenSD) > 1e-6 {
			t.Errorf("item %d: %g ± %g, and in other units %g ± %g", i, x, sd, y, tenSD)
		}
	}
	if math.Abs(10*a.Slope-b.Slope) > 1e-9 || math.Abs(a.P-b.P) > 1e-9 || len(b.Anchors) != 4 {
		t.Errorf("%+v and %+v", a, b)
	}
	for _, bad := range [][]Anchor{nil, {{"1", 3, 0}}, {{"1", 3, 0}, {"x", 4, 0}}, {{"1", 3, 0}, {"2", 3, 0}}, {{"1", 3, 0}, {"2", 4, -1}}, {{"1", math.NaN(), 0}, {"2", 4, 0}}} {
		if _, _, err := place(bad...); err == nil {
			t.Errorf("%v is a scale", bad)
		}
	}
}
