package report

import (
	"fmt"
	"strconv"
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
func Groups(b *model.Board) string { return in("").groups(b) }

func (s speech) groups(b *model.Board) string {
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
	var text []string
	if len(together) > 1 {
		var all []string
		for k, ids := range together[:min(groupsNamed, len(together))] {
			all = append(all, s.Say("group-has", strconv.Itoa(k+1), s.Count(len(ids)), s.list(ids, itemsNamed)))
		}
		named := strings.Join(all, "; ")
		if more := len(together) - groupsNamed; more > 0 {
			named = s.Say("and-more", named, more)
		}
		text = append(text, s.Say("page-groups", s.Count(len(together)), named))
	}
	if len(alone) > 0 {
		var ids []string
		for _, one := range alone {
			ids = append(ids, one...)
		}
		text = append(text, s.Say("page-alone-items", len(ids), s.list(ids, aloneNamed)))
	}
	return strings.Join(text, " ")
}

// list names the first of some identifiers, and how many more there are.
func list(ids []string, most int) string {
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(ids[:most], ", "), len(ids)-most)
}
