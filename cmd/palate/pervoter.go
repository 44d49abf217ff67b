package main

import (
	"context"
	"fmt"
	"slices"

	"palate"
	"palate/ingest"
	"palate/internal/wording"
)

// voterTable reads the table of voters whose columns --per names; nil where it names columns of the
// votes.
func (s *settings) voterTable(ctx context.Context) (*ingest.Table, error) {
	if len(s.per) == 0 || s.users == "" {
		return nil, nil
	}
	t, err := readTable(ctx, s.users)
	if err != nil {
		return nil, err
	}
	for _, column := range s.per {
		if !slices.Contains(t.Columns, column) {
			return nil, &ingest.Error{File: t.File, Line: 1, Reason: wording.NoColumns(t.Columns, []string{column}) + "; with --users, --per names columns of that table"}
		}
	}
	return t, nil
}

// perVoterColumn is of every vote what columns of a table say of its voter; nothing where a vote names
// nobody.
func perVoterColumn(d *palate.Dataset, t *ingest.Table, columns []string) ([]string, error) {
	row := make(map[string]int, len(t.IDs))
	for i, id := range t.IDs {
		row[id] = i
	}
	kept, at := make([][]string, len(columns)), make([]int, len(columns))
	for c := range columns {
		kept[c], at[c] = make([]string, d.NumVotes()), c
	}
	for k, v := range d.Votes() {
		if v.User < 0 {
			continue
		}
		i, ok := row[d.UserID(v.User)]
		if !ok {
			return nil, &ingest.Error{File: t.File, Column: ingest.IDColumn, Reason: fmt.Sprintf("no row for the voter %s that the votes name", wording.Quote(d.UserID(v.User)))}
		}
		for c, column := range columns {
			kept[c][k] = t.Cell(i, slices.Index(t.Columns, column))
		}
	}
	return combined(kept, at), nil
}
