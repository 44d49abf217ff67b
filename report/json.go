package report

import (
	"encoding/json"
	"io"

	"palate/model"
)

// number is shown in JSON with the given decimals.
func number(x float64, decimals int) *json.Number {
	n := json.Number(fixed(x, decimals))
	return &n
}

type jsonBoard struct {
	Level  json.Number `json:"level"`
	Scale  string      `json:"scale"` // noise or elo
	Top    int         `json:"top"`   // k of p_top
	Draws  int         `json:"draws"`
	ESS    json.Number `json:"ess"`
	Mended bool        `json:"mended"`
	Coins  json.Number `json:"coins"` // probability that votes tell no more than coins
	Fit    *jsonFit    `json:"fit,omitempty"`
	Since  string      `json:"since,omitempty"` // what moved is seen from
	Groups int         `json:"groups"`
	Rows   []jsonRow   `json:"rows"`
}

type jsonFit struct {
	Model     string         `json:"model"`
	Rule      string         `json:"rule,omitempty"`
	Noise     string         `json:"likelihood"`
	Threshold *json.Number   `json:"tie_threshold,omitempty"`
	Items     int            `json:"items"`
	Features  int            `json:"features"`
	Votes     json.Number    `json:"votes"`
	Ties      *json.Number   `json:"ties,omitempty"`
	Skips     *int           `json:"skips,omitempty"`
	Voters    *int           `json:"voters,omitempty"`
	Objective *json.Number   `json:"objective"`
	Kind      string         `json:"objective_kind"`
	Status    string         `json:"status"`
	Segments  []*json.Number `json:"segments,omitempty"` // probability of one, two and more
	Effects   []jsonEffect   `json:"effects,omitempty"`
}

// jsonRow has null where there is nothing to say.
type jsonRow struct {
	Rank   *int         `json:"rank"`
	Item   string       `json:"item"`
	Score  *json.Number `json:"score"`
	SD     *json.Number `json:"sd"`
	Lo     *json.Number `json:"lo"`
	Hi     *json.Number `json:"hi"`
	RankLo *int         `json:"rank_lo"`
	RankHi *int         `json:"rank_hi"`
	PBest  *json.Number `json:"p_best"`
	Tier   *int         `json:"tier"`
	Votes  json.Number  `json:"votes"`
	PTop   *json.Number `json:"p_top"`
	Group  int          `json:"group"`
	Moved  *jsonMoved   `json:"moved,omitempty"`
}

// JSON writes a board as one object.
func JSON(w io.Writer, b *model.Board, o Options) error {
	s := o.scale()
	out := jsonBoard{
		Level: json.Number(amount(b.Level)), Scale: s.name, Top: b.Top,
		Draws: b.Draws, ESS: json.Number(fixed(b.ESS, 0)), Mended: b.Mended, Coins: json.Number(fixed(b.Coins, 3)),
		Groups: len(b.Groups), Rows: []jsonRow{},
	}
	if f := o.Fit; f != nil {
		out.Fit = &jsonFit{
			Model: f.Model, Rule: f.Rule, Noise: f.Likelihood.String(), Items: f.Items, Features: f.Features, Votes: json.Number(amount(f.Votes)),
			Objective: number(f.Objective, 3), Kind: f.Kind, Status: f.Status,
			Effects: jsonEffects(f.Effects, b.Level, s),
		}
		for _, p := range f.Segments {
			out.Fit.Segments = append(out.Fit.Segments, figure(p))
		}
		if f.Counted {
			ties := json.Number(amount(f.Ties))
			out.Fit.Ties, out.Fit.Skips, out.Fit.Voters = &ties, &f.Skips, &f.Voters
		}
		if f.Threshold > 0 {
			out.Fit.Threshold = number(f.Threshold, 3)
		}
	}
	for k, g := range b.Groups {
		for _, r := range o.shown(g) {
			row := jsonRow{Item: r.ID, Votes: json.Number(amount(r.Votes)), Group: k + 1}
			if ranked(g) {
				score := func(x float64) *json.Number { return number(x, s.decimals+1) }
				row.Rank, row.RankLo, row.RankHi, row.Tier = &r.Rank, &r.RankLo, &r.RankHi, &r.Tier
				row.Score, row.SD, row.Lo, row.Hi = score(s.at(r.Score)), score(s.factor*r.SD), score(s.at(r.Lo)), score(s.at(r.Hi))
				row.PBest, row.PTop = number(r.PBest, 3), number(r.PTop, 3)
			}
			if o.Moves != nil {
				out.Since, row.Moved = o.Moves.Since, moveJSON(o.Moves, r.Item, s)
			}
			out.Rows = append(out.Rows, row)
		}
	}
	return indented(w, out)
}
