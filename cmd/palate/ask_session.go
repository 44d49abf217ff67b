package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"palate"
	"palate/active"
	"palate/feature"
	"palate/ingest"
	"palate/internal/cli"
	"palate/kernel"
	"palate/model"
)

// interview is a model that learns from one person's answers. It is what its
// votes make it: to take an answer back is to learn the others anew.
type interview struct {
	path, user string
	seed       uint64
	options    *active.Options
	ids        []string
	texts      map[string]string // of items, to read
	enough     float64           // how sure is enough
	kernel     kernel.Kernel
	points     kernel.Points
	start      []palate.Vote // what others said
	answers    []palate.Vote
	model      *model.Linked
	sure       float64 // of what the goal wants, from 0 to 1
}

// askTies is the margin within which a person calls a tie, in units of noise.
const askTies = 0.2

// askRevisits is how many earlier answers are looked at again with each.
const askRevisits = 10

// interview reads items, links and votes, and the answers of earlier times.
func (a *ask) interview(ctx context.Context, args []string, c *cli.Console) (*interview, error) {
	b := palate.NewBuilder()
	for _, path := range args {
		if err := readInto(ctx, path, b); err != nil {
			return nil, err
		}
	}
	var texts map[string]string
	if a.items != "" {
		var err error
		if texts, err = a.readItems(ctx, b); err != nil {
			return nil, err
		}
	}
	edges, err := a.edges(ctx, b, false, false, c)
	if err != nil {
		return nil, err
	}
	d, err := b.Build()
	if err != nil {
		return nil, err
	}
	spread, err := a.spread()
	if err != nil {
		return nil, err
	}
	var links *kernel.Graph
	if a.links != "" {
		if links, err = kernel.NewGraph(d.NumItems(), edges); err != nil {
			return nil, err
		}
	}
	s := &interview{path: a.out, user: a.user, seed: a.seed, texts: texts, enough: a.until}
	for i := range d.NumItems() {
		s.ids = append(s.ids, d.ItemID(i))
	}
	for _, v := range d.Votes() {
		s.start = append(s.start, v)
	}
	s.kernel, s.points = model.LinkedKernel(d.NumItems(), d.ItemFeatures(), links, spread)
	if err := s.resume(ctx, d); err != nil {
		return nil, err
	}
	return s, s.rebuild()
}

// readItems reads a table of items, or of a text file its lines, and returns the texts of
// items that are to be read.
func (a *ask) readItems(ctx context.Context, b *palate.Builder) (texts map[string]string, err error) {
	in, err := open(ctx, a.items)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if filepath.Ext(a.items) != ".txt" {
		t, err := ingest.ReadTable(ctx, in.path, in)
		if err != nil {
			return nil, err
		}
		if body := feature.Body(t); body >= 0 {
			texts = map[string]string{}
			for k, id := range t.IDs {
				texts[id] = t.Cell(k, body)
			}
		}
		ignore := slices.DeleteFunc(slices.Clone(t.Columns), func(c string) bool { return !feature.IsBody(c) })
		_, err = feature.TableItems(ctx, t, b, feature.Options{Ignore: ignore})
		return texts, err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		if line := strings.TrimSpace(lines.Text()); line != "" {
			b.Item(line)
		}
	}
	return nil, lines.Err()
}

func readInto(ctx context.Context, path string, b *palate.Builder) error {
	in, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer in.close()
	_, err = ingest.Votes(ctx, in.path, in, b, ingest.Options{})
	return err
}

// resume reads the answers that are there already.
func (s *interview) resume(ctx context.Context, d *palate.Dataset) error {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return nil
	}
	b := palate.NewBuilder()
	if err := readInto(ctx, s.path, b); err != nil {
		return fmt.Errorf("%w; ask goes on with a file that it wrote itself: name another one with -o", err)
	}
	old, err := b.Build()
	if err != nil {
		return err
	}
	for _, v := range old.Votes() {
		for _, at := range []*int{&v.Left, &v.Right} {
			id := old.ItemID(*at)
			i, ok := d.Item(id)
			if !ok {
				return fmt.Errorf("%s: answers about %q, which is not among the items", s.path, id)
			}
			*at = i
		}
		s.answers = append(s.answers, v)
	}
	return nil
}

// rebuild learns all votes anew.
func (s *interview) rebuild() error {
	m, err := model.NewLinked(s.ids, s.kernel, s.points, &model.LinkedOptions{Threshold: askTies, Revisits: askRevisits})
	if err != nil {
		return err
	}
	for _, v := range slices.Concat(s.start, s.answers) {
		if err := m.Observe(v); err != nil {
			return err
		}
	}
	s.model = m
	return nil
}

// next returns the pair to ask. It depends on the votes and the seed only, so
// that an interview goes on as if it had not been interrupted.
func (s *interview) next(ctx context.Context) (p active.Pair, ok bool, err error) {
	o := *s.options
	o.Exclude = active.Pairs{}
	for _, v := range s.answers {
		o.Exclude.Add(v.Left, v.Right)
	}
	pairs, err := active.Next(ctx, s.model, -1, 1, &o, s.rng())
	if err != nil || len(pairs) == 0 {
		return p, false, err
	}
	return pairs[0], true, nil
}

func (s *interview) rng() *rand.Rand { return rand.New(rand.NewPCG(s.seed, uint64(len(s.answers)))) }

// settle finds out how sure the model is of what the goal wants.
func (s *interview) settle(ctx context.Context) (err error) {
	s.sure, err = active.Settled(ctx, s.model, -1, s.options.Policy.Goal, s.rng())
	return err
}

func (s *interview) answer(p active.Pair, o palate.Outcome) error {
	v := palate.Vote{User: -1, Left: p.Left, Right: p.Right, Outcome: o, Weight: 1}
	s.answers = append(s.answers, v)
	if err := s.model.Observe(v); err != nil {
		return err
	}
	return s.save()
}

// undo takes the last answer back, if there is one.
func (s *interview) undo() error {
	if len(s.answers) == 0 {
		return nil
	}
	s.answers = s.answers[:len(s.answers)-1]
	if err := s.rebuild(); err != nil {
		return err
	}
	return s.save()
}

// save puts the answers in place of those saved before.
func (s *interview) save() error {
	kept := context.Background() // an answer is kept, whatever comes
	out, err := cli.Create(s.path)
	if err != nil {
		return err
	}
	defer out.Discard()
	if len(s.answers) > 0 {
		b := palate.NewBuilder()
		for _, v := range s.answers {
			v.Left, v.Right = b.Item(s.ids[v.Left]), b.Item(s.ids[v.Right])
			if v.User = -1; s.user != "" {
				v.User = b.User(s.user)
			}
			if err := b.Add(v); err != nil {
				return err
			}
		}
		d, err := b.Build()
		if err != nil {
			return err
		}
		if err := ingest.WriteVotes(kept, out, d); err != nil {
			return err
		}
	}
	return out.Commit(kept)
}

// cut says what stays of an interview that was interrupted.
func (s *interview) cut(path string) error {
	return fmt.Errorf("%w: %s in %s", cli.ErrInterrupted, count(len(s.answers), "answer"), path)
}
