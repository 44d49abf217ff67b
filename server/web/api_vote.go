package web

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"palate"
	"palate/server"
)

// voteAPI asks and is told.
func (f *Front) voteAPI(api huma.API) {
	type voter struct {
		OfBoard
		Body VoterJSON `required:"false"`
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/ask", "ask", "The next question for a voter", func(ctx context.Context, who caller, in *voter) (QuestionJSON, error) {
		v, err := f.svc.ActsFor(ctx, who.Identity, in.Body.Voter)
		if err != nil {
			return QuestionJSON{}, err
		}
		q, err := f.svc.Ask(ctx, in.Board, v)
		if err != nil {
			return QuestionJSON{}, err
		}
		b, err := f.svc.Board(ctx, in.Board)
		out := f.questionJSON(b, q)
		if b.Space != nil && err == nil {
			if out.Left.Point, err = f.svc.PointOf(ctx, in.Board, q.Left); err == nil {
				out.Right.Point, err = f.svc.PointOf(ctx, in.Board, q.Right)
			}
		}
		return out, err
	})

	type told struct {
		OfBoard
		Body AnswerJSON
	}
	op(f, api, http.MethodPost, "/api/boards/{board}/tell", "tell", "A voter's answer", func(ctx context.Context, who caller, in *told) (ReceiptJSON, error) {
		a := in.Body
		v, err := f.svc.ActsFor(ctx, who.Identity, a.Voter)
		if err != nil {
			return ReceiptJSON{}, err
		}
		if a.Question == "" && !who.May(server.CanVote) {
			return ReceiptJSON{}, fmt.Errorf("server: %w: voters answer what they are asked", server.ErrForbidden)
		}
		said := server.Answer{
			Question: a.Question, Left: a.Left, Right: a.Right, Points: a.points(), Items: a.Items, Key: a.Key, Best: a.Best, Worst: a.Worst, Order: a.Order,
			Reason: a.Reason, Comment: a.Comment, Response: time.Duration(a.Seconds * float64(time.Second)),
		}
		if several := a.Best != "" || a.Worst != "" || a.Order != nil; a.Outcome != "" || !several {
			if said.Outcome, err = outcomeOf(a.Outcome); err != nil {
				return ReceiptJSON{}, err
			}
		}
		r, err := f.svc.Tell(ctx, in.Board, v, said)
		return ReceiptJSON(r), err
	})

	op(f, api, http.MethodPost, "/api/boards/{board}/undo", "undo", "Take a voter's last answer back", func(ctx context.Context, who caller, in *voter) (ReceiptJSON, error) {
		v, err := f.svc.ActsFor(ctx, who.Identity, in.Body.Voter)
		if err != nil {
			return ReceiptJSON{}, err
		}
		r, err := f.svc.Undo(ctx, in.Board, v)
		return ReceiptJSON(r), err
	})

	type mine struct {
		OfBoard
		Voter string `query:"voter" maxLength:"200"`
	}
	op(f, api, http.MethodGet, "/api/boards/{board}/votes", "votes", "A voter's own votes", func(ctx context.Context, who caller, in *mine) ([]RecordJSON, error) {
		records, err := f.svc.RecordsOf(ctx, who.Identity, in.Voter)
		return each(records, func(r server.Record) RecordJSON {
			return RecordJSON{r.Seq, r.Left, r.Right, r.Outcome.String(), string(r.Way), r.Items, r.Places, r.Reason, r.Undone, r.Replaced, r.Time}
		}), err
	})
}

func outcomeOf(word string) (palate.Outcome, error) {
	for _, o := range palate.Outcomes() {
		if o.String() == word {
			return o, nil
		}
	}
	return 0, fmt.Errorf("server: %w: outcome %q", server.ErrInvalid, word)
}
