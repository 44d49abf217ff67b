package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"palate/store"
)

// boardAPI makes boards and shows them.
func (s *Service) boardAPI(api huma.API) {
	type create struct{ Body CreateJSON }
	op(s, api, http.MethodPost, "/api/boards", "create", "Make a board", func(ctx context.Context, who caller, in *create) (CreatedJSON, error) {
		admin, _ := strings.CutPrefix(who.r.Header.Get("Authorization"), "Bearer ")
		if err := s.MayCreate(admin); err != nil {
			return CreatedJSON{}, err
		}
		c := in.Body
		n := NewBoard{
			Title: c.Title, Question: c.Question, Access: store.Access(c.Access), Public: c.Public,
			Settings: store.Settings(c.Settings), Password: c.Password,
		}
		for _, i := range c.Items {
			n.Items = append(n.Items, newItem(i))
		}
		made, err := s.Create(ctx, n)
		if err != nil {
			return CreatedJSON{}, err
		}
		at := s.Address(who.r) + "/b/" + made.Board.ID
		return CreatedJSON{Board: boardJSON(made.Board, len(n.Items)), Secret: made.Secret, Vote: at, Owner: at + "/own/" + made.Secret}, nil
	}, func(o *huma.Operation) { o.MaxBodyBytes, o.DefaultStatus = MaxBoard, http.StatusCreated })

	op(s, api, http.MethodGet, "/api/boards/{board}", "show", "Describe a board", func(ctx context.Context, who caller, in *OfBoard) (BoardJSON, error) {
		b, err := s.Board(ctx, in.Board)
		if err != nil {
			return BoardJSON{}, err
		}
		items, err := s.Items(ctx, in.Board)
		return boardJSON(b, len(items)), err
	})

	op(s, api, http.MethodGet, "/api/boards/{board}/items", "items", "List a board's items", func(ctx context.Context, who caller, in *OfBoard) ([]ItemJSON, error) {
		if err := s.sees(ctx, who); err != nil {
			return nil, err
		}
		b, err := s.Board(ctx, in.Board)
		if err != nil {
			return nil, err
		}
		items, err := s.Items(ctx, in.Board)
		var all []ItemJSON
		for _, i := range items {
			all = append(all, itemJSON(b, i))
		}
		return all, err
	})

	type leaderboard struct {
		OfBoard
		OfVoters
	}
	op(s, api, http.MethodGet, "/api/boards/{board}/board", "board", "The leaderboard", func(ctx context.Context, who caller, in *leaderboard) (LeaderboardJSON, error) {
		v, err := s.view(ctx, who, in.Voter, in.Group)
		if err != nil {
			return LeaderboardJSON{}, err
		}
		b, err := s.Leaderboard(ctx, in.Board, v)
		if err != nil {
			return LeaderboardJSON{}, err
		}
		return leaderboardJSON(b), nil
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
	op(s, api, http.MethodGet, "/api/boards/{board}/predict", "predict", "The chance that one item beats another", func(ctx context.Context, who caller, in *predict) (chance, error) {
		v, err := s.view(ctx, who, in.Voter, in.Group)
		if err != nil {
			return chance{}, err
		}
		p, err := s.Predict(ctx, in.Board, v, in.Left, in.Right)
		return chance{p}, err
	})
}

// view returns the view that a caller asks for, if it is for them to see.
func (s *Service) view(ctx context.Context, who caller, voter, group string) (View, error) {
	if err := s.sees(ctx, who); err != nil {
		return View{}, err
	}
	switch {
	case voter == "":
		return View{Group: group}, nil
	case voter == "me" && who.Voter != "":
		return View{Voter: who.Voter}, nil
	case who.May(CanRead):
		id, err := s.find(ctx, who.Board, voter)
		return View{Voter: id}, err
	}
	return View{}, forbidden("another's ranking")
}

// find returns the voter that a program calls by a name.
func (s *Service) find(ctx context.Context, board, name string) (string, error) {
	v, err := s.store.VoterBySubject(ctx, board, nameSubject(name))
	return v.ID, err
}
