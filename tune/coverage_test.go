package tune

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
)

// TestCoverage: on functions drawn from the prior, hyper-parameters and all, 90 % intervals of
// differences hold the truth about as often as they say, and so do chances of being better than
// another point. PALATE_FUNCTIONS=200 has as many functions.
func TestCoverage(t *testing.T) {
	functions := 30
	if n, err := strconv.Atoi(os.Getenv("PALATE_FUNCTIONS")); err == nil {
		functions = n
	} else if testing.Short() {
		t.Skip("many searches")
	}
	const duels, asked = 12, 10
	s := box(t, 2)
	var held, squares, said, came, n float64
	for f := range functions {
		rng := rand.New(rand.NewPCG(11, uint64(f)))
		g, err := s.posterior(t.Context(), s.newData(nil, nil), s.newHyper(rng), nil)
		if err != nil {
			t.Fatal(err)
		}
		var points []Point
		x := mat.NewDense(2*(duels+asked), s.features, nil)
		for i := range 2 * (duels + asked) {
			points = append(points, s.Sample(rng))
			s.featuresTo(x.RawRowView(i), points[i])
		}
		mean, cov := g.of("").joint(x)
		truth := drawJoint(mean, cov, 1, rng)[0]
		search := NewSearch(s, &Log{Seed: uint64(f)})
		for i := range duels {
			d := Duel{Left: points[2*i], Right: points[2*i+1]}
			if truth[2*i]-truth[2*i+1]+rng.NormFloat64() < 0 {
				d.Answer = palate.Right
			}
			search.Tell(d)
		}
		before := held
		for i := duels; i < duels+asked; i++ {
			c, err := search.Compare(t.Context(), points[2*i], points[2*i+1])
			if err != nil {
				t.Fatal(err)
			}
			gap := truth[2*i] - truth[2*i+1]
			if n++; gap >= c.Gain.Lo && gap <= c.Gain.Hi {
				held++
			}
			if said += max(c.Better, 1-c.Better); gap > 0 == (c.Better > 0.5) {
				came++
			}
		}
		squares += (held - before) * (held - before) / asked / asked
	}
	t.Logf("%.0f differences: %.1f %% in their 90 %% intervals; favourites better %.1f %%, said %.1f %%", n, 100*held/n, 100*came/n, 100*said/n)
	mean := held / n // the differences of one function hang together
	error := math.Sqrt((squares/float64(functions) - mean*mean) / float64(functions))
	if math.Abs(mean-0.9) > 0.03+2*error || math.Abs(came-said)/n > 0.03+2*error {
		t.Errorf("%.3f of the intervals hold, favourites are better in %.3f and said to be in %.3f", mean, came/n, said/n)
	}
}
