package ui

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"palate/model"
	"palate/server"
	"palate/store"
)

// standingRow is one row of the leaderboard.
type standingRow struct {
	model.BoardRow
	Shown       store.Item
	Provisional bool
	Even        bool // of its tier, for the shading
	First       bool // of its tier, among those that are shown
	Whisker     whisker
}

// whisker is an interval drawn on a scale that all rows share.
type whisker struct{ Lo, Hi, At, Zero string }

// whiskerWidth is the width of the picture of an interval, in its own units.
const whiskerWidth = 220

// pageRows is how many rows a page of the leaderboard has.
const pageRows = 100

// part is which rows of the leaderboard are wanted, and of how many.
type part struct {
	Find        string // in the names of items
	Page, Pages int    // from 1
	Found       int    // rows that have it
}

func readPart(r *http.Request) part {
	p := part{Find: r.FormValue("find"), Page: 1}
	if len(p.Find) > 200 {
		p.Find = ""
	}
	if k, err := strconv.Atoi(r.FormValue("page")); err == nil && k > 1 {
		p.Page = k
	}
	return p
}

// set puts the part into a query.
func (p part) set(q url.Values) url.Values {
	if p.Find != "" {
		q.Set("find", p.Find)
	}
	if p.Page > 1 {
		q.Set("page", strconv.Itoa(p.Page))
	}
	return q
}

// cut returns the rows of the part, and takes note of how many there are.
func (p *part) cut(rows []model.BoardRow) []model.BoardRow {
	rows = server.Search(rows, p.Find)
	p.Found = len(rows)
	p.Pages = max(1, (p.Found+pageRows-1)/pageRows)
	p.Page = min(p.Page, p.Pages)
	return rows[(p.Page-1)*pageRows : min(p.Page*pageRows, p.Found)]
}

// ranking is the rows of a part of the leaderboard.
func ranking(b *server.Leaderboard, p *part) []standingRow {
	lo, hi := 0.0, 0.0
	for _, row := range b.Rows() {
		lo, hi = math.Min(lo, row.Lo), math.Max(hi, row.Hi)
	}
	if hi == lo {
		hi = lo + 1
	}
	at := func(x float64) string {
		return fmt.Sprintf("%.1f", 6+(x-lo)/(hi-lo)*(whiskerWidth-12))
	}
	// Items without votes have a place by chance only: they stand at the end, without one.
	order := slices.Clone(b.Rows())
	slices.SortStableFunc(order, func(a, b model.BoardRow) int {
		return cmp.Compare(min(b.Votes, 1), min(a.Votes, 1))
	})
	for k := range order {
		order[k].Rank = k + 1
	}
	order = p.cut(order)
	var rows []standingRow
	for k, row := range order {
		rows = append(rows, standingRow{
			BoardRow: row, Shown: b.Items[row.Item], Provisional: b.Provisional[row.Item],
			Even: row.Tier%2 == 0, First: row.Votes > 0 && (k == 0 || order[k-1].Tier != row.Tier),
			Whisker: whisker{at(row.Lo), at(row.Hi), at(row.Score), at(0)},
		})
	}
	return rows
}
