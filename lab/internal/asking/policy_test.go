package asking

import (
	"math"
	"testing"

	"palate/active"
)

// What hybrid-mst takes for the information of an answer is what package active says it is.
func TestInformationIsGain(t *testing.T) {
	for _, d := range []float64{0, 0.3, 1, 2.5, 5} {
		for _, v := range []float64{0.01, 0.1, 0.5, 1, 2} {
			b := &belief{mean: []float64{d, 0}, cov: [][]float64{{v, 0}, {0, 0}}}
			got, want := b.information(0, 1), active.Gain(d, v)*math.Ln2
			if math.Abs(got-want) > 1e-3*want+1e-7 {
				t.Errorf("N(%g, %g): %g, want %g", d, v, got, want)
			}
		}
	}
	b := &belief{mean: []float64{200, 0}, cov: [][]float64{{1, 0}, {0, 0}}}
	if got := b.information(0, 1); math.Abs(got) > 1e-12 {
		t.Errorf("far apart: %g", got)
	}
}
