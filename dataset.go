package palate

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
)

// Dataset is an immutable set of items, users and votes. Make one with a Builder.
type Dataset struct {
	items, users names
	votes        columns
	groups       int
	itemFeatures *Features
	userFeatures *Features
}

// NumItems returns the number of items, those that no vote names included.
func (d *Dataset) NumItems() int { return len(d.items.ids) }

// NumUsers returns the number of users.
func (d *Dataset) NumUsers() int { return len(d.users.ids) }

// NumVotes returns the number of votes, skips included.
func (d *Dataset) NumVotes() int { return d.votes.len() }

// ItemID returns the identifier of item i.
func (d *Dataset) ItemID(i int) string { return d.items.ids[i] }

// UserID returns the identifier of user u.
func (d *Dataset) UserID(u int) string { return d.users.ids[u] }

// Item returns the index of the item with this identifier.
func (d *Dataset) Item(id string) (int, bool) { return d.items.find(id) }

// User returns the index of the user with this identifier.
func (d *Dataset) User(id string) (int, bool) { return d.users.find(id) }

// Vote returns vote k.
func (d *Dataset) Vote(k int) Vote { return d.votes.at(k) }

// Votes goes through all votes in order.
func (d *Dataset) Votes() iter.Seq2[int, Vote] {
	return func(yield func(int, Vote) bool) {
		for k := range d.votes.len() {
			if !yield(k, d.votes.at(k)) {
				return
			}
		}
	}
}

// Count returns the number of votes with an outcome.
func (d *Dataset) Count(o Outcome) (n int) {
	for _, x := range d.votes.outcome {
		if x == o {
			n++
		}
	}
	return n
}

// HasUsers reports whether some vote names its voter.
func (d *Dataset) HasUsers() bool { return d.votes.user != nil }

// HasWeights reports whether some vote has a weight other than 1.
func (d *Dataset) HasWeights() bool { return d.votes.weight != nil }

// HasTimes reports whether some vote has a time.
func (d *Dataset) HasTimes() bool { return d.votes.time != nil }

// HasGroups reports whether some votes follow from one answer, a ranking for one, and are not independent.
func (d *Dataset) HasGroups() bool { return d.votes.group != nil }

// HasRatings reports whether some items were rated, and not only compared.
func (d *Dataset) HasRatings() bool { return slices.Contains(d.votes.outcome, Rated) }

// NumGroups returns the largest number a group of votes may have; groups are numbered from 1.
func (d *Dataset) NumGroups() int { return d.groups }

// ItemFeatures returns the features of the items, nil when there are none. They are not to be modified.
func (d *Dataset) ItemFeatures() *Features { return d.itemFeatures }

// UserFeatures returns the features of the users, nil when there are none. They are not to be modified.
func (d *Dataset) UserFeatures() *Features { return d.userFeatures }

// ByContent returns the numbers of all votes in an order that hangs on what they say alone, not on the order in which
// they came: for what is drawn among votes at random. Votes that say the same are interchangeable.
func (d *Dataset) ByContent() []int {
	order := make([]int, d.NumVotes())
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int {
		v, w := d.Vote(a), d.Vote(b)
		return cmp.Or(cmp.Compare(v.User, w.User), cmp.Compare(v.Left, w.Left), cmp.Compare(v.Right, w.Right),
			cmp.Compare(v.Outcome, w.Outcome), cmp.Compare(v.Rating, w.Rating), cmp.Compare(v.Weight, w.Weight), v.Time.Compare(w.Time), cmp.Compare(v.Group, w.Group),
			cmp.Compare(number(v.Unsided), number(w.Unsided)), cmp.Compare(d.unit(a), d.unit(b)), d.votes.compareProperties(a, b))
	})
	return order
}

// WithUnits returns the dataset in which votes with the same label hang together, such as those of one sitting or about
// one document, in place of those of one user. A vote with an empty label stands alone. There is a label for every vote.
func (d *Dataset) WithUnits(labels []string) *Dataset {
	if len(labels) != d.NumVotes() {
		panic(fmt.Sprintf("palate: %d labels of %d votes", len(labels), d.NumVotes()))
	}
	all := slices.Clone(labels)
	slices.Sort(all)
	number := map[string]int32{"": -1}
	for _, l := range all {
		if _, ok := number[l]; !ok {
			number[l] = int32(len(number) - 1)
		}
	}
	s := *d
	s.votes.unit = make([]int32, len(labels))
	for k, l := range labels {
		s.votes.unit[k] = number[l]
	}
	return &s
}

// Units returns what every vote hangs together with: its unit (see WithUnits), or where there are none its user; −1 where
// it stands alone, and nil where all do. It is not to be modified.
func (d *Dataset) Units() []int32 {
	if d.votes.unit != nil {
		return d.votes.unit
	}
	return d.votes.user
}

// unit is that of vote k.
func (d *Dataset) unit(k int) int32 {
	if d.votes.unit == nil {
		return -1
	}
	return d.votes.unit[k]
}

// number is 1 for what is so.
func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

// Select returns the dataset of the same items, users and features that holds only the given votes, in the
// given order. Indices may repeat. It panics when one is out of range.
func (d *Dataset) Select(votes []int) *Dataset {
	for _, k := range votes {
		if uint(k) >= uint(d.NumVotes()) {
			panic(fmt.Sprintf("palate: Select: vote %d of %d", k, d.NumVotes()))
		}
	}
	s := *d
	s.votes = d.votes.pick(votes)
	return &s
}
