package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/feature"
	"palate/ingest"
	"palate/internal/cli"
	"palate/kernel"
	"palate/model"
)

// growth are the flags by which a model takes in items that it was not fitted to.
type growth struct {
	items, vectors, links string
	newItems              bool // links may name items that nothing else names
	skipBad               bool
	induce                string
}

// inductions are what --induce may say.
func inductions() []choice[kernel.Induction] {
	return []choice[kernel.Induction]{{kernel.Matching.String(), kernel.Matching}, {kernel.Nystrom.String(), kernel.Nystrom}}
}

// induceFlag is for commands that read models.
func induceFlag(cmd *cobra.Command, to *string) {
	cmd.Flags().StringVar(to, "induce", kernel.Matching.String(), "`HOW` links place new items of a model: "+words(inductions()))
	completes(cmd, "induce", wordsOf(inductions())...)
}

// extend adds to a model those items of a table that it does not know, as its own
// items were encoded, and those that links name.
func (g growth) extend(ctx context.Context, m model.Model, c *cli.Console) (model.Model, error) {
	if g.items == "" && g.links == "" {
		return m, nil
	}
	how, err := choose("induce", g.induce, inductions())
	if err != nil {
		return nil, err
	}
	fresh := &newcomers{names: namesOf(m), known: m.NumItems()}
	var x *mat.Dense
	if g.items != "" {
		if x, err = g.encode(ctx, m, fresh, c); err != nil {
			return nil, err
		}
	}
	if g.links == "" {
		if len(fresh.ids) == 0 {
			return m, nil
		}
		return m.Extend(fresh.ids, x)
	}
	single, ok := m.(*model.Single)
	if !ok {
		return nil, fmt.Errorf("--links: a %s model does not read links between items; fit one with --model linked", m.Name())
	}
	fresh.add = g.newItems
	edges, err := readLinks(ctx, g.links, fresh, g.skipBad, c)
	if err != nil {
		return nil, err
	}
	old, among := 0, 0
	use := edges[:0]
	for _, e := range edges {
		switch {
		case max(e.From, e.To) < fresh.known:
			old++
		case min(e.From, e.To) >= fresh.known:
			among++
		default:
			use = append(use, e)
		}
	}
	if len(fresh.ids) == 0 {
		return nil, fmt.Errorf("--links: %s names no new item, and the model is fitted already: links between its items have no effect", g.links)
	}
	if old+among > 0 {
		c.Note("%s: links that are not used: %d between items of the fit, which stay as they are, %d between two new items", g.links, old, among)
	}
	if x != nil {
		if r, _ := x.Dims(); r < len(fresh.ids) {
			return nil, fmt.Errorf("%s: the model has features, and %q is not in %s: give its features there", g.links, fresh.ids[r], g.items)
		}
	}
	e, err := single.ExtendLinked(fresh.ids, x, use, how)
	if err != nil {
		return nil, err
	}
	return e, nil
}

// encode reads the table of items, and returns the features of those that the
// model does not know; nil without any.
func (g growth) encode(ctx context.Context, m model.Model, fresh *newcomers, c *cli.Console) (*mat.Dense, error) {
	t, err := itemTable(ctx, g.items, g.vectors)
	if err != nil {
		return nil, err
	}
	f, err := encode(ctx, m, t, c)
	if err != nil {
		return nil, err
	}
	var rows []float64
	for i, id := range t.IDs {
		if _, ok := fresh.names.Item(id); !ok {
			fresh.take(id)
			rows = append(rows, f.Row(i)...)
		}
	}
	if n := len(t.IDs) - len(fresh.ids); n > 0 {
		c.Note("%s: %d of %d items were in the fit already and stay as they are", t.File, n, len(t.IDs))
	}
	if len(fresh.ids) == 0 {
		return nil, nil
	}
	return mat.NewDense(len(fresh.ids), f.Cols, rows), nil
}

// encode turns a table of items into features as those of the model were.
func encode(ctx context.Context, m model.Model, t *ingest.Table, c *cli.Console) (*palate.Features, error) {
	recipe, _ := m.Encoders()
	if recipe == nil {
		return nil, fmt.Errorf("%s: the model was fitted without item features, so it cannot place new items; fit it with --items", t.File)
	}
	var e feature.Encoder
	if err := json.Unmarshal(recipe, &e); err != nil {
		return nil, fmt.Errorf("the model's recipe for features is damaged: %w", err)
	}
	noteUnseen(c, &e, t)
	return e.Encode(ctx, t)
}

// noteUnseen says which values of a table the fit has not seen.
func noteUnseen(c *cli.Console, e *feature.Encoder, t *ingest.Table) {
	for _, says := range e.Unseen(t) {
		c.Note("%s: %s", t.File, says)
	}
}

// newcomers finds the items of a model, and numbers new ones after them.
type newcomers struct {
	*names
	known int
	ids   []string
	add   bool // take in any
}

// Item returns the number of an item, a new one if need be.
func (n *newcomers) Item(id string) (int, bool) {
	if i, ok := n.names.Item(id); ok || !n.add {
		return i, ok
	}
	return n.take(id), true
}

func (n *newcomers) take(id string) int {
	n.ids = append(n.ids, id)
	return n.names.addItem(id)
}

// join adds those of a table that are new to the model.
func (n *newcomers) join(ctx context.Context, m model.Model, t *ingest.Table, c *cli.Console) (model.Model, error) {
	var rows []int
	for k, id := range t.IDs {
		if i, _ := n.names.Item(id); i >= n.known {
			rows = append(rows, k)
		}
	}
	f, err := encode(ctx, m, t.Rows(rows), c)
	if err != nil {
		return nil, err
	}
	return m.Extend(n.ids, mat.NewDense(f.Rows, f.Cols, f.Data))
}

// names finds the items and the users of a model.
type names struct {
	items, users     map[string]int
	itemIDs, userIDs []string
}

func newNames() *names { return &names{items: map[string]int{}, users: map[string]int{}} }

func namesOf(m model.Model) *names {
	n := newNames()
	for i := range m.NumItems() {
		n.addItem(m.ItemID(i))
	}
	for u := range m.NumUsers() {
		n.addUser(m.UserID(u))
	}
	if h, ok := m.(interface{ Voters() []string }); ok && m.NumUsers() == 0 { // all share one utility, but not how they call ties
		for _, id := range h.Voters() {
			n.addUser(id)
		}
	}
	return n
}

// addItem numbers one more item.
func (n *names) addItem(id string) int {
	n.items[id] = len(n.itemIDs)
	n.itemIDs = append(n.itemIDs, id)
	return n.items[id]
}

// addUser numbers one more user.
func (n *names) addUser(id string) int {
	n.users[id] = len(n.userIDs)
	n.userIDs = append(n.userIDs, id)
	return n.users[id]
}

func (n *names) Item(id string) (int, bool) { i, ok := n.items[id]; return i, ok }
func (n *names) User(id string) (int, bool) { u, ok := n.users[id]; return u, ok }
func (n *names) NumItems() int              { return len(n.itemIDs) }
func (n *names) NumUsers() int              { return len(n.userIDs) }
func (n *names) ItemID(i int) string        { return n.itemIDs[i] }
func (n *names) UserID(u int) string        { return n.userIDs[u] }
