package report

import (
	"fmt"
	"strings"

	"palate/model"
)

// How much of the groups a sentence names.
const (
	groupsNamed = 5
	itemsNamed  = 4
	aloneNamed  = 10
)

// Groups says in a sentence or two that the items of a board are not all
// comparable, and names the groups; it is empty when they are.
func Groups(b *model.Board) string {
	if len(b.Groups) < 2 {
		return ""
	}
	var together, alone [][]string
	for _, g := range b.Groups {
		var ids []string
		for _, r := range g.Rows {
			ids = append(ids, label(r.ID))
		}
		if ranked(g) {
			together = append(together, ids)
		} else {
			alone = append(alone, ids)
		}
	}
	var s strings.Builder
	if len(together) > 1 {
		fmt.Fprintf(&s, "The votes fall into %d groups of items that no vote connects, so scores and ranks of different groups are not comparable: ", len(together))
		for k, ids := range together {
			if k == groupsNamed {
				fmt.Fprintf(&s, "; and %d more", len(together)-k)
				break
			}
			if k > 0 {
				s.WriteString("; ")
			}
			fmt.Fprintf(&s, "group %d has %d items (%s)", k+1, len(ids), list(ids, itemsNamed))
		}
		s.WriteString(".")
	}
	if len(alone) > 0 {
		if s.Len() > 0 {
			s.WriteString(" ")
		}
		var ids []string
		for _, one := range alone {
			ids = append(ids, one...)
		}
		them := "them"
		if len(ids) == 1 {
			them = "it"
		}
		fmt.Fprintf(&s, "Not ranked, because no vote compares %s with anything: %s.", them, list(ids, aloneNamed))
	}
	return s.String()
}

// list names the first of some identifiers, and how many more there are.
func list(ids []string, most int) string {
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
