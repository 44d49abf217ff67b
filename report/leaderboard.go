package report

import (
	"fmt"
	"strconv"

	"palate/internal/draw"
	"palate/model"
)

// leaderboardMost is the number of items of a group that a leaderboard shows.
const leaderboardMost = 100

// Leaderboard shows the scores of a board with their intervals, tiers set apart.
func Leaderboard(b *model.Board, o Options) *Chart {
	if o.Top == 0 || o.Top > leaderboardMost {
		o.Top = leaderboardMost
	}
	c := &Chart{
		Name: "leaderboard", Title: "Leaderboard",
		Note: fmt.Sprintf("Dots are scores, lines their %s intervals. Shades tell tiers apart: items are below the first of every tier before theirs, all of them together with %[1]s probability.", percent(b.Level)),
		Head: []string{"tier", "rank", "item", "score", "sd", "lo", "hi", "ranks", "best", "votes"},
	}
	if uncorrected(b) {
		c.Note += " The intervals are those of a Gaussian approximation, and may be a little narrow."
	}
	s := o.scale()
	var said []string
	for _, g := range b.Groups {
		if !ranked(g) {
			continue
		}
		for _, r := range o.shown(g) {
			number := func(x float64) string { return fixed(x, s.decimals) }
			c.Rows = append(c.Rows, []string{
				strconv.Itoa(r.Tier), strconv.Itoa(r.Rank), label(r.ID), number(s.at(r.Score)), number(s.factor * r.SD),
				number(s.at(r.Lo)), number(s.at(r.Hi)), between(r.RankLo, r.RankHi), chance(r.PBest), amount(r.Votes),
			})
			if r.Rank <= 3 {
				said = append(said, fmt.Sprintf("%d. %s, score %s, between %s and %s", r.Rank, label(r.ID), number(s.at(r.Score)), number(s.at(r.Lo)), number(s.at(r.Hi))))
			}
		}
		if hidden := len(g.Rows) - len(o.shown(g)); hidden > 0 {
			c.Note += fmt.Sprintf(" %d more are not shown.", hidden)
		}
	}
	c.Alt = fmt.Sprintf("Scores of %s with intervals: %s", count(float64(len(c.Rows)), "item"), list(said, 6))
	c.draw = func(width float64) *draw.Scene { return drawLeaderboard(b, o, width) }
	return c
}

func between(lo, hi int) string {
	if lo == hi {
		return strconv.Itoa(lo)
	}
	return fmt.Sprintf("%d–%d", lo, hi)
}

// boardLayout is where the columns of a leaderboard are.
type boardLayout struct {
	width       float64
	tier, rank  float64 // right ends
	name, room  float64
	from, to    float64 // of the scores
	score, best float64 // right ends; best is 0 when there is no room for it
	lo, hi      float64 // scores at from and to
	head, row   float64 // heights
	size        float64 // of letters
	gap, dot    float64 // beside the scores, radius of dots
	scale       scale
}

func (l *boardLayout) x(score float64) float64 {
	return l.from + (l.scale.at(score)-l.lo)/(l.hi-l.lo)*(l.to-l.from)
}

func newBoardLayout(b *model.Board, o Options, width float64) *boardLayout {
	l := &boardLayout{width: width, tier: 26, rank: 56, name: 66, row: 27, size: 13, scale: o.scale(), head: 24, gap: 20, dot: 5}
	if width < 560 {
		l.tier, l.rank, l.name, l.size, l.gap, l.dot = 14, 36, 43, 12, 10, 4
	}
	l.lo, l.hi = l.scale.at(0), l.scale.at(0)
	var names, numbers float64
	for _, g := range b.Groups {
		if !ranked(g) {
			continue
		}
		for _, r := range o.shown(g) {
			l.lo, l.hi = min(l.lo, l.scale.at(r.Lo)), max(l.hi, l.scale.at(r.Hi))
			names = max(names, draw.TextWidth(label(r.ID), l.size, true))
			numbers = max(numbers, draw.TextWidth(signed(l.scale, r.Score), l.size, true))
		}
	}
	if l.hi == l.lo {
		l.hi++
	}
	l.room = max(32, min(names, 0.3*width))
	l.from = l.name + l.room + l.gap
	l.score = width - 8
	if width >= 560 {
		l.best = width - 8
		l.score = l.best - 104
	}
	l.to = l.score - numbers - l.gap
	return l
}

func signed(s scale, score float64) string { return draw.Signed(s.at(score), s.decimals) }

