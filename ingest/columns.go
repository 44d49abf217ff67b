package ingest

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"palate/internal/wording"
)

// Columns say what columns of a file are where the header does not: by their names or, of text without a header, by
// their places counted from 1.
type Columns []Naming

// Naming says that a column has one of Roles.
type Naming struct{ Role, Column string }

// Roles lists what a column can be. In winner-side the answers are sides, such as A and B, whatever the items are
// called; in winner-item, what is the name of an item is never a side. A best-worst marks the best and the worst item,
// and best-code is no column but the code that marks the best.
func Roles() []string {
	return []string{"left", "right", "winner", "winner-side", "winner-item", "loser", "user", "weight", "time", "ballot",
		"item", "task", "rating", "rank", "ranking", "items", "best", "worst", "best-worst", "best-code", "anchor"}
}

// ParseColumns reads what columns are: winner=candidate_chosen,loser=candidate_not_chosen, or, by places,
// winner=1,loser=2. A name that has a comma is quoted with its role, as in CSV.
func ParseColumns(text string) (Columns, error) {
	r := csv.NewReader(strings.NewReader(text))
	r.LazyQuotes = true
	parts, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%q names no columns: write winner=chosen,loser=rejected", text)
	}
	var c Columns
	for _, part := range parts {
		role, column, ok := strings.Cut(part, "=")
		n := Naming{strings.ToLower(strings.TrimSpace(role)), strings.TrimSpace(column)}
		if !ok || n.Role == "" || n.Column == "" {
			return nil, fmt.Errorf("%q does not say what a column is: write winner=chosen,loser=rejected", part)
		}
		c = append(c, n)
	}
	return c, c.Check()
}

// Check finds fault with roles that are not there, and with roles and columns that are named twice.
func (c Columns) Check() error {
	for k, n := range c {
		if !slices.Contains(Roles(), n.Role) {
			return fmt.Errorf("%s=%s: %q is not one of %s%s", n.Role, n.Column, n.Role, strings.Join(Roles(), ", "), wording.DidYouMean(n.Role, slices.Values(Roles())))
		}
		for _, before := range c[:k] {
			switch {
			case n.title() == before.title():
				return fmt.Errorf("%s is named twice: by %s=%s and by %s=%s", n.title(), before.Role, before.Column, n.Role, n.Column)
			case strings.EqualFold(n.Column, before.Column) && !n.code() && !before.code():
				return fmt.Errorf("the column %s is named twice: as %s and as %s", n.Column, before.Role, n.Role)
			}
		}
	}
	return nil
}

// String writes the columns as ParseColumns reads them.
func (c Columns) String() string {
	var all []string
	for _, n := range c {
		part := n.Role + "=" + n.Column
		if strings.ContainsAny(part, ",\"\n") {
			part = `"` + strings.ReplaceAll(part, `"`, `""`) + `"`
		}
		all = append(all, part)
	}
	return strings.Join(all, ",")
}

// title is the name of a column of this role in a header.
func (n Naming) title() string {
	if strings.HasPrefix(n.Role, "winner-") {
		return "winner"
	}
	return n.Role
}

// code reports whether this is a code and no column.
func (n Naming) code() bool { return n.Role == "best-code" }

// bestCode is what marks the best item; empty: words do, or 1.
func (c Columns) bestCode() string {
	for _, n := range c {
		if n.code() {
			return strings.ToLower(n.Column)
		}
	}
	return ""
}

// answers says how the column of answers is to be read.
func (c Columns) answers() answers {
	for _, n := range c {
		switch n.Role {
		case "winner-side":
			return byWord
		case "winner-item":
			return byName
		}
	}
	return byEither
}

// counted reports whether columns are named by their places.
func (c Columns) counted() bool {
	return len(c) > 0 && !slices.ContainsFunc(c, func(n Naming) bool {
		k, err := strconv.Atoi(n.Column)
		return (err != nil || k < 1) && !n.code()
	})
}

// apply returns the header as it would be with names that the forms know, and which columns were named.
func (c Columns) apply(header []string) (as []string, at []int, bad *fault) {
	if err := c.Check(); err != nil {
		return nil, nil, &fault{"", "--columns " + err.Error()}
	}
	as = slices.Clone(header)
	c = slices.DeleteFunc(slices.Clone(c), Naming.code)
	for _, n := range c {
		k := wording.Find(header, n.Column)
		if k < 0 {
			return nil, nil, &fault{"", fmt.Sprintf("--columns %s=%s: there is no column %s among %s%s", n.Role, n.Column, wording.Quote(n.Column), wording.Some(header), wording.DidYouMean(n.Column, slices.Values(header)))}
		}
		if bad := twice(header, k); bad != nil {
			return nil, nil, bad
		}
		if slices.Contains(at, k) {
			return nil, nil, &fault{header[k], "--columns names it twice"}
		}
		at = append(at, k)
	}
	for k, n := range c {
		for j := range as { // what had the name before is another column now
			if !slices.Contains(at, j) && wording.Plain(as[j]) == n.title() {
				as[j] = ""
			}
		}
		as[at[k]] = n.title()
	}
	return as, at, nil
}
