package wording

import (
	"fmt"
	"slices"
	"strings"
)

// Plain returns the name of a column without what differs from tool to tool: letter case, blanks, underscores
// and dashes. Winner ID, winner_id and winnerId are one name.
func Plain(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(name))
}

// Find returns the place of the first of the names that the header has, or −1. A name that differs only as
// Plain has it comes after one that differs in letter case only.
func Find(header []string, names ...string) int {
	for _, name := range names {
		for k, h := range header {
			if strings.EqualFold(h, name) {
				return k
			}
		}
		plain := Plain(name)
		for k, h := range header {
			if plain != "" && Plain(h) == plain {
				return k
			}
		}
	}
	return -1
}

// Missing lists the names that the header has not.
func Missing(header, names []string) []string {
	var m []string
	for _, name := range names {
		if Find(header, name) < 0 {
			m = append(m, name)
		}
	}
	return m
}

// NoColumns says which columns are missing from the form that comes nearest, which were found instead, and
// which of those may be misspelt.
func NoColumns(header []string, known ...[]string) string {
	nearest := slices.MinFunc(known, func(a, b []string) int {
		score := func(names []string) int { // a name that is nearly there is half there
			lacking := Missing(header, names)
			return 2*len(lacking) - len(Misspelt(header, lacking))
		}
		return score(a) - score(b)
	})
	lacking := Missing(header, nearest)
	noun := "column"
	if len(lacking) > 1 {
		noun = "columns"
	}
	s := fmt.Sprintf("no %s %s in the header, which has %s", noun, strings.Join(lacking, ", "), Some(header))
	var hints []string
	for _, m := range Misspelt(header, lacking) {
		hints = append(hints, fmt.Sprintf("%s by %q", m[0], m[1]))
	}
	if len(hints) > 0 {
		s += " (did you mean " + strings.Join(hints, " and ") + "?)"
	}
	return s
}
