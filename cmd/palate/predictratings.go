package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
)

// writeRatings prints the rows of --ratings with what each voter would rate the item.
func (p *predict) writeRatings(ctx context.Context, out *cli.Output, m model.Model, names *names, fresh []model.Newcomer, c *cli.Console) error {
	rater, ok := m.(model.Rater)
	if !ok {
		return fmt.Errorf("--ratings: a %s model predicts no ratings: fit one with --model ratings", m.Name())
	}
	in, err := open(ctx, p.ratings)
	if err != nil {
		return err
	}
	defer in.close()
	r, comma, err := rowsOf(in)
	if err != nil {
		return fmt.Errorf("%s: %w", in.name(), err)
	}
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("%s: no rows: %w", in.name(), cli.Reason(err))
	}
	item, user := wording.Find(header, "item", "item_id", "movie", "product", "alternative"), wording.Find(header, "user", "voter", "user_id", "worker", "judge", "rater")
	if item < 0 {
		return &ingest.Error{File: in.path, Line: 1, Reason: "there is no column item"}
	}
	header = append(header, "rating", "rating_sd")
	values := rater.Rating(-1, 0).Values
	for _, v := range values {
		header = append(header, "p_"+strconv.FormatFloat(v, 'g', 6, 64))
	}
	rows, unknownItems, unknownUsers := [][]string{header}, 0, 0
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in.name(), err)
		}
		line, _ := r.FieldPos(0)
		i, known := names.Item(row[item])
		if !known && p.knownOnly {
			return &ingest.Error{File: in.path, Line: line, Column: header[item], Reason: fmt.Sprintf("%s is not in the model%s", wording.Quote(row[item]), wording.DidYouMean(row[item], slices.Values(names.itemIDs)))}
		}
		u := -1
		if user >= 0 && row[user] != "" {
			if u, ok = names.User(row[user]); !ok {
				if p.knownOnly {
					return &ingest.Error{File: in.path, Line: line, Column: header[user], Reason: fmt.Sprintf("%s is not in the model%s", wording.Quote(row[user]), wording.DidYouMean(row[user], slices.Values(names.userIDs)))}
				}
				u = -1
				unknownUsers++
			}
		}
		if !known {
			unknownItems++
			rows = append(rows, append(row, make([]string, 2+len(values))...))
			continue
		}
		f := rater.Rating(min(u, m.NumUsers()), i)
		if k := u - m.NumUsers(); k >= 0 {
			f = fresh[k].Alone().(model.Rater).Rating(0, i)
		}
		row = append(row, strconv.FormatFloat(f.Mean, 'f', 4, 64), strconv.FormatFloat(f.SD, 'f', 4, 64))
		for _, chance := range f.Chances {
			row = append(row, strconv.FormatFloat(chance, 'f', 6, 64))
		}
		rows = append(rows, row)
	}
	if unknownItems > 0 {
		c.Note("%d of %d rows have items that the model does not know; their rating is empty", unknownItems, len(rows)-1)
	}
	if unknownUsers > 0 {
		c.Note("%d of %d rows are by voters whom the model does not know; they are answered as somebody of whom nothing is known", unknownUsers, len(rows)-1)
	}
	return out.Print(ctx, func(to io.Writer) error {
		w := csv.NewWriter(to)
		w.Comma = comma
		return w.WriteAll(rows)
	})
}

// rowsOf reads text whose fields are separated by what separates those of the header.
func rowsOf(in *input) (*csv.Reader, rune, error) {
	first, err := in.Peek(in.Size())
	if len(first) == 0 {
		return nil, 0, fmt.Errorf("cannot read: %w", cli.Reason(err))
	}
	line, _, _ := bufio.ScanLines(first, true)
	_, head, _ := bufio.ScanLines(first[:max(line, 1)], true)
	comma := ','
	for _, other := range []rune{'\t', ';'} {
		if bytes.ContainsRune(head, other) && !bytes.ContainsRune(head, ',') {
			comma = other
		}
	}
	r := csv.NewReader(in)
	r.Comma = comma
	return r, comma, nil
}
