package main

import (
	"fmt"
	"slices"

	"palate/internal/wording"
)

// mention is an item, or a voter, that a flag names.
type mention struct {
	flag, id string
	voter    bool
}

// in returns the number of what is named among the items and voters of votes or of a model, or says that it is not there.
func (m mention) in(k interface {
	NumItems() int
	ItemID(i int) string
	NumUsers() int
	UserID(u int) string
}) (int, error) {
	n, id, missing := k.NumItems(), k.ItemID, "no vote is about this item"
	if m.voter {
		n, id, missing = k.NumUsers(), k.UserID, "no vote is by this voter"
	}
	all := make([]string, n)
	for i := range all {
		if all[i] = id(i); all[i] == m.id {
			return i, nil
		}
	}
	return 0, fmt.Errorf("%s %s: %s%s", m.flag, m.id, missing, wording.DidYouMean(m.id, slices.Values(all)))
}

// named are those of the flags of a board.
func (b *boarding) named() (all []mention) {
	if b.user != "" {
		all = append(all, mention{"--user", b.user, true})
	}
	if id, _, _ := b.anchored(); id != "" {
		all = append(all, mention{flag: "--anchor", id: id})
	}
	return all
}

// findAll says which of the items and voters that flags name are not in the votes.
func (s *settings) findAll(v *voteData) error {
	for _, m := range s.mentions {
		if m.voter && v.data.NumUsers() == 0 {
			continue // no model will do, which the choice of one says
		}
		if _, err := m.in(v.data); err != nil {
			return err
		}
	}
	return nil
}
