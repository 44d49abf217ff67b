package palate

import (
	"fmt"
	"strconv"
)

// InParts returns the dataset in which every item is there once for each part of the votes, so that what is said of it
// in one part is of another item than what is said in another: item i of part p of n items has the number p·n + i. The
// part of every vote, below parts, is given. Users, weights and all else stay as they are, and features go with every
// part of an item.
func (d *Dataset) InParts(part []int, parts int) *Dataset {
	if len(part) != d.NumVotes() {
		panic(fmt.Sprintf("palate: parts of %d votes, where there are %d", len(part), d.NumVotes()))
	}
	n := d.NumItems()
	s := *d
	s.items = names{}
	for p := range parts {
		for _, id := range d.items.ids {
			s.items.add(id + "\x1f" + strconv.Itoa(p))
		}
	}
	s.items = s.items.freeze()
	s.votes.left, s.votes.right = make([]int32, len(part)), make([]int32, len(part))
	for k, p := range part {
		if uint(p) >= uint(parts) {
			panic(fmt.Sprintf("palate: vote %d is in part %d of %d", k, p, parts))
		}
		s.votes.left[k], s.votes.right[k] = d.votes.left[k]+int32(p*n), d.votes.right[k]+int32(p*n)
	}
	if f := d.itemFeatures; f != nil {
		all := *f
		all.Rows, all.Data = parts*n, nil
		for range parts {
			all.Data = append(all.Data, f.Data[:n*f.Cols]...)
		}
		s.itemFeatures = &all
	}
	return &s
}

// WithItemFeatures returns the dataset in which items have these features, a row an item, and no others; nil: none.
func (d *Dataset) WithItemFeatures(f *Features) *Dataset {
	if f != nil {
		if err := f.check("item", d.NumItems(), d.ItemID); err != nil {
			panic(err)
		}
	}
	s := *d
	s.itemFeatures = f.clone()
	return &s
}

// WithUsers returns the dataset in which votes are by these users, in place of those who cast them: one name a vote,
// empty where nobody is known. Users are numbered by their names, and have no features.
func (d *Dataset) WithUsers(of []string) *Dataset {
	if len(of) != d.NumVotes() {
		panic(fmt.Sprintf("palate: users of %d votes, where there are %d", len(of), d.NumVotes()))
	}
	s := *d
	s.users, s.userFeatures, s.votes.unit = names{}, nil, nil
	for _, id := range of {
		if _, ok := s.users.find(id); !ok && id != "" {
			s.users.add(id)
		}
	}
	s.users.sort()
	s.users = s.users.freeze()
	s.votes.user = make([]int32, len(of))
	for k, id := range of {
		s.votes.user[k] = -1
		if u, ok := s.users.find(id); ok {
			s.votes.user[k] = int32(u)
		}
	}
	s.votes.user = unless(-1, s.votes.user)
	return &s
}