func drawLeaderboard(b *model.Board, o Options, width float64) *draw.Scene {
	s := draw.New(width)
	l := newBoardLayout(b, o, width)
	lists := 0
	for _, g := range b.Groups {
		if ranked(g) {
			lists++
		}
	}
	for k, g := range b.Groups {
		if !ranked(g) {
			continue
		}
		if k > 0 {
			s.Height += 22
		}
		if lists > 1 {
			s.Height += 18
			s.Add(draw.Label{X: 0, Y: s.Height - 4, Text: fmt.Sprintf("Group %d of %d", k+1, lists), Size: l.size, Bold: true})
		}
		l.group(s, o.shown(g))
	}
	return s
}

// group draws the list of one group below what is there.
func (l *boardLayout) group(s *draw.Scene, rows []model.BoardRow) {
	top := s.Height
	heading := func(x float64, text string, a draw.Anchor) {
		s.Add(draw.Label{X: x, Y: top + 14, Text: text, Size: 11, Ink: draw.Muted, Anchor: a})
	}
	y := top + l.head
	bottom := y + float64(len(rows))*l.row
	for i, r := range rows {
		if r.Tier%2 == 1 {
			s.Add(draw.Rect{Y: y + float64(i)*l.row, W: l.width, H: l.row, Fill: draw.Band})
		}
	}
	// Headings come after the shades, lines of the scale below the dots.
	if l.best > 0 {
		heading(l.tier, "tier", draw.End)
		heading(l.score, "score", draw.End)
		heading(l.best, "best", draw.End)
	}
	heading(l.name, "item", draw.Start)
	for _, t := range draw.Ticks(l.lo, l.hi, int(max(2, (l.to-l.from)/70))) {
		x := l.x((t.Value - l.scale.centre) / l.scale.factor)
		s.Add(draw.Line(x, y, x, bottom, 1, draw.Grid))
		heading(x, t.Text, draw.Middle)
	}
	average := l.x(0)
	s.Add(draw.Path{Points: []draw.Point{{X: average, Y: y}, {X: average, Y: bottom}}, Stroke: draw.Muted, Width: 1, Dashed: true, Opacity: 0.7})
	for i, r := range rows {
		s.Add(l.item(r, i == 0 || rows[i-1].Tier != r.Tier, y+float64(i)*l.row))
	}
	s.Height = bottom + 2
}

// item draws one row.
func (l *boardLayout) item(r model.BoardRow, leads bool, y float64) draw.Group {
	middle, base := y+l.row/2, y+l.row/2+0.36*l.size
	number := func(x float64) string { return signed(l.scale, x) }
	g := draw.Group{Title: fmt.Sprintf("%s: rank %d (%s), score %s (%s to %s), best with %s, %s", label(r.ID), r.Rank, between(r.RankLo, r.RankHi),
		number(r.Score), number(r.Lo), number(r.Hi), chance(r.PBest), count(r.Votes, "vote"))}
	add := func(m ...draw.Mark) { g.Marks = append(g.Marks, m...) }
	add(draw.Rect{Y: y, W: l.width, H: l.row, Fill: draw.Paper, Opacity: 0.01}) // the whole row shows the title
	if leads {
		add(draw.Label{X: l.tier, Y: base, Text: strconv.Itoa(r.Tier), Size: l.size, Ink: draw.Muted, Anchor: draw.End})
	}
	add(draw.Label{X: l.rank, Y: base, Text: strconv.Itoa(r.Rank), Size: l.size, Ink: draw.Muted, Anchor: draw.End},
		draw.Label{X: l.name, Y: base, Text: draw.Fit(label(r.ID), l.room, l.size, r.Tier == 1), Size: l.size, Bold: r.Tier == 1})
	tone := draw.Muted
	if r.Tier == 1 {
		tone = draw.Accent
	}
	add(draw.Rect{X: l.x(r.Lo), Y: middle - 2, W: max(4, l.x(r.Hi)-l.x(r.Lo)), H: 4, Radius: 2, Fill: tone, Opacity: 0.45},
		draw.Disc{X: l.x(r.Score), Y: middle, R: l.dot, Fill: tone, Stroke: draw.Paper, Width: 1.5},
		draw.Label{X: l.score, Y: base, Text: number(r.Score), Size: l.size, Anchor: draw.End})
	if l.best > 0 {
		const full = 44
		from := l.best - 40 - full
		add(draw.Rect{X: from, Y: middle - 3, W: full, H: 6, Radius: 3, Fill: draw.Grid},
			draw.Label{X: l.best, Y: base, Text: chance(r.PBest), Size: l.size, Ink: draw.Muted, Anchor: draw.End})
		if r.PBest >= 0.005 {
			add(draw.Rect{X: from, Y: middle - 3, W: max(6, full*r.PBest), H: 6, Radius: 3, Fill: draw.Accent})
		}
	}
	return g
}
