package web

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"palate/server"
)

// ModelHandler serves a model file alone: what it predicts, what somebody likes best, what is
// alike, and about itself, below /api/model; its description at /api/openapi.json; /livez, /readyz (also as
// /healthz) and /metrics; all behind Guard, with the limits that boards have.
func ModelHandler(file *server.ModelFile, o Options) http.Handler {
	f := newFront(o, file.Allow)
	mux := http.NewServeMux()
	f.modelAPI(mux, file)
	for _, path := range []string{"/livez", "/readyz", "/healthz"} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	}
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		f.writeMetrics(w)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		f.refuse(w, r, http.StatusNotFound, "there is nothing at this address")
	})
	return f.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if o.Local && !isLocal(r.Host) {
			f.refuse(w, r, http.StatusMisdirectedRequest, "this model is for programs of this machine, which ask by its address: say --url or PALATE_TOKENS to have it asked by a name")
			return
		}
		mux.ServeHTTP(w, r)
	}))
}

// isLocal reports whether the host of a request is an address, or localhost: another name may be
// anybody's.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil || strings.EqualFold(host, "localhost")
}

// BallotJSON is a vote of somebody new.
type BallotJSON struct {
	Left    string `json:"left"`
	Right   string `json:"right"`
	Outcome string `json:"outcome" enum:"left,right,tie,skip"`
}

// ForJSON says for whom a model is asked.
type ForJSON struct {
	Voter string       `json:"voter,omitempty" doc:"A voter of the model, by name. Without a voter and votes: somebody of whom nothing is known."`
	Votes []BallotJSON `json:"votes,omitempty" maxItems:"200" doc:"A few votes of somebody new, who is taken in for this answer alone."`
}

func (j ForJSON) asking() (server.Asking, error) {
	a := server.Asking{Voter: j.Voter}
	for _, b := range j.Votes {
		o, err := outcomeOf(b.Outcome)
		if err != nil {
			return a, err
		}
		a.Votes = append(a.Votes, server.Ballot{Left: b.Left, Right: b.Right, Outcome: o})
	}
	return a, nil
}

// PairsJSON are pairs to predict.
type PairsJSON struct {
	ForJSON
	Left  []string `json:"left" doc:"The left item of each pair."`
	Right []string `json:"right" doc:"The right item of each pair."`
}

// ChancesJSON are the chances of pairs.
type ChancesJSON struct {
	PLeft []*float64 `json:"p_left" doc:"The probability that the left item of each pair wins, ties apart; null where the model knows nothing."`
}

// WantedJSON are lists that are wanted.
type WantedJSON struct {
	ForJSON
	Number  int      `json:"n,omitempty" minimum:"1" default:"10" doc:"How many items."`
	Without []string `json:"without,omitempty" doc:"Items to leave out, such as those that were seen."`
}

// LikedJSON is an item that somebody likes.
type LikedJSON struct {
	Rank  int     `json:"rank"`
	Item  string  `json:"item"`
	Score float64 `json:"score"`
	SD    float64 `json:"sd"`
}

// NearJSON are neighbours that are wanted.
type NearJSON struct {
	ForJSON
	Item   string `json:"item,omitempty" doc:"The item whose neighbours are wanted; without it those of the voter, or of somebody new."`
	Number int    `json:"n,omitempty" minimum:"1" default:"10" doc:"How many neighbours."`
}

// AlikeJSON is an item, or a voter, that is like another.
type AlikeJSON struct {
	Rank      int     `json:"rank"`
	Neighbour string  `json:"neighbour"`
	Alike     float64 `json:"alike" doc:"How tastes for the items, or of the voters, correlate: from -1 to 1."`
	SD        float64 `json:"sd" doc:"Its standard deviation."`
}

// ModelJSON describes a model.
type ModelJSON struct {
	Model  string    `json:"model"`
	Items  int       `json:"items"`
	Voters int       `json:"voters" doc:"That it tells apart."`
	Since  time.Time `json:"since" doc:"When its file was read."`
}

// modelAPI serves the JSON interface of a model, and its description.
func (f *Front) modelAPI(mux *http.ServeMux, file *server.ModelFile) {
	api := f.newAPI(mux, "Palate, a model", "What a model predicts. A program sends a token, where the server wants one, as Authorization: Bearer TOKEN.")
	api.UseMiddleware(func(ctx huma.Context, next func(huma.Context)) {
		r, _ := humago.Unwrap(ctx)
		if err := file.Admits(bearer(r)); err != nil {
			code, says := f.failure(err)
			huma.WriteErr(api, ctx, code, says)
			return
		}
		next(huma.WithValue(ctx, identityKey{}, caller{r: r}))
	})
	op(f, api, http.MethodGet, "/api/model", "model", "Describe the model", func(context.Context, caller, *struct{}) (ModelJSON, error) {
		return ModelJSON(file.About()), nil
	})
	type pairs struct{ Body PairsJSON }
	op(f, api, http.MethodPost, "/api/model/predict", "predict", "The chances of pairs", func(ctx context.Context, _ caller, in *pairs) (ChancesJSON, error) {
		a, err := in.Body.asking()
		if err != nil {
			return ChancesJSON{}, err
		}
		chance, known, err := file.Predict(ctx, in.Body.Left, in.Body.Right, a)
		out := ChancesJSON{PLeft: make([]*float64, len(chance))}
		for k := range chance {
			if known[k] {
				out.PLeft[k] = &chance[k]
			}
		}
		return out, err
	})
	type wanted struct{ Body WantedJSON }
	op(f, api, http.MethodPost, "/api/model/top", "top", "What somebody likes best", func(ctx context.Context, _ caller, in *wanted) ([]LikedJSON, error) {
		a, err := in.Body.asking()
		if err != nil {
			return nil, err
		}
		top, err := file.Top(ctx, in.Body.Number, in.Body.Without, a)
		out := make([]LikedJSON, len(top))
		for k, x := range top {
			out[k] = LikedJSON{k + 1, x.Item, x.Score, x.SD}
		}
		return out, err
	})
	type near struct{ Body NearJSON }
	op(f, api, http.MethodPost, "/api/model/neighbours", "neighbours", "Items, or voters, that are alike in taste", func(ctx context.Context, _ caller, in *near) ([]AlikeJSON, error) {
		a, err := in.Body.asking()
		if err != nil {
			return nil, err
		}
		found, err := file.Neighbours(ctx, in.Body.Number, in.Body.Item, a)
		out := make([]AlikeJSON, len(found))
		for k, x := range found {
			out[k] = AlikeJSON{k + 1, x.Name, x.Alike, x.SD}
		}
		return out, err
	})
}
