package server

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"palate"
)

// voteAPI asks and is told.
func (s *Service) voteAPI(api huma.API) {
	type voter struct {
		OfBoard
		Body VoterJSON `required:"false"`
	}
	op(s, api, http.MethodPost, "/api/boards/{board}/ask", "ask", "The next pair for a voter", func(ctx context.Context, who caller, in *voter) (QuestionJSON, error) {
		v, err := s.actor(ctx, who, in.Body.Voter)
		if err != nil {
			return QuestionJSON{}, err
		}
		q, err := s.Ask(ctx, in.Board, v)
		if err != nil {
			return QuestionJSON{}, err
		}
		b, err := s.Board(ctx, in.Board)
		return QuestionJSON{
			Question: q.Token, Left: shownJSON(b, q.Left), Right: shownJSON(b, q.Right), Policy: q.Policy, Propensity: q.Propensity, Votes: q.Votes, Pairs: q.Pairs,
		}, err
	})

	type told struct {
		OfBoard
		Body AnswerJSON
	}
	op(s, api, http.MethodPost, "/api/boards/{board}/tell", "tell", "A voter's answer", func(ctx context.Context, who caller, in *told) (ReceiptJSON, error) {
		a := in.Body
		v, err := s.actor(ctx, who, a.Voter)
		if err != nil {
			return ReceiptJSON{}, err
		}
		if a.Question == "" && !who.May(CanVote) {
			return ReceiptJSON{}, forbidden("voters answer what they are asked")
		}
		outcome, err := outcomeOf(a.Outcome)
		if err != nil {
			return ReceiptJSON{}, err
		}
		r, err := s.Tell(ctx, in.Board, v, Answer{
			Question: a.Question, Left: a.Left, Right: a.Right, Key: a.Key, Outcome: outcome, Reason: a.Reason,
			Response: time.Duration(a.Seconds * float64(time.Second)),
		})
		return ReceiptJSON(r), err
	})

	op(s, api, http.MethodPost, "/api/boards/{board}/undo", "undo", "Take a voter's last answer back", func(ctx context.Context, who caller, in *voter) (ReceiptJSON, error) {
		v, err := s.actor(ctx, who, in.Body.Voter)
		if err != nil {
			return ReceiptJSON{}, err
		}
		r, err := s.Undo(ctx, in.Board, v)
		return ReceiptJSON(r), err
	})

	type mine struct {
		OfBoard
		Voter string `query:"voter" maxLength:"200"`
	}
	op(s, api, http.MethodGet, "/api/boards/{board}/votes", "votes", "A voter's own votes", func(ctx context.Context, who caller, in *mine) ([]RecordJSON, error) {
		v := who.Voter
		if in.Voter != "" {
			if !who.May(CanVote) {
				return nil, forbidden("another's votes")
			}
			var err error
			if v, err = s.find(ctx, in.Board, in.Voter); err != nil {
				return nil, err
			}
		}
		if v == "" {
			return nil, forbidden("you are no voter of this board")
		}
		records, err := s.Records(ctx, in.Board, v)
		all := []RecordJSON{}
		for _, r := range records {
			all = append(all, RecordJSON{r.Seq, r.Left, r.Right, r.Outcome.String(), r.Reason, r.Undone, r.Time})
		}
		return all, err
	})
}

func outcomeOf(word string) (palate.Outcome, error) {
	for _, o := range palate.Outcomes() {
		if o.String() == word {
			return o, nil
		}
	}
	return 0, invalid("outcome %q", word)
}
