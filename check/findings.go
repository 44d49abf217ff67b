package check

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"palate/feature"
	"palate/ingest"
	"palate/internal/wording"
)

func (e *election) bad(f *Finding, most int) {
	f.Kind, f.Stops = BadRows, true
	for _, r := range e.reports {
		f.Count += r.Bad
		f.Where = append(f.Where, r.Examples[:min(len(r.Examples), max(0, most-len(f.Where)))]...)
	}
}

// features finds what keeps descriptions of items from being features.
func (e *election) features(f *Finding, most int) {
	f.Kind, f.Stops = "features that cannot be read", true
	t := e.opt.Profiles
	if len(t.IDs) == 0 {
		return
	}
	var bad *ingest.Error
	if _, err := feature.NewEncoder(e.ctx, t, feature.Options{}); errors.As(err, &bad) {
		f.add(most, bad)
	}
}

func (e *election) similarItems(f *Finding, most int) {
	f.Kind = "items with nearly the same name"
	e.similar(f, most, e.item, e.d.ItemID, e.itemColumn)
}

func (e *election) similarVoters(f *Finding, most int) {
	f.Kind = "voters with nearly the same name"
	e.similar(f, most, e.user, e.d.UserID, voterColumn)
}

// similar finds names that are the same but for letter case, blanks and punctuation, of those
// with votes: the first of name i is vote first[i].
func (e *election) similar(f *Finding, most int, first []int32, id func(int) string, column columnAt) {
	seen := make(map[string]int, len(first))
	for i, k := range first {
		key := wording.Bare(id(i))
		if key == "" || k < 0 {
			continue
		}
		if a, ok := seen[key]; ok {
			f.add(most, e.at(k, column(i, k), "%s is nearly %s, on %s", wording.Quote(id(i)), wording.Quote(id(a)), e.where(first[a], k)))
		} else {
			seen[key] = i
		}
	}
}

// columns finds columns that are not used, and nearly have the name of one that would be.
func (e *election) columns(f *Finding, most int) {
	f.Kind = "columns that may be misspelt"
	for _, r := range e.reports {
		for _, names := range ingest.OptionalColumns() {
			if wording.Find(r.Columns, names...) >= 0 {
				continue
			}
			if m := wording.Misspelt(r.Extra, names); len(m) > 0 {
				f.add(most, &ingest.Error{File: r.File, Line: r.HeaderLine, Column: m[0][1], Reason: fmt.Sprintf("is not used; did you mean %s?", m[0][0])})
			}
		}
	}
}

func (e *election) nameless(f *Finding, most int) {
	f.Kind = "votes without a voter"
	if len(e.user) == 0 { // nobody has a name
		return
	}
	for _, k := range e.silent {
		f.add(most, e.at(k, userColumn, "is empty"))
	}
}

// oneSidedVotes is from how many votes on one side only, and none on the other, a voter is called one-sided:
// the chance of that is below a hundredth for one who does not care for sides.
const oneSidedVotes = 8

func (e *election) oneSided(f *Finding, most int) {
	f.Kind = "voters who always pick one side"
	for u := range e.lefts {
		if l, r := e.lefts[u], e.rights[u]; min(l, r) == 0 && max(l, r) >= oneSidedVotes {
			side := "left"
			if r > 0 {
				side = "right"
			}
			f.add(most, e.at(e.user[u], userColumn, "%s picked the %s item in all of %d votes", wording.Quote(e.d.UserID(u)), side, max(l, r)))
		}
	}
}

func (e *election) neverWon(f *Finding, most int) {
	e.never(f, most, "items that never won", "won", e.won, e.lost)
}

func (e *election) neverLost(f *Finding, most int) {
	e.never(f, most, "items that never lost", "lost", e.lost, e.won)
}

func (e *election) never(f *Finding, most int, kind, verb string, count, other []int) {
	f.Kind = kind
	for i, k := range e.item {
		if e.met[i] > 0 && count[i] == 0 && other[i] > 0 {
			f.add(most, e.at(k, e.itemColumn(i, k), "%s never %s in %s", wording.Quote(e.d.ItemID(i)), verb, wording.Plural(e.met[i], "vote")))
		}
	}
}

func (e *election) neverCompared(f *Finding, most int) {
	f.Kind = "items that are in skips only"
	for i, k := range e.item {
		if e.met[i] == 0 && k >= 0 {
			f.add(most, e.at(k, e.itemColumn(i, k), "%s was never compared with anything", wording.Quote(e.d.ItemID(i))))
		}
	}
}

// apart finds groups of items that no vote connects with the largest one.
func (e *election) apart(f *Finding, most int) {
	f.Kind = "groups of items that no vote connects with the others"
	for _, part := range e.parts[min(1, len(e.parts)):] {
		if len(part) == 1 { // never compared
			continue
		}
		first := slices.MinFunc(part, func(i, j int) int { return cmp.Compare(e.item[i], e.item[j]) })
		f.add(most, e.at(e.item[first], e.itemColumn(first, e.item[first]), "%s and %d more are compared with each other only", wording.Quote(e.d.ItemID(first)), len(part)-1))
	}
}

func (e *election) itemsWithoutRow(f *Finding, most int) {
	e.withoutRow(f, most, "item", e.items, e.item, e.d.ItemID, e.itemColumn)
}

func (e *election) votersWithoutRow(f *Finding, most int) {
	e.withoutRow(f, most, "voter", e.users, e.user, e.d.UserID, voterColumn)
}

// withoutRow finds what votes name, at first in vote first[i], and a table does not.
func (e *election) withoutRow(f *Finding, most int, noun string, t *ingest.Table, first []int32, id func(int) string, column columnAt) {
	if t == nil {
		return
	}
	f.Kind, f.Stops = fmt.Sprintf("%ss without a row in %s", noun, wording.File(t.File)), true
	rows := make(map[string]bool, len(t.IDs))
	for _, id := range t.IDs {
		rows[id] = true
	}
	for i, k := range first {
		if k >= 0 && !rows[id(i)] {
			f.add(most, e.at(k, column(i, k), "%s is not in %s", wording.Quote(id(i)), wording.File(t.File)))
		}
	}
}

func (e *election) rowsWithoutItem(f *Finding, most int) {
	e.withoutVote(f, most, e.items, e.d.Item)
}

func (e *election) rowsWithoutVoter(f *Finding, most int) {
	e.withoutVote(f, most, e.users, e.d.User)
}

// withoutVote finds rows of a table that no vote names.
func (e *election) withoutVote(f *Finding, most int, t *ingest.Table, known func(id string) (int, bool)) {
	if t == nil {
		return
	}
	f.Kind = fmt.Sprintf("rows of %s that no vote names", wording.File(t.File))
	for i, id := range t.IDs {
		if _, ok := known(id); !ok {
			f.add(most, &ingest.Error{File: t.File, Line: t.Lines[i], Column: ingest.IDColumn, Reason: fmt.Sprintf("no vote names %s", wording.Quote(id))})
		}
	}
}
