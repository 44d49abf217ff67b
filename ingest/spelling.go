package ingest

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
)

// Near returns the one of some names that a word may be a misspelling of, or "". Letter case, blanks and punctuation
// go first; then so many letters may differ as a slip would. Another number is another name.
func Near(word string, names iter.Seq[string]) string {
	key, lower, digits := bare(word), strings.ToLower(word), digitsOf(word)
	best, least := "", len(word)
	for name := range names {
		if name == word {
			continue
		}
		if key != "" && bare(name) == key {
			return name
		}
		n := max(len(word), len(name))
		apart := n - min(len(word), len(name))
		if most := max(1, n/4); apart > most || digitsOf(name) != digits {
			continue
		} else if d := distance(lower, strings.ToLower(name)); d <= most && 2*d < n && d < least {
			best, least = name, d
		}
	}
	return best
}

// DidYouMean is the end of a message about a word that is none of some names: `; did you mean "x"?`, or nothing.
func DidYouMean(word string, names iter.Seq[string]) string {
	if near := Near(word, names); near != "" {
		return fmt.Sprintf("; did you mean %s?", quote(near))
	}
	return ""
}

// digitsOf returns the digits of a name.
func digitsOf(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, name)
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
	s := fmt.Sprintf("no %s %s in the header, which has %s", noun, strings.Join(lacking, ", "), some(header))
	var hints []string
	for _, m := range misspelt(header, lacking) {
		hints = append(hints, fmt.Sprintf("%s by %q", m[0], m[1]))
	}
	if len(hints) > 0 {
		s += " (did you mean " + strings.Join(hints, " and ") + "?)"
	}
	return s
}

// some lists names, the first of them when there are many.
func some(names []string) string {
	const most = 12
	if len(names) > most {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d more", len(names)-most))
	}
	return strings.Join(names, ", ")
}

// misspelt pairs lacking names with columns that are spelt nearly like them.
func misspelt(header, lacking []string) [][2]string {
	var pairs [][2]string
	for _, name := range lacking {
		for _, h := range header {
			if d := distance(strings.ToLower(h), strings.ToLower(name)); digitsOf(h) == digitsOf(name) && d < len(name) && d <= max(1, len(name)/3) {
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
