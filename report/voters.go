package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"palate/internal/draw"
)

// Voters maps voters by their weights on the first two factors of their tastes.
func Voters(t *Tastes) *Chart {
	c := &Chart{Name: "voters", Title: "Voter map", Head: []string{"voter", "factor 1", "factor 2"}}
	if len(t.Factors) < 2 {
		return nil
	}
	x, y := t.Factors[0], t.Factors[1]
	for u, id := range t.Voters {
		c.Rows = append(c.Rows, []string{label(id), fixed(x.Weight[u], 2), fixed(y.Weight[u], 2)})
	}
	c.Note = "Voters who are near each other have like tastes; in the middle are those who agree with the consensus, or of whom little is known. At the ends of an axis stand the items that its factor moves most. " + t.about()
	if len(t.Voters) < t.Of {
		c.Note += fmt.Sprintf(" %d of %d voters are shown.", len(t.Voters), t.Of)
	}
	most, least := t.ends(0)
	c.Alt = fmt.Sprintf("Map of %s. Factor 1, %s of how they differ, goes from those who like %s more to those who like %s more",
		count(float64(len(t.Voters)), "voter"), chance(x.Share), list(least, 2), list(most, 2))
	c.draw = func(width float64) *draw.Scene { return drawVoters(t, width) }
	return c
}

// ends names the items that a factor raises most and lowers most.
func (t *Tastes) ends(k int) (most, least []string) {
	m, l := t.Factors[k].extremes(2)
	for i := range m {
		most, least = append(most, label(t.Items[m[i]])), append(least, label(t.Items[l[i]]))
	}
	return most, least
}

// votersNamed is the number of voters whose names are written beside them.
const votersNamed = 24

func drawVoters(t *Tastes, width float64) *draw.Scene {
	s := draw.New(width)
	fx, fy := t.Factors[0], t.Factors[1]
	var far float64
	for u := range t.Voters {
		far = max(far, math.Abs(fx.Weight[u]), math.Abs(fy.Weight[u]))
	}
	far *= 1.08
	a := &draw.Axes{Left: 34, Right: width - 4, Top: 42, X1: -far, X2: far, Y1: -far, Y2: far}
	a.Bottom = a.Top + min(a.Right-a.Left, 540)
	ticks := draw.Ticks(-far, far, 7)
	a.Grid(s, ticks, ticks)
	for _, l := range []draw.Path{draw.Line(a.Left, a.Y(0), a.Right, a.Y(0), 1, draw.Quiet), draw.Line(a.X(0), a.Top, a.X(0), a.Bottom, 1, draw.Quiet)} {
		s.Add(l)
	}
	t.nameEnds(s, a)
	order := make([]int, len(t.Voters))
	reach := make([]float64, len(t.Voters))
	for u := range order {
		order[u], reach[u] = u, math.Hypot(fx.Weight[u], fy.Weight[u])
	}
	slices.SortStableFunc(order, func(p, q int) int { return cmp.Compare(reach[p], reach[q]) })
	radius := 5.0
	if len(order) > 100 {
		radius = 3.5
	}
	for _, u := range order {
		s.Add(draw.Group{Title: label(t.Voters[u]), Marks: []draw.Mark{
			draw.Disc{X: a.X(fx.Weight[u]), Y: a.Y(fy.Weight[u]), R: radius, Fill: draw.Accent, Stroke: draw.Paper, Width: 1, Opacity: 0.8},
		}})
	}
	var taken []box
	for _, u := range order {
		x, y := a.X(fx.Weight[u]), a.Y(fy.Weight[u])
		taken = append(taken, box{x - radius, y - radius, x + radius, y + radius})
	}
	named := 0
	for _, u := range slices.Backward(order) {
		x, y := a.X(fx.Weight[u]), a.Y(fy.Weight[u])
		text := draw.Fit(label(t.Voters[u]), 90, 11, false)
		w := draw.TextWidth(text, 11, false)
		b := box{x + radius + 3, y - 6, x + radius + 3 + w, y + 6}
		anchor, at := draw.Start, b.x1
		if b.x2 > a.Right {
			b = box{x - radius - 3 - w, y - 6, x - radius - 3, y + 6}
			anchor, at = draw.End, b.x2
		}
		if named == votersNamed || slices.ContainsFunc(taken, b.meets) {
			continue
		}
		named++
		taken = append(taken, b)
		s.Add(draw.Label{X: at, Y: y + 4, Text: text, Size: 11, Anchor: anchor})
	}
	return s
}

// nameEnds writes at the ends of both axes which items they raise.
func (t *Tastes) nameEnds(s *draw.Scene, a *draw.Axes) {
	room := (a.Right - a.Left) / 2
	say := func(names []string, x, y float64, anchor draw.Anchor, arrow string) {
		text := strings.Join(names, ", ")
		if draw.TextWidth(text, 11, true) > room-30 {
			text = draw.Fit(names[0], room-30, 11, true)
		}
		if anchor == draw.End {
			text += " " + arrow
		} else {
			text = arrow + " " + text
		}
		s.Add(draw.Label{X: x, Y: y, Text: text, Size: 11, Bold: true, Ink: draw.Second, Anchor: anchor})
	}
	most, least := t.ends(0)
	below := a.Bottom + 36
	say(least, a.Left, below, draw.Start, "←")
	say(most, a.Right, below, draw.End, "→")
	share := func(k int) string {
		return fmt.Sprintf("factor %d: %s of the differences", k+1, chance(t.Factors[k].Share))
	}
	s.Add(draw.Label{X: (a.Left + a.Right) / 2, Y: below + 17, Text: share(0), Size: 11, Ink: draw.Muted, Anchor: draw.Middle})
	most, least = t.ends(1)
	say(most, a.Left, 12, draw.Start, "↑")
	say(least, a.Right, 12, draw.End, "↓")
	s.Add(draw.Label{X: a.Left, Y: 29, Text: share(1), Size: 11, Ink: draw.Muted})
	s.Height = below + 24
}

// box is the room of a name.
type box struct{ x1, y1, x2, y2 float64 }

func (b box) meets(o box) bool { return b.x1 < o.x2 && o.x1 < b.x2 && b.y1 < o.y2 && o.y1 < b.y2 }
