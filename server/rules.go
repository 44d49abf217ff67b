package server

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"palate/store"
)

// Edit changes a board's title and question; of what is empty the title stays, and the
// question is DefaultQuestion.
func (s *Service) Edit(ctx context.Context, board, actor, title, question string) error {
	title, question = strings.TrimSpace(title), cmp.Or(strings.TrimSpace(question), DefaultQuestion)
	if err := cmp.Or(in("title", checkText("the title", title, maxTitle)), in("question", checkText("the question", question, maxPrompt))); err != nil {
		return err
	}
	return s.change(ctx, board, actor, "edit", func(b *store.Board) {
		b.Title, b.Question = cmp.Or(title, b.Title), question
	})
}

// SetRules changes what voters may do, and until when. A date that is past closes the
// board.
func (s *Service) SetRules(ctx context.Context, board, actor string, r store.Rules) error {
	if r.Quota < 0 || r.Quota > MaxQuota {
		return invalid("a quota of %d votes; 0, for none, to %d", r.Quota, MaxQuota)
	}
	if y := r.Closes.Year(); !r.Closes.IsZero() && (y < 2000 || y > 9000) {
		return invalid("the year %d is not a date to close at", y)
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	l.mu.RLock()
	features := len(l.about.Features) > 0
	l.mu.RUnlock()
	if r.Proposals && features {
		return invalid("items of this board have features, which proposals have none of")
	}
	r.Closes = r.Closes.UTC().Truncate(time.Second)
	return s.change(ctx, board, actor, "rules", func(b *store.Board) {
		r.Deleted, r.Gone = b.Rules.Deleted, b.Rules.Gone
		b.Rules = r
	})
}

// asks says why a voter is asked nothing more.
func (l *live) asks(voter string) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.people[voter].Excluded != "" {
		return fmt.Errorf("server: %w", ErrExcluded)
	}
	if b, most := l.ballots[voter], l.about.Rules.Quota; most > 0 && b != nil && b.votes >= most && !l.about.ClosedAt(time.Now()) {
		return fmt.Errorf("server: %w", ErrQuota)
	}
	return nil
}
