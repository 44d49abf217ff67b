package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"palate/server"
	"palate/store"
	"palate/tune"
)

// spaceAPI is what there is of boards of a space alone.
func (f *Front) spaceAPI(api huma.API) {
	op(f, api, http.MethodGet, "/api/boards/{board}/space", "space", "The space whose points a board compares", func(ctx context.Context, who caller, in *OfBoard) (SpaceJSON, error) {
		if err := f.svc.Belongs(ctx, who.Identity); err != nil {
			return SpaceJSON{}, err
		}
		b, err := f.svc.Board(ctx, in.Board)
		if err == nil && b.Space == nil {
			err = fmt.Errorf("%w: a space of board %q", store.ErrNotFound, in.Board)
		}
		if err != nil {
			return SpaceJSON{}, err
		}
		return spaceJSON(b.Space), nil
	})

	type optimum struct {
		OfBoard
		Voter string `query:"voter" maxLength:"200" doc:"\"me\" for one's own best point; a program names a voter."`
	}
	op(f, api, http.MethodGet, "/api/boards/{board}/best", "best", "The best point of a board of a space, and how sure that is", func(ctx context.Context, who caller, in *optimum) (OptimumJSON, error) {
		v, err := f.svc.ViewFor(ctx, who.Identity, in.Voter, "")
		if err != nil {
			return OptimumJSON{}, err
		}
		o, err := f.svc.Best(ctx, in.Board, v)
		if err != nil {
			return OptimumJSON{}, err
		}
		return optimumJSON(o), nil
	})
}

// spaceText is a space as its owner wrote it: an object, or a text within quotes.
func spaceText(raw json.RawMessage) string {
	var lines string
	if json.Unmarshal(raw, &lines) == nil {
		return lines
	}
	return string(raw)
}

// SpaceJSON is the space of a board.
type SpaceJSON struct {
	Space        any    `json:"space" doc:"As its owner wrote it: an object, or a text of lines."`
	URLTemplate  string `json:"url_template,omitempty"`
	TextTemplate string `json:"text_template,omitempty"`
	Seed         uint64 `json:"seed"`
}

func spaceJSON(s *store.Space) SpaceJSON {
	j := SpaceJSON{Space: s.Text, URLTemplate: s.URL, TextTemplate: s.Body, Seed: s.Seed}
	if json.Valid([]byte(s.Text)) {
		j.Space = json.RawMessage(s.Text)
	}
	return j
}

// OptimumJSON is where the search of a board stands.
type OptimumJSON struct {
	Votes    int              `json:"votes"`
	Skips    int              `json:"skips"`
	Voters   int              `json:"voters"`
	Seq      int64            `json:"seq" doc:"The last vote that the board knows of."`
	Fitted   time.Time        `json:"fitted,omitzero" doc:"When the last fit ended; left out when there was none yet."`
	Pending  int              `json:"pending" doc:"Answers since."`
	URL      string           `json:"url,omitempty" doc:"Where the best point leads, by the board's template."`
	Standing *tune.Summary    `json:"standing,omitempty" doc:"As palate tune best --json has it; left out before the first fit."`
	Path     []StepJSON       `json:"path,omitempty" doc:"How the best point moved."`
	Yours    *tune.Comparison `json:"yours,omitempty" doc:"Of a voter's own best point: against everybody's, to that voter."`
}

// StepJSON is what was held to be best after some duels.
type StepJSON struct {
	Duels int             `json:"duels"`
	Best  json.RawMessage `json:"best"`
}

func optimumJSON(o *server.Optimum) OptimumJSON {
	j := OptimumJSON{Votes: o.Votes, Skips: o.Skips, Voters: o.Voters, Seq: o.Seq, Fitted: o.Fitted, Pending: o.Pending, URL: o.Best.URL, Yours: o.Yours}
	if o.Standing != nil {
		s := o.Standing.Summary(o.Space)
		j.Standing = &s
	}
	for _, step := range o.Path {
		j.Path = append(j.Path, StepJSON{step.Duels, o.Space.WritePoint(step.Best)})
	}
	return j
}

// points are those of an answer about a space; nil without.
func (a AnswerJSON) points() *[2]json.RawMessage {
	if len(a.LeftPoint) == 0 && len(a.RightPoint) == 0 {
		return nil
	}
	return &[2]json.RawMessage{a.LeftPoint, a.RightPoint}
}
