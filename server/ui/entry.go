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
	sees bool // the leaderboard
}

// SeesBoard reports whether the leaderboard is for this visitor.
func (v visit) SeesBoard() bool { return v.sees }

func (p *pages) visit(r *http.Request, here string) (visit, error) {
	b, err := p.svc.Board(r.Context(), r.PathValue("board"))
	if err != nil {
		return visit{}, err
	}
	who, err := p.front.Identify(r, b.ID)
	if err != nil {
		return visit{}, err
	}
	return visit{b.Title, b, who, here, p.svc.Sees(r.Context(), who) == nil}, nil
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
	return p.render(w, r, http.StatusOK, "welcome", struct {
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

// threshold asks whoever came by a link whether they want to be whom it is for: a link
// alone, which a picture can be as well, changes nobody.
type threshold struct {
	visit
	Says, Button, Action string
	Pass                 string // what the form sends along, may be empty
}

func (p *pages) threshold(w http.ResponseWriter, r *http.Request, t threshold) error {
	return p.render(w, r, http.StatusOK, "threshold", t)
}

// invited shows who a private link is for.
func (p *pages) invited(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "vote")
	if err != nil {
		return err
	}
	who, err := p.svc.Invited(r.Context(), v.Board.ID, r.PathValue("secret"))
	if err != nil {
		return err
	}
	if v.Who.Voter == who.ID {
		return to(w, r, path(v.Board.ID, "/vote"))
	}
	t := p.tongueOf(r)
	says := t.Say("link-for", who.Name)
	if v.Who.Voter != "" {
		says = t.Say("link-for-another", who.Name)
	}
	return p.threshold(w, r, threshold{v, says, t.Say("start-voting"), r.URL.Path, ""})
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

// returned shows who comes back from the identity provider the way on.
func (p *pages) returned(w http.ResponseWriter, r *http.Request) error {
	pass, err := p.front.EndSSO(w, r)
	if err != nil {
		return err
	}
	b, err := p.svc.Board(r.Context(), pass.Identity.Board)
	if err != nil {
		return err
	}
	// Cookies of the board are not sent here, so that whoever it was is not known.
	t := p.tongueOf(r)
	return p.threshold(w, r, threshold{visit{Title: b.Title, Board: b}, t.Say("signed-in"), t.Say("start-voting"), path(b.ID, "/enter"), pass.Text})
}

func (p *pages) enterMember(w http.ResponseWriter, r *http.Request) error {
	board := r.PathValue("board")
	pass, err := p.svc.Enter(r.Context(), board, r.PostFormValue("pass"))
	if err != nil {
		return err
	}
	p.front.Admit(w, pass)
	return to(w, r, path(board, "/vote"))
}

// owned shows the holder of the owner's link the way in.
func (p *pages) owned(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "owner")
	if err != nil {
		return err
	}
	if _, err := p.svc.EnterOwner(r.Context(), v.Board.ID, r.PathValue("secret")); err != nil {
		return err
	}
	t := p.tongueOf(r)
	return p.threshold(w, r, threshold{v, t.Say("owner-link-for"), t.Say("to-owners-page"), r.URL.Path, ""})
}

func (p *pages) enterOwner(w http.ResponseWriter, r *http.Request) error {
	board := r.PathValue("board")
	pass, err := p.svc.EnterOwner(r.Context(), board, r.PathValue("secret"))
	if err != nil {
		return err
	}
	p.front.AdmitOwner(w, r, pass)
	return to(w, r, path(board, "/owner"))
}

func (p *pages) login(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "owner")
	if err != nil {
		return err
	}
	return p.render(w, r, http.StatusOK, "login", struct {
		visit
		Wrong bool
	}{v, false})
}

func (p *pages) enterPassword(w http.ResponseWriter, r *http.Request) error {
	v, err := p.visit(r, "owner")
	if err != nil {
		return err
	}
	pass, err := p.svc.EnterPassword(r.Context(), v.Board.ID, r.PostFormValue("password"), p.front.Shown(r))
	if errors.Is(err, server.ErrForbidden) {
		return p.render(w, r, http.StatusForbidden, "login", struct {
			visit
			Wrong bool
		}{v, true})
	}
	if err != nil {
		return err
	}
	p.front.AdmitOwner(w, r, pass)
	return to(w, r, path(v.Board.ID, "/owner"))
}

func (p *pages) leave(w http.ResponseWriter, r *http.Request) error {
	board := r.PathValue("board")
	p.front.Leave(w, board)
	return to(w, r, path(board, ""))
}
