package report

import (
	"slices"
	"strings"
	"testing"

	"palate/internal/draw"
)

// The two ends of a factor are what it raises and what it lowers, also where it raises nearly all.
func TestFactorsAreSplitBySign(t *testing.T) {
	for _, loading := range [][]float64{{3, 2, 1, 0.5, -0.1, -2}, {3, 2, 1, 0.5, 0.2, -2}, {3, 2, 1, 0, 0, 0.1}, {-1, -2}} {
		f := &Factor{Loading: loading}
		most, least := f.extremes(2)
		for _, i := range most {
			if loading[i] <= 0 {
				t.Errorf("%v: item %d is not raised", loading, i)
			}
		}
		for _, i := range least {
			if loading[i] > 0 {
				t.Errorf("%v: item %d is not lowered", loading, i)
			}
		}
		if high, low := slices.Max(loading), slices.Min(loading); high > 0 && loading[most[0]] != high || low < 0 && loading[least[0]] != low {
			t.Errorf("%v: ends at %v and %v", loading, most, least)
		}
	}
}

// A list that shows some rows says once how many of all there are, also when a frame cuts it further.
func TestListsSayWhatTheyLeaveOut(t *testing.T) {
	w := in("")
	c := &Chart{}
	c.list(w, 100, 300, func(width float64, n int) *draw.Scene {
		s := draw.New(width)
		s.Height = 20 * float64(n)
		return s
	})
	for want, s := range map[string]*draw.Scene{"The first 100 of 300 are shown.": c.draw(400), "The first 48 of 300 are shown.": c.fill(400, 1000)} {
		text := s.SVG("")
		if !strings.Contains(text, want) || strings.Count(text, "shown") != 1 {
			t.Errorf("%q is not said once in %s", want, text)
		}
	}
}
