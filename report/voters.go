package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"palate/internal/draw"
)

// Voters maps voters by their weights on the first two factors of their tastes.
func Voters(t *Tastes) *Chart {
	if len(t.Factors) < 2 {
		return nil
	}
	w := in(t.Language)
	c := &Chart{Name: "voters", Title: w.Say("chart-voters"), Head: []string{w.Say("chart-voter"), w.Say("chart-factor", "1"), w.Say("chart-factor", "2")}}
	x, y := t.Factors[0], t.Factors[1]
	for u, id := range t.Voters {
		c.Rows = append(c.Rows, []string{label(id), w.fixed(x.Weight[u], 2), w.fixed(y.Weight[u], 2)})
	}
	c.Note = w.Say("chart-voters-note") + " " + t.about()
	if len(t.Voters) < t.Of {
		c.Note += " " + w.Say("chart-voters-shown", w.Count(len(t.Voters)), t.Of)
	}
	most, least := t.ends(0)
	c.Alt = w.Say("chart-voters-alt", len(t.Voters), w.Chance(x.Share), w.list(least, 2), w.list(most, 2))
	c.draw = func(width float64) *draw.Scene { return drawVoters(t, width, 540) }
	c.fill = func(width, height float64) *draw.Scene {
		return drawVoters(t, width, max(160, height-24-28-34-t.segmentsTall(width)))
	}
	return c
}

// ends names the items that a factor raises most and lowers most.
func (t *Tastes) ends(k int) (most, least []string) {
	m, l := t.Factors[k].extremes(2)
	for _, i := range m {
		most = append(most, label(t.Items[i]))
	}
	for _, i := range l {
		least = append(least, label(t.Items[i]))
	}
	return most, least
}

// votersNamed is the number of voters whose names are written beside them.
const votersNamed = 40

func drawVoters(t *Tastes, width, most float64) *draw.Scene {
	s := draw.New(width)
	w := in(t.Language)
	fx, fy := t.Factors[0], t.Factors[1]
	var far float64
	for u := range t.Voters {
		far = max(far, math.Abs(fx.Weight[u]), math.Abs(fy.Weight[u]))
	}
	far *= 1.08
	a := &draw.Axes{Left: 22, Right: width - 22, Top: 24, X1: -far, X2: far, Y1: -far, Y2: far}
	a.Bottom = a.Top + min(a.Right-a.Left, most)
	for _, tick := range draw.Ticks(-far, far, 7) {
		s.Add(draw.Line(a.X(tick.Value), a.Top, a.X(tick.Value), a.Bottom, 1, draw.Grid), draw.Line(a.Left, a.Y(tick.Value), a.Right, a.Y(tick.Value), 1, draw.Grid))
	}
	s.Add(draw.Line(a.Left, a.Y(0), a.Right, a.Y(0), 1, draw.Quiet), draw.Line(a.X(0), a.Top, a.X(0), a.Bottom, 1, draw.Quiet))
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
	places := map[int]draw.Point{}
	for _, u := range order {
		p := a.At(fx.Weight[u], fy.Weight[u])
		places[u] = p
		s.Add(draw.Group{Title: label(t.Voters[u]) + t.segmentOf(u), Marks: []draw.Mark{
			draw.Disc{X: p.X, Y: p.Y, R: radius, Fill: t.ink(u), Stroke: draw.Paper, Width: 1, Opacity: 0.8},
		}})
	}
	slices.Reverse(order)
	named := nameVoters(s, a, t.Voters, order, places, radius)
	s.Height = a.Bottom + 28
	t.nameSegments(s)
	says := w.Say("chart-voters-axes", w.Chance(fx.Share), w.Chance(fy.Share))
	if named < len(order) {
		says += " " + w.Say("chart-voters-named", w.Count(named), len(order))
	}
	footnote(s, says)
	return s
}

// nameVoters writes names beside dots, in the order of voters, where no dot and no other
// name is, and returns how many found room.
func nameVoters(s *draw.Scene, a *draw.Axes, ids []string, order []int, at map[int]draw.Point, radius float64) (named int) {
	var taken []box
	var names []string
	for _, u := range order {
		p := at[u]
		taken = append(taken, box{p.X - radius, p.Y - radius, p.X + radius, p.Y + radius})
		names = append(names, legible(ids[u]))
	}
	names = draw.Names(names, 90, 11, false)
	for k, u := range order {
		p, w := at[u], draw.TextWidth(names[k], 11, false)
		off := radius + 3
		for _, c := range []struct {
			b      box
			x      float64
			anchor draw.Anchor
		}{
			{box{p.X + off, p.Y - 7, p.X + off + w, p.Y + 7}, p.X + off, draw.Start},
			{box{p.X - off - w, p.Y - 7, p.X - off, p.Y + 7}, p.X - off, draw.End},
			{box{p.X - w/2, p.Y - off - 14, p.X + w/2, p.Y - off}, p.X, draw.Middle},
			{box{p.X - w/2, p.Y + off, p.X + w/2, p.Y + off + 14}, p.X, draw.Middle},
		} {
			within := c.b.x1 >= a.Left && c.b.x2 <= a.Right && c.b.y1 >= a.Top && c.b.y2 <= a.Bottom
			if named < votersNamed && within && !slices.ContainsFunc(taken, c.b.meets) {
				named++
				taken = append(taken, c.b)
				s.Add(draw.Label{X: c.x, Y: (c.b.y1+c.b.y2)/2 + 4, Text: names[k], Size: 11, Anchor: c.anchor})
				break
			}
		}
	}
	return named
}

// nameEnds writes at the ends of both axes which items they raise. Labels of the axis that
// goes across are turned, and their arrows with them.
func (t *Tastes) nameEnds(s *draw.Scene, a *draw.Axes) {
	say := func(items []int, room float64, l draw.Label, arrow string) {
		var names []string
		for _, i := range items {
			names = append(names, legible(t.Items[i]))
		}
		text := strings.Join(names, ", ")
		if draw.TextWidth(text, 11, true) > room-20 {
			text = strings.Join(draw.Names(names, (room-30)/float64(len(names)), 11, true), ", ")
		}
		l.Text, l.Size, l.Bold, l.Ink, l.Anchor = arrow+" "+text, 11, true, draw.Second, draw.Middle
		s.Add(l)
	}
	wide, tall := a.Right-a.Left, a.Bottom-a.Top
	right, left := t.Factors[0].extremes(2)
	up, down := t.Factors[1].extremes(2)
	say(left, tall, draw.Label{X: 14, Y: a.Y(0), Turn: -90}, "↑")
	say(right, tall, draw.Label{X: s.Width - 6, Y: a.Y(0), Turn: -90}, "↓")
	say(up, wide, draw.Label{X: a.X(0), Y: 14}, "↑")
	say(down, wide, draw.Label{X: a.X(0), Y: a.Bottom + 18}, "↓")
}

// box is the room of a name.
type box struct{ x1, y1, x2, y2 float64 }

func (b box) meets(o box) bool { return b.x1 < o.x2 && o.x1 < b.x2 && b.y1 < o.y2 && o.y1 < b.y2 }
