package ingest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode"

	"palate"
)

// Checker reads files of votes to the end, bad rows or not, and finds what may be wrong with the votes.
type Checker struct {
	opt     Options
	b       *palate.Builder
	reports []Report
	ends    []int   // number of votes after each file
	lines   []int32 // of each vote
}

// NewChecker returns a Checker that has read nothing. Bad rows are always passed over.
func NewChecker(opt Options) *Checker {
	opt.SkipBad = true
	return &Checker{opt: opt, b: palate.NewBuilder()}
}

// Read reads one more file of votes.
func (c *Checker) Read(name string, r io.Reader) (Report, error) {
	opt := c.opt
	opt.Each = func(line int, _ palate.Vote) { c.lines = append(c.lines, int32(line)) }
	report, err := Votes(name, r, c.b, opt)
	c.reports = append(c.reports, report)
	c.ends = append(c.ends, len(c.lines))
	return report, err
}

// Items reads a table of items against the votes, as the function Items does; items that no vote names are allowed.
func (c *Checker) Items(name string, r io.Reader) (*Encoder, error) {
	return Items(name, r, c.b, TableOptions{})
}

// Users reads a table of users against the votes.
func (c *Checker) Users(name string, r io.Reader) (*Encoder, error) {
	return Users(name, r, c.b, TableOptions{})
}

// Survey describes votes.
type Survey struct {
	Items      int        `json:"items"`
	Voters     int        `json:"voters"`
	Votes      int        `json:"votes"`
	Ties       int        `json:"ties"`
	Skips      int        `json:"skips"`
	Nameless   int        `json:"nameless"`           // votes without a voter
	Answers    int        `json:"answers"`            // votes on their own, and rankings and the like as one each
	Components []int      `json:"components"`         // sizes of the groups of items that votes connect
	First      *time.Time `json:"first,omitempty"`    // vote, nil when no vote has a time
	Last       *time.Time `json:"last,omitempty"`     // vote
	Findings   []Finding  `json:"findings,omitempty"` // what may be wrong
}

// Finding is something that may be wrong with votes, and where.
type Finding struct {
	Kind  string   `json:"kind"`
	Count int      `json:"count"`
	Where []*Error `json:"where"` // the first of them
}

func (f *Finding) add(most int, e *Error) {
	if f.Count++; len(f.Where) < most {
		f.Where = append(f.Where, e)
	}
}

// Survey describes what was read, with at most so many examples of each finding.
func (c *Checker) Survey(most int) (*Survey, error) {
	d, err := c.b.Build()
	if err != nil {
		return nil, err
	}
	s := &Survey{Items: d.NumItems(), Voters: d.NumUsers(), Votes: d.NumVotes()}
	e := newElection(c, d)
	e.countTo(s)
	for _, find := range []func(*Finding, int){
		e.bad, e.duplicates, e.contradictions, e.similarItems, e.similarVoters, e.oneSided, e.neverWon, e.neverLost, e.neverCompared,
	} {
		var f Finding
		if find(&f, most); f.Count > 0 {
			s.Findings = append(s.Findings, f)
		}
	}
	for _, part := range d.Components() {
		s.Components = append(s.Components, len(part))
	}
	return s, nil
}

// election is what the findings are made from.
type election struct {
	*Checker
	d                  *palate.Dataset
	won, lost, met     []int   // of each item: wins, defeats, and votes that are not skips
	item, user         []int32 // vote in which each appears first
	lefts, rights      []int   // of each voter, on sides that were shown
	repeated, changed  [][2]int32
	pairsWereLookedFor bool
}

