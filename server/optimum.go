package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"palate/store"
	"palate/tune"
)

// optimumGoal is the goal of a board of a space.
const optimumGoal = "optimum"

// Optimum is where the search of a board of a space stands.
type Optimum struct {
	Space *tune.Space
	// Standing is that of the last fit; nil before the first.
	*tune.Standing
	Best store.Item // the best point as voters would see it
	// Yours, of a voter's own best point, is how it compares to that voter with the best of all;
	// else nil.
	Yours *tune.Comparison
	// Path is how the best point moved, the last step last.
	Path []tune.Step
	// Votes counts the answers that bear on it, Skips the rest; Voters those who gave them.
	Votes, Skips, Voters int
	Seq                  int64     // the last vote that the board knows of
	Fitted               time.Time // when the last fit ended, zero when there was none yet
	Pending              int       // answers since
}

// Best says where the search of a board of a space stands, for all voters or for one, whose own
// taste is told from what all have in common.
func (s *Service) Best(ctx context.Context, board string, v View) (*Optimum, error) {
	o, err := s.best(ctx, board)
	if err != nil || v == (View{}) {
		return o, err
	}
	if v.Group != "" {
		return nil, invalid("a board of a space has no best point of a group")
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	if err := s.known(ctx, l, v.Voter); err != nil {
		return nil, err
	}
	return keep(ctx, s, l, l.tuned.own.of(v), viewAge, func() (*Optimum, error) { return s.ownBest(l, v.Voter) })
}

// ownBest is the best point of one voter.
func (s *Service) ownBest(l *live, voter string) (*Optimum, error) {
	o, err := s.best(s.ctx, l.id)
	if err != nil || o.Standing == nil {
		return o, err
	}
	l.mu.RLock()
	search, ballot := *l.tuned.search, l.ballots[voter]
	o.Votes, o.Skips, o.Voters = 0, 0, 1
	if ballot != nil {
		o.Votes, o.Skips = ballot.votes, ballot.skips
	}
	l.mu.RUnlock()
	s.slow(folding)
	all := o.Standing.Best
	search.Voter = voter
	if o.Standing, err = search.Standing(s.ctx, nil); err != nil {
		return nil, err
	}
	yours, err := search.Compare(s.ctx, o.Standing.Best, all)
	o.Best, o.Yours, o.Path = l.shown(o.Standing.Best), &yours, nil
	return o, err
}

// best is that of all voters.
func (s *Service) best(ctx context.Context, board string) (*Optimum, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.space == nil {
		return nil, invalid("this board ranks a list of items: there is no space to search")
	}
	o := &Optimum{Space: l.space, Standing: l.tuned.standing, Path: l.tuned.path, Seq: l.seq, Fitted: l.fitted, Pending: l.pending}
	for voter, b := range l.ballots {
		if l.people[voter].Excluded != "" {
			continue
		}
		o.Votes, o.Skips = o.Votes+b.votes, o.Skips+b.skips
		if b.votes > 0 {
			o.Voters++
		}
	}
	if st := o.Standing; st != nil {
		o.Best = l.shown(st.Best)
	}
	return o, nil
}

// Goal says how far a board is: its leaderboard, which of a board of a space is one without
// rows.
func (s *Service) Goal(ctx context.Context, board string) (*Leaderboard, error) {
	o, err := s.best(ctx, board)
	if errors.Is(err, ErrInvalid) {
		return s.Leaderboard(ctx, board, View{})
	}
	if err != nil {
		return nil, err
	}
	return &Leaderboard{Votes: o.Votes, Skips: o.Skips, Voters: o.Voters, Seq: o.Seq, Fitted: o.Fitted, Pending: o.Pending, Progress: o.Progress()}, nil
}

// shown is a point as voters see it, whether it was tried or not.
func (l *live) shown(x tune.Point) store.Item {
	n := pointItem(l.space, l.about.Space, x)
	i := store.Item{Board: l.id, Number: -1, ID: l.space.Describe(x), Kind: n.Kind, Body: n.Body, URL: n.URL, Features: x}
	i.Kind = cmp.Or(i.Kind, store.Text)
	return i
}

// Progress says how far the search is: at 1 the best there is could not be told from the best
// point.
func (o *Optimum) Progress() Progress {
	p := Progress{Goal: optimumGoal, Level: 1, Says: "Nothing was answered yet."}
	if st := o.Standing; st != nil {
		p.Settled, p.Done = min(1, max(0, 2*(1-st.Ideal))), st.Enough
		p.Says = fmt.Sprintf("Further duels should help: the best there is would win %.0f %% of duels against the best point.", 100*st.Ideal)
		if p.Done {
			p.Says = "Further duels will not help much."
		}
	}
	return p
}

// PointOf writes the values of an item that is a point; nil for others.
func (s *Service) PointOf(ctx context.Context, board string, i store.Item) (json.RawMessage, error) {
	l, err := s.board(ctx, board)
	if err != nil || l.space == nil {
		return nil, err
	}
	return l.space.WritePoint(i.Features), nil
}

// told returns the items of a duel that a program tells of, by their values.
func (s *Service) told(ctx context.Context, l *live, points [2]json.RawMessage) (left, right string, err error) {
	l.mu.RLock()
	closed, full := l.about.ClosedAt(time.Now()), l.duelsLeft() == 0
	l.mu.RUnlock()
	switch {
	case l.space == nil:
		return "", "", invalid("this board ranks a list of items: there is no space for points")
	case closed:
		return "", "", fmt.Errorf("server: %w", ErrClosed)
	case full:
		return "", "", fmt.Errorf("server: %w", ErrFull)
	}
	both := make([]tune.Point, 2)
	for k, side := range []string{"left", "right"} {
		if both[k], err = l.space.ReadPoint(points[k]); err != nil {
			return "", "", invalid("%s: %v", side, err)
		}
	}
	if slices.Equal(both[0], both[1]) {
		return "", "", invalid("a point against itself")
	}
	numbers, err := s.pointNumbers(ctx, l, both)
	if err != nil {
		return "", "", err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.items[numbers[0]].ID, l.items[numbers[1]].ID, nil
}

// writeDuels writes the answers of a board of a space as `palate tune` keeps them.
func (m *moment) writeDuels(w io.Writer) error {
	if m.space == nil {
		return invalid("this board ranks a list of items: its votes are no duels of a space")
	}
	return m.space.WriteLog(w, m.duels())
}

// isDuels reports whether a file is one of `palate tune`.
func isDuels(head []byte) bool {
	head = bytes.TrimSpace(head)
	return bytes.HasPrefix(head, []byte(`{"space"`))
}

// readDuels reads the file of a search into votes, and who gave them; points that the board does
// not have are added.
func (s *Service) readDuels(l *live, name string, r io.Reader) (votes []fileVote, voters []string, err error) {
	log, err := l.space.ReadLog(name, r)
	if err != nil {
		return nil, nil, invalid("%v", err)
	}
	switch {
	case len(log.Values) > 0:
		return nil, nil, invalid("%s: it has numbers that points were given, and a board takes duels", name)
	case slices.ContainsFunc(log.Duels, func(d tune.Duel) bool { return d.Group > 0 }):
		return nil, nil, invalid("%s: it has choices among several points, and a board takes duels", name)
	}
	if err := l.takes(name, len(log.Duels)); err != nil {
		return nil, nil, err
	}
	voters = log.Voters()
	if err := checkTexts("the name of a voter", maxPerson, voters...); err != nil {
		return nil, nil, err
	}
	points := make([]tune.Point, 0, 2*len(log.Duels))
	for _, d := range log.Duels {
		points = append(points, d.Left, d.Right)
	}
	numbers, err := s.pointNumbers(s.ctx, l, points)
	if err != nil {
		return nil, nil, err
	}
	for k, d := range log.Duels {
		votes = append(votes, fileVote{left: int32(numbers[2*k]), right: int32(numbers[2*k+1]), voter: int32(slices.Index(voters, d.Voter)), outcome: d.Answer})
	}
	return votes, voters, nil
}
