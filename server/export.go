package server

import (
	"context"
	"io"
	"slices"
	"strings"

	"palate"
	"palate/ingest"
	"palate/store"
)

// ExportOptions say what to export.
type ExportOptions struct {
	// Format is one of ingest.WriteFormats; empty: csv.
	Format string
	// Log exports every record as it is, undone votes and excluded voters too, in
	// place of what counts.
	Log bool
}

// Duels is the format of exports that `palate tune` reads, of a board of a space.
const Duels = "duels"

// Export writes the votes and skips of a board, those taken back and those of
// excluded voters left out: user, left, right, winner and time as `palate rank`
// reads them, and how each pair was chosen. An answer about several items is the rows
// that follow from it, which share a ballot. Voters are pseudonyms.
func (s *Service) Export(ctx context.Context, board string, w io.Writer, o ExportOptions) error {
	if o.Format != "" && o.Format != Duels && !slices.Contains(ingest.WriteFormats(), o.Format) {
		return invalid("format %q is not one of %v, and duels of a board of a space", o.Format, ingest.WriteFormats())
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	m := l.moment()
	s.slow(exporting)
	if o.Format == Duels {
		return m.writeDuels(w)
	}
	comments, err := s.commentsOf(ctx, board)
	if err != nil {
		return err
	}
	to, err := newSheet(w, o, m.items, comments, len(m.sets) > 0)
	if err != nil {
		return err
	}
	if o.Log {
		return s.exportLog(ctx, board, to)
	}
	for k := range m.records {
		if !m.stands(k) {
			continue
		}
		if err := to.write(m.vote(k)); err != nil {
			return err
		}
	}
	return to.Close()
}

// sheet is an export under way.
type sheet struct {
	*ingest.Sheet
	format   string
	log      bool     // every record, with its number
	ballots  bool     // there are answers about several items
	names    []string // of items
	items    []store.Item
	comments map[int64]string
}

func newSheet(w io.Writer, o ExportOptions, items []store.Item, comments map[int64]string, ballots bool) (*sheet, error) {
	t := &sheet{format: o.Format, log: o.Log, ballots: ballots, items: items, comments: comments}
	for _, i := range items {
		t.names = append(t.names, defused(o.Format, i.ID))
	}
	head := []string{"user", "left", "right", "winner", "time", "reason", "seconds", "policy", "propensity", "comment"}
	if o.Log {
		head = append([]string{"seq", "undoes"}, head...)
	}
	if ballots {
		head = append(head, "ballot")
	}
	var err error
	t.Sheet, err = ingest.NewSheet(w, o.Format, head)
	return t, err
}

// write writes a vote. Of one about several items the rows are its comparisons of items that
// are in, or what was skipped; what it has once is in the first.
func (t *sheet) write(v store.Vote) error {
	if max(v.Left, v.Right) >= len(t.names) {
		return nil
	}
	if v.Set == "" {
		return t.row(v, v.Left, v.Right, v.Outcome, nil, true)
	}
	pairs := setVotes(v.Set, t.items)
	if v.Outcome == palate.Skip {
		_, items, _ := v.Set.Parts()
		for _, i := range items[1:] {
			if max(items[0], i) < len(t.names) {
				pairs = append(pairs, palate.Vote{Left: items[0], Right: i, Outcome: palate.Skip})
			}
		}
	}
	for k, p := range pairs {
		if err := t.row(v, p.Left, p.Right, p.Outcome, v.Seq, k == 0); err != nil {
			return err
		}
	}
	return nil
}

// row writes one comparison of a vote.
func (t *sheet) row(v store.Vote, left, right int, o palate.Outcome, ballot any, first bool) error {
	cells := []any{v.Voter, t.names[left], t.names[right], ingest.Winner(o, t.names[left], t.names[right]), v.Time, nil, nil, nil, nil, nil}
	if first {
		copy(cells[5:], []any{some(defused(t.format, v.Reason)), v.Response.Seconds(), some(v.Policy), positive(v.Propensity), some(defused(t.format, t.comments[v.Seq]))})
	}
	if t.log {
		var undoes any
		if v.Undoes != 0 {
			undoes = v.Undoes
		}
		cells = append([]any{v.Seq, undoes}, cells...)
	}
	if t.ballots {
		cells = append(cells, ballot)
	}
	return t.Row(cells...)
}

// exportLog writes every record as it is stored.
func (s *Service) exportLog(ctx context.Context, board string, to *sheet) error {
	for after := int64(0); ; {
		votes, err := s.store.Votes(ctx, board, after, page)
		if err != nil {
			return err
		}
		for _, v := range votes {
			after = v.Seq
			if err := to.write(v); err != nil {
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