func newElection(c *Checker, d *palate.Dataset) *election {
	e := &election{Checker: c, d: d}
	n, u := d.NumItems(), d.NumUsers()
	e.won, e.lost, e.met, e.item = make([]int, n), make([]int, n), make([]int, n), make([]int32, n)
	e.lefts, e.rights, e.user = make([]int, u), make([]int, u), make([]int32, u)
	for _, first := range [][]int32{e.item, e.user} {
		for k := range first {
			first[k] = -1
		}
	}
	file := 0
	for k, v := range d.Votes() {
		for k >= c.ends[file] {
			file++
		}
		for _, i := range []int{v.Left, v.Right} {
			if e.item[i] < 0 {
				e.item[i] = int32(k)
			}
			if v.Outcome != palate.Skip {
				e.met[i]++
			}
		}
		if v.User >= 0 && e.user[v.User] < 0 {
			e.user[v.User] = int32(k)
		}
		sided := c.reports[file].Sided && v.User >= 0
		switch v.Outcome {
		case palate.Left:
			e.won[v.Left]++
			e.lost[v.Right]++
			if sided {
				e.lefts[v.User]++
			}
		case palate.Right:
			e.won[v.Right]++
			e.lost[v.Left]++
			if sided {
				e.rights[v.User]++
			}
		}
	}
	return e
}

func (e *election) countTo(s *Survey) {
	groups := make([]bool, e.d.NumGroups()+1)
	for _, v := range e.d.Votes() {
		switch v.Outcome {
		case palate.Tie:
			s.Ties++
		case palate.Skip:
			s.Skips++
		}
		if v.User < 0 {
			s.Nameless++
		}
		if v.Group == 0 || !groups[v.Group] {
			s.Answers++
		}
		groups[v.Group] = true
		if t := v.Time; !t.IsZero() {
			if s.First == nil || t.Before(*s.First) {
				s.First = &t
			}
			if s.Last == nil || t.After(*s.Last) {
				s.Last = &t
			}
		}
	}
}

// at names the place of vote k: its file and line, and one of the columns of its file.
func (e *election) at(k int32, column func(*Report) string, format string, args ...any) *Error {
	file, _ := slices.BinarySearch(e.ends, int(k)+1)
	r := &e.reports[file]
	return &Error{File: r.File, Line: int(e.lines[k]), Column: column(r), Reason: fmt.Sprintf(format, args...)}
}

// where says on which line vote k is, with the file when it is another one than that of vote j.
func (e *election) where(k, j int32) string {
	none := func(*Report) string { return "" }
	a, b := e.at(k, none, ""), e.at(j, none, "")
	if a.File == b.File {
		return fmt.Sprintf("line %d", a.Line)
	}
	return fmt.Sprintf("%s:%d", fileName(a.File), a.Line)
}

func winnerColumn(r *Report) string { return r.winner }
func userColumn(r *Report) string   { return r.user }

// itemColumn returns the column in which an item is at vote k.
func (e *election) itemColumn(i int, k int32) func(*Report) string {
	if e.d.Vote(int(k)).Left == i {
		return func(r *Report) string { return r.left }
	}
	return func(r *Report) string { return r.right }
}

func (e *election) bad(f *Finding, most int) {
	f.Kind = "bad rows"
	for _, r := range e.reports {
		f.Count += r.Bad
		f.Where = append(f.Where, r.Examples[:min(len(r.Examples), max(0, most-len(f.Where)))]...)
	}
}

