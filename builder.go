package palate

import (
	"fmt"
	"math"
)

// Builder gathers votes for a Dataset. Use NewBuilder; a Builder is not safe for concurrent use.
type Builder struct {
	items, users names
	votes        columns
	groups       int
	itemFeatures *Features
	userFeatures *Features
	err          error // the first bad identifier, told by Build
}

// NewBuilder returns an empty Builder.
func NewBuilder() *Builder { return &Builder{} }

// Item returns the index of the item with this identifier, a new one when it has not been seen before.
// A bad identifier (see CheckID) makes Build fail.
func (b *Builder) Item(id string) int { return b.name(&b.items, "item", id) }

// User returns the index of the user with this identifier, a new one when it has not been seen before.
// A bad identifier (see CheckID) makes Build fail.
func (b *Builder) User(id string) int { return b.name(&b.users, "user", id) }

func (b *Builder) name(n *names, kind, id string) int {
	if i, ok := n.find(id); ok {
		return i
	}
	if b.err == nil {
		if err := CheckID(id); err != nil {
			b.err = fmt.Errorf("palate: %s %d: %w", kind, len(n.ids), err)
		} else if len(n.ids) == math.MaxInt32 {
			b.err = fmt.Errorf("palate: more than %d %ss", math.MaxInt32, kind)
		}
	}
	return n.add(id)
}

// NumItems returns the number of items so far.
func (b *Builder) NumItems() int { return len(b.items.ids) }

// NumUsers returns the number of users so far.
func (b *Builder) NumUsers() int { return len(b.users.ids) }

// NumVotes returns the number of votes so far.
func (b *Builder) NumVotes() int { return b.votes.len() }

// ItemID returns the identifier of item i.
func (b *Builder) ItemID(i int) string { return b.items.ids[i] }

// UserID returns the identifier of user u.
func (b *Builder) UserID(u int) string { return b.users.ids[u] }

// NewGroup returns the number of a new group, for votes that follow from one answer.
func (b *Builder) NewGroup() int {
	b.groups++
	return b.groups
}

// Grow makes room for n more votes.
func (b *Builder) Grow(n int) { b.votes.grow(n) }

// Add appends a vote, or says what is wrong with it and leaves the votes as they were.
func (b *Builder) Add(v Vote) error {
	if b.votes.len() == math.MaxInt32 {
		return fmt.Errorf("palate: more than %d votes", math.MaxInt32)
	}
	if err := b.Check(v); err != nil {
		return err
	}
	b.votes.add(v)
	return nil
}

// Say adds what a user said about two items, all by their identifiers, which are new ones when they have not been
// seen before; an empty user is one who is not known.
func (b *Builder) Say(user, left, right string, o Outcome) error {
	v := Vote{User: -1, Left: b.Item(left), Right: b.Item(right), Outcome: o, Weight: 1}
	if user != "" {
		v.User = b.User(user)
	}
	return b.Add(v)
}

// Check says what is wrong with a vote, if anything is.
func (b *Builder) Check(v Vote) error {
	n := len(b.items.ids)
	switch {
	case uint(v.Left) >= uint(n):
		return fmt.Errorf("palate: vote: left item %d of %d", v.Left, n)
	case uint(v.Right) >= uint(n):
		return fmt.Errorf("palate: vote: right item %d of %d", v.Right, n)
	case v.Outcome == Rated && v.Left != v.Right:
		return fmt.Errorf("palate: vote: a rating of two items, %q and %q", b.items.ids[v.Left], b.items.ids[v.Right])
	case math.IsNaN(v.Rating) || math.IsInf(v.Rating, 0) || v.Outcome != Rated && v.Rating != 0:
		return fmt.Errorf("palate: vote: %v with a rating of %v", v.Outcome, v.Rating)
	case v.Left == v.Right && v.Outcome != Rated:
		return fmt.Errorf("palate: vote: %q against itself", b.items.ids[v.Left])
	case v.User < -1 || v.User >= len(b.users.ids):
		return fmt.Errorf("palate: vote: user %d of %d", v.User, len(b.users.ids))
	case v.Outcome > Rated:
		return fmt.Errorf("palate: vote: unknown outcome %d", uint8(v.Outcome))
	case v.Group < 0 || v.Group > b.groups || v.Group > math.MaxInt32:
		return fmt.Errorf("palate: vote: group %d of %d", v.Group, b.groups)
	case !(v.Weight > 0) || math.IsInf(v.Weight, 1):
		return fmt.Errorf("palate: vote: weight %v is not positive and finite", v.Weight)
	}
	return nil
}

// SortNames numbers items and users by their identifiers in place of the order in which they came, so that what is
// learnt does not hang on the order in which votes were written down. It returns the new numbers of the old ones.
// Features that were set before are to be set again.
func (b *Builder) SortNames() (items, users []int32) {
	items, users = b.items.sort(), b.users.sort()
	b.votes = b.votes.renumbered(items, users)
	b.itemFeatures, b.userFeatures = nil, nil
	return items, users
}

// SetItemFeatures gives the items features, one row an item in order of index. They are copied, and
// checked by Build against the items there are then; nil takes them away.
func (b *Builder) SetItemFeatures(f *Features) { b.itemFeatures = f.clone() }

// SetUserFeatures does for users what SetItemFeatures does for items.
func (b *Builder) SetUserFeatures(f *Features) { b.userFeatures = f.clone() }

// Build returns what was gathered so far. The Builder may go on: later additions do not touch the Dataset.
func (b *Builder) Build() (*Dataset, error) {
	if b.err != nil {
		return nil, b.err
	}
	if f := b.itemFeatures; f != nil {
		if err := f.check("item", len(b.items.ids), b.ItemID); err != nil {
			return nil, err
		}
	}
	if f := b.userFeatures; f != nil {
		if err := f.check("user", len(b.users.ids), b.UserID); err != nil {
			return nil, err
		}
	}
	return &Dataset{
		items: b.items.freeze(), users: b.users.freeze(), votes: b.votes.freeze(), groups: b.groups,
		itemFeatures: b.itemFeatures, userFeatures: b.userFeatures,
	}, nil
}
