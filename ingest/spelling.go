package ingest

import (
	"fmt"
	"slices"
	"strings"
)

func missing(header, names []string) []string {
	var m []string
	for _, name := range names {
		if find(header, name) < 0 {
			m = append(m, name)
		}
	}
	return m
}

// noColumns says which columns are missing from the form that comes nearest, which were found instead, and
// which of those may be misspelt.
func noColumns(header []string, known ...[]string) string {
	nearest := slices.MinFunc(known, func(a, b []string) int {
		score := func(names []string) int { // a name that is nearly there is half there
			lacking := missing(header, names)
			return 2*len(lacking) - len(misspelt(header, lacking))
		}
		return score(a) - score(b)
	})
	lacking := missing(header, nearest)
	noun := "column"
	if len(lacking) > 1 {
		noun = "columns"
	}
	shown := header
	if len(shown) > 12 {
		shown = append(slices.Clone(shown[:12]), fmt.Sprintf("and %d more", len(header)-12))
	}
	s := fmt.Sprintf("no %s %s in the header, which has %s", noun, strings.Join(lacking, ", "), strings.Join(shown, ", "))
	var hints []string
	for _, m := range misspelt(header, lacking) {
		hints = append(hints, fmt.Sprintf("%s by %q", m[0], m[1]))
	}
	if len(hints) > 0 {
		s += " (did you mean " + strings.Join(hints, " and ") + "?)"
	}
	return s
}

// misspelt pairs lacking names with columns that are spelt nearly like them.
func misspelt(header, lacking []string) [][2]string {
	var pairs [][2]string
	for _, name := range lacking {
		for _, h := range header {
			if d := distance(strings.ToLower(h), strings.ToLower(name)); d < len(name) && d <= max(1, len(name)/3) {
				pairs = append(pairs, [2]string{name, h})
				break
			}
		}
	}
	return pairs
}

// distance counts the letters to insert, delete, replace or exchange with their neighbour to get from a to b.
func distance(a, b string) int {
	if len(a) > 40 {
		return len(a)
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
