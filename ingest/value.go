package ingest

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"palate"
)

// unsaid is no outcome: the answer is none of the words.
const unsaid = palate.Outcome(math.MaxUint8)

// said returns the outcome that an answer has a word for.
func said(words []word, answer []byte) palate.Outcome {
	for _, w := range words {
		if len(w.text) == len(answer) && strings.EqualFold(w.text, string(answer)) {
			return w.outcome
		}
	}
	return unsaid
}

// outcomeOf reads the answer to a vote between left and right, or says why it cannot.
func outcomeOf(words []word, left, right, answer []byte) (palate.Outcome, string) {
	word := said(words, answer)
	meant := named(word, left, right, answer)
	switch {
	case len(answer) == 0:
		return 0, "is empty: who won?"
	case meant == unsaid:
		var names []string
		for _, w := range words {
			names = append(names, w.text)
		}
		return 0, fmt.Sprintf("%s is neither %s nor %s (nor one of: %s)%s", quote(answer), quote(left), quote(right), strings.Join(names, ", "), hint(words, left, right, answer))
	case word != unsaid && word != meant:
		return 0, fmt.Sprintf("%s may mean %v or the item of that name on the %v", quote(answer), word, meant)
	}
	return meant, ""
}

// hint guesses what an answer was meant to be.
func hint(words []word, left, right, answer []byte) string {
	text := string(answer)
	for _, id := range [][]byte{left, right} {
		if bare(text) == bare(string(id)) {
			return fmt.Sprintf("; did you mean %s?", quote(id))
		}
	}
	for _, id := range [][]byte{left, right} { // another number is another item
		n := max(len(id), len(text))
		if n/4 >= n-min(len(id), len(text)) && !bytes.ContainsAny(answer, "0123456789") && distance(strings.ToLower(text), strings.ToLower(string(id))) <= n/4 {
			return fmt.Sprintf("; did you mean %s?", quote(id))
		}
	}
	meant := unsaid
	switch strings.ToLower(text) {
	case "1", "a", "first", "l":
		meant = palate.Left
	case "2", "b", "second", "r":
		meant = palate.Right
	case "draw", "equal", "same", "both", "neither", "=", "0", "0.5":
		meant = palate.Tie
	case "?", "-", "none", "unsure", "na", "n/a", "null":
		meant = palate.Skip
	}
	for _, w := range words {
		if w.outcome == meant {
			return fmt.Sprintf("; did you mean %s?", w.text)
		}
	}
	return ""
}

// named returns the outcome of an answer that is the identifier of either item, otherwise the word.
func named(word palate.Outcome, left, right, answer []byte) palate.Outcome {
	switch {
	case bytes.Equal(answer, left):
		return palate.Left
	case bytes.Equal(answer, right):
		return palate.Right
	}
	return word
}

// weight reads a weight; an empty one is 1.
func weight(text []byte) (float64, string) {
	if len(text) == 0 {
		return 1, ""
	}
	w, err := strconv.ParseFloat(string(text), 64)
	if err != nil || !(w > 0) || math.IsInf(w, 1) {
		return 0, fmt.Sprintf("%s is not a positive number", quote(text))
	}
	return w, ""
}

// moment reads a time; an empty one is unknown.
func moment(text []byte) (time.Time, string) {
	if len(text) == 0 {
		return time.Time{}, ""
	}
	s := string(text)
	if len(s) >= len("2006-01-02T") && s[4] == '-' {
		if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
			return t.UTC(), ""
		}
	}
	if x, err := strconv.ParseFloat(s, 64); err == nil {
		if t, ok := since1970(x); ok {
			return t, ""
		}
		return time.Time{}, fmt.Sprintf("%s is not a time", quote(text))
	}
	for _, format := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02T15:04:05.999999999",
		"2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999 -0700", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.Parse(format, s); err == nil {
			return t.UTC(), ""
		}
	}
	return time.Time{}, fmt.Sprintf("%s is not a time: write 2006-01-02T15:04:05Z or seconds since 1970", quote(text))
}

// since1970 reads a number of seconds up to the year 5138, then of ever finer units; all of them begin in 1973.
func since1970(x float64) (time.Time, bool) {
	unit := int64(time.Second)
	for _, limit := range []float64{1e11, 1e14, 1e17} {
		if math.Abs(x) >= limit {
			unit /= 1000
		}
	}
	if !(math.Abs(x) < 1e19) {
		return time.Time{}, false
	}
	perSecond := float64(time.Second) / float64(unit)
	whole, part := math.Modf(x / perSecond)
	// Floating-point seconds are good to the microsecond at best.
	return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000).UTC(), true
}
