package ui

import (
	"context"
	"html/template"
	"math"
	"net/http"
	"net/url"

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
	Part   part
	Rows   []standingRow
	Matrix *winTable
	Best   *optimum // of a board of a space, in place of Now, Rows and Matrix
	view   server.View
}

// board is the leaderboard page.
func (p *pages) board(w http.ResponseWriter, r *http.Request) error {
	s, err := p.seat(r)
	if err != nil {
		return err
	}
	if err := p.stand(r.Context(), s); err != nil {
		return err
	}
	if s.Groups, err = p.svc.Groups(r.Context(), s.Who); err != nil {
		return err
	}
	return p.render(w, r, http.StatusOK, s.sheet(), s)
}

// rows is the part of it that moves. It says the same to all who may see it.
func (p *pages) rows(w http.ResponseWriter, r *http.Request) error {
	s, err := p.seat(r)
	if err != nil {
		return err
	}
	if s.View == "me" {
		if err := p.stand(r.Context(), s); err != nil {
			return err
		}
		return p.part(w, r, http.StatusOK, s.sheet(), "standing", s)
	}
	kept, err := p.recent.part(p.tongueOf(r).Tag.String()+" "+s.Board.ID+"?"+string(s.Query), func() ([]byte, error) {
		if err := p.stand(context.WithoutCancel(r.Context()), s); err != nil { // others wait for it, too
			return nil, err
		}
		return p.text(r, s.sheet(), "standing", s)
	})
	if err != nil {
		return err
	}
	kept.send(w, r)
	return nil
}

// seat finds out whose leaderboard is asked for, by whom, and which part of it.
func (p *pages) seat(r *http.Request) (*standing, error) {
	v, err := p.visit(r, "board")
	if err != nil {
		return nil, err
	}
	if err := p.svc.Sees(r.Context(), v.Who); err != nil {
		return nil, err
	}
	s := &standing{visit: v, View: "consensus", Part: readPart(r)}
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
	s.Query = template.URL(s.Part.set(query).Encode())
	s.view, err = p.svc.ViewFor(r.Context(), v.Who, voter, group)
	return s, err
}

// sheet is the page that shows how the board stands.
func (s *standing) sheet() string {
	if s.Board.Space != nil {
		return "optimum"
	}
	return "board"
}

// stand fills in how the board stands.
func (p *pages) stand(ctx context.Context, s *standing) (err error) {
	if s.Board.Space != nil {
		s.Best, err = p.optimum(ctx, s.Board.ID, s.view)
		return err
	}
	if s.Now, err = p.svc.Leaderboard(ctx, s.Board.ID, s.view); err != nil {
		return err
	}
	s.Rows = ranking(s.Now, &s.Part)
	if s.view == (server.View{}) && s.Part.Page == 1 && s.Part.Find == "" {
		m, err := p.svc.Matrix(ctx, s.Board.ID)
		if err != nil {
			return err
		}
		s.Matrix = newWinTable(m, s.Now)
	}
	return nil
}

// Items are those that are on the board, in the owner's order, as many as a page has.
func (s *standing) Items() []store.Item {
	var in []store.Item
	for _, i := range s.Now.Items {
		if i.Excluded == "" && len(in) < pageRows {
			in = append(in, i)
		}
	}
	return in
}

// At is the query of another page of the same view.
func (s *standing) At(page int) template.URL {
	q, err := url.ParseQuery(string(s.Query))
	if err != nil {
		return ""
	}
	q.Del("page")
	other := s.Part
	other.Page = page
	return template.URL(other.set(q).Encode())
}

// Group is whose ranking it is, empty for everybody's and one's own.
func (s *standing) Group() string { return s.view.Group }

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
