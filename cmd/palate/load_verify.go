package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"time"

	"palate"
	"palate/ingest"
	"palate/internal/cli"
	"palate/model"
	"palate/server"
	"palate/server/web"
)

// verify reads the votes back and compares them with what was acknowledged. A
// voter is never asked a pair twice, so that a pair that is there twice was
// counted twice.
func (l *load) verify(ctx context.Context, stands []*stand, f *figures) error {
	for k, s := range stands {
		r := newRemote(l.servers[k%len(l.servers)], s.secret)
		if err := s.compare(ctx, r, f); err != nil {
			return err
		}
		if l.kills > 0 {
			d, err := s.difference(ctx, r)
			if err != nil {
				return err
			}
			f.Difference = math.Max(f.Difference, d)
		}
	}
	if l.imports > 0 {
		if err := l.beside.verify(ctx, newRemote(l.servers[0], l.beside.secret), f); err != nil {
			return err
		}
	}
	switch {
	case f.Lost > 0 || f.Twice > 0:
		return fmt.Errorf("%d votes were lost and %d counted twice, of %d", f.Lost, f.Twice, f.Acknowledged)
	case f.Difference > 1e-6:
		return fmt.Errorf("a board differs from a fresh fit of its votes by %g", f.Difference)
	}
	return nil
}

// record is a vote as the log has it.
type record struct {
	Seq                       int64
	User, Left, Right, Winner string
}

// log hands on every vote of a board as it is stored.
func (s *stand) log(ctx context.Context, r *remote, each func(record)) error {
	body, err := r.send(ctx, http.MethodGet, "/api/boards/"+s.board+"/export?log=true&format=jsonl", "", nil)
	if err != nil {
		return err
	}
	defer body.Close()
	in := bufio.NewScanner(body)
	for in.Scan() {
		var v record
		if err := json.Unmarshal(in.Bytes(), &v); err != nil {
			return err
		}
		each(v)
	}
	return in.Err()
}

// compare looks for the votes in the log.
func (s *stand) compare(ctx context.Context, r *remote, f *figures) error {
	there := map[int64]bool{}
	pairs := map[[3]string]bool{}
	err := s.log(ctx, r, func(v record) {
		there[v.Seq] = true
		pair := [3]string{v.User, min(v.Left, v.Right), max(v.Left, v.Right)}
		if pairs[pair] {
			f.Twice++
		}
		pairs[pair] = true
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	f.Acknowledged += len(s.told)
	for seq := range s.told {
		if !there[seq] {
			f.Lost++
		}
	}
	f.Unheard += len(there) - len(s.told)
	return nil
}

// refitted is how long a board may take to be refitted, as one among many may on a machine
// that has other things to do.
const refitted = 20 * time.Minute

// difference waits for a board to be refitted, and compares its scores with
// those of a fit made here, from the votes as they are exported.
func (s *stand) difference(ctx context.Context, r *remote) (float64, error) {
	var b web.LeaderboardJSON
	for until := time.Now().Add(refitted); time.Now().Before(until); {
		if err := r.call(ctx, http.MethodGet, "/api/boards/"+s.board+"/board", nil, &b); err != nil {
			return 0, err
		}
		if b.Pending == 0 {
			break
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return 0, cli.ErrInterrupted
		}
	}
	if b.Pending > 0 {
		return 0, fmt.Errorf("board %s was not refitted within %v", s.board, refitted)
	}
	var items []web.ItemJSON
	if err := r.call(ctx, http.MethodGet, "/api/boards/"+s.board+"/items", nil, &items); err != nil {
		return 0, err
	}
	body, err := r.send(ctx, http.MethodGet, "/api/boards/"+s.board+"/export", "", nil)
	if err != nil {
		return 0, err
	}
	defer body.Close()
	fresh, err := freshBoard(ctx, items, body, b)
	if err != nil {
		return 0, err
	}
	var worst float64
	for _, row := range b.Rows {
		worst = math.Max(worst, math.Abs(row.Score-fresh[row.Item]))
	}
	return worst, nil
}

// freshBoard returns the scores of a fit of exported votes.
func freshBoard(ctx context.Context, items []web.ItemJSON, votes io.Reader, like web.LeaderboardJSON) (map[string]float64, error) {
	b := palate.NewBuilder()
	all := make([]int, len(items))
	for k, i := range items {
		all[k] = b.Item(i.ID)
	}
	if _, err := ingest.Votes(ctx, "export", votes, b, ingest.Options{}); err != nil {
		return nil, err
	}
	d, err := b.Build()
	if err != nil {
		return nil, err
	}
	fit, err := model.FitSingle(ctx, d, nil)
	if err != nil {
		return nil, err
	}
	ranked, err := server.Ranked(ctx, fit)
	if err != nil {
		return nil, err
	}
	scores := map[string]float64{}
	board, err := model.NewBoard(ctx, whole{ranked, all}, -1, &model.BoardOptions{Draws: server.DrawsOf(len(all)), Level: like.Level, Top: like.Top})
	if err != nil {
		return nil, err
	}
	for _, row := range board.Groups[0].Rows {
		scores[row.ID] = row.Score
	}
	return scores, nil
}

// whole puts all items of a model on one list, as the server does.
type whole struct {
	model.Predictor
	items []int
}

func (w whole) Groups() [][]int { return [][]int{w.items} }
