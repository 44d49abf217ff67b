package palate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Property is something that is known of votes beside what they say: of the vote itself, such as its language, or of each
// of its two items as they were in it, such as the length of an answer.
type Property struct {
	Name    string
	Columns []string // of the file that it was read from, one or two; nil: none
	Levels  []string // the words it may be; nil: it is a number
	// Left is of every vote, what the item on the left has of it, or the vote itself: a number, or the place of a word
	// among the levels; NaN where it is not known.
	Left []float64
	// Right is what the item on the right has; nil: the property is one of the vote itself.
	Right []float64
}

// OfVote reports whether the property is one of the vote itself, not of its two items.
func (p *Property) OfVote() bool { return p.Right == nil }

// WithProperties returns the dataset in which votes have these properties, and no others.
func (d *Dataset) WithProperties(properties []Property) *Dataset {
	s := *d
	s.votes.properties = nil
	for k, p := range properties {
		if p.Name == "" || slices.ContainsFunc(properties[:k], func(q Property) bool { return q.Name == p.Name }) {
			panic(fmt.Sprintf("palate: property %d has no name, or that of another: %q", k, p.Name))
		}
		if len(p.Left) != d.NumVotes() || p.Right != nil && len(p.Right) != d.NumVotes() {
			panic(fmt.Sprintf("palate: property %s of %d and %d votes, where there are %d", p.Name, len(p.Left), len(p.Right), d.NumVotes()))
		}
		for _, side := range [][]float64{p.Left, p.Right} {
			for k, x := range side {
				if math.IsInf(x, 0) || p.Levels != nil && !math.IsNaN(x) && (x != math.Trunc(x) || x < 0 || x >= float64(len(p.Levels))) {
					panic(fmt.Sprintf("palate: property %s of vote %d is %g, and there are %d levels", p.Name, k, x, len(p.Levels)))
				}
			}
		}
		s.votes.properties = append(s.votes.properties, p)
	}
	return &s
}

// Properties returns what is known of votes beside what they say. It is not to be modified.
func (d *Dataset) Properties() []Property { return d.votes.properties }

// pickProperties returns those of the given votes.
func pickProperties(all []Property, votes []int) (out []Property) {
	for _, p := range all {
		p.Left, p.Right = pick(p.Left, votes), pick(p.Right, votes)
		out = append(out, p)
	}
	return out
}

// compareProperties orders two votes by theirs; what is not known comes first.
func (c *columns) compareProperties(a, b int) int {
	for _, p := range c.properties {
		by := cmp.Compare(p.Left[a], p.Left[b])
		if p.Right != nil {
			by = cmp.Or(by, cmp.Compare(p.Right[a], p.Right[b]))
		}
		if by != 0 {
			return by
		}
	}
	return 0
}
