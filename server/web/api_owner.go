package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"palate/server"
	"palate/store"
)

// done is the answer where there is nothing to say.
type done struct {
	OK bool `json:"ok"`
}

// ownerAPI is for owners.
func (f *Front) ownerAPI(api huma.API) {
	type change struct {
		OfBoard
		Body struct {
			Title    *string       `json:"title,omitempty" maxLength:"200"`
			Question *string       `json:"question,omitempty" maxLength:"500" doc:"Empty: the default."`
			Rules    *RulesJSON    `json:"rules,omitempty" doc:"All of them: what is left out is off."`
			Closed   *bool         `json:"closed,omitempty"`
			Public   *bool         `json:"public,omitempty"`
			Settings *SettingsJSON `json:"settings,omitempty"`
			Password *string       `json:"password,omitempty" doc:"Empty: none."`
		}
	}
	op(f, api, http.MethodPatch, "/api/boards/{board}", "change", "Open, close or change a board", func(ctx context.Context, who caller, in *change) (BoardJSON, error) {
		c := in.Body
		if c.Password != nil {
			if err := who.MustHead(); err != nil {
				return BoardJSON{}, err
			}
		}
		if c.Title != nil || c.Question != nil {
			b, err := f.svc.Board(ctx, in.Board)
			if err != nil {
				return BoardJSON{}, err
			}
			title, question := b.Title, b.Question
			if c.Title != nil {
				title = *c.Title
			}
			if c.Question != nil {
				question = *c.Question
			}
			if err := f.svc.Edit(ctx, in.Board, who.Actor, title, question); err != nil {
				return BoardJSON{}, err
			}
		}
		if c.Rules != nil {
			if err := f.svc.SetRules(ctx, in.Board, who.Actor, c.Rules.rules()); err != nil {
				return BoardJSON{}, err
			}
		}
		if c.Closed != nil {
			if err := f.svc.SetClosed(ctx, in.Board, who.Actor, *c.Closed); err != nil {
				return BoardJSON{}, err
			}
		}
		if c.Public != nil {
			if err := f.svc.SetPublic(ctx, in.Board, who.Actor, *c.Public); err != nil {
				return BoardJSON{}, err
			}
		}
		if c.Settings != nil {
			if err := f.svc.SetSettings(ctx, in.Board, who.Actor, c.Settings.settings()); err != nil {
				return BoardJSON{}, err
			}
		}
		if c.Password != nil {
			if err := f.svc.SetPassword(ctx, in.Board, who.Actor, *c.Password); err != nil {
				return BoardJSON{}, err
			}
		}
		b, err := f.svc.Board(ctx, in.Board)
		if err != nil {
			return BoardJSON{}, err
		}
		items, err := f.svc.Items(ctx, in.Board)
		return boardJSON(b, len(items)), err
	}, needs(owner))

	type exclude struct {
		OfBoard
		Body struct {
			Voter  string `json:"voter,omitempty"`
			Item   string `json:"item,omitempty"`
			Reason string `json:"reason,omitempty" maxLength:"500" doc:"Without one it counts again."`
		}
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/exclude", "exclude", "Make a voter or an item not count", func(ctx context.Context, who caller, in *exclude) (done, error) {
		e := in.Body
		switch {
		case (e.Voter == "") == (e.Item == ""):
			return done{}, fmt.Errorf("server: %w: name a voter or an item", server.ErrInvalid)
		case e.Voter != "":
			return done{true}, f.svc.ExcludeVoter(ctx, in.Board, who.Actor, e.Voter, e.Reason)
		}
		return done{true}, f.svc.ExcludeItem(ctx, in.Board, who.Actor, e.Item, e.Reason)
	}, needs(owner))

	type invite struct {
		OfBoard
		Body struct {
			Names []string `json:"names" minItems:"1" maxItems:"1000"`
			Group string   `json:"group,omitempty" maxLength:"100"`
		}
	}
	type invitation struct {
		Name  string `json:"name"`
		Voter string `json:"voter"`
		Link  string `json:"link" doc:"Shown only here."`
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/invitations", "invite", "Make private links", func(ctx context.Context, who caller, in *invite) ([]invitation, error) {
		made, err := f.svc.Invite(ctx, in.Board, who.Actor, in.Body.Group, in.Body.Names)
		return each(made, func(i server.Invitation) invitation {
			return invitation{i.Voter.Name, i.Voter.ID, f.PrivateLink(who.r, in.Board, i.Secret)}
		}), err
	}, needs(owner))

	type newToken struct {
		OfBoard
		Body struct {
			Name   string         `json:"name" minLength:"1" maxLength:"100"`
			Scopes []server.Scope `json:"scopes" minItems:"1"`
		}
	}
	type secret struct {
		Token string `json:"token" doc:"Shown only here."`
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/tokens", "new-token", "Make a token", func(ctx context.Context, who caller, in *newToken) (secret, error) {
		t, err := f.svc.NewToken(ctx, in.Board, who.Actor, in.Body.Name, in.Body.Scopes)
		return secret{t}, err
	}, needs(head))
	type named struct {
		OfBoard
		Name string `path:"name" maxLength:"100"`
	}
	op(f, api, http.MethodDelete, "/api/boards/{board}/tokens/{name}", "revoke-token", "Revoke a token", func(ctx context.Context, who caller, in *named) (done, error) {
		return done{true}, f.svc.RevokeToken(ctx, in.Board, who.Actor, in.Name)
	}, needs(head))

	type check struct {
		Name string `json:"name"`
		OK   bool   `json:"ok"`
		Says string `json:"says"`
	}
	op(f, api, http.MethodGet, "/api/boards/{board}/trust", "trust", "What could be wrong with the votes", func(ctx context.Context, who caller, in *OfBoard) ([]check, error) {
		checks, err := f.svc.Trust(ctx, in.Board)
		return each(checks, func(c server.Check) check {
			return check{c.Name, c.OK, c.Says}
		}), err
	}, needs(owner))

	type person struct {
		Voter     string    `json:"voter"`
		Name      string    `json:"name,omitempty"`
		Group     string    `json:"group,omitempty"`
		Excluded  string    `json:"excluded,omitempty"`
		Votes     int       `json:"votes"`
		Ties      int       `json:"ties"`
		Skips     int       `json:"skips"`
		Undone    int       `json:"undone"`
		Agreement float64   `json:"agreement" doc:"Mean probability that the consensus gave to the voter's answers."`
		Left      float64   `json:"left" doc:"Share of left among them."`
		Quick     float64   `json:"quick" doc:"Share answered within half a second."`
		Last      time.Time `json:"last"`
	}
	op(f, api, http.MethodGet, "/api/boards/{board}/voters", "voters", "What the owner sees of voters", func(ctx context.Context, who caller, in *OfBoard) ([]person, error) {
		rows, err := f.svc.Voters(ctx, in.Board)
		return each(rows, func(r server.VoterRow) person {
			return person{r.ID, r.Name, r.Group, r.Excluded, r.Votes, r.Ties, r.Skips, r.Undone, r.Agreement, r.Left, r.Quick, r.Last}
		}), err
	}, needs(owner))

	type action struct {
		Actor  string    `json:"actor"`
		Verb   string    `json:"verb"`
		Object string    `json:"object,omitempty"`
		Reason string    `json:"reason,omitempty"`
		Time   time.Time `json:"time"`
	}
	op(f, api, http.MethodGet, "/api/boards/{board}/audit", "audit", "What was done to the board", func(ctx context.Context, who caller, in *OfBoard) ([]action, error) {
		log, err := f.svc.Audit(ctx, in.Board)
		return each(log, func(a store.Action) action {
			return action{a.Actor, a.Verb, a.Object, a.Reason, a.Time}
		}), err
	}, needs(owner))
}
