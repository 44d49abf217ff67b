package server

import (
	"bufio"
	"context"
	"io"
	"strings"

	"palate/feature"
	"palate/ingest"
	"palate/store"
)

// ReadItems reads items from a table with a header (id, and optionally body, kind
// and url; all other columns are features), or, when the name is empty, from
// lines of text. Without a body a column named text: and something, whose features
// are read, is what voters see. It stops where a board would be full, or where the file
// unpacked is too large.
func ReadItems(ctx context.Context, name string, r io.Reader) ([]NewItem, error) {
	if name == "" {
		return readLines(r)
	}
	t, err := ingest.ReadTable(ctx, name, ingest.LimitReader(r, MaxUnpacked))
	if err != nil {
		return nil, invalid("%v", err)
	}
	items := make([]NewItem, len(t.IDs))
	var shown []string // columns that are not features
	for j, column := range t.Columns {
		to := func(*NewItem) *string { return nil }
		switch name := strings.ToLower(column); {
		case feature.IsBody(name):
			shown = append(shown, column)
		case name == "url", name == "link":
			to = func(i *NewItem) *string { return &i.URL }
		case name == "kind":
			to = func(i *NewItem) *string { return (*string)(&i.Kind) }
		}
		for k := range items {
			if at := to(&items[k]); at != nil {
				*at = t.Cell(k, j)
				if k == 0 {
					shown = append(shown, column)
				}
			}
		}
	}
	if body := feature.Body(t); body >= 0 {
		for k := range items {
			items[k].Body = t.Cell(k, body)
		}
	}
	for k := range items {
		items[k].ID = t.IDs[k]
		if items[k].URL != "" && items[k].Kind == "" {
			items[k].Kind = store.Link
		}
	}
	if len(shown) == len(t.Columns) {
		return items, nil
	}
	enc, err := feature.NewEncoder(ctx, t, feature.Options{Ignore: shown, MaxNumbers: MaxFeatures})
	if err != nil {
		return nil, invalid("%v", err)
	}
	f, err := enc.Encode(ctx, t)
	if err != nil {
		return nil, invalid("%v", err)
	}
	for k := range items {
		items[k].Features = map[string]float64{}
		for j, x := range f.Row(k) {
			items[k].Features[f.Names[j]] = x
		}
	}
	return items, nil
}

// ReadItems is the function of the same name for a file that a stranger sent: files take
// turns.
func (s *Service) ReadItems(ctx context.Context, name string, r io.Reader) ([]NewItem, error) {
	if err := s.turn(ctx); err != nil {
		return nil, err
	}
	defer s.turnOver()
	return ReadItems(ctx, name, r)
}

// turn waits until this request may do what takes memory: decode a picture, unpack a
// table. One does at a time; turnOver lets the next.
func (s *Service) turn(ctx context.Context) error {
	select {
	case s.turns <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Service) turnOver() { <-s.turns }

// readLines takes a line as an item; a line that is there twice is one.
func readLines(r io.Reader) ([]NewItem, error) {
	seen := map[string]bool{}
	var items []NewItem
	in := bufio.NewScanner(io.LimitReader(r, MaxUpload))
	in.Buffer(nil, MaxText)
	for in.Scan() {
		line := strings.TrimSpace(in.Text())
		if line == "" || seen[line] {
			continue
		}
		if len(items) == MaxItems {
			return nil, invalid("more than %d items, which is the most", MaxItems)
		}
		seen[line] = true
		items = append(items, NewItem{Body: line})
	}
	if err := in.Err(); err != nil {
		return nil, invalid("%v", err)
	}
	return items, nil
}
