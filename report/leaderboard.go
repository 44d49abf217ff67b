package report

import (
	"fmt"
	"math"
	"strconv"

	"palate/internal/draw"
	"palate/model"
)

// How many items of a group a leaderboard draws, and up to how many it gives each a tall row.
const (
	leaderboardMost = 300
	leaderboardTall = 60
)

// Leaderboard shows the scores of a board with their intervals, tiers set apart. The table
// behind it has every item that o shows, the picture the first 300.
func Leaderboard(b *model.Board, o Options) *Chart {
	w := in(o.Language)
	c := &Chart{
		Name: "leaderboard", Title: w.Say("leaderboard"),
		Note: w.Say("chart-leaderboard-note", w.percent(b.Level)),
		Head: []string{w.Say("chart-tier"), w.Say("chart-rank"), w.Say("chart-item"), w.Say("chart-score"), w.Say("chart-sd"), w.Say("chart-from"), w.Say("chart-to"), w.Say("chart-ranks"), w.Say("chart-best"), w.Say("chart-votes")},
	}
	if uncorrected(b) {
		c.Note += " " + w.Say("chart-gaussian")
	}
	s := o.scale()
	var said []string
	drawn := o
	for _, g := range b.Groups {
		if !ranked(g) {
			continue
		}
		for _, r := range o.shown(g) {
			number := func(x float64) string { return w.fixed(x, s.decimals) }
			c.Rows = append(c.Rows, []string{
				strconv.Itoa(r.Tier), strconv.Itoa(r.Rank), label(r.ID), number(s.at(r.Score)), number(s.factor * r.SD),
				number(s.at(r.Lo)), number(s.at(r.Hi)), between(r.RankLo, r.RankHi), w.Chance(r.PBest), w.cell(r.Votes),
			})
			if r.Rank <= 3 {
				said = append(said, w.Say("chart-leaderboard-item", strconv.Itoa(r.Rank), label(r.ID), number(s.at(r.Score)), number(s.at(r.Lo)), number(s.at(r.Hi))))
			}
		}
		if drawn.Top == 0 || drawn.Top > leaderboardMost {
			drawn.Top = leaderboardMost
		}
		if hidden := len(g.Rows) - len(drawn.shown(g)); hidden > 0 {
			c.Note += " " + w.Say("chart-more-hidden", hidden)
		}
	}
	c.Alt = w.Say("chart-leaderboard-alt", len(c.Rows), w.list(said, 6))
	c.draw = func(width float64) *draw.Scene {
		pieces, _ := drawLeaderboard(b, drawn, width, 0)
		return stacked(width, pieces)
	}
	c.fill = func(width, height float64) *draw.Scene {
		pieces, _ := drawLeaderboard(b, drawn, width, height)
		return stacked(width, pieces)
	}
	c.pieces = func(width float64) ([]*draw.Scene, int) { return drawLeaderboard(b, drawn, width, 0) }
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
	width       float64 // of a list
	lists       int     // number of lists, beside each other, that the rows of a group are in
	apart       float64 // room between lists
	tier, rank  float64 // right ends; tier is 0 when there is no room for it
	name, room  float64
	from, to    float64 // of the scores
	score, best float64 // right ends; 0 when there is no room for them
	lo, hi      float64 // scores at from and to
	head, row   float64 // heights
	size        float64 // of letters
	gap, dot    float64 // room beside the scores, and radius of dots
	scale       scale
	names       map[string]string // as they are written
	speech
}

func (l *boardLayout) x(score float64) float64 {
	return l.from + (l.scale.at(score)-l.lo)/(l.hi-l.lo)*(l.to-l.from)
}

// boardHead is the height of the headings above a list.
const boardHead = 24

// shape chooses how many lists of rows are beside each other, and how tall rows are: tall
// ones where they are few, or as a height wants it.
func (l *boardLayout) shape(rows int, width, height float64) {
	const tall, least = 27, 15
	l.lists, l.row, l.apart, l.head = 1, tall, 24, boardHead
	switch {
	case height > 0:
		for l.lists = 1; ; l.lists++ {
			l.row = (height - l.head - 4) / math.Ceil(float64(rows)/float64(l.lists))
			if l.row >= least || width/float64(l.lists+1) < 270 {
				break
			}
		}
		l.row = min(max(l.row, 12.5), 34)
	case rows > leaderboardTall:
		l.row = least
		if width >= 700 {
			l.lists = 2
		}
	}
	l.width = (width - l.apart*float64(l.lists-1)) / float64(l.lists)
	l.size = min(13, 0.46*l.row+4.2)
}

