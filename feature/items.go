package feature

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"palate"
	"palate/ingest"
	"palate/internal/wording"
)

// ErrNoVote is behind the Error of a table's row that no vote names, under
// Options.KnownOnly.
var ErrNoVote = errors.New("no vote names it")

// Items reads a table of items (id and feature columns) into b, after the votes. Every item the votes name
// must have a row. Rows for other items add them as new ones, to be predicted from their features. A table with
// no column but id adds items without features.
func Items(ctx context.Context, name string, r io.Reader, b *palate.Builder, opt Options) (*Encoder, error) {
	t, err := ingest.ReadTable(ctx, name, r)
	if err != nil {
		return nil, err
	}
	return TableItems(ctx, t, b, opt)
}

// TableItems does with a table what Items does with its file.
func TableItems(ctx context.Context, t *ingest.Table, b *palate.Builder, opt Options) (*Encoder, error) {
	return attach(ctx, t, opt, subject{"item", b.NumItems, b.ItemID, b.Item, b.SetItemFeatures})
}

// Users does for users what Items does for items.
func Users(ctx context.Context, name string, r io.Reader, b *palate.Builder, opt Options) (*Encoder, error) {
	t, err := ingest.ReadTable(ctx, name, r)
	if err != nil {
		return nil, err
	}
	return attach(ctx, t, opt, subject{"user", b.NumUsers, b.UserID, b.User, b.SetUserFeatures})
}

// subject is what the rows of a table are about.
type subject struct {
	kind  string
	count func() int
	id    func(int) string
	add   func(id string) int
	set   func(*palate.Features)
}

func attach(ctx context.Context, t *ingest.Table, opt Options, s subject) (*Encoder, error) {
	if err := s.cover(t, opt); err != nil {
		return nil, err
	}
	e, err := NewEncoder(ctx, t, opt)
	if err != nil {
		return nil, err
	}
	f, err := e.Encode(ctx, t)
	if err != nil {
		return nil, err
	}
	at := make([]int, len(t.IDs))
	for i, id := range t.IDs {
		at[i] = s.add(id)
	}
	if f.Cols == 0 { // a list of identifiers
		return e, nil
	}
	ordered := &palate.Features{Names: f.Names, Rows: f.Rows, Cols: f.Cols, Data: make([]float64, len(f.Data)), Blocks: f.Blocks}
	for i, to := range at {
		copy(ordered.Row(to), f.Row(i))
	}
	s.set(ordered)
	return e, nil
}

// cover checks that the table has what the votes name, and with KnownOnly nothing else.
func (s *subject) cover(t *ingest.Table, opt Options) error {
	row, like := make(map[string]bool, len(t.IDs)), map[string]string{}
	for _, id := range t.IDs {
		row[id] = true
		like[wording.Bare(id)] = id
	}
	voted := make(map[string]bool, s.count())
	var lacking []string
	count := 0
	for i := range s.count() {
		id := s.id(i)
		voted[id] = true
		if !row[id] {
			if count++; count <= 5 {
				lacking = append(lacking, wording.Quote(id))
				if near := like[wording.Bare(id)]; near != "" {
					lacking[count-1] += fmt.Sprintf(" (but one for %s)", wording.Quote(near))
				}
			}
		}
	}
	if count > len(lacking) {
		lacking = append(lacking, "…")
	}
	if count > 0 {
		return &ingest.Error{File: t.File, Column: ingest.IDColumn, Reason: fmt.Sprintf(
			"no row for %s that the votes name: %s", wording.Plural(count, s.kind), strings.Join(lacking, ", "))}
	}
	if opt.KnownOnly {
		for i, id := range t.IDs {
			if !voted[id] {
				return &ingest.Error{File: t.File, Line: t.Lines[i], Column: ingest.IDColumn, Err: ErrNoVote, Reason: fmt.Sprintf("no vote names the %s %s", s.kind, wording.Quote(id))}
			}
		}
	}
	return nil
}
