package ingest

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"strconv"

	"palate/internal/wording"
)

// Link is a row of a file of links between items, or between users.
type Link struct {
	From, To int
	Weight   float64
}

// ItemLinks reads links between known items: columns from and to (or source and target), and an optional weight, 1
// where it is missing. A link of an item to itself is bad, and so are unknown items and weights that are not positive
// numbers. Links may be told twice, or both ways; what that means is up to the reader. A file without links is no
// error: nothing is linked.
func ItemLinks(ctx context.Context, name string, r io.Reader, known Names, opt Options) ([]Link, Report, error) {
	return readLinks(ctx, name, r, "item", known.Item, listed(known.NumItems(), known.ItemID), opt)
}

// UserLinks does for users what ItemLinks does for items.
func UserLinks(ctx context.Context, name string, r io.Reader, known Names, opt Options) ([]Link, Report, error) {
	return readLinks(ctx, name, r, "user", known.User, listed(known.NumUsers(), known.UserID), opt)
}

func readLinks(ctx context.Context, name string, r io.Reader, kind string, find func(string) (int, bool), names iter.Seq[string], opt Options) ([]Link, Report, error) {
	report := Report{File: name}
	src, err := newSource(ctx, name, r, opt.block)
	if err != nil {
		return nil, report, err
	}
	at, bad := linksHeader(src.header)
	if bad != nil {
		return nil, report, bad.at(name, src.headerLine)
	}
	report.Columns, report.Extra = split(src.header, at)
	if (src.format == objects || src.format == array) && len(at) < 3 { // later objects may have what the first lacks
		at = append(at, len(src.header))
		src.header = append(src.header, weightColumn)
	}
	needs := make([]need, len(src.header))
	for _, k := range at {
		needs[k] = plainValue
	}
	rows := src.rows(needs)
	var links []Link
	var rec record
	var blk block
	for {
		blk, err = src.next(blk, false)
		if err == io.EOF {
			return links, report, nil
		}
		if err != nil {
			return nil, report, err
		}
		rows.reset(blk)
		for rows.next(&rec) {
			report.Rows++
			l, bad := link(&rec, src.header, at, kind, find, names)
			if bad == nil {
				links = append(links, l)
				continue
			}
			e := bad.at(name, rec.line)
			if !opt.SkipBad {
				return nil, report, e
			}
			report.bad(e, opt.examples())
		}
	}
}

const weightColumn = "weight"

// linksHeader returns the places of from, to and, when there is one, weight.
func linksHeader(header []string) ([]int, *fault) {
	forms := [][]string{{"from", "to"}, {"source", "target"}}
	for _, names := range forms {
		if len(wording.Missing(header, names)) > 0 {
			continue
		}
		at := []int{wording.Find(header, names[0]), wording.Find(header, names[1])}
		if w := wording.Find(header, weightColumn); w >= 0 {
			at = append(at, w)
		}
		for _, k := range at {
			if bad := twice(header, k); bad != nil {
				return nil, bad
			}
		}
		return at, nil
	}
	return nil, &fault{"", wording.NoColumns(header, forms...) + "; links have from,to and an optional weight"}
}

// link reads one row.
func link(rec *record, header []string, at []int, kind string, find func(string) (int, bool), names iter.Seq[string]) (l Link, bad *fault) {
	if rec.bad != nil {
		return l, rec.bad
	}
	for k, to := range []*int{&l.From, &l.To} {
		id, column := rec.fields[at[k]], header[at[k]]
		if len(id) == 0 {
			return l, &fault{column, "is empty"}
		}
		var ok bool
		if *to, ok = find(string(id)); !ok {
			return l, &fault{column, fmt.Sprintf("unknown %s %s%s", kind, wording.Quote(id), wording.DidYouMean(string(id), names))}
		}
	}
	if l.From == l.To {
		return l, &fault{header[at[1]], fmt.Sprintf("%s is linked to itself", wording.Quote(rec.fields[at[1]]))}
	}
	l.Weight = 1
	if len(at) < 3 || len(rec.fields[at[2]]) == 0 {
		return l, nil
	}
	text := rec.number(at[2])
	w, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(w > 0) || math.IsInf(w, 1) {
		return l, &fault{header[at[2]], fmt.Sprintf("%s is not a positive number", wording.Quote(text))}
	}
	l.Weight = w
	return l, nil
}
