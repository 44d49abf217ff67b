package server

import (
	"cmp"
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"palate"
	"palate/model"
)

// ModelOptions are the settings of a ModelFile; the zero value is useful.
type ModelOptions struct {
	Log *slog.Logger // nil: slog.Default
	// Tokens are those of which every request must have one; empty: anybody may ask.
	Tokens []string
	// RequestsPerMinute is how many requests one address may make; 0 stands for 3000,
	// and −1 for no limit.
	RequestsPerMinute int
	// Every is how often the file is looked at; 0 stands for a second.
	Every time.Duration
}

// ModelFile answers from a model file alone, without a store: it is only read. When another
// file is put in its place, that one answers from then on; one that cannot be read changes
// nothing.
type ModelFile struct {
	path    string
	options ModelOptions
	tokens  [][]byte
	limits  *limiter
	now     atomic.Pointer[readModel]
	tried   os.FileInfo // of the file that was read or refused last
	says    string      // why it was refused
}

// readModel is a model since it was read.
type readModel struct {
	model.Model
	since         time.Time
	voters, items prepared
}

// OpenModel reads a model file.
func OpenModel(ctx context.Context, path string, o ModelOptions) (*ModelFile, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.RequestsPerMinute = cmp.Or(o.RequestsPerMinute, 3000)
	o.Every = cmp.Or(o.Every, time.Second)
	f := &ModelFile{path: path, options: o, limits: newLimiter(o.RequestsPerMinute)}
	for _, t := range o.Tokens {
		f.tokens = append(f.tokens, hashed(t))
	}
	_, err := f.look(ctx)
	return f, err
}

// comparedAhead is how many items of a model are compared with each other before anybody asks.
const comparedAhead = 100

// look reads the file if it is another than last time, and reports whether it was.
func (f *ModelFile) look(ctx context.Context) (bool, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return false, err
	}
	if last := f.tried; last != nil && os.SameFile(last, info) && last.Size() == info.Size() && last.ModTime().Equal(info.ModTime()) {
		return false, nil
	}
	m, err := f.read(ctx, info)
	if broken := (*fs.PathError)(nil); !errors.As(err, &broken) { // else it may be read yet
		f.tried = info
	}
	if err != nil {
		return false, err
	}
	f.now.Store(&readModel{Model: m, since: time.Now()})
	return true, nil
}

// read reads the file. What is found when it is first asked for is found before anybody asks.
// A file may be made to do harm: a panic is its error.
func (f *ModelFile) read(ctx context.Context, info os.FileInfo) (m model.Model, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("server: %s holds no model that can be used: %.200v", f.path, p)
		}
	}()
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("server: %s is not a file", f.path)
	}
	if m, err = model.Open(f.path); err != nil {
		return nil, err
	}
	var left, right []int
	some := m.Groups()[0]
	some = some[:min(len(some), comparedAhead)]
	for _, i := range some {
		for _, j := range some {
			if i != j {
				left, right = append(left, i), append(right, j)
			}
		}
	}
	_, err = model.PreferAll(ctx, m, -1, left, right)
	return m, err
}

// Watch takes the file's place as its contents change, until ctx ends. What is wrong with a
// file is said once.
func (f *ModelFile) Watch(ctx context.Context) {
	tick := time.NewTicker(f.options.Every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		fresh, err := f.look(ctx)
		says := ""
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if says = err.Error(); says != f.says {
				f.options.Log.Error("the model stays as it was", "error", err)
			}
		case fresh:
			f.options.Log.Info("another model", "file", f.path, "items", f.now.Load().NumItems())
		}
		f.says = says
	}
}

// Allow says why a request from an address is one too many.
func (f *ModelFile) Allow(address string) error {
	if !f.limits.allow(address, time.Now()) {
		return fmt.Errorf("server: %w: more than %d a minute", ErrTooMany, f.options.RequestsPerMinute)
	}
	return nil
}

// Admits says why whoever shows a token may not ask.
func (f *ModelFile) Admits(token string) error {
	if len(f.tokens) == 0 {
		return nil
	}
	hash, found := hashed(token), 0
	for _, t := range f.tokens {
		found |= subtle.ConstantTimeCompare(t, hash)
	}
	if token == "" || found == 0 {
		return fmt.Errorf("server: %w: it takes a token", ErrForbidden)
	}
	return nil
}

// About is what is known of the model that answers.
type About struct {
	Model         string
	Items, Voters int
	Since         time.Time // when it was read
}

// About describes the model.
func (f *ModelFile) About() About {
	m := f.now.Load()
	return About{m.Name(), m.NumItems(), m.NumUsers(), m.since}
}

