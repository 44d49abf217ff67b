package wording

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Near returns the one of some names that a word may be a misspelling of, or "". Letter case, blanks and punctuation
// go first; then so many letters may differ as a slip would. Another number is another name.
func Near(word string, names iter.Seq[string]) string {
	key, lower, digits := Bare(word), strings.ToLower(word), digitsOf(word)
	long := utf8.RuneCountInString(word)
	best, least := "", long
	for name := range names {
		if name == word {
			continue
		}
		if key != "" && Bare(name) == key {
			return name
		}
		letters := utf8.RuneCountInString(name)
		n := max(long, letters)
		apart := n - min(long, letters)
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
		return fmt.Sprintf("; did you mean %s?", Quote(near))
	}
	return ""
}

// Bare returns an identifier without what may differ by a slip, its accents written in the one way. What stands between
// digits, be it a point or a dash, tells 1.5 from 15.
func Bare(id string) string {
	var key strings.Builder
	var before rune
	cut := false
	for _, r := range norm.NFC.String(id) {
		if !(unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.IsSymbol(r)) {
			cut = true
			continue
		}
		if cut && unicode.IsDigit(before) && unicode.IsDigit(r) {
			key.WriteByte('.')
		}
		key.WriteRune(unicode.ToLower(r))
		before, cut = r, false
	}
	return key.String()
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

// Misspelt pairs lacking names with columns that are spelt nearly like them.
func Misspelt(header, lacking []string) [][2]string {
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
func distance(one, other string) int {
	a, b := []rune(one), []rune(other)
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
