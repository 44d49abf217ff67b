package server

import (
	"context"
	"fmt"
	"sync"

	"palate/model"
)

// prepared are neighbours that are prepared when they are asked for first.
type prepared struct {
	mu   sync.Mutex
	near *model.Neighbours
}

// get prepares them, whoever goes away meanwhile: the next request wants them, too.
func (p *prepared) get(ctx context.Context, m model.Model, prepare func(context.Context, model.Model, uint64) (*model.Neighbours, error)) (*model.Neighbours, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.near == nil {
		near, err := prepare(context.WithoutCancel(ctx), m, 0)
		if err != nil {
			return nil, fmt.Errorf("server: %w: %w", ErrInvalid, err)
		}
		p.near = near
	}
	return p.near, nil
}

// Alike is an item, or a voter, that is like another.
type Alike struct {
	Name      string
	Alike, SD float64
}

// Neighbours returns the n items nearest to an item or, where none is named, the n voters
// nearest to a voter or to somebody new who has cast a few votes.
func (f *ModelFile) Neighbours(ctx context.Context, n int, item string, a Asking) ([]Alike, error) {
	m := f.now.Load()
	var found []model.Neighbour
	name := m.ItemID
	switch given := item != ""; {
	case n < 1:
		return nil, fmt.Errorf("server: %w: the nearest %d", ErrInvalid, n)
	case given == (a.Voter != "" || len(a.Votes) > 0):
		return nil, fmt.Errorf("server: %w: the neighbours of an item, of a voter, or of somebody new by votes", ErrInvalid)
	case given:
		i, err := m.Item(item)
		if err != nil {
			return nil, fmt.Errorf("server: %w: %w", ErrInvalid, err)
		}
		near, err := m.items.get(ctx, m.Model, model.ItemNeighbours)
		if err != nil {
			return nil, err
		}
		all, err := near.Of(ctx, []int{i}, n)
		if err != nil {
			return nil, err
		}
		found = all[0]
	default:
		who, err := f.newcomer(m, a)
		if err != nil {
			return nil, err
		}
		near, err := m.voters.get(ctx, m.Model, model.VoterNeighbours)
		if err != nil {
			return nil, err
		}
		name = m.UserID
		if who != nil {
			found, err = near.OfNewcomer(ctx, who, n, 0)
		} else {
			var u int
			if u, err = m.User(a.Voter); err != nil {
				return nil, fmt.Errorf("server: %w: %w", ErrInvalid, err)
			}
			var all [][]model.Neighbour
			if all, err = near.Of(ctx, []int{u}, n); err == nil {
				found = all[0]
			}
		}
		if err != nil {
			return nil, err
		}
	}
	out := make([]Alike, len(found))
	for k, x := range found {
		out[k] = Alike{name(x.Index), x.Alike, x.SD}
	}
	return out, nil
}
