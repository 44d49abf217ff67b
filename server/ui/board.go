package ui

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"slices"

	"palate/model"
	"palate/server"
	"palate/store"
)

// standing is the leaderboard page.
type standing struct {
	visit
	Now    *server.Leaderboard
	View   string // consensus, me, or the name of a group behind "group:"
	Groups []string
	Query  template.URL // of the view, for the part that is loaded anew
	Lists  [][]standingRow
	Matrix *winTable
}

// standingRow is one row of the leaderboard.
type standingRow struct {
	model.BoardRow
	Shown       store.Item
	Provisional bool
	Even        bool // of its tier, for the shading
	First       bool // of its tier
	Whisker     whisker
}

// whisker is an interval drawn on a scale that all rows share.
type whisker struct{ Lo, Hi, At, Zero string }

// whiskerWidth is the width of the picture of an interval, in its own units.
const whiskerWidth = 220

// board is the leaderboard page.
func (p *pages) board(w http.ResponseWriter, r *http.Request) error {
	s, err := p.standing(r)
	if err != nil {
		return err
	}
	if s.Groups, err = p.svc.Groups(r.Context(), s.Who); err != nil {
		return err
	}
	return p.render(w, r, http.StatusOK, "board", s)
}

// rows is the part of it that moves.
func (p *pages) rows(w http.ResponseWriter, r *http.Request) error {
	s, err := p.standing(r)
	if err != nil {
		return err
	}
	return p.part(w, r, http.StatusOK, "board", "standing", s)
}

func (p *pages) standing(r *http.Request) (*standing, error) {
	v, err := p.visit(r, "board")
	if err != nil {
		return nil, err
	}
	if !v.SeesBoard() {
		return nil, server.ErrForbidden
	}
	s := &standing{visit: v, View: "consensus"}
	var voter string
	query := url.Values{}
	group := r.FormValue("group")
	switch {
	case group != "":
		s.View = "group:" + group
		query.Set("group", group)
	case r.FormValue("view") == "me" && v.Who.Voter != "":
		voter, s.View = "me", "me"
		query.Set("view", "me")
	}
	view, err := p.svc.ViewFor(r.Context(), v.Who, voter, group)
	if err != nil {
		return nil, err
	}
	s.Query = template.URL(query.Encode())
	if s.Now, err = p.svc.Leaderboard(r.Context(), v.Board.ID, view); err != nil {
		return nil, err
	}
	s.Lists = lists(s.Now)
	if view == (server.View{}) {
		m, err := p.svc.Matrix(r.Context(), v.Board.ID)
		if err != nil {
			return nil, err
		}
		s.Matrix = newWinTable(m, s.Now)
	}
	return s, nil
}

// Items are those that are on the board, in the owner's order.
func (s *standing) Items() []store.Item {
	return slices.DeleteFunc(slices.Clone(s.Now.Items), func(i store.Item) bool { return i.Excluded != "" })
}

// lists are the rows of a leaderboard, a list a group of comparable items.
func lists(b *server.Leaderboard) [][]standingRow {
	lo, hi := 0.0, 0.0
	for _, g := range b.Board.Groups {
		for _, row := range g.Rows {
			lo, hi = math.Min(lo, row.Lo), math.Max(hi, row.Hi)
		}
	}
	if hi == lo {
		hi = lo + 1
	}
	at := func(x float64) string {
		return fmt.Sprintf("%.1f", 6+(x-lo)/(hi-lo)*(whiskerWidth-12))
	}
	var all [][]standingRow
	for _, g := range b.Board.Groups {
		// Items without votes have a place by chance only: they stand at the end, without one.
		order := slices.Clone(g.Rows)
		slices.SortStableFunc(order, func(a, b model.BoardRow) int {
			return cmp.Compare(min(b.Votes, 1), min(a.Votes, 1))
		})
		var rows []standingRow
		for k, row := range order {
			row.Rank = k + 1
			rows = append(rows, standingRow{
				BoardRow: row, Shown: b.Items[row.Item], Provisional: b.Provisional[row.Item],
				Even: row.Tier%2 == 0, First: row.Votes > 0 && (k == 0 || order[k-1].Tier != row.Tier),
				Whisker: whisker{at(row.Lo), at(row.Hi), at(row.Score), at(0)},
			})
		}
		all = append(all, rows)
	}
	return all
}

// winTable is the matrix of wins in the order of the leaderboard.
type winTable struct {
	Names []string
	Cells [][]winCell
	More  int // items that are not shown
}

type winCell struct {
	Same       bool
	Wins, Of   int
	Shade      int // from 0, never won, to 4; only when Of > 0
	Row, Other string
}

func newWinTable(m *server.Matrix, b *server.Leaderboard) *winTable {
	t := &winTable{More: max(0, len(b.Rows())-len(m.Items))}
	for i := range m.Items {
		t.Names = append(t.Names, m.Items[i].ID)
		var line []winCell
		for j := range m.Items {
			c := winCell{Same: i == j, Wins: m.Wins[i][j], Row: m.Items[i].ID, Other: m.Items[j].ID}
			c.Of = c.Wins + m.Wins[j][i] + m.Ties[i][j]
			if c.Of > 0 {
				share := (float64(c.Wins) + float64(m.Ties[i][j])/2) / float64(c.Of)
				c.Shade = int(math.Round(4 * share))
			}
			line = append(line, c)
		}
		t.Cells = append(t.Cells, line)
	}
	return t
}
