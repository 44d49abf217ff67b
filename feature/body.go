package feature

import (
	"slices"
	"strings"

	"palate/ingest"
)

// IsBody reports whether a column of items is for people to read, and no feature.
func IsBody(column string) bool {
	return slices.Contains([]string{"body", "text", "title"}, strings.ToLower(column))
}

// Body returns the place of the column of items that people read: the last that is no
// feature (IsBody), else the first of running text, whose features are read, too; −1 when
// there is none.
func Body(t *ingest.Table) int {
	for j := len(t.Columns) - 1; j >= 0; j-- {
		if IsBody(t.Columns[j]) {
			return j
		}
	}
	return slices.IndexFunc(t.Columns, func(c string) bool { return strings.HasPrefix(strings.ToLower(c), textPrefix) })
}
