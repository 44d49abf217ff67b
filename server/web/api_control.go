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

// head is for the owner who made the board.
func head(who caller) error { return who.MustHead() }

// commentsShown is how many comments are listed at most.
const commentsShown = 1000

// controlAPI is what owners do with their boards, links, voters' proposals and teams.
func (f *Front) controlAPI(api huma.API) {
	op(f, api, http.MethodGet, "/api/boards", "mine", "The boards that this browser's owner has been in", func(ctx context.Context, who caller, _ *struct{}) ([]BoardJSON, error) {
		boards, err := f.svc.Mine(ctx, f.Shown(who.r))
		return each(boards, func(b store.Board) BoardJSON {
			return boardJSON(b, 0)
		}), err
	})

	op(f, api, http.MethodPost, "/api/boards/{board}/duplicate", "duplicate", "Make another board of the same items, without votes; where boards are made with the server's token only, the header Palate-Admin holds it", func(ctx context.Context, who caller, in *OfBoard) (CreatedJSON, error) {
		if err := f.svc.MayCreate(who.r.Header.Get("Palate-Admin")); err != nil {
			return CreatedJSON{}, err
		}
		made, err := f.svc.Duplicate(ctx, in.Board)
		if err != nil {
			return CreatedJSON{}, err
		}
		items, err := f.svc.Items(ctx, made.Board.ID)
		return f.createdJSON(who.r, made, len(items)), err
	}, needs(owner), func(o *huma.Operation) { o.DefaultStatus = http.StatusCreated })

	type deleted struct {
		Until  time.Time `json:"until" doc:"Up to when it can be taken back; then nothing of it is left."`
		Export string    `json:"export" doc:"Its votes, as long as it is there."`
	}
	op(f, api, http.MethodDelete, "/api/boards/{board}", "delete", "Delete a board, which can be taken back for a day", func(ctx context.Context, who caller, in *OfBoard) (deleted, error) {
		until, err := f.svc.Delete(ctx, in.Board, who.Actor)
		return deleted{until, f.Address(who.r) + "/api/boards/" + in.Board + "/export"}, err
	}, needs(head))
	op(f, api, http.MethodPost, "/api/boards/{board}/restore", "restore", "Take back that a board was deleted", func(ctx context.Context, who caller, in *OfBoard) (done, error) {
		return done{true}, f.svc.Restore(ctx, in.Board, who.Actor)
	}, needs(owner))

	huma.Register(api, huma.Operation{Method: http.MethodGet, Path: "/api/boards/{board}/qr", OperationID: "qr", Summary: "A QR code of the link for voters, as SVG"},
		func(ctx context.Context, in *OfBoard) (*huma.StreamResponse, error) {
			if _, err := f.svc.Board(ctx, in.Board); err != nil {
				return nil, f.refusal(err)
			}
			code, err := qrCode(f.BoardLink(from(ctx).r, in.Board))
			if err != nil {
				return nil, f.refusal(fmt.Errorf("server: %w: %w", server.ErrInvalid, err))
			}
			return &huma.StreamResponse{Body: func(c huma.Context) {
				c.SetHeader("Content-Type", "image/svg+xml")
				c.BodyWriter().Write([]byte(code)) // an error means that the reader has gone
			}}, nil
		})

	type link struct {
		Link string `json:"link" doc:"Shown only here."`
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/voters/{id}/link", "renew-link", "Give a voter another private link; the old one is void", func(ctx context.Context, who caller, in *OfPart) (link, error) {
		i, err := f.svc.RenewLink(ctx, in.Board, who.Actor, in.ID)
		return link{f.PrivateLink(who.r, in.Board, i.Secret)}, err
	}, needs(owner))
	op(f, api, http.MethodDelete, "/api/boards/{board}/voters/{id}/link", "revoke-link", "Make a voter's private link void; their votes stay", func(ctx context.Context, who caller, in *OfPart) (done, error) {
		return done{true}, f.svc.RevokeLink(ctx, in.Board, who.Actor, in.ID)
	}, needs(owner))

	f.teamAPI(api)
	f.proposalAPI(api)
}