// Ballot is a vote of somebody new.
type Ballot struct {
	Left, Right string
	Outcome     palate.Outcome
}

// Asking says for whom something is asked: for a voter by name, for somebody new who has
// cast a few votes, or, with neither, for somebody of whom nothing is known.
type Asking struct {
	Voter string
	Votes []Ballot
}

// asker returns who answers for whom, and the number of the voter.
func (f *ModelFile) asker(m *readModel, a Asking) (model.Predictor, int, error) {
	who, err := f.newcomer(m, a)
	if err != nil {
		return nil, 0, err
	}
	if who != nil {
		return who.Alone(), -1, nil
	}
	user := -1
	if a.Voter != "" {
		if user, err = m.User(a.Voter); err != nil {
			return nil, 0, fmt.Errorf("server: %w: %w", ErrInvalid, err)
		}
	}
	return m.Model, user, nil
}

// newcomer takes in somebody new by their votes; nil when there are none.
func (f *ModelFile) newcomer(m *readModel, a Asking) (model.Newcomer, error) {
	if len(a.Votes) == 0 {
		return nil, nil
	}
	door, ok := m.Model.(model.Welcomer)
	switch {
	case a.Voter != "":
		return nil, fmt.Errorf("server: %w: either a voter or votes of somebody new", ErrInvalid)
	case !ok:
		return nil, fmt.Errorf("server: %w: a %s model answers everybody alike", ErrInvalid, m.Name())
	}
	votes := make([]palate.Vote, len(a.Votes))
	for k, b := range a.Votes {
		left, err := m.Item(b.Left)
		if err != nil {
			return nil, fmt.Errorf("server: %w: vote %d: %w", ErrInvalid, k+1, err)
		}
		right, err := m.Item(b.Right)
		if err != nil {
			return nil, fmt.Errorf("server: %w: vote %d: %w", ErrInvalid, k+1, err)
		}
		if left == right {
			return nil, fmt.Errorf("server: %w: vote %d: %q against itself", ErrInvalid, k+1, b.Left)
		}
		votes[k] = palate.Vote{Left: left, Right: right, Outcome: b.Outcome}
	}
	who, err := door.FoldIn(votes, nil)
	if err != nil {
		return nil, fmt.Errorf("server: %w: %w", ErrInvalid, err)
	}
	return who, nil
}

// Predict returns the chance that each left item wins against the right one, and whether
// that is known: not of items that the model does not have, nor of those that nothing
// connects.
func (f *ModelFile) Predict(ctx context.Context, left, right []string, a Asking) (chance []float64, known []bool, err error) {
	if len(left) != len(right) {
		return nil, nil, fmt.Errorf("server: %w: %d left items and %d right ones", ErrInvalid, len(left), len(right))
	}
	m := f.now.Load()
	p, user, err := f.asker(m, a)
	if err != nil {
		return nil, nil, err
	}
	chance, known = make([]float64, len(left)), make([]bool, len(left))
	var of, lefts, rights []int // the pairs that are known
	for k := range left {
		l, errL := m.Item(left[k])
		r, errR := m.Item(right[k])
		if errL == nil && errR == nil && l != r && m.Comparable(l, r) {
			known[k] = true
			of, lefts, rights = append(of, k), append(lefts, l), append(rights, r)
		}
	}
	found, err := model.PreferAll(ctx, p, user, lefts, rights)
	if err != nil {
		return nil, nil, err
	}
	for j, k := range of {
		chance[k] = found[j]
	}
	return chance, known, nil
}

// Liked is an item that somebody likes.
type Liked struct {
	Item      string
	Score, SD float64
}

// Top returns the n items that somebody likes best, without those that are named.
func (f *ModelFile) Top(ctx context.Context, n int, without []string, a Asking) ([]Liked, error) {
	if n < 1 {
		return nil, fmt.Errorf("server: %w: the best %d items", ErrInvalid, n)
	}
	m := f.now.Load()
	p, user, err := f.asker(m, a)
	if err != nil {
		return nil, err
	}
	out := map[int]bool{}
	for _, id := range without {
		if i, err := m.Item(id); err == nil {
			out[i] = true
		}
	}
	top, err := model.Top(ctx, p, user, n, func(item int) bool { return out[item] })
	if err != nil {
		return nil, err
	}
	liked := make([]Liked, len(top))
	for k, x := range top {
		liked[k] = Liked{m.ItemID(x.Item), x.Score, x.SD}
	}
	return liked, nil
}
