package server

import (
	"context"
	"slices"

	"palate/store"
)

// Duplicate makes another board of the same items that are in, settings and rules, but
// for its dates; without votes, voters and further owners.
func (s *Service) Duplicate(ctx context.Context, board string) (Created, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return Created{}, err
	}
	l.mu.RLock()
	b, old := l.about, l.items
	l.mu.RUnlock()
	if b.Space != nil { // the points of its first question
		old = slices.Clone(old[:2])
		old[0].Excluded, old[1].Excluded = "", ""
	}
	b.ID, b.Created, b.Closed, b.Password = token(8), now(), false, ""
	b.Rules = store.Rules{Quota: b.Rules.Quota, WhenSettled: b.Rules.WhenSettled, Hidden: b.Rules.Hidden, Comments: b.Rules.Comments, Proposals: b.Rules.Proposals}
	secret := token(20)
	b.OwnerHash = hashed(secret)
	var items []store.Item
	for _, i := range old {
		if i.Excluded != "" {
			continue
		}
		if i.Media != "" {
			m, err := s.store.Media(ctx, board, i.Media)
			if err != nil {
				return Created{}, err
			}
			m.Board = b.ID
			if err := s.store.PutMedia(ctx, m); err != nil {
				return Created{}, err
			}
		}
		i.Board, i.Created = b.ID, b.Created
		items = append(items, i)
	}
	if len(items) < 2 {
		return Created{}, invalid("it takes two items to compare")
	}
	if err := s.store.CreateBoard(ctx, b, items, store.Action{Actor: "owner", Verb: "create", Object: board, Time: b.Created}); err != nil {
		return Created{}, err
	}
	s.log.Info("board duplicated", "board", b.ID, "of", board, "items", len(items))
	return Created{Board: b, Secret: secret}, nil
}
