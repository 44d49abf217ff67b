package server

import (
	"context"

	"palate/store"
)

// Comment is why a voter answered so, as the owner sees it.
type Comment struct {
	store.Comment
	LeftID, RightID string
	// Of several items, see Record.
	Items  []string
	Places [][]string
}

// Comments returns the last so many comments on votes that stand, the last first.
func (s *Service) Comments(ctx context.Context, board string, most int) ([]Comment, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	var all []Comment
	err = s.eachComment(ctx, board, func(c store.Comment) {
		l.mu.RLock()
		defer l.mu.RUnlock()
		if l.ended[c.Seq] == 0 && l.people[c.Voter].Excluded == "" {
			_, items, places := placesOf(c.Set, l.name)
			all = append(all, Comment{c, l.name(c.Left), l.name(c.Right), items, places})
		}
	})
	last := make([]Comment, 0, min(most, len(all)))
	for k := len(all) - 1; k >= 0 && len(last) < most; k-- {
		last = append(last, all[k])
	}
	return last, err
}

// eachComment goes through the comments of a board.
func (s *Service) eachComment(ctx context.Context, board string, each func(store.Comment)) error {
	for after := int64(0); ; {
		some, err := s.store.Comments(ctx, board, after, page)
		if err != nil {
			return err
		}
		for _, c := range some {
			each(c)
			after = c.Seq
		}
		if len(some) < page {
			return nil
		}
	}
}

// commentsOf returns the comments of a board by the Seq of their vote.
func (s *Service) commentsOf(ctx context.Context, board string) (map[int64]string, error) {
	all := map[int64]string{}
	return all, s.eachComment(ctx, board, func(c store.Comment) { all[c.Seq] = c.Text })
}
