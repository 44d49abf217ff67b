package ui

import (
	"net/http"
	"slices"

	"palate/server"
	"palate/store"
)

// mine is a voter's own page.
type mine struct {
	visit
	Now     *server.Leaderboard
	Rows    []standingRow
	Records []server.Record
	// Proposed are the items that the voter has proposed.
	Proposed []store.Proposal
}

// Paired reports whether some answers are about pairs.
func (m mine) Paired() bool {
	return slices.ContainsFunc(m.Records, func(r server.Record) bool { return r.Items == nil })
}

// me shows a voter's own ranking and votes.
func (p *pages) me(w http.ResponseWriter, r *http.Request) error {
	v, err := p.voter(r, "me")
	if err != nil {
		return err
	}
	m := mine{visit: v}
	if v.SeesBoard() && v.Board.Space == nil {
		if m.Now, err = p.svc.Leaderboard(r.Context(), v.Board.ID, server.View{Voter: v.Who.Voter}); err != nil {
			return err
		}
		m.Rows = ranking(m.Now, &part{Page: 1})
	}
	if m.Proposed, err = p.svc.Proposals(r.Context(), v.Board.ID, v.Who.Voter); err != nil {
		return err
	}
	if m.Records, err = p.svc.Records(r.Context(), v.Board.ID, v.Who.Voter); err != nil {
		return err
	}
	return p.render(w, r, http.StatusOK, "me", m)
}
