package server

import (
	"context"
	"io"
	"slices"
	"strings"

	"palate/ingest"
	"palate/store"
)

// Export writes the votes and skips of a board, those taken back and those of
// excluded voters left out: user, left, right, winner and time as `palate rank`
// reads them, and how each pair was chosen. Voters are pseudonyms.
func (s *Service) Export(ctx context.Context, board string, w io.Writer, o ExportOptions) error {
	if o.Format != "" && !slices.Contains(ingest.WriteFormats(), o.Format) {
		return invalid("format %q is not one of %v", o.Format, ingest.WriteFormats())
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	m := l.moment()
	s.slow(exporting)
	names := make([]string, len(m.items))
	for k, i := range m.items {
		names[k] = defused(o.Format, i.ID)
	}
	if o.Log {
		return s.exportLog(ctx, board, w, o.Format, names)
	}
	to, err := ingest.NewSheet(w, o.Format, []string{"user", "left", "right", "winner", "time", "reason", "seconds", "policy", "propensity", "comment"})
	if err != nil {
		return err
	}
	comments, err := s.commentsOf(ctx, board)
	if err != nil {
		return err
	}
	for k := range m.records {
		v := m.vote(k)
		if !m.stands(k) || max(v.Left, v.Right) >= len(names) {
			continue
		}
		winner := ingest.Winner(v.Outcome, names[v.Left], names[v.Right])
		if err := to.Row(v.Voter, names[v.Left], names[v.Right], winner, v.Time, some(defused(o.Format, v.Reason)), v.Response.Seconds(), some(v.Policy), positive(v.Propensity), some(defused(o.Format, comments[v.Seq]))); err != nil {
			return err
		}
	}
	return to.Close()
}

// exportLog writes every record as it is stored.
func (s *Service) exportLog(ctx context.Context, board string, w io.Writer, format string, names []string) error {
	to, err := ingest.NewSheet(w, format, []string{"seq", "undoes", "user", "left", "right", "winner", "time", "reason", "seconds", "policy", "propensity", "comment"})
	if err != nil {
		return err
	}
	comments, err := s.commentsOf(ctx, board)
	if err != nil {
		return err
	}
	for after := int64(0); ; {
		votes, err := s.store.Votes(ctx, board, after, page)
		if err != nil {
			return err
		}
		for _, v := range votes {
			after = v.Seq
			if max(v.Left, v.Right) >= len(names) {
				continue
			}
			var undoes any
			if v.Undoes != 0 {
				undoes = v.Undoes
			}
			if err := to.Row(v.Seq, undoes, v.Voter, names[v.Left], names[v.Right], ingest.Winner(v.Outcome, names[v.Left], names[v.Right]), v.Time, some(defused(format, v.Reason)), v.Response.Seconds(), some(v.Policy), positive(v.Propensity), some(defused(format, comments[v.Seq]))); err != nil {
				return err
			}
		}
		if len(votes) < page {
			return to.Close()
		}
	}
}

// defused returns text that a spreadsheet does not take for a formula: what begins like
// one has an apostrophe before it. Formats with types need none.
func defused(format, text string) string {
	if text != "" && strings.Contains("=+-@\t\r", text[:1]) && slices.Contains([]string{"", "csv", "tsv"}, format) {
		return "'" + text
	}
	return text
}

// some and positive are nil for nothing.
func some(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func positive(x float64) any {
	if x == 0 {
		return nil
	}
	return x
}

// named returns the voter that a program calls by a name, a new one at the
// first time.
func (s *Service) named(ctx context.Context, l *live, name string) (string, error) {
	if name == "" {
		return "", invalid("a voter has a name")
	}
	if err := checkText("the name of a voter", name, maxPerson); err != nil {
		return "", err
	}
	subject := nameSubject(name)
	l.mu.RLock()
	id, known := l.subject[subject]
	l.mu.RUnlock()
	if known {
		return id, nil
	}
	v, err := s.store.AddVoter(ctx, store.Voter{Board: l.id, ID: token(8), Name: name, Subject: subject, Created: now()})
	if err != nil {
		return "", err
	}
	l.meet(v)
	return v.ID, nil
}

// catchBoard takes in what was stored for a board, without waiting for the
// follower.
func (s *Service) catchBoard(ctx context.Context, l *live) error {
	l.mu.RLock()
	after := min(l.seq, s.followed.Load())
	l.mu.RUnlock()
	for {
		votes, err := s.store.Votes(ctx, l.id, after, page)
		if err != nil {
			return err
		}
		few := len(votes) < newsMost
		for _, v := range votes {
			after = v.Seq
			l.mu.Lock() // for each: others want it, too
			l.hear(v, few)
			l.stale = l.stale || !few
			l.mu.Unlock()
		}
		if len(votes) < page {
			break
		}
	}
	s.hub.send(Event{Board: l.id, Kind: Voted})
	return nil
}

// nameSubject is by what a voter is known whom a program named.
func nameSubject(name string) string { return "name:" + lower.EncodeToString(hashed(name)) }
