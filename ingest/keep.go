package ingest

import (
	"slices"

	"palate/internal/wording"
)

// locateAll insists that columns that are to be kept are there, or may be in later objects.
func (s *source) locateAll(names []string) error {
	for _, name := range names {
		if s.locate(name) < 0 {
			return s.noColumn(name, "")
		}
	}
	return nil
}

// keep returns the places of columns whose text is kept, and sees that it is read.
func (s *source) keep(names []string, needs []need) (at []int) {
	for _, name := range names {
		k := wording.Find(s.header, name)
		switch needs[k] {
		case noValue:
			needs[k] = anyValue
		case numberValue:
			needs[k] = plainValue
		}
		at = append(at, k)
	}
	return at
}

// missed says which of the columns that later objects might have had was in none.
func (s *source) missed(names []string, kept [][]string) error {
	for k, name := range names {
		if wording.Find(s.header, name) >= s.titles && !slices.ContainsFunc(kept[k], func(text string) bool { return text != "" }) {
			return s.noColumn(name, "")
		}
	}
	return nil
}
