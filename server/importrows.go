package server

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"palate"
	"palate/ingest"
	"palate/store"
)

// badRows are those that were passed over.
type badRows struct {
	n     int
	first string
}

// fileVote is a vote of a file: its items by their numbers on the board, its voter by
// the place in the list of voters, −1 when it has none.
type fileVote struct {
	left, right, voter int32
	outcome            palate.Outcome
	time               time.Time
	set                store.Set
}

// reading returns the options that the settings of an import ask for.
func reading(set store.ImportSettings) (o ingest.Options, err error) {
	o.SkipBad, o.TimeFormat = set.SkipBad, set.TimeFormat
	o.MaxPairs = maxAnswer * (maxAnswer - 1) / 2 // all of an answer that is kept as one
	if set.Columns != "" {
		if o.Columns, err = ingest.ParseColumns(set.Columns); err != nil {
			return o, invalid("columns: %v", err)
		}
	}
	if set.TimeFormat != "" {
		if err := ingest.CheckTimeFormat(set.TimeFormat); err != nil {
			return o, invalid("%v", err)
		}
	}
	return o, nil
}

// readImport reads a file and looks its items up. Without SkipBad the first bad row is
// the error.
func (s *Service) readImport(l *live, i store.Import) (votes []fileVote, voters []string, bad badRows, digest string, err error) {
	if err := s.turn(s.ctx); err != nil {
		return nil, nil, bad, "", err
	}
	defer s.turnOver()
	b := palate.NewBuilder()
	opt, err := reading(i.Settings)
	if err != nil {
		return nil, nil, bad, "", err
	}
	sum := sha256.New()
	var lines []int
	file := bufio.NewReader(&parts{ctx: s.ctx, store: s.store, id: i.ID})
	in := io.TeeReader(file, sum)
	if head, err := file.Peek(64); l.space != nil && (err == nil || err == io.EOF) && isDuels(head) {
		votes, voters, err := s.readDuels(l, i.Name, ingest.LimitReader(in, MaxJSONBody))
		return votes, voters, bad, hex.EncodeToString(sum.Sum(nil)[:8]), err
	}
	opt.Each = func(line int, _ palate.Vote) { lines = append(lines, line) }
	ctx, stop := context.WithCancel(s.ctx)
	defer stop()
	many := errors.New("too many votes")
	opt.Sink = func(v palate.Vote) error {
		if len(lines) == MaxVotes {
			stop()
			return many
		}
		return b.Add(v)
	}
	report, err := ingest.Votes(ctx, i.Name, ingest.LimitReader(in, MaxImport), b, opt)
	if err != nil && len(lines) == MaxVotes && s.ctx.Err() == nil {
		return nil, nil, bad, "", invalid("%s: more than %d votes, the pairs of its answers counted: import it in parts", i.Name, MaxVotes)
	}
	if errors.Is(err, store.ErrUnavailable) || s.ctx.Err() != nil {
		return nil, nil, bad, "", cmp.Or(s.ctx.Err(), err)
	}
	if err != nil {
		return nil, nil, bad, "", invalid("%s", strings.ReplaceAll(err.Error(), "--columns", "columns"))
	}
	if _, err := io.Copy(io.Discard, in); err != nil { // what a form did not need to read
		return nil, nil, bad, "", err
	}
	d, err := b.Build()
	if err != nil {
		return nil, nil, bad, "", invalid("%v", err)
	}
	if bad.n = report.Bad; len(report.Examples) > 0 {
		bad.first = report.Examples[0].Error()
	}
	number, unknown := make([]int, d.NumItems()), make([]error, d.NumItems())
	l.mu.RLock()
	for k := range number {
		number[k], unknown[k] = l.numberOf(d.ItemID(k))
	}
	l.mu.RUnlock()
	for u := range d.NumUsers() {
		if err := checkText("the name of a voter", d.UserID(u), maxPerson); err != nil {
			return nil, nil, bad, "", err
		}
		voters = append(voters, d.UserID(u))
	}
	together := answersOf{}
	for k, v := range d.Votes() {
		why := cmp.Or(unknown[v.Left], unknown[v.Right])
		if v.Weight != 1 {
			why = fmt.Errorf("a vote of weight %g; a board counts votes one by one", v.Weight)
		}
		if why != nil {
			if bad.n++; bad.first == "" {
				bad.first = fmt.Sprintf("%s, vote %d: %v", i.Name, k+1, why)
				if k < len(lines) && lines[k] > 0 {
					bad.first = fmt.Sprintf("%s:%d: %v", i.Name, lines[k], why)
				}
			}
			if !i.Settings.SkipBad {
				return nil, nil, bad, "", invalid("%s", bad.first)
			}
			continue
		}
		v.Left, v.Right = number[v.Left], number[v.Right]
		if v.Group != 0 && l.space == nil { // a search reads pairs
			if together.add(len(votes), v) {
				continue
			}
		}
		votes = append(votes, fileVote{int32(v.Left), int32(v.Right), int32(v.User), v.Outcome, v.Time, ""})
	}
	votes = together.settled(votes)
	if err := l.takes(i.Name, len(votes)); err != nil {
		return nil, nil, bad, "", err
	}
	io.WriteString(sum, i.Settings.Columns+i.Settings.TimeFormat) // read in another way it is another file
	return votes, voters, bad, hex.EncodeToString(sum.Sum(nil)[:8]), nil
}

// records turns votes of a file into records, each with a key that is the same when
// the file is read again. Voters that the board does not know are added.
func (s *Service) records(l *live, votes []fileVote, voters []string, first int, digest string, at time.Time) ([]store.Vote, error) {
	id := make(map[int32]string, 16)
	var fresh []store.Voter
	places := map[string]int32{} // by subject
	l.mu.RLock()
	for _, v := range votes {
		if _, met := id[v.voter]; met {
			continue
		}
		who := store.Voter{Board: l.id, ID: nobody, Name: "imported", Subject: nobody, Created: now()}
		if v.voter >= 0 {
			who.ID, who.Name, who.Subject = token(8), voters[v.voter], nameSubject(voters[v.voter])
		}
		if id[v.voter] = l.subject[who.Subject]; id[v.voter] == "" {
			fresh, places[who.Subject] = append(fresh, who), v.voter
		}
	}
	l.mu.RUnlock()
	added, err := s.store.AddVoters(s.ctx, fresh)
	if err != nil {
		return nil, err
	}
	for _, v := range added {
		l.meet(v)
		id[places[v.Subject]] = v.ID
	}
	records := make([]store.Vote, len(votes))
	for k, v := range votes {
		r := store.Vote{
			Board: l.id, Voter: id[v.voter], Key: fmt.Sprintf("file:%s:%d", digest, first+k), Left: int(v.left), Right: int(v.right),
			Outcome: v.outcome, Set: v.set, Policy: imports, Time: at,
		}
		if !v.time.IsZero() {
			r.Time = v.time
		}
		records[k] = r
	}
	return records, nil
}

// parts reads a file that is stored by parts.
type parts struct {
	ctx   context.Context
	store store.Store
	id    string
	next  int
	left  []byte
}

func (p *parts) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		part, err := p.store.Part(p.ctx, p.id, p.next)
		if errors.Is(err, store.ErrNotFound) {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		p.left = part
		p.next++
	}
	n := copy(b, p.left)
	p.left = p.left[n:]
	return n, nil
}
