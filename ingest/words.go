package ingest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"palate"
	"palate/internal/wording"
)

// unsaid is no outcome: the answer is none of the words.
const unsaid = palate.Outcome(math.MaxUint8)

// tongue is a set of ways in which answers name an outcome by a word.
type tongue uint8

const (
	byColumn tongue = 1 << iota // as the columns of the two items are named
	bySide                      // left, right, tie and skip
	byLetter                    // A and B
	byNumber                    // 1 and 2
	byDraw                      // other words for ties

	firm = byColumn | bySide // words that are no names unless somebody says so
)

// word is one that an answer may have in place of the name of an item.
type word struct {
	text    string
	outcome palate.Outcome
	tongue  tongue
}

// words lists those that every form knows; the case of letters, blanks, underscores and dashes do not matter.
func words() []word {
	all := []word{
		{"left", palate.Left, bySide}, {"right", palate.Right, bySide}, {"tie", palate.Tie, bySide}, {"skip", palate.Skip, bySide},
		{"a", palate.Left, byLetter}, {"b", palate.Right, byLetter},
		{"1", palate.Left, byNumber}, {"2", palate.Right, byNumber}, {"1.0", palate.Left, byNumber}, {"2.0", palate.Right, byNumber},
		{"0", unsaid, byNumber}, // beside 1, nobody knows which is which
	}
	for _, text := range []string{"draw", "equal", "same", "neither", "both", "both bad", "both good",
		"tie (both bad)", "tie (both good)", "no preference", "="} {
		all = append(all, word{text, palate.Tie, byDraw})
	}
	return all
}

// answers say how a column of answers is to be read.
type answers uint8

const (
	byEither answers = iota // names of items and words
	byWord                  // words only
	byName                  // where a word is the name of an item, it is that item
)

// vocabulary looks words up.
type vocabulary struct {
	mode  answers
	sides [2]string // how people are told the words for the two items
	words map[string]word
	met   local  // answers as they were written; too many are forgotten
	meant []word // of each
}

// newVocabulary knows the words of all forms, and the names of the columns of the two items if they have any.
func newVocabulary(mode answers, columns ...string) *vocabulary {
	v := &vocabulary{mode: mode, sides: [2]string{"left", "right"}, words: map[string]word{}, met: newLocal()}
	for _, w := range words() {
		v.words[wording.Plain(w.text)] = w
	}
	if len(columns) == 2 {
		v.sides = [2]string(columns)
		for k, name := range columns {
			if w, ok := v.words[wording.Plain(name)]; !ok || w.outcome != palate.Outcome(k) {
				v.words[wording.Plain(name)] = word{name, palate.Outcome(k), byColumn}
			}
		}
	}
	return v
}

// said returns the word that an answer is; its outcome is unsaid when there is none.
func (v *vocabulary) said(answer []byte) word {
	if len(v.meant) > 1<<12 {
		v.met.reset()
		v.meant = v.meant[:0]
	}
	k := int(v.met.add(answer))
	if k == len(v.meant) {
		w, ok := v.words[wording.Plain(string(answer))]
		if !ok {
			w.outcome = unsaid
		}
		v.meant = append(v.meant, w)
	}
	return v.meant[k]
}

// named returns the outcome of an answer that is the name of either item.
func named(left, right, answer []byte) palate.Outcome {
	switch {
	case bytes.Equal(answer, left):
		return palate.Left
	case bytes.Equal(answer, right):
		return palate.Right
	}
	return unsaid
}

// usage is how the answers of a file name outcomes.
type usage struct {
	named  bool   // some by names of items that are no words
	worded tongue // some by words that are no names of an item in the pair
	odd    []odd  // some by words that are names of the other item: the first of each kind
}

// odd is an answer that can be read in two ways.
type odd struct {
	tongue tongue
	both   bool // both items of the pair have a word of this tongue for a name
	at     *Error
}

func (u *usage) add(o odd) {
	if !slices.ContainsFunc(u.odd, func(have odd) bool { return have.tongue == o.tongue && have.both == o.both }) {
		u.odd = append(u.odd, o)
	}
}

// join adds what comes later in the file.
func (u *usage) join(later usage) {
	u.named = u.named || later.named
	u.worded |= later.worded
	for _, o := range later.odd {
		u.add(o)
	}
}

// errTwoReadings is behind the Error of an answer that nothing decides; no row is bad then.
var errTwoReadings = errors.New("it can be read in two ways")

// ambiguous returns an answer that nothing in the file decides. The name of an item goes first, unless words of the
// same tongue stand for sides elsewhere, or both items are called by such words and no answer is clearly a name.
func (u *usage) ambiguous() *Error {
	for _, o := range u.odd {
		if u.worded&o.tongue != 0 || o.both && !u.named {
			o.at.Err = errTwoReadings
			return o.at
		}
	}
	return nil
}

// outcome reads the answer to a vote between left and right, or says why it cannot.
func (w *ballots) outcome(rec *record, column int, left, right, answer []byte) (palate.Outcome, string) {
	v := w.vocabulary
	word, meant := v.said(answer), named(left, right, answer)
	if v.mode == byWord {
		meant = unsaid
	}
	switch {
	case len(answer) == 0:
		return 0, "is empty: who won?"
	case meant == unsaid && word.outcome != unsaid:
		w.usage.worded |= word.tongue
		return word.outcome, ""
	case meant == unsaid && word.tongue == byNumber:
		why := fmt.Sprintf("%s beside 1 leaves open which side is which: write %s and %s", wording.Quote(answer), v.sides[0], v.sides[1])
		w.usage.add(odd{byNumber, false, w.fault(column, why).at(w.file, rec.line)})
		return 0, why
	case meant == unsaid:
		return 0, fmt.Sprintf("%s is neither %s nor %s (nor one of: %s, tie, skip)%s",
			wording.Quote(answer), wording.Quote(left), wording.Quote(right), strings.Join(v.sides[:], ", "), v.hint(left, right, answer))
	case word.tongue == 0:
		w.usage.named = true
	case word.outcome != meant && v.mode == byEither:
		why := fmt.Sprintf("%s may mean %v or the item of that name on the %v", wording.Quote(answer), word.outcome, meant)
		if word.outcome == unsaid {
			why = fmt.Sprintf("%s may be a number for a side or the item of that name on the %v", wording.Quote(answer), meant)
		}
		if len(w.layout.pair) > 2 {
			why += fmt.Sprintf(": say which with --columns winner-side=%[1]s or --columns winner-item=%[1]s", w.header[column])
		}
		if word.tongue&firm != 0 {
			return 0, why
		}
		both := v.said(left).tongue == word.tongue && v.said(right).tongue == word.tongue
		w.usage.add(odd{word.tongue, both, w.fault(column, why).at(w.file, rec.line)})
	}
	return meant, ""
}

// hint guesses what an answer was meant to be.
func (v *vocabulary) hint(left, right, answer []byte) string {
	text := string(answer)
	if s := wording.DidYouMean(text, slices.Values([]string{string(left), string(right)})); s != "" {
		return s
	}
	meant := ""
	switch strings.ToLower(text) {
	case "first", "l":
		meant = v.sides[0]
	case "second", "r":
		meant = v.sides[1]
	case "0.5", "even":
		meant = "tie"
	case "?", "-", "none", "unsure", "na", "n/a", "null":
		meant = "skip"
	default:
		meant = wording.Near(text, func(yield func(string) bool) {
			for _, w := range words() {
				if len(w.text) > 2 && !yield(w.text) {
					return
				}
			}
		})
	}
	if meant == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %s?", meant)
}
