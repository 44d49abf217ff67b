package ui

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"palate/server"
	"palate/store"
)

// How many comments, and how many of the last records of the log, the owner's page shows.
const commentsShown, auditShown = 100, 1000

// headVerbs are what only the owner who made a board does.
func headVerbs() []string {
	return []string{"renew", "password", "add-owner", "remove-owner", "token", "revoke", "delete"}
}

// control does what the owner asks for with the board, its rules, its team and what
// voters have said; what is shown once it returns.
func (p *pages) control(r *http.Request, v visit, verb string) (shown []secret, err error) {
	ctx, id, actor := r.Context(), v.Board.ID, v.Who.Actor
	switch verb {
	case "edit":
		err = p.svc.Edit(ctx, id, actor, r.PostFormValue("title"), r.PostFormValue("question"))
	case "asking":
		err = p.svc.SetAsking(ctx, id, actor, store.Way(r.PostFormValue("ask")), size(r), r.PostFormValue("over"))
	case "rules":
		var rules store.Rules
		if rules, err = readRules(r); err == nil {
			err = p.svc.SetRules(ctx, id, actor, rules)
		}
	case "delete":
		_, err = p.svc.Delete(ctx, id, actor)
	case "restore":
		err = p.svc.Restore(ctx, id, actor)
	case "renew-link":
		var i server.Invitation
		i, err = p.svc.RenewLink(ctx, id, actor, r.PostFormValue("voter"))
		shown = []secret{{i.Voter.Name, p.front.PrivateLink(r, id, i.Secret)}}
	case "revoke-link":
		err = p.svc.RevokeLink(ctx, id, actor, r.PostFormValue("voter"))
	case "add-owner":
		var o server.NewOwner
		o, err = p.svc.AddOwner(ctx, id, actor, r.PostFormValue("name"))
		shown = []secret{{o.Name, p.front.OwnerLink(r, id, o.Secret)}}
	case "remove-owner":
		err = p.svc.RemoveOwner(ctx, id, actor, r.PostFormValue("owner"))
	case "accept", "refuse":
		_, err = p.svc.Decide(ctx, id, actor, r.PostFormValue("proposal"), verb == "accept", r.PostFormValue("reason"))
	default:
		err = fmt.Errorf("ui: %s: %w", verb, store.ErrNotFound)
	}
	return shown, err
}

// minute is how a browser writes a time that was put into a field.
const minute = "2006-01-02T15:04"

// readRules reads the form of a board's rules.
func readRules(r *http.Request) (store.Rules, error) {
	on := func(name string) bool { return r.PostFormValue(name) != "" }
	rules := store.Rules{WhenSettled: on("when-settled"), Hidden: on("hidden"), Comments: on("comments"), Proposals: on("proposals")}
	var err error
	if text := strings.TrimSpace(r.PostFormValue("quota")); text != "" {
		if rules.Quota, err = strconv.Atoi(text); err != nil {
			return rules, fmt.Errorf("ui: %w: %.20q is not a number of votes", server.ErrInvalid, text)
		}
	}
	if text := r.PostFormValue("closes"); text != "" {
		if rules.Closes, err = time.Parse(minute, text); err != nil {
			return rules, fmt.Errorf("ui: %w: %.20q is not a date and time", server.ErrInvalid, text)
		}
	}
	return rules, nil
}

// Until is up to when a deleted board can be taken back.
func (o office) Until() time.Time { return o.Board.Rules.Deleted.Add(server.DeletedFor) }

// Linked reports whether a voter comes by a private link.
func (o office) Linked(v store.Voter) bool { return server.HasLink(v) }

// NameOf is what the owner calls a voter.
func (o office) NameOf(voter string) string {
	for _, v := range o.People {
		if v.ID == voter && v.Name != "" {
			return v.Name
		}
	}
	return voter
}

// waiting are the proposals that wait for an answer.
func (p *pages) waiting(ctx context.Context, board string) ([]store.Proposal, error) {
	all, err := p.svc.Proposals(ctx, board, "")
	return slices.DeleteFunc(all, func(x store.Proposal) bool { return x.State != store.Pending }), err
}

// duplicate makes another board of the same items.
func (p *pages) duplicate(w http.ResponseWriter, r *http.Request, v visit) error {
	if !p.svc.IsAdmin(p.front.Shown(r)) {
		return server.ErrForbidden
	}
	made, err := p.svc.Duplicate(r.Context(), v.Board.ID)
	if err != nil {
		return err
	}
	return p.created(w, r, made)
}

// my lists the boards that the browser's owner has been in.
func (p *pages) my(w http.ResponseWriter, r *http.Request) error {
	boards, err := p.svc.Mine(r.Context(), p.front.Shown(r))
	if err != nil {
		return err
	}
	return p.render(w, r, http.StatusOK, "my", map[string]any{"Title": p.tongueOf(r).Say("my-boards"), "Boards": boards})
}

// propose keeps an item that a voter proposes.
func (p *pages) propose(w http.ResponseWriter, r *http.Request) error {
	v, err := p.voter(r, "me")
	if err != nil {
		return err
	}
	if err := p.svc.Propose(r.Context(), v.Board.ID, v.Who.Voter, r.PostFormValue("body")); err != nil {
		return err
	}
	return to(w, r, path(v.Board.ID, "/me")+"#propose")
}

// erase deletes all that a voter said.
func (p *pages) erase(w http.ResponseWriter, r *http.Request) error {
	v, err := p.voter(r, "me")
	if err != nil {
		return err
	}
	if err := p.svc.Erase(r.Context(), v.Board.ID, v.Who.Voter); err != nil {
		return err
	}
	return to(w, r, path(v.Board.ID, "/me"))
}