// teamAPI is for several owners of a board.
func (f *Front) teamAPI(api huma.API) {
	type member struct {
		ID      string    `json:"id"`
		Name    string    `json:"name"`
		Created time.Time `json:"created"`
	}
	op(f, api, http.MethodGet, "/api/boards/{board}/owners", "owners", "The owners beside the one who made the board", func(ctx context.Context, who caller, in *OfBoard) ([]member, error) {
		team, err := f.svc.Owners(ctx, in.Board)
		return each(team, func(o store.Owner) member {
			return member{o.ID, o.Name, o.Created}
		}), err
	}, needs(owner))
	type add struct {
		OfBoard
		Body struct {
			Name string `json:"name" minLength:"1" maxLength:"100"`
		}
	}
	type added struct {
		ID     string `json:"id"`
		Secret string `json:"secret" doc:"Makes its holder an owner; shown only here."`
		Link   string `json:"link"`
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/owners", "add-owner", "Make a link for a further owner", func(ctx context.Context, who caller, in *add) (added, error) {
		o, err := f.svc.AddOwner(ctx, in.Board, who.Actor, in.Body.Name)
		return added{o.ID, o.Secret, f.OwnerLink(who.r, in.Board, o.Secret)}, err
	}, needs(head))
	op(f, api, http.MethodDelete, "/api/boards/{board}/owners/{id}", "remove-owner", "Make a further owner's link void", func(ctx context.Context, who caller, in *OfPart) (done, error) {
		return done{true}, f.svc.RemoveOwner(ctx, in.Board, who.Actor, in.ID)
	}, needs(head))
}

// ProposalJSON is an item that a voter proposes.
type ProposalJSON struct {
	ID      string    `json:"id"`
	Voter   string    `json:"voter"`
	Body    string    `json:"body"`
	State   string    `json:"state" enum:"pending,accepted,refused"`
	Reason  string    `json:"reason,omitempty" doc:"Why it was refused."`
	Created time.Time `json:"created"`
}

func proposalJSON(p store.Proposal) ProposalJSON {
	return ProposalJSON{p.ID, p.Voter, p.Body, string(p.State), p.Reason, p.Created}
}

// proposalAPI is what voters say beside their votes, and what becomes of it.
func (f *Front) proposalAPI(api huma.API) {
	type comment struct {
		Seq     int64     `json:"seq" doc:"Of the vote."`
		Voter   string    `json:"voter"`
		Left    string    `json:"left"`
		Right   string    `json:"right"`
		Outcome string    `json:"outcome"`
		Text    string    `json:"text"`
		Time    time.Time `json:"time"`
	}
	op(f, api, http.MethodGet, "/api/boards/{board}/comments", "comments", "Why voters answered so, the last first", func(ctx context.Context, who caller, in *OfBoard) ([]comment, error) {
		list, err := f.svc.Comments(ctx, in.Board, commentsShown)
		return each(list, func(c server.Comment) comment {
			return comment{c.Seq, c.Voter, c.LeftID, c.RightID, c.Outcome.String(), c.Text, c.Time}
		}), err
	}, needs(scope(server.CanExport)))

	op(f, api, http.MethodGet, "/api/boards/{board}/proposals", "proposals", "Items that were proposed: a voter's own, or all for the owner", func(ctx context.Context, who caller, in *OfBoard) ([]ProposalJSON, error) {
		if !who.Owner && who.Voter == "" {
			return nil, fmt.Errorf("server: %w: you are no voter of this board", server.ErrForbidden)
		}
		voter := who.Voter
		if who.Owner {
			voter = ""
		}
		list, err := f.svc.Proposals(ctx, in.Board, voter)
		return each(list, proposalJSON), err
	})
	type propose struct {
		OfBoard
		Body struct {
			Voter string `json:"voter,omitempty" maxLength:"200"`
			Body  string `json:"body" minLength:"1"`
		}
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/proposals", "propose", "Propose an item", func(ctx context.Context, who caller, in *propose) (done, error) {
		v, err := f.svc.ActsFor(ctx, who.Identity, in.Body.Voter)
		if err != nil {
			return done{}, err
		}
		return done{true}, f.svc.Propose(ctx, in.Board, v, in.Body.Body)
	})
	type decide struct {
		OfBoard
		ID   string `path:"id" maxLength:"40"`
		Body struct {
			Accept bool   `json:"accept"`
			Reason string `json:"reason,omitempty" maxLength:"500"`
		}
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/proposals/{id}", "decide", "Make a proposal an item, or refuse it", func(ctx context.Context, who caller, in *decide) (ProposalJSON, error) {
		p, err := f.svc.Decide(ctx, in.Board, who.Actor, in.ID, in.Body.Accept, in.Body.Reason)
		return proposalJSON(p), err
	}, needs(owner))

	type mine struct {
		OfBoard
		Voter string `query:"voter" maxLength:"200"`
	}
	op(f, api, http.MethodDelete, "/api/boards/{board}/votes", "erase", "Delete all votes, comments and proposals of a voter", func(ctx context.Context, who caller, in *mine) (done, error) {
		v, err := f.svc.ActsFor(ctx, who.Identity, in.Voter)
		if err != nil {
			return done{}, err
		}
		return done{true}, f.svc.Erase(ctx, in.Board, v)
	})
}
