package check

import (
	"math"
	"math/rand/v2"
	"testing"
)

// ballotsOf are 300 votes on twelve items.
func ballotsOf(t *testing.T) *ballots {
	t.Helper()
	b, err := gather(t.Context(), madeUp(t, 300, 0, nil), shown, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestFitIsMostLikely: from where a fit arrives no step makes the answers, and the utilities
// and rates themselves, likelier.
func TestFitIsMostLikely(t *testing.T) {
	b := ballotsOf(t)
	o := fitOrder(b)
	for name, o := range map[string]*order{"still": o, "moving": o.moving(b, -1)} {
		o.fit(b, b.y)
		likely := func() (log float64) {
			for k, y := range b.y {
				log += math.Log(sigmoid((2*y - 1) * o.lead(b, k)))
			}
			for _, u := range o.u {
				log -= o.ridge / 2 * u * u
			}
			for _, r := range o.rate {
				log -= o.ridge / 2 * r * r
			}
			return log
		}
		best := likely()
		for _, x := range [][]float64{o.u, o.rate} {
			for i := range x {
				for _, step := range []float64{-0.02, 0.02} {
					x[i] += step
					if l := likely(); l > best {
						t.Errorf("%s: %g higher", name, l-best)
					}
					x[i] -= step
				}
			}
		}
	}
}

// TestDriftEitherWay: votes told from the last to the first have drifted as much.
func TestDriftEitherWay(t *testing.T) {
	b := ballotsOf(t)
	o := fitOrder(b)
	still, _ := driftOf(b, b.y, o)
	for k := range b.when {
		b.when[k] = -b.when[k]
	}
	if back, _ := driftOf(b, b.y, o); math.Abs(back-still) > 1e-4 {
		t.Errorf("drift of %g, told backwards %g", still, back)
	}
}

// TestEvidence: where there are no answers they are sure to be what they are, and where items
// are all but the same each is as likely as a coin's.
func TestEvidence(t *testing.T) {
	none := &ballots{items: []int{0, 1}}
	two := &ballots{items: []int{0, 1}, left: []int32{0, 1}, right: []int32{1, 0}, y: []float64{1, 1}, when: []float64{-1, 1}}
	still := &order{u: make([]float64, 2), ridge: 1e6}
	for name, x := range map[string]struct {
		b    *ballots
		o    *order
		want float64
	}{
		"still":        {none, still, 0},
		"moving":       {none, still.moving(none, -1), 0},
		"still, coins": {two, still, -2 * math.Ln2},
	} {
		x.o.fit(x.b, x.b.y)
		if got := x.o.evidence(x.b, x.b.y); math.Abs(got-x.want) > 1e-5 {
			t.Errorf("%s: evidence %g, not %g", name, got, x.want)
		}
	}
}
