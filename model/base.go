package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"palate/internal/num"

	"palate"
)

// Base is what every model has: items and voters by number and by name, the votes
// that each item took part in, the groups that are comparable, and the recipes by
// which tables became features.
type Base struct {
	// ItemEncoder and UserEncoder are the recipes, as JSON, by which tables of items
	// and of voters became features. They travel with the model file; the model does
	// not read them.
	ItemEncoder, UserEncoder []byte

	ids    []string
	users  []string // none where all voters share one utility
	votes  []float64
	groups [][]int
	digest digest // of the votes
	names  *names
}

// names are the numbers of items and users by name, once somebody asks for one.
type names struct {
	once         sync.Once
	items, users map[string]int
}

// newBase has the items of d, with no votes yet, and no users.
func newBase(d *palate.Dataset) Base {
	b := Base{votes: make([]float64, d.NumItems()), groups: d.Components(), digest: digestOf(d), names: &names{}}
	for i := range d.NumItems() {
		b.ids = append(b.ids, d.ItemID(i))
	}
	return b
}

// digest is the fingerprint of votes, which is found while a model is fitted to them; nil: there are none.
type digest func() string

// digestOf begins to find that of the votes of d.
func digestOf(d *palate.Dataset) digest {
	found := make(chan string, 1)
	go func() { found <- d.Digest() }()
	return sync.OnceValue(func() string { return <-found })
}

func knownDigest(text string) digest { return func() string { return text } }

// text returns the digest as it is written.
func (d digest) text() string {
	if d == nil {
		return ""
	}
	return d()
}

// withUsers adds the users of d.
func (b Base) withUsers(d *palate.Dataset) Base {
	for u := range d.NumUsers() {
		b.users = append(b.users, d.UserID(u))
	}
	return b
}

// namedBase has items without votes, all of them comparable.
func namedBase(ids []string) Base {
	return Base{ids: ids, votes: make([]float64, len(ids)), groups: [][]int{num.Indices(len(ids))}, names: &names{}}
}

// count adds the votes of tallies to the items they are about, and returns how many
// there are, and how many of them ties.
func (b *Base) count(tallies []palate.Tally) (votes, ties float64) {
	for _, t := range tallies {
		b.votes[t.A] += t.Weight
		b.votes[t.B] += t.Weight
		votes += t.Weight
		if t.Tie {
			ties += t.Weight
		}
	}
	return votes, ties
}

// grown adds items without votes, comparable with all others.
func (b Base) grown(ids []string) Base {
	b.ids = slices.Concat(b.ids, ids)
	b.votes = slices.Concat(b.votes, make([]float64, len(ids)))
	b.groups = [][]int{num.Indices(len(b.ids))}
	b.names = &names{}
	return b
}

func (b *Base) base() *Base { return b }

// NumItems returns the number of items.
func (b *Base) NumItems() int { return len(b.ids) }

// ItemID returns the identifier of item i.
func (b *Base) ItemID(i int) string { return b.ids[i] }

// Item returns the number of the item with an identifier, or an error when there is
// none.
func (b *Base) Item(id string) (int, error) {
	b.names.learn(b)
	if i, ok := b.names.items[id]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("model: there is no item %q among the %d of the model", id, len(b.ids))
}

// NumUsers returns the number of voters that the model tells apart; 0 where all share
// one utility.
func (b *Base) NumUsers() int { return len(b.users) }

// UserID returns the identifier of user u.
func (b *Base) UserID(u int) string { return b.users[u] }

// User returns the number of the voter with an identifier, or an error when there is
// none.
func (b *Base) User(id string) (int, error) {
	b.names.learn(b)
	if u, ok := b.names.users[id]; ok {
		return u, nil
	}
	if len(b.users) == 0 {
		return 0, fmt.Errorf("model: there is no voter %q: the model tells no voters apart", id)
	}
	return 0, fmt.Errorf("model: there is no voter %q among the %d of the model", id, len(b.users))
}

func (n *names) learn(b *Base) {
	n.once.Do(func() {
		n.items, n.users = make(map[string]int, len(b.ids)), make(map[string]int, len(b.users))
		for i, id := range b.ids {
			n.items[id] = i
		}
		for u, id := range b.users {
			n.users[id] = u
		}
	})
}

// Groups returns the items in groups within which utilities are comparable, largest
// first; one group when all are.
func (b *Base) Groups() [][]int { return b.groups }

// Comparable reports whether votes, features or links connect two items. Where they do
// not, Prefer knows nothing of the pair.
func (b *Base) Comparable(i, j int) bool {
	if len(b.groups) == 1 {
		return true
	}
	for _, g := range b.groups {
		if _, ok := slices.BinarySearch(g, i); ok {
			_, ok := slices.BinarySearch(g, j)
			return ok
		}
	}
	return false
}

// Votes returns how many votes each item took part in.
func (b *Base) Votes() []float64 { return b.votes }

// Encoders returns ItemEncoder and UserEncoder.
func (b *Base) Encoders() (items, users []byte) { return b.ItemEncoder, b.UserEncoder }

// heading is the part of model.json that all models have.
type heading struct {
	Format      string          `json:"format"` // "palate"
	Version     int             `json:"version"`
	Model       string          `json:"model"` // the name of its entry in the catalogue
	DataDigest  string          `json:"data_digest"`
	Items       []string        `json:"items"`
	Users       []string        `json:"users,omitempty"`
	ItemEncoder json.RawMessage `json:"item_encoder,omitempty"`
	UserEncoder json.RawMessage `json:"user_encoder,omitempty"`
	Groups      [][]int         `json:"groups"`
}

// heading is that of a model with a name.
func (b *Base) heading(name string) heading {
	return heading{
		Format: "palate", Version: fileVersion, Model: name, DataDigest: b.digest.text(), Items: b.ids, Users: b.users,
		ItemEncoder: b.ItemEncoder, UserEncoder: b.UserEncoder, Groups: b.groups,
	}
}

// base reads back what heading wrote.
func (h *heading) base() (Base, error) {
	b := Base{ItemEncoder: h.ItemEncoder, UserEncoder: h.UserEncoder, ids: h.Items, users: h.Users, groups: h.Groups, digest: knownDigest(h.DataDigest), names: &names{}}
	if len(h.Items) == 0 {
		return b, fmt.Errorf("model.json: no items")
	}
	if err := checkGroups(h.Groups, len(h.Items)); err != nil {
		return b, err
	}
	return b, nil
}

// save writes a model as a zip: model.json, the votes of every item, for readers what
// the board of p says of it, if there is one, and the arrays that write adds.
func (b *Base) save(ctx context.Context, w io.Writer, p Predictor, header any, write func(a *arrayWriter)) error {
	z := zip.NewWriter(heedful{ctx, w})
	if err := writeHeader(z, header); err != nil {
		return err
	}
	a := &arrayWriter{z: z}
	a.floats("votes", b.votes, len(b.votes))
	if p != nil {
		a.writeScores(ctx, p)
	}
	write(a)
	if a.err != nil {
		return fmt.Errorf("model: save: %w", a.err)
	}
	return z.Close()
}
