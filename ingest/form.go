package ingest

import (
	"fmt"
	"slices"
	"strings"

	"palate"
)

// form is one way to lay votes out in columns.
type form struct {
	left, right string // the columns of the two items
	winner      string // the column of the answer; empty when the left item always won
	words       []word // what the answer may say besides the identifier of either item
}

type word struct {
	text    string // in lower case
	outcome palate.Outcome
}

// forms lists every form; of several that fit a header the first is taken.
func forms() []form {
	sides := []word{{"left", palate.Left}, {"right", palate.Right}, {"tie", palate.Tie}, {"skip", palate.Skip}}
	models := []word{{"model_a", palate.Left}, {"model_b", palate.Right}, {"tie", palate.Tie},
		{"tie (bothbad)", palate.Tie}, {"both_bad", palate.Tie}, {"bothbad", palate.Tie}, {"skip", palate.Skip}}
	return []form{
		{"left", "right", "winner", sides},
		{"left", "right", "label", sides},        // crowd-kit
		{"model_a", "model_b", "winner", models}, // arena
		{left: "winner", right: "loser"},
	}
}

// required lists the columns a file of this form must have.
func (f *form) required() []string {
	if f.winner == "" {
		return []string{f.left, f.right}
	}
	return []string{f.left, f.right, f.winner}
}

// The names of columns that any form may have besides; of several the first is taken.
func userColumns() []string {
	return []string{"user", "user_id", "voter", "worker", "judge", "annotator", "rater"}
}
func weightColumns() []string { return []string{"weight"} }
func timeColumns() []string   { return []string{"time", "timestamp", "tstamp"} }

// layout tells where in a header the parts of a vote are, −1 for those that are not there.
type layout struct {
	form                                    form
	left, right, winner, user, weight, time int
}

// columns lists the columns in use, in the order of the header.
func (l *layout) columns() []int {
	var used []int
	for _, k := range []int{l.left, l.right, l.winner, l.user, l.weight, l.time} {
		if k >= 0 {
			used = append(used, k)
		}
	}
	slices.Sort(used)
	return used
}

// split returns the names of the columns in use and of the others.
func split(header []string, used []int) (columns, extra []string) {
	for k, name := range header {
		if slices.Contains(used, k) {
			columns = append(columns, name)
		} else {
			extra = append(extra, name)
		}
	}
	return columns, extra
}

// find returns the place of the first of the names that the header has, or −1.
func find(header []string, names ...string) int {
	for _, name := range names {
		for k, h := range header {
			if strings.EqualFold(h, name) {
				return k
			}
		}
	}
	return -1
}

// match finds the form of a header.
func match(header []string) (*layout, *fault) {
	for _, f := range forms() {
		if len(missing(header, f.required())) > 0 {
			continue
		}
		l := &layout{
			form: f, left: find(header, f.left), right: find(header, f.right), winner: -1,
			user: find(header, userColumns()...), weight: find(header, weightColumns()...), time: find(header, timeColumns()...),
		}
		if f.winner != "" {
			l.winner = find(header, f.winner)
		}
		for _, k := range l.columns() {
			if bad := twice(header, k); bad != nil {
				return nil, bad
			}
		}
		return l, nil
	}
	var known [][]string
	var names []string
	for _, f := range forms() {
		known = append(known, f.required())
		names = append(names, strings.Join(f.required(), ","))
	}
	return nil, &fault{"", fmt.Sprintf("%s; votes are read from %s, with optional user, weight and time", noColumns(header, known...), strings.Join(names, " or "))}
}

// twice finds fault with a column in use whose name occurs again.
func twice(header []string, k int) *fault {
	for j, name := range header {
		if j != k && strings.EqualFold(name, header[k]) {
			return &fault{name, "two columns have this name"}
		}
	}
	return nil
}

func missing(header, names []string) []string {
	var m []string
	for _, name := range names {
		if find(header, name) < 0 {
			m = append(m, name)
		}
	}
	return m
}

// noColumns says which columns are missing from the form that comes nearest, which were found instead, and
// which of those may be misspelt.
func noColumns(header []string, known ...[]string) string {
	nearest := slices.MinFunc(known, func(a, b []string) int {
		score := func(names []string) int { // a name that is nearly there is half there
			lacking := missing(header, names)
			return 2*len(lacking) - len(misspelt(header, lacking))
		}
		return score(a) - score(b)
	})
	lacking := missing(header, nearest)
	noun := "column"
	if len(lacking) > 1 {
		noun = "columns"
	}
	shown := header
	if len(shown) > 12 {
		shown = append(slices.Clone(shown[:12]), fmt.Sprintf("and %d more", len(header)-12))
	}
	s := fmt.Sprintf("no %s %s in the header, which has %s", noun, strings.Join(lacking, ", "), strings.Join(shown, ", "))
	var hints []string
	for _, m := range misspelt(header, lacking) {
		hints = append(hints, fmt.Sprintf("%s by %q", m[0], m[1]))
	}
	if len(hints) > 0 {
		s += " (did you mean " + strings.Join(hints, " and ") + "?)"
	}
	return s
}

// misspelt pairs lacking names with columns that are spelt nearly like them.
func misspelt(header, lacking []string) [][2]string {
	var pairs [][2]string
	for _, name := range lacking {
		for _, h := range header {
			if d := distance(strings.ToLower(h), strings.ToLower(name)); d < len(name) && d <= max(1, len(name)/3) {
				pairs = append(pairs, [2]string{name, h})
				break
			}
		}
	}
	return pairs
}

// distance counts the letters to insert, delete, replace or exchange with their neighbour to get from a to b.
func distance(a, b string) int {
	if len(a) > 40 {
		return len(a)
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row[0] = i + 1
		for j := range len(b) {
			d := last[j]
			if a[i] != b[j] {
				d++
			}
			d = min(d, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, before[j-1]+1)
			}
			row[j+1] = d
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
