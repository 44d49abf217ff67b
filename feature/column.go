package feature

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"palate/ingest"
	"palate/internal/wording"
)

// ColumnKind is how a column of a table becomes numbers.
type ColumnKind string

const (
	Number   ColumnKind = "number"   // itself
	Boolean  ColumnKind = "boolean"  // true, yes: 1; false, no: 0
	Category ColumnKind = "category" // one column of 0 and 1 for each value, in alphabetical order, rare ones and new ones together
	Date     ColumnKind = "date"     // days since 1970
	Vector   ColumnKind = "vector"   // the numbers of a list, or a row of an array
	Text     ColumnKind = "text"     // features of running text, see TextEncoder
	Group    ColumnKind = "group"    // no feature: says which texts are about the same, and to be told apart
)

// Kinds lists every kind.
func Kinds() []ColumnKind { return []ColumnKind{Number, Boolean, Category, Date, Vector, Text, Group} }

// Column says how one column of a table becomes features.
type Column struct {
	Name       string       `json:"name"`
	Kind       ColumnKind   `json:"kind"`
	Categories []string     `json:"categories,omitempty"`
	Pooled     bool         `json:"pooled,omitempty"` // all other values are one more category
	Length     int          `json:"length,omitempty"` // of vectors
	Text       *TextEncoder `json:"text,omitempty"`
}

// Width returns the number of features the column becomes.
func (c *Column) Width() int {
	switch c.Kind {
	case Category:
		if c.Pooled {
			return len(c.Categories) + 1
		}
		return len(c.Categories)
	case Vector:
		return c.Length
	case Text:
		return c.Text.width()
	case Group:
		return 0
	}
	return 1
}

// Features names them: the column's name, with =value for each category, [k] for each number of a vector, and
// .name for each feature of a text.
func (c *Column) Features() []string {
	var names []string
	switch c.Kind {
	case Category:
		for _, v := range c.Categories {
			names = append(names, c.Name+"="+v)
		}
		if c.Pooled {
			names = append(names, c.Name+" other")
		}
	case Vector:
		for k := range c.Length {
			names = append(names, fmt.Sprintf("%s[%d]", c.Name, k))
		}
	case Group:
	case Text:
		return c.Text.names(strings.TrimPrefix(c.Name, textPrefix))
	default:
		names = append(names, c.Name)
	}
	return names
}

// encodeTo writes the features of one cell, those of a text apart, or says why it cannot.
func (c *Column) encodeTo(dst []float64, cell string) (why string) {
	if cell == "" || c.Kind != Category && c.Kind != Text && c.Kind != Group && absent(cell) {
		return "the value is missing: fill it in, or leave the column out"
	}
	switch c.Kind {
	case Number:
		x, ok := ingest.ParseNumber(cell)
		if !ok {
			return fmt.Sprintf("%s is not a finite number", wording.Quote(cell))
		}
		dst[0] = x
	case Boolean:
		x, ok := boolean(cell)
		if !ok {
			return fmt.Sprintf("%s is not true, false, yes or no", wording.Quote(cell))
		}
		dst[0] = x
	case Category:
		clear(dst)
		if k, ok := slices.BinarySearch(c.Categories, cell); ok {
			dst[k] = 1
		} else if c.Pooled {
			dst[len(c.Categories)] = 1
		}
	case Date:
		at, ok := date(cell)
		if !ok {
			return fmt.Sprintf("%s is not a date: write 2006-01-02", wording.Quote(cell))
		}
		dst[0] = at
	case Vector:
		x, ok := vector(cell)
		if !ok {
			return fmt.Sprintf("%s is not a list of numbers", wording.Quote(cell))
		}
		if len(x) != c.Length {
			return fmt.Sprintf("%s where the others have %d", wording.Plural(len(x), "number"), c.Length)
		}
		copy(dst, x)
	}
	return ""
}

// kindOf decides what kind of column these cells make. A column of numbers with a few others among them is
// a mistake rather than a set of categories, and so is one of numbers with decimal commas, where these do not separate
// columns with semicolons.
func kindOf(cells func(yield func(row int, cell string) bool)) (kind ColumnKind, badRow int, why string) {
	var total, numbers, booleans, dates, vectors, commas, lacking int
	other := -1
	var odd string
	for i, cell := range cells {
		total++
		if _, ok := ingest.ParseNumber(cell); ok {
			numbers++
			continue
		}
		if absent(cell) {
			lacking++
			continue
		}
		if _, ok := boolean(cell); ok {
			booleans++
		} else if _, ok := date(cell); ok {
			dates++
		} else if _, ok := vector(cell); ok {
			vectors++
		} else if _, ok := ingest.ParseNumber(strings.Replace(cell, ",", ".", 1)); ok {
			commas++
		}
		if other < 0 {
			other, odd = i, cell
		}
	}
	switch {
	case numbers > 0 && numbers+lacking == total:
		return Number, 0, ""
	case booleans > 0 && booleans+lacking == total:
		return Boolean, 0, ""
	case dates > 0 && dates+lacking == total:
		return Date, 0, ""
	case vectors > 0 && vectors+lacking == total:
		return Vector, 0, ""
	case commas > 0 && numbers+commas+lacking == total:
		return "", other, fmt.Sprintf("%s has a comma, as %d of the %d values have: write a point in numbers, and another sign in words", wording.Quote(odd), commas, total)
	case 2*numbers > total:
		return "", other, fmt.Sprintf("%s is not a number, as %d of the %d values are", wording.Quote(odd), numbers, total)
	}
	return Category, 0, ""
}

// date returns days since 1970. A number is not a date.
func date(s string) (float64, bool) {
	if len(s) < len("2006-01-02") || s[4] != '-' {
		return 0, false
	}
	at, why := ingest.ParseTime([]byte(s))
	return float64(at.UnixMicro()) / 86400e6, why == "" && !at.IsZero()
}

// vector reads a JSON list of finite numbers.
func vector(s string) ([]float64, bool) {
	if s == "" || s[0] != '[' {
		return nil, false
	}
	var x []float64
	err := json.Unmarshal([]byte(s), &x)
	return x, err == nil && len(x) > 0
}

func boolean(s string) (float64, bool) {
	switch strings.ToLower(s) {
	case "true", "yes":
		return 1, true
	case "false", "no":
		return 0, true
	}
	return 0, false
}

// absent reports whether a cell is one of the usual ways to write that a number is missing.
func absent(s string) bool {
	switch strings.ToLower(s) {
	case "", "na", "n/a", "nan", "null", "none":
		return true
	}
	return false
}
