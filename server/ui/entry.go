package ui

import (
	"errors"
	"net/http"

	"palate/server"
	"palate/store"
)

// visit is what every page of a board begins with: the board, and who is there.
type visit struct {
	Title string
	Board store.Board
	Who   server.Identity
	// Here is the page, for the menu.
	Here string
}

// SeesBoard reports whether the leaderboard is for this visitor.
func (v visit) SeesBoard() bool {
	return v.Board.Public || v.Who.Owner || v.Who.Voter != ""
}

func (p *pages) visit(r *http.Request, here string) (visit, error) {
	b, err := p.svc.Board(r.Context(), r.PathValue("board"))
	if err != nil {
		return visit{}, err
	}
	who, err := p.front.Identify(r, b.ID)
	if err != nil {
		return visit{}, err
	}
	return visit{Title: b.Title, Board: b, Who: who, Here: here}, nil
}

// voter is a visit by somebody who may vote.
func (p *pages) voter(r *http.Request, here string) (visit, error) {
	v, err := p.visit(r, here)
	if err == nil && v.Who.Voter == "" {
		err = server.ErrForbidden
	}
	return v, err
}

// ownerVisit is a visit by the owner.
func (p *pages) ownerVisit(r *http.Request) (visit, error) {
	v, err := p.visit(r, "owner")
	if err == nil && !v.Who.Owner {
		err = server.ErrForbidden
	}
	return v, err
}

func path(board, rest string) string { return "/b/" + board + rest }

func to(w http.ResponseWriter, r *http.Request, where string) error {
	http.Redirect(w, r, where, http.StatusSeeOther)
	return nil
}

// welcome says what a board is about; whoever has been here before votes on.
func (p *pages) welcome(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "vote")
	if err != nil {
		return err
	}
	if v.Who.Voter != "" {
		return to(w, r, path(v.Board.ID, "/vote"))
	}
	items, err := p.svc.Items(r.Context(), v.Board.ID)
	if err != nil {
		return err
	}
	return p.render(w, http.StatusOK, "welcome", struct {
		visit
		Items int
	}{v, len(items)})
}

// join makes a stranger a voter.
func (p *pages) join(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "vote")
	if err != nil {
		return err
	}
	if v.Who.Voter == "" {
		pass, err := p.svc.Join(r.Context(), v.Board.ID)
		if err != nil {
			return err
		}
		p.front.Admit(w, pass)
	}
	return to(w, r, path(v.Board.ID, "/vote"))
}

// signIn sends a voter to the identity provider. It is a link: content security
// policies hold forms to their own site, redirects included.
func (p *pages) signIn(w http.ResponseWriter, r *http.Request) error {
	return p.front.BeginSSO(w, r, r.PathValue("board"))
}

func (p *pages) enterPrivate(w http.ResponseWriter, r *http.Request) error {
	board := r.PathValue("board")
	pass, err := p.svc.EnterPrivate(r.Context(), board, r.PathValue("secret"))
	if err != nil {
		return err
	}
	p.front.Admit(w, pass)
	return to(w, r, path(board, "/vote"))
}

func (p *pages) enterOwner(w http.ResponseWriter, r *http.Request) error {
	board := r.PathValue("board")
	pass, err := p.svc.EnterOwner(r.Context(), board, r.PathValue("secret"))
	if err != nil {
		return err
	}
	p.front.Admit(w, pass)
	return to(w, r, path(board, "/owner"))
}

func (p *pages) login(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "owner")
	if err != nil {
		return err
	}
	return p.render(w, http.StatusOK, "login", struct {
		visit
		Wrong bool
	}{v, false})
}

func (p *pages) enterPassword(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "owner")
	if err != nil {
		return err
	}
	pass, err := p.svc.EnterPassword(r.Context(), v.Board.ID, r.PostFormValue("password"))
	if errors.Is(err, server.ErrForbidden) {
		return p.render(w, http.StatusForbidden, "login", struct {
			visit
			Wrong bool
		}{v, true})
	}
	if err != nil {
		return err
	}
	p.front.Admit(w, pass)
	return to(w, r, path(v.Board.ID, "/owner"))
}

func (p *pages) leave(w http.ResponseWriter, r *http.Request) error {
	board := r.PathValue("board")
	p.front.Leave(w, board)
	return to(w, r, path(board, ""))
}