func newBoardLayout(b *model.Board, o Options, width, height float64) *boardLayout {
	l := &boardLayout{scale: o.scale(), names: map[string]string{}, speech: in(o.Language)}
	l.lo, l.hi = l.scale.at(0), l.scale.at(0)
	var ids []string
	for _, g := range b.Groups {
		if !ranked(g) {
			continue
		}
		for _, r := range o.shown(g) {
			l.lo, l.hi = min(l.lo, l.scale.at(r.Lo)), max(l.hi, l.scale.at(r.Hi))
			ids = append(ids, legible(r.ID))
		}
	}
	l.shape(len(ids), width, height)
	l.tier, l.rank, l.name, l.gap = 26, 56, 66, 20
	if l.width < 560 {
		l.tier, l.rank, l.name, l.gap = 14, 38, 45, 10
		if l.size > 12 {
			l.size = 12
		}
	}
	l.dot = min(4, 0.2*l.row)
	var longest, numbers float64
	for _, id := range ids {
		longest = max(longest, draw.TextWidth(id, l.size, true))
	}
	for _, g := range b.Groups {
		for _, r := range o.shown(g) {
			numbers = max(numbers, draw.TextWidth(l.number(r.Score), l.size, true))
		}
	}
	if l.hi == l.lo {
		l.hi++
	}
	l.room = max(32, min(longest, 0.36*l.width))
	for k, short := range draw.Names(ids, l.room, l.size, true) {
		l.names[ids[k]] = short
	}
	l.from = l.name + l.room + l.gap
	l.score = l.width - 8
	if l.width >= 560 {
		l.best = l.width - 8
		l.score = l.best - 104
	}
	l.to = l.score - numbers - l.gap
	if l.width < 320 && l.lists > 1 { // intervals say more than numbers
		l.score, l.to = 0, l.width-l.gap
	}
	return l
}

func (l *boardLayout) number(score float64) string {
	return l.fixed(l.scale.at(score), l.scale.decimals)
}

// stacked puts pictures below each other.
func stacked(width float64, pieces []*draw.Scene) *draw.Scene {
	s := draw.New(width)
	for _, p := range pieces {
		s.Put(p, 0, s.Height)
		s.Height += p.Height
	}
	return s
}

// Rows of a list in a piece of a long leaderboard, and how often headings come again.
const (
	pieceRows = 10
	headRows  = 30
)

// drawLeaderboard draws a leaderboard in pieces, of which enough show the first 60 items.
func drawLeaderboard(b *model.Board, o Options, width, height float64) (pieces []*draw.Scene, enough int) {
	l := newBoardLayout(b, o, width, height)
	lists := 0
	for _, g := range b.Groups {
		if ranked(g) {
			lists++
		}
	}
	seen := 0
	for k, g := range b.Groups {
		if !ranked(g) {
			continue
		}
		rows := o.shown(g)
		each := (len(rows) + l.lists - 1) / l.lists
		if height == 0 && each > headRows*6/5 {
			if each = pieceRows; l.lists > 1 { // one list is read before the next
				each = headRows
			}
		}
		for at := 0; at < len(rows); at += each * l.lists {
			s := draw.New(width)
			headed := each > pieceRows || at%headRows == 0
			if headed && len(pieces) > 0 {
				s.Height += 8
			}
			if lists > 1 && at == 0 {
				s.Height += 18
				s.Add(draw.Label{X: 0, Y: s.Height - 4, Text: l.Say("chart-group-of", strconv.Itoa(k+1), strconv.Itoa(lists)), Size: l.size, Bold: true})
			}
			top := s.Height
			for n := range l.lists {
				if from := at + n*each; from < len(rows) {
					list := draw.New(l.width)
					l.list(list, rows, from, min(from+each, len(rows)), headed)
					s.Put(list, float64(n)*(l.width+l.apart), top)
					s.Height = max(s.Height, top+list.Height)
				}
			}
			pieces = append(pieces, s)
			if seen < collapsed {
				enough = len(pieces)
			}
			seen += min(each*l.lists, len(rows)-at)
		}
	}
	return pieces, enough
}

