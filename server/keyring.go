package server

import (
	"context"
	"errors"
	"slices"
	"time"

	"palate/store"
)

// keyring is what a browser remembers of the boards that its owner has been in.
type keyring struct {
	Keys  []key `json:"k"` // the last first
	Until int64 `json:"u"`
}

// key names a board, and by which hash its owner came in.
type key struct {
	Board string `json:"b"`
	Owner string `json:"o"`
}

// keysKept is how many boards a keyring holds: a cookie has room for about 4,000 bytes.
const keysKept = 40

// AsKeeper is the role of a pass that lists boards, and lets nobody in.
const AsKeeper Role = "boards"

// Keep puts the board of an owner's pass among those that a keyring lists.
func (s *Service) Keep(shown Shown, p Pass) Pass {
	var c session
	var ring keyring
	if !s.verify(shown.Passes[AsKeeper], &ring) || time.Now().Unix() > ring.Until {
		ring = keyring{}
	}
	if s.verify(p.Text, &c) {
		ring.Keys = slices.DeleteFunc(ring.Keys, func(k key) bool { return k.Board == c.Board })
		ring.Keys = slices.Insert(ring.Keys, 0, key{c.Board, c.Owner})
		ring.Keys = ring.Keys[:min(len(ring.Keys), keysKept)]
	}
	ring.Until = time.Now().Add(ownersStay).Unix()
	return Pass{Identity{}, AsKeeper, s.sign(ring), ownersStay}
}

// Mine lists the boards of a keyring whose owner its holder still is, the last first.
func (s *Service) Mine(ctx context.Context, shown Shown) ([]store.Board, error) {
	var ring keyring
	if !s.verify(shown.Passes[AsKeeper], &ring) || time.Now().Unix() > ring.Until {
		return nil, nil
	}
	var all []store.Board
	for _, k := range ring.Keys {
		b, err := s.store.Board(ctx, k.Board) // which need not be in memory
		if errors.Is(err, store.ErrNotFound) || err == nil && b.Rules.Gone {
			continue
		}
		if err != nil {
			return nil, err
		}
		hashes := [][]byte{b.OwnerHash, []byte(b.Password)}
		team, err := s.store.Owners(ctx, k.Board)
		if err != nil {
			return nil, err
		}
		for _, o := range team {
			hashes = append(hashes, o.Hash)
		}
		if slices.ContainsFunc(hashes, func(h []byte) bool { return len(h) > 0 && mark(h) == k.Owner }) {
			b.Closed = b.ClosedAt(time.Now())
			all = append(all, b)
		}
	}
	return all, nil
}
