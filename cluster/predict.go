package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"palate/ingest"
)

// Predict predicts pairs in files of user,left,right, and writes a file a shard to a folder: user,left,right,p, the
// chance that the voter picks left, ties apart; that of somebody of whom nothing is known for voters who are not in
// the fit. Bad rows are written aside.
func (f *Fit) Predict(ctx context.Context, r Runner, pairs []string, columns, format, folder string) ([]Source, error) {
	files, err := expand(ctx, pairs)
	if err != nil {
		return nil, err
	}
	if folder, err = absolute(folder); err != nil {
		return nil, err
	}
	err = r.run(ctx, "predict", func(s beam.Scope) {
		read := &pairsFn{Sources: files, Columns: columns, Deal: f.deal.folder, Folder: folder, Stamp: stamp()}
		blocks := beam.ParDo(s, read, numbers(s, len(files)))
		some := beam.ParDo(s, &emptyFn{}, numbers(s, len(f.deal.Shards)))
		predict := &predictFn{user: user{Deal: f.deal.folder, Stamp: stamp()}, Folder: folder, Format: format}
		writing(s, predict, beam.GroupByKey(s, beam.Flatten(s, blocks, some)))
	})
	if err != nil {
		return nil, err
	}
	return sources(ctx, folder, len(files))
}

// pairBlock is pairs of one file for one shard.
type pairBlock struct {
	File                    int
	Users                   []string
	Line, User, Left, Right []int // −1: nobody in particular
}

// pairsFn reads files of pairs and deals them out by voter.
type pairsFn struct {
	Sources []string
	Columns string
	Deal    string
	Folder  string
	Stamp   string
}

func (f *pairsFn) Setup() error { return checkStamp(f.Stamp) }

func (f *pairsFn) ProcessElement(ctx context.Context, number int, emit func(int, []byte)) error {
	d, err := readDeal(ctx, f.Deal)
	if err != nil {
		return failed("%w", err)
	}
	path := f.Sources[number]
	opt, err := Reading{Columns: f.Columns}.options()
	if err != nil {
		return failed("--columns: %w", err)
	}
	in, err := openFile(ctx, path)
	if err != nil {
		return failed("%w", err)
	}
	defer in.Close()
	known := newRoster(d.Items)
	pairs, report, err := ingest.ReadPairs(ctx, path, in, known, opt)
	if err != nil {
		return failed("%w", err)
	}
	blocks := make([]pairBlock, len(d.Shards))
	for row := range pairs.Len() {
		u, name := pairs.User[row], ""
		if u >= 0 {
			name = known.UserID(u)
		}
		b := &blocks[shardOf(name, len(blocks))]
		of := -1
		if u >= 0 {
			if of = slices.Index(b.Users[max(0, len(b.Users)-1):], name); of >= 0 { // rows of a voter stand together, as a rule
				of = len(b.Users) - 1
			} else {
				of, b.Users = len(b.Users), append(b.Users, name)
			}
		}
		b.Line, b.User = append(b.Line, pairs.Lines[row]), append(b.User, of)
		b.Left, b.Right = append(b.Left, pairs.Left[row]), append(b.Right, pairs.Right[row])
	}
	for k := range blocks {
		if len(blocks[k].Line) == 0 {
			continue
		}
		blocks[k].File = number
		data, err := pack(blocks[k])
		if err != nil {
			return failed("%w", err)
		}
		emit(k, data)
	}
	to := &readFn{Folder: f.Folder}
	return to.report(ctx, number, Source{File: path, Form: report.Form, Rows: report.Rows, Votes: pairs.Len(), Bad: report.Bad}, report.Examples)
}

// roster are the items of a deal, and the voters that pairs name.
type roster struct {
	items, users   []string
	itemOf, userOf map[string]int
}

func newRoster(items []string) *roster {
	r := &roster{items: items, itemOf: make(map[string]int, len(items)), userOf: map[string]int{}}
	for i, name := range items {
		r.itemOf[name] = i
	}
	return r
}

func (r *roster) Item(id string) (int, bool) { i, ok := r.itemOf[id]; return i, ok }

// User gives every voter a number.
func (r *roster) User(id string) (int, bool) {
	u, ok := r.userOf[id]
	if !ok {
		u = len(r.users)
		r.userOf[id], r.users = u, append(r.users, id)
	}
	return u, true
}
func (r *roster) NumItems() int       { return len(r.items) }
func (r *roster) ItemID(i int) string { return r.items[i] }
func (r *roster) NumUsers() int       { return len(r.users) }
func (r *roster) UserID(u int) string { return r.users[u] }

// predictFn predicts the pairs of a shard.
type predictFn struct {
	user
	Folder string
	Format string
}

func (f *predictFn) ProcessElement(ctx context.Context, k int, next func(*[]byte) bool) (int, error) {
	type pair struct {
		file, line, user, left, right int
		name                          string
	}
	m, _, err := f.voters(ctx, k)
	if err != nil {
		return k, failed("%w", err)
	}
	var all []pair
	for data := []byte(nil); next(&data); {
		if len(data) == 0 {
			continue
		}
		var b pairBlock
		if err := unpack(data, &b); err != nil {
			return k, failed("%w", err)
		}
		for row, u := range b.User {
			p := pair{b.File, b.Line[row], -1, b.Left[row], b.Right[row], ""}
			if u >= 0 {
				p.name = b.Users[u]
				if who, err := m.User(p.name); err == nil {
					p.user = who
				}
			}
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b pair) int { return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.line, b.line)) })
	var out bytes.Buffer
	sheet, err := ingest.NewSheet(&out, f.Format, []string{"user", "left", "right", "p"})
	for _, p := range all {
		if err == nil {
			err = sheet.Row(p.name, m.ItemID(p.left), m.ItemID(p.right), m.Prefer(p.user, p.left, p.right))
		}
	}
	if err == nil {
		err = sheet.Close()
	}
	if err == nil {
		err = writeFile(ctx, fmt.Sprintf("%s/predictions-%05d-of-%05d.%s", f.Folder, k, len(f.fit.deal.Shards), f.Format), out.Bytes())
	}
	beam.NewCounter("palate", "pairs").Inc(ctx, int64(len(all)))
	return k, failed("%w", errors.Join(err, ctx.Err()))
}

func init() {
	beam.RegisterDoFn(&pairsFn{})
	beam.RegisterDoFn(&predictFn{})
}