// pairs finds votes by the same voter on the same pair.
func (e *election) pairs() {
	if e.pairsWereLookedFor {
		return
	}
	e.pairsWereLookedFor = true
	type ballot struct {
		user, a, b, vote int32
	}
	var all []ballot
	for k, v := range e.d.Votes() {
		if v.User >= 0 && v.Outcome != palate.Skip {
			all = append(all, ballot{int32(v.User), int32(min(v.Left, v.Right)), int32(max(v.Left, v.Right)), int32(k)})
		}
	}
	slices.SortFunc(all, func(x, y ballot) int {
		if c := cmp.Compare(x.user, y.user); c != 0 {
			return c
		}
		if c := cmp.Compare(x.a, y.a); c != 0 {
			return c
		}
		if c := cmp.Compare(x.b, y.b); c != 0 {
			return c
		}
		return cmp.Compare(x.vote, y.vote)
	})
	for k := 1; k < len(all); k++ {
		x, y := &all[k-1], &all[k]
		if x.user != y.user || x.a != y.a || x.b != y.b {
			continue
		}
		v, w := e.d.Vote(int(x.vote)), e.d.Vote(int(y.vote))
		if v.Left != w.Left {
			w = w.Swap()
		}
		switch {
		case v.Outcome != w.Outcome:
			e.changed = append(e.changed, [2]int32{x.vote, y.vote})
		case v.Time.Equal(w.Time): // at another time it is a second opinion
			e.repeated = append(e.repeated, [2]int32{x.vote, y.vote})
		}
	}
	for _, found := range [][][2]int32{e.repeated, e.changed} {
		slices.SortFunc(found, func(x, y [2]int32) int { return cmp.Compare(x[1], y[1]) })
	}
}

func (e *election) duplicates(f *Finding, most int) {
	f.Kind = "duplicate votes"
	e.pairs()
	for _, p := range e.repeated {
		v := e.d.Vote(int(p[1]))
		f.add(most, e.at(p[1], winnerColumn, "%s gave the same answer about %s and %s on %s",
			quote(e.d.UserID(v.User)), quote(e.d.ItemID(v.Left)), quote(e.d.ItemID(v.Right)), e.where(p[0], p[1])))
	}
}

func (e *election) contradictions(f *Finding, most int) {
	f.Kind = "contradictory votes"
	e.pairs()
	for _, p := range e.changed {
		v := e.d.Vote(int(p[1]))
		f.add(most, e.at(p[1], winnerColumn, "%s gave another answer about %s and %s on %s",
			quote(e.d.UserID(v.User)), quote(e.d.ItemID(v.Left)), quote(e.d.ItemID(v.Right)), e.where(p[0], p[1])))
	}
}

func (e *election) similarItems(f *Finding, most int) {
	f.Kind = "items with nearly the same name"
	similar(e.d.NumItems(), e.d.ItemID, func(a, b int) {
		k := e.item[b]
		f.add(most, e.at(k, e.itemColumn(b, k), "%s is nearly %s, on %s", quote(e.d.ItemID(b)), quote(e.d.ItemID(a)), e.where(e.item[a], k)))
	})
}

func (e *election) similarVoters(f *Finding, most int) {
	f.Kind = "voters with nearly the same name"
	similar(e.d.NumUsers(), e.d.UserID, func(a, b int) {
		if k := e.user[b]; k >= 0 && e.user[a] >= 0 {
			f.add(most, e.at(k, userColumn, "%s is nearly %s, on %s", quote(e.d.UserID(b)), quote(e.d.UserID(a)), e.where(e.user[a], k)))
		}
	})
}

// similar finds identifiers that are the same but for letter case, blanks and punctuation.
func similar(n int, id func(int) string, found func(a, b int)) {
	first := make(map[string]int, n)
	for i := range n {
		key := strings.Map(func(r rune) rune {
			switch {
			case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.IsSymbol(r):
				return unicode.ToLower(r)
			}
			return -1
		}, id(i))
		if key == "" {
			continue
		}
		if a, ok := first[key]; ok {
			found(a, i)
		} else {
			first[key] = i
		}
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
			f.add(most, e.at(e.user[u], userColumn, "%s picked the %s item in all of %d votes", quote(e.d.UserID(u)), side, max(l, r)))
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
			f.add(most, e.at(k, e.itemColumn(i, k), "%s never %s in %s", quote(e.d.ItemID(i)), verb, plural(e.met[i], "vote")))
		}
	}
}

func (e *election) neverCompared(f *Finding, most int) {
	f.Kind = "items that are in skips only"
	for i, k := range e.item {
		if e.met[i] == 0 && k >= 0 {
			f.add(most, e.at(k, e.itemColumn(i, k), "%s was never compared with anything", quote(e.d.ItemID(i))))
		}
	}
}
