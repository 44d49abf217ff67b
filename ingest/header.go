package ingest

import (
	"slices"
	"strings"
)

// plainName returns the name of a column without what differs from tool to tool: letter case, blanks, underscores
// and dashes. Winner ID, winner_id and winnerId are one name.
func plainName(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(name))
}

// find returns the place of the first of the names that the header has, or −1. A name that differs only as
// plainName has it comes after one that differs in letter case only.
func find(header []string, names ...string) int {
	for _, name := range names {
		for k, h := range header {
			if strings.EqualFold(h, name) {
				return k
			}
		}
		plain := plainName(name)
		for k, h := range header {
			if plain != "" && plainName(h) == plain {
				return k
			}
		}
	}
	return -1
}

// places finds all of the names, or returns nil.
func places(header, names []string) []int {
	at := make([]int, len(names))
	for i, name := range names {
		if at[i] = find(header, name); at[i] < 0 {
			return nil
		}
	}
	return at
}

// missing lists the names that the header has not.
func missing(header, names []string) []string {
	var m []string
	for _, name := range names {
		if find(header, name) < 0 {
			m = append(m, name)
		}
	}
	return m
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
