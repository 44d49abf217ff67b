package ingest

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"palate/internal/wording"
)

// anchorColumn finds the column that says how the items of an answer are to the anchor.
func anchorColumn(header []string) int {
	return wording.Find(header, "anchor", "important", "dual_response")
}

// none is the item that stands for where what is wanted, bought or important ends.
func (w *ballots) none() string {
	if w.opt.None != "" {
		return w.opt.None
	}
	return "none"
}

// isNone reports whether an answer is that none of the items was chosen.
func isNone(text []byte) bool {
	return slices.Contains([]string{"none", "noneofthese", "noneofthem", "noneoftheabove", "neither", "nothing", "nochoice"}, wording.Plain(string(text)))
}

// readAbove reads how many items of a set are above the anchor: all, some or none, also as part of a sentence. Nothing
// is said where the cell is empty.
func readAbove(text []byte) (above, why string) {
	if len(text) == 0 {
		return "", ""
	}
	words := strings.FieldsFunc(strings.ToLower(string(text)), func(r rune) bool { return !unicode.IsLetter(r) })
	for _, word := range []string{"some", "none", "all"} {
		if slices.Contains(words, word) {
			return word, ""
		}
	}
	return "", fmt.Sprintf("%s is not one of all, some, none", wording.Quote(text))
}