// list draws some rows of a group, with headings if there are to be some.
func (l *boardLayout) list(s *draw.Scene, all []model.BoardRow, from, to int, headed bool) {
	rows := all[from:to]
	y := 0.0
	if headed {
		y = l.head
	}
	heading := func(x float64, text string, a draw.Anchor) {
		if !headed {
			return
		}
		s.Add(draw.Label{X: x, Y: 14, Text: text, Size: min(11, l.size), Ink: draw.Muted, Anchor: a})
	}
	bottom := y + float64(len(rows))*l.row
	for i, r := range rows {
		if r.Tier%2 == 1 {
			s.Add(draw.Rect{Y: y + float64(i)*l.row, W: l.width, H: l.row, Fill: draw.Band})
		}
	}
	// Headings come after the shades, lines of the scale below the dots.
	if l.best > 0 {
		heading(max(l.tier, draw.TextWidth(l.Say("chart-tier"), 11, false)), l.Say("chart-tier"), draw.End)
		heading(l.score, l.Say("chart-score"), draw.End)
		heading(l.best, l.Say("chart-best"), draw.End)
	}
	heading(l.name, l.Say("chart-item"), draw.Start)
	end := l.name + draw.TextWidth(l.Say("chart-item"), 11, false) + 4
	for _, t := range l.ticks(l.lo, l.hi, int(max(3, (l.to-l.from)/70))) {
		x := l.x((t.Value - l.scale.centre) / l.scale.factor)
		s.Add(draw.Line(x, y, x, bottom, 1, draw.Grid))
		if half := draw.TextWidth(t.Text, 11, false) / 2; x-half > end {
			heading(x, t.Text, draw.Middle)
			end = x + half + 4
		}
	}
	average := l.x(0)
	s.Add(draw.Path{Points: []draw.Point{{X: average, Y: y}, {X: average, Y: bottom}}, Stroke: draw.Muted, Width: 1, Dashed: true, Opacity: 0.7})
	for i, r := range rows {
		s.Add(l.item(r, i == 0 && headed || from+i > 0 && all[from+i-1].Tier != r.Tier, y+float64(i)*l.row))
	}
	s.Height = bottom
}

// item draws one row.
func (l *boardLayout) item(r model.BoardRow, leads bool, y float64) draw.Group {
	middle, base := y+l.row/2, y+l.row/2+0.36*l.size
	g := draw.Group{Title: l.Say("chart-leaderboard-title", label(r.ID), strconv.Itoa(r.Rank), between(r.RankLo, r.RankHi),
		l.number(r.Score), l.number(r.Lo), l.number(r.Hi), l.Chance(r.PBest), l.amount(r.Votes))}
	add := func(m ...draw.Mark) { g.Marks = append(g.Marks, m...) }
	add(draw.Rect{Y: y, W: l.width, H: l.row, Fill: draw.Paper, Opacity: 0.01}) // the whole row shows the title
	if leads {
		add(draw.Label{X: l.tier, Y: base, Text: strconv.Itoa(r.Tier), Size: l.size, Ink: draw.Muted, Anchor: draw.End})
	}
	add(draw.Label{X: l.rank, Y: base, Text: strconv.Itoa(r.Rank), Size: l.size, Ink: draw.Muted, Anchor: draw.End},
		draw.Label{X: l.name, Y: base, Text: l.names[legible(r.ID)], Size: l.size, Bold: r.Tier == 1})
	tone := draw.Muted
	if r.Tier == 1 {
		tone = draw.Accent
	}
	add(draw.Disc{X: l.x(r.Score), Y: middle, R: l.dot, Fill: tone},
		whisker(l.x(r.Lo), l.x(r.Hi), middle, min(l.dot+1.5, l.row/2-1), tone))
	if l.score > 0 {
		add(draw.Label{X: l.score, Y: base, Text: l.number(r.Score), Size: l.size, Anchor: draw.End})
	}
	if l.best > 0 {
		const full = 44
		from := l.best - 46 - full
		add(draw.Rect{X: from, Y: middle - 3, W: full, H: 6, Radius: 3, Fill: draw.Grid},
			draw.Label{X: l.best, Y: base, Text: l.Chance(r.PBest), Size: l.size, Ink: draw.Muted, Anchor: draw.End})
		if r.PBest >= 0.005 {
			add(draw.Rect{X: from, Y: middle - 3, W: max(6, full*r.PBest), H: 6, Radius: 3, Fill: draw.Accent})
		}
	}
	return g
}
