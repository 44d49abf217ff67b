package judging

import (
	"fmt"
	"strconv"
	"strings"
)

// Boundary is the least that has a grade: a score, on the scale of Scores, or an item that
// just has it.
type Boundary struct {
	Grade string
	Score float64
	Item  string // empty: the score
}

// ParseGrades reads boundaries such as "A=1.2,B=0.3,C" or "A@essay12,C": from the best grade
// down, with the least score or, behind @, an item that just has it; the last is without.
func ParseGrades(text string) ([]Boundary, error) {
	parts := strings.Split(text, ",")
	if len(parts) < 2 {
		return nil, fmt.Errorf("judging: %q: two grades at least, with commas between", text)
	}
	var all []Boundary
	seen := map[string]bool{}
	for k, part := range parts {
		name, least, bounded := strings.Cut(strings.TrimSpace(part), "=")
		item, isItem := "", false
		if !bounded {
			name, item, isItem = strings.Cut(name, "@")
			bounded, least = isItem, item
		}
		b := Boundary{Grade: strings.TrimSpace(name)}
		switch least = strings.TrimSpace(least); {
		case b.Grade == "" || bounded && least == "":
			return nil, fmt.Errorf("judging: %q in %q: GRADE=SCORE or GRADE@ITEM is needed", part, text)
		case seen[b.Grade]:
			return nil, fmt.Errorf("judging: grade %s is there twice", b.Grade)
		case bounded == (k == len(parts)-1):
			return nil, fmt.Errorf("judging: %q in %q: all grades but the last have a boundary", part, text)
		case isItem:
			b.Item = least
		case bounded:
			var err error
			if b.Score, err = strconv.ParseFloat(least, 64); err != nil || b.Score != b.Score {
				return nil, fmt.Errorf("judging: %q in %q: %q is not a number; an item is GRADE@ITEM", part, text, least)
			}
			if last := len(all) - 1; last >= 0 && all[last].Item == "" && !(b.Score < all[last].Score) {
				return nil, fmt.Errorf("judging: grade %s from %g on is not below grade %s from %g on", b.Grade, b.Score, all[last].Grade, all[last].Score)
			}
		}
		seen[b.Grade] = true
		all = append(all, b)
	}
	return all, nil
}
