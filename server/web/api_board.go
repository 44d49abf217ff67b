package web

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"palate/server"
	"palate/store"
)

// boardAPI makes boards and shows them.
func (f *Front) boardAPI(api huma.API) {
	type create struct{ Body CreateJSON }
	op(f, api, http.MethodPost, "/api/boards", "create", "Make a board", func(ctx context.Context, who caller, in *create) (CreatedJSON, error) {
		c := in.Body
		n := server.NewBoard{
			Title: c.Title, Question: c.Question, Access: store.Access(c.Access), Public: c.Public,
			Settings: c.Settings.settings(), Password: c.Password,
		}
		if len(c.Space) > 0 {
			n.Space = &store.Space{Text: spaceText(c.Space), URL: c.URLTemplate, Body: c.TextTemplate, Seed: c.Seed}
		}
		for _, i := range c.Items {
			n.Items = append(n.Items, newItem(i))
		}
		made, err := f.svc.Create(ctx, n)
		if err != nil {
			return CreatedJSON{}, err
		}
		items := len(n.Items)
		if n.Space != nil {
			items = 2
		}
		return f.createdJSON(who.r, made, items), nil
	}, needs(f.maker), func(o *huma.Operation) { o.DefaultStatus = http.StatusCreated })

	op(f, api, http.MethodGet, "/api/boards/{board}", "show", "Describe a board", func(ctx context.Context, who caller, in *OfBoard) (BoardJSON, error) {
		b, err := f.svc.Board(ctx, in.Board)
		if err != nil {
			return BoardJSON{}, err
		}
		items, err := f.svc.Items(ctx, in.Board)
		return boardJSON(b, len(items)), err
	})

	op(f, api, http.MethodGet, "/api/boards/{board}/items", "items", "List a board's items", func(ctx context.Context, who caller, in *OfBoard) ([]ItemJSON, error) {
		if err := f.svc.Belongs(ctx, who.Identity); err != nil {
			return nil, err
		}
		b, err := f.svc.Board(ctx, in.Board)
		if err != nil {
			return nil, err
		}
		items, err := f.svc.Items(ctx, in.Board)
		return each(items, func(i store.Item) ItemJSON {
			return f.itemJSON(b, i)
		}), err
	})

	type leaderboard struct {
		OfBoard
		OfVoters
		Find   string `query:"find" maxLength:"200" doc:"Only items that have this in their name."`
		Offset int    `query:"offset" minimum:"0" doc:"How many rows to leave out at the top."`
		Limit  int    `query:"limit" minimum:"0" doc:"How many rows at most; 0: all."`
	}
	op(f, api, http.MethodGet, "/api/boards/{board}/board", "board", "The leaderboard", func(ctx context.Context, who caller, in *leaderboard) (LeaderboardJSON, error) {
		v, err := f.svc.ViewFor(ctx, who.Identity, in.Voter, in.Group)
		if err != nil {
			return LeaderboardJSON{}, err
		}
		b, err := f.svc.Leaderboard(ctx, in.Board, v)
		if err != nil {
			return LeaderboardJSON{}, err
		}
		return leaderboardJSON(b, in.Find, in.Offset, in.Limit), nil
	})

	type predict struct {
		OfBoard
		OfVoters
		Left  string `query:"left" required:"true" maxLength:"300"`
		Right string `query:"right" required:"true" maxLength:"300"`
	}
	type chance struct {
		PLeft float64 `json:"p_left" doc:"Probability that left wins, ties apart."`
	}
	op(f, api, http.MethodGet, "/api/boards/{board}/predict", "predict", "The chance that one item beats another", func(ctx context.Context, who caller, in *predict) (chance, error) {
		v, err := f.svc.ViewFor(ctx, who.Identity, in.Voter, in.Group)
		if err != nil {
			return chance{}, err
		}
		p, err := f.svc.Predict(ctx, in.Board, v, in.Left, in.Right)
		return chance{p}, err
	})
}
