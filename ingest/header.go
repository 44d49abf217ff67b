package ingest

import (
	"slices"
	"strings"

	"palate/internal/wording"
)

// places finds all of the names, or returns nil.
func places(header, names []string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		if at[i] = wording.Find(header, name); at[i] < 0 {
			return nil
		}
	}
	return at
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

// split returns the names of the columns in use and of the others.
func split(header []string, used []int) (columns, extra []string) {
	for k, name := range header {
		switch {
		case slices.Contains(used, k):
			columns = append(columns, name)
		case name != "":
			extra = append(extra, name)
		}
	}
	return columns, extra
}
