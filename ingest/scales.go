package ingest

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"palate/internal/wording"
)

// When ratings of a file are on two scales: the people of one go at least scaleRatio times as far from zero as those of
// the other, with nobody in between; each side has so many people, which are so large a share of all, and so many
// ratings; and on each side most people go at least half as far as one can.
const (
	scaleRatio   = 4
	scalePeople  = 2
	scaleShare   = 0.1
	scaleRatings = 5
)

// reaching is how far from zero the ratings of somebody go.
type reaching struct {
	user, ratings int32
	far           float64
}

// mixedScales returns the users whose ratings are on another scale than those of most, and how far each of the two
// goes; nil where there is one scale. Ratings are in order of user.
func mixedScales(all []rated) (others map[int32]bool, most, other float64) {
	var people []reaching
	for _, r := range all {
		if n := len(people); n == 0 || people[n-1].user != r.user {
			people = append(people, reaching{user: r.user})
		}
		p := &people[len(people)-1]
		p.ratings, p.far = p.ratings+1, max(p.far, math.Abs(r.grade))
	}
	slices.SortStableFunc(people, func(a, b reaching) int { return cmp.Compare(a.far, b.far) })
	for k := 1; k < len(people); k++ {
		narrow, wide := people[:k], people[k:]
		if from := people[k-1].far; from == 0 || people[k].far < scaleRatio*from || !used(narrow, len(people)) || !used(wide, len(people)) {
			continue
		}
		small, large := narrow, wide
		if count(small) > count(large) {
			small, large = large, small
		}
		others = map[int32]bool{}
		for _, p := range small {
			others[p.user] = true
		}
		return others, large[len(large)-1].far, small[len(small)-1].far
	}
	return nil, 0, 0
}

// used reports whether people, in order of how far they go, may be those who use a scale.
func used(people []reaching, all int) bool {
	half := 0
	for _, p := range people {
		if 2*p.far >= people[len(people)-1].far {
			half++
		}
	}
	return len(people) >= scalePeople && float64(len(people)) >= scaleShare*float64(all) && count(people) >= scaleRatings && 2*half > len(people)
}

// count is the number of their ratings.
func count(people []reaching) (n int) {
	for _, p := range people {
		n += int(p.ratings)
	}
	return n
}

// onOneScale returns the ratings without those that are on another scale than most, each of which is a bad row. Where
// a scale was named, ratings off it have been found already.
func (s *sheets) onOneScale(t *tally, column, file string) ([]rated, error) {
	if t.opt.Scale != nil || !t.opt.Rated {
		return s.all, nil
	}
	others, most, other := mixedScales(s.all)
	if others == nil {
		return s.all, nil
	}
	var kept, off []rated
	for _, r := range s.all {
		if others[r.user] {
			off = append(off, r)
		} else {
			kept = append(kept, r)
		}
	}
	slices.SortFunc(off, func(a, b rated) int { return cmp.Compare(a.line, b.line) })
	for _, r := range off {
		e := &Error{File: file, Line: int(r.line), Column: column, Reason: fmt.Sprintf(
			"%v by %s: ratings of some people go as far as %v, those of most as far as %v: these may be two scales; bring them to one, and say which it is with --scale LEAST:MOST",
			r.grade, wording.Quote(t.b.UserID(int(r.user))), other, most)}
		if !t.opt.SkipBad {
			return nil, e
		}
		t.report.bad(e, t.opt.examples())
	}
	return kept, nil
}
