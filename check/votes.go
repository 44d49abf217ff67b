package check

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"palate"
	"palate/ingest"
	"palate/internal/wording"
)

// election is what the findings are made from.
type election struct {
	*Checker
	ctx               context.Context // looks are cut short when it has ended
	d                 *palate.Dataset
	parts             [][]int    // groups of items that votes connect
	won, lost, met    []int      // of each item: wins, defeats, and votes that are not skips
	item, user        []int32    // vote in which each appears first
	silent            []int32    // votes without a voter, in files that have a column of voters
	lefts, rights     []int      // of each voter, on sides that were shown
	repeated, changed [][2]int32 // votes by one voter on the same pair: an earlier and a later one
}

// look counts what items and voters did.
func (e *election) look() {
	c, d := e.Checker, e.d
	n, u := d.NumItems(), d.NumUsers()
	e.won, e.lost, e.met, e.item = make([]int, n), make([]int, n), make([]int, n), make([]int32, n)
	e.lefts, e.rights, e.user = make([]int, u), make([]int, u), make([]int32, u)
	for _, first := range [][]int32{e.item, e.user} {
		for k := range first {
			first[k] = -1
		}
	}
	file := 0
	for k, v := range until(e.ctx, d.Votes()) {
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
		switch {
		case v.User < 0:
			if c.reports[file].UserColumn != "" {
				e.silent = append(e.silent, int32(k))
			}
		case e.user[v.User] < 0:
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
}

func (e *election) countTo(s *Survey) {
	s.Votes, s.Ties, s.Skips = e.d.NumVotes(), e.d.Count(palate.Tie), e.d.Count(palate.Skip)
	groups := make([]bool, e.d.NumGroups()+1)
	for _, v := range until(e.ctx, e.d.Votes()) {
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
func (e *election) at(k int32, column func(*ingest.Report) string, format string, args ...any) *ingest.Error {
	file, _ := slices.BinarySearch(e.ends, int(k)+1)
	r := &e.reports[file]
	return &ingest.Error{File: r.File, Line: int(e.lines[k]), Column: column(r), Reason: fmt.Sprintf(format, args...)}
}

// sided reports whether vote k is of a file with sides on which items were shown.
func (e *election) sided(k int) bool {
	file, _ := slices.BinarySearch(e.ends, k+1)
	return e.reports[file].Sided
}

// where says on which line vote k is, with the file when it is another one than that of vote j.
func (e *election) where(k, j int32) string {
	none := func(*ingest.Report) string { return "" }
	a, b := e.at(k, none, ""), e.at(j, none, "")
	if a.File == b.File {
		return fmt.Sprintf("line %d", a.Line)
	}
	return fmt.Sprintf("%s:%d", wording.File(a.File), a.Line)
}

func winnerColumn(r *ingest.Report) string { return r.WinnerColumn }
func userColumn(r *ingest.Report) string   { return r.UserColumn }

// columnAt returns the column in which an item or a voter is at vote k.
type columnAt func(i int, k int32) func(*ingest.Report) string

func voterColumn(int, int32) func(*ingest.Report) string { return userColumn }

func (e *election) itemColumn(i int, k int32) func(*ingest.Report) string {
	if e.d.Vote(int(k)).Left == i {
		return func(r *ingest.Report) string { return r.LeftColumn }
	}
	return func(r *ingest.Report) string { return r.RightColumn }
}

// until goes through votes as long as ctx has not ended.
func until(ctx context.Context, votes iter.Seq2[int, palate.Vote]) iter.Seq2[int, palate.Vote] {
	return func(yield func(int, palate.Vote) bool) {
		for k, v := range votes {
			if k%4096 == 0 && ctx.Err() != nil || !yield(k, v) {
				return
			}
		}
	}
}
