package active

import (
	"fmt"
	"strings"
)

// Policy is a strategy for a goal, under a name.
type Policy struct {
	Name     string
	Strategy Strategy
	Goal     Goal
}

// Policies lists those that are known by name, the default first.
func Policies() []Policy {
	return []Policy{
		{"soft-bald", BALD{}, Ranking()},
		{"bald", BALD{}, Even()},
		{"soft-lel", LEL{}, Ranking()},
		{"lelpair", LEL{}, Best()}, // LINK (29) as published
		{"thompson", Thompson{}, Even()},
		{"eubo", EUBO{}, Even()},
		{"uncertainty", Uncertainty{}, Even()},
		{"coverage", Coverage{}, Even()},
		{"random", Random{}, Even()},
	}
}

// Default is the policy with the highest mean MAP on OHSUMED over 0, 10 and 20 %
// of wrong answers and all numbers of votes; see docs/active.md.
func Default() Policy { return Policies()[0] }

// Find returns the policy of this name.
func Find(name string) (Policy, error) {
	var known []string
	for _, p := range Policies() {
		if p.Name == name {
			return p, nil
		}
		known = append(known, p.Name)
	}
	return Policy{}, fmt.Errorf("active: unknown policy %q; there are %s", name, strings.Join(known, ", "))
}
