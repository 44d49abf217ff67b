package report

import (
	"fmt"
	"math"
	"strings"

	"palate/internal/draw"
)

// Of how many factors loadings are shown, and of how many items at either end.
const (
	loadingsFactors = 3
	loadingsItems   = 6
)

// Loadings shows which items the first factors of taste raise and lower.
func Loadings(t *Tastes) *Chart {
	k := min(loadingsFactors, len(t.Factors))
	if k == 0 {
		return nil
	}
	c := &Chart{
		Name: "factors", Title: "What voters differ about", Head: []string{"item"},
		Note: "How much more, or less, than the consensus a voter with weight 1 on a factor likes an item, in units of the noise of one vote; the items that a factor moves most. " + t.about(),
	}
	for f := range k {
		c.Head = append(c.Head, fmt.Sprintf("factor %d", f+1))
	}
	for i, id := range t.Items {
		row := []string{label(id)}
		for f := range k {
			row = append(row, fixed(t.Factors[f].Loading[i], 2))
		}
		c.Rows = append(c.Rows, row)
	}
	var says []string
	for f := range k {
		most, least := t.ends(f)
		says = append(says, fmt.Sprintf("Factor %d, %s of the differences: %s against %s", f+1, chance(t.Factors[f].Share), list(most, 2), list(least, 2)))
	}
	c.Alt = strings.Join(says, ". ")
	c.draw = func(width float64) *draw.Scene { return drawLoadings(t, k, width) }
	return c
}

func drawLoadings(t *Tastes, k int, width float64) *draw.Scene {
	s := draw.New(width)
	var far float64
	for _, f := range t.Factors[:k] {
		for _, x := range f.Loading {
			far = max(far, math.Abs(x))
		}
	}
	const gap = 28
	side := k
	if width < 600 {
		side = 1
	}
	each := (width - gap*float64(side-1)) / float64(side)
	for f := range k {
		panel := draw.New(each)
		t.drawFactor(panel, f, far)
		if side == 1 {
			s.Put(panel, 0, s.Height)
			s.Height += panel.Height
			continue
		}
		s.Put(panel, float64(f)*(each+gap), 0)
		s.Height = max(s.Height, panel.Height)
	}
	return s
}

// drawFactor draws bars from the middle: names stand on the empty side.
func (t *Tastes) drawFactor(s *draw.Scene, k int, far float64) {
	f := t.Factors[k]
	most, least := f.extremes(loadingsItems)
	s.Add(draw.Label{Y: 14, Text: fmt.Sprintf("Factor %d", k+1), Size: 13, Bold: true},
		draw.Label{X: s.Width, Y: 14, Text: chance(f.Share) + " of the differences", Size: 11, Ink: draw.Muted, Anchor: draw.End})
	middle, half := s.Width/2, s.Width/2-34
	y := 26.0
	row := func(i int) {
		x := f.Loading[i]
		w := max(2, math.Abs(x)/far*half)
		from, ink, name, number := middle, draw.Level(1), draw.End, draw.Start
		side := -1.0
		if x < 0 {
			from, ink, name, number = middle-w, draw.Level(0), draw.Start, draw.End
			side = 1
		}
		s.Add(draw.Rect{X: from, Y: y + 3, W: w, H: 14, Radius: 2, Fill: ink},
			draw.Label{X: middle + side*6, Y: y + 14, Text: draw.Fit(label(t.Items[i]), s.Width/2-8, 12, false), Size: 12, Anchor: name},
			draw.Label{X: middle - side*(w+5), Y: y + 14, Text: draw.Signed(x, 2), Size: 11, Ink: draw.Muted, Anchor: number})
		y += 21
	}
	for _, i := range most {
		row(i)
	}
	y += 7
	for j := len(least) - 1; j >= 0; j-- {
		row(least[j])
	}
	s.Add(draw.Line(middle, 26, middle, y, 1, draw.Quiet))
	s.Height = y + 12
}
