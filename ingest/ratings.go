package ingest

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"palate"
	"palate/internal/wording"
)

// ratingForm has one rating a row. Of two items that a voter rated the higher rated one wins, and items rated alike
// are not compared, unless ratings are to stay what they are.
func ratingForm() form {
	return form{"item,rating", func(header []string) *layout {
		item, grade := itemColumn(header), wording.Find(header, "rating", "score", "stars")
		if item < 0 || grade < 0 {
			return nil
		}
		return &layout{use: []int{item, grade}, rates: func(w *ballots, rec *record, by answer) *fault {
			id, bad := w.item(rec, item)
			if bad != nil {
				return bad
			}
			x, ok := ParseNumber(string(rec.number(grade)))
			if !ok {
				return w.fault(grade, fmt.Sprintf("%s is not a number", wording.Quote(rec.fields[grade])))
			}
			if s := w.opt.Scale; s != nil && (x < s.Lo || x > s.Hi) {
				return w.fault(grade, fmt.Sprintf("%s is not on the scale from %v to %v", wording.Quote(rec.fields[grade]), s.Lo, s.Hi))
			}
			if len(by.user) == 0 {
				return w.fault(w.layout.user, "is empty: whose rating is it?")
			}
			w.rated = append(w.rated, rated{w.users.add(by.user), w.items.add(id), int32(rec.line), x, by.weight, by.time})
			return nil
		}}
	}}
}

// rater takes down the rating of a row.
type rater func(w *ballots, rec *record, by answer) *fault

// rated is one rating.
type rated struct {
	user, item, line int32
	grade, weight    float64
	time             time.Time
}

// sheets gathers ratings until the file ends.
type sheets struct{ all []rated }

func (s *sheets) add(r rated) { s.all = append(s.all, r) }

// cast turns the ratings into votes, voter by voter in order of appearance, unless they are to stay what they are.
func (s *sheets) cast(ctx context.Context, t *tally, item, grade, file string) (err error) {
	slices.SortStableFunc(s.all, func(a, b rated) int { return cmp.Compare(a.user, b.user) })
	if s.all, err = s.onOneScale(t, grade, file); err != nil {
		return err
	}
	for k := range s.all {
		r := &s.all[k]
		t.report.rate(r.grade)
		if !t.opt.Rated && t.opt.LowerBetter {
			r.grade = -r.grade
		}
	}
	for from := 0; from < len(s.all); {
		if err := ctx.Err(); err != nil {
			return err
		}
		to := from + 1
		for to < len(s.all) && s.all[to].user == s.all[from].user {
			to++
		}
		sheet, err := t.once(s.all[from:to], item, file)
		switch {
		case err == nil && t.opt.Rated:
			err = t.keep(sheet)
		case err == nil:
			err = t.rate(sheet)
		}
		if err != nil {
			return err
		}
		from = to
	}
	return nil
}

// keep adds ratings as what they are.
func (t *tally) keep(sheet []rated) error {
	for _, r := range sheet {
		v := palate.Vote{User: int(r.user), Left: int(r.item), Right: int(r.item), Outcome: palate.Rated, Rating: r.grade, Weight: r.weight, Time: r.time, Unsided: true}
		if err := t.add(int(r.line), v); err != nil {
			return err
		}
	}
	return nil
}

// once finds items that a voter rated again; the first rating stays.
func (t *tally) once(sheet []rated, column, file string) ([]rated, error) {
	first := make(map[int32]int32, len(sheet))
	kept := sheet[:0]
	for _, r := range sheet {
		line, again := first[r.item]
		if !again {
			first[r.item] = r.line
			kept = append(kept, r)
			continue
		}
		e := &Error{File: file, Line: int(r.line), Column: column, Reason: fmt.Sprintf(
			"%s rated %s on line %d already", wording.Quote(t.b.UserID(int(r.user))), wording.Quote(t.b.ItemID(int(r.item))), line)}
		if !t.opt.SkipBad {
			return nil, e
		}
		t.report.bad(e, t.opt.examples())
	}
	return kept, nil
}

// ballotRatings is about how many ratings of a voter are compared with one another: all pairs of 17 are eight votes a
// rating.
const ballotRatings = 17

// rate casts the votes of one voter's ratings. They are dealt to ballots of about the same size, in an order that
// depends on the seed, the voter and the items alone, and those of a ballot are compared with one another: that is one
// answer, and no rating is in two. A voter whose ballots have more pairs than one may have is heard on the first few.
func (t *tally) rate(sheet []rated) error {
	n, left := len(sheet), t.opt.maxPairs()
	ballots := max(1, (n+ballotRatings/2)/ballotRatings)
	if t.opt.MaxPairs < 0 {
		ballots = 1
	}
	if ballots > 1 || n*(n-1)/2 > left {
		t.shuffle(sheet)
	}
	sampled := ballots > 1
	for k := range ballots {
		if left == 0 {
			break
		}
		cast, some, err := t.compare(sheet[n*k/ballots:n*(k+1)/ballots], left)
		if err != nil {
			return err
		}
		left -= cast
		sampled = sampled || some
	}
	if sampled {
		t.report.Sampled++
	}
	return nil
}

// shuffle puts the ratings of a voter in a random order that does not depend on that of the rows.
func (t *tally) shuffle(sheet []rated) {
	lots := make(map[int32]uint64, len(sheet))
	for _, r := range sheet {
		sum := sha256.Sum256(fmt.Appendf(nil, "%d %q %q", t.opt.Seed, t.b.UserID(int(r.user)), t.b.ItemID(int(r.item))))
		lots[r.item] = binary.BigEndian.Uint64(sum[:])
	}
	slices.SortFunc(sheet, func(a, b rated) int { return cmp.Compare(lots[a.item], lots[b.item]) })
}

// compare casts up to so many votes of one ballot, and says whether there were more. A vote has the smaller weight and
// the later time of its two ratings.
func (t *tally) compare(ballot []rated, most int) (cast int, sampled bool, err error) {
	g := graded{grades: make([]float64, len(ballot))}
	for k, r := range ballot {
		g.grades[k] = r.grade
	}
	group := 0
	if g.pairs() > 1 {
		group = t.b.NewGroup()
	}
	rng := func() *rand.Rand { return rand.New(rand.NewPCG(t.opt.Seed, 0)) } // the ballot is in random order already
	sampled = g.compare(most, rng, func(i, j int, o palate.Outcome) {
		a, b := &ballot[i], &ballot[j]
		v := palate.Vote{User: int(a.user), Left: int(a.item), Right: int(b.item), Outcome: o, Weight: min(a.weight, b.weight), Group: group, Unsided: true}
		if !a.time.IsZero() && !b.time.IsZero() {
			v.Time = a.time
			if b.time.After(a.time) {
				v.Time = b.time
			}
		}
		if err == nil {
			err = t.add(int(max(a.line, b.line)), v)
		}
		cast++
	})
	return cast, sampled, err
}
