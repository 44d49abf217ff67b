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
		{"bald", BALD{}, Ranking()},
		{"lel", LEL{}, Ranking()},
		{"soft-bald", BALD{}, TopFirst()},
		{"soft-lel", LEL{}, TopFirst()},
		{"lelpair", LEL{}, Best()}, // LINK (29) as published
		{"thompson", Thompson{}, Ranking()},
		{"eubo", EUBO{}, Ranking()},
		{"uncertainty", Uncertainty{}, Ranking()},
		{"coverage", Coverage{}, Ranking()},
		{"random", Random{}, Ranking()},
	}
}

// For returns the policy that measured best for a goal; see docs/active.md. The whole
// order is soonest found by BALD, the top K and the best item by LEL; for the order with
// the top first BALD had the highest mean MAP on OHSUMED.
func For(g Goal) Policy {
	for _, p := range Policies() {
		if p.Goal == g {
			return p
		}
	}
	return Policy{"lel", LEL{}, g}
}

// Default is the policy for the whole order.
func Default() Policy { return For(Ranking()) }

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
