package palate

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// names numbers identifiers in order of first appearance.
type names struct {
	ids    []string
	index  map[string]int32
	shared bool // a Dataset holds index: copy before the next write
}

func (n *names) find(id string) (int, bool) {
	i, ok := n.index[id]
	return int(i), ok
}

// add numbers an identifier that is not there yet.
func (n *names) add(id string) int {
	switch {
	case n.index == nil:
		n.index = make(map[string]int32)
	case n.shared:
		n.index, n.shared = maps.Clone(n.index), false
	}
	id = strings.Clone(id) // it may be part of a far larger text
	i := len(n.ids)
	n.ids = append(n.ids, id)
	n.index[id] = int32(i)
	return i
}

// freeze returns the names so far; later additions do not touch them.
func (n *names) freeze() names {
	n.shared = true
	return names{ids: n.ids[:len(n.ids):len(n.ids)], index: n.index, shared: true}
}

// sort numbers the identifiers in their order, and returns the new number of each old one.
func (n *names) sort() []int32 {
	ids := slices.Sorted(slices.Values(n.ids))
	index, moved := make(map[string]int32, len(ids)), make([]int32, len(ids))
	for i, id := range ids {
		index[id] = int32(i)
		moved[n.index[id]] = int32(i)
	}
	*n = names{ids: ids, index: index}
	return moved
}

// CheckID says what is wrong with an identifier: it must be UTF-8 text, not
// empty, without NUL bytes.
func CheckID(id string) error {
	switch {
	case id == "":
		return fmt.Errorf("empty identifier")
	case !utf8.ValidString(id):
		return fmt.Errorf("identifier %q is not UTF-8", id)
	case strings.IndexByte(id, 0) >= 0:
		return fmt.Errorf("identifier %q holds a NUL byte", id)
	}
	return nil
}
