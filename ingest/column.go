package ingest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is how a column of a table becomes numbers.
type Kind string

const (
	Number   Kind = "number"   // itself
	Boolean  Kind = "boolean"  // true, yes: 1; false, no: 0
	Category Kind = "category" // one column of 0 and 1 for each value, in alphabetical order
)

// Kinds lists every kind.
func Kinds() []Kind { return []Kind{Number, Boolean, Category} }

// Column says how one column of a table becomes features.
type Column struct {
	Name       string   `json:"name"`
	Kind       Kind     `json:"kind"`
	Categories []string `json:"categories,omitempty"`
}

// Width returns the number of features the column becomes.
func (c *Column) Width() int {
	if c.Kind == Category {
		return len(c.Categories)
	}
	return 1
}

// Features names them: the column's name, with =value for each category.
func (c *Column) Features() []string {
	if c.Kind != Category {
		return []string{c.Name}
	}
	var names []string
	for _, v := range c.Categories {
		names = append(names, c.Name+"="+v)
	}
	return names
}

// encodeTo writes the features of one cell, or says why it cannot.
func (c *Column) encodeTo(dst []float64, cell string) (why string) {
	if cell == "" || c.Kind != Category && absent(cell) {
		return "the value is missing"
	}
	switch c.Kind {
	case Number:
		x, ok := number(cell)
		if !ok {
			return fmt.Sprintf("%s is not a finite number", quote(cell))
		}
		dst[0] = x
	case Boolean:
		x, ok := boolean(cell)
		if !ok {
			return fmt.Sprintf("%s is not true, false, yes or no", quote(cell))
		}
		dst[0] = x
	case Category:
		k, ok := slices.BinarySearch(c.Categories, cell)
		if !ok {
			shown := c.Categories[:min(len(c.Categories), 8)]
			return fmt.Sprintf("%s is not one of the %s known: %s", quote(cell), plural(len(c.Categories), "value"), strings.Join(shown, ", "))
		}
		clear(dst)
		dst[k] = 1
	}
	return ""
}

// kindOf decides what kind of column these cells make. A column of numbers with a few others among them is
// a mistake rather than a set of categories.
func kindOf(cells func(yield func(row int, cell string) bool)) (kind Kind, badRow int, why string) {
	var total, numbers, booleans, lacking int
	other := -1
	var odd string
	for i, cell := range cells {
		total++
		if _, ok := number(cell); ok {
			numbers++
			continue
		}
		if absent(cell) {
			lacking++
			continue
		}
		if _, ok := boolean(cell); ok {
			booleans++
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
	case 2*numbers > total:
		return "", other, fmt.Sprintf("%s is not a number, as %d of the %d values are", quote(odd), numbers, total)
	}
	return Category, 0, ""
}

func number(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	return x, err == nil && !math.IsNaN(x) && !math.IsInf(x, 0)
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
