package palate

import (
	"fmt"
	"math"
	"slices"
)

// Features is a dense table of numbers, one row for each item or user, in row-major order.
// Nothing is standardised here.
type Features struct {
	Names      []string // one a column
	Rows, Cols int
	Data       []float64 // Data[i*Cols+j]
	// Blocks are the numbers of columns, in their order, that belong together, such
	// as those of one text; nil: all do.
	Blocks []int
}

// Row returns row i, sharing memory with f.
func (f *Features) Row(i int) []float64 {
	return f.Data[i*f.Cols : (i+1)*f.Cols : (i+1)*f.Cols]
}

// At returns feature j of row i.
func (f *Features) At(i, j int) float64 { return f.Row(i)[j] }

func (f *Features) clone() *Features {
	if f == nil {
		return nil
	}
	return &Features{slices.Clone(f.Names), f.Rows, f.Cols, slices.Clone(f.Data), slices.Clone(f.Blocks)}
}

// check says what is wrong with features that should describe rows things of the given kind.
func (f *Features) check(kind string, rows int, id func(int) string) error {
	if f.Rows < 0 || f.Cols < 0 || len(f.Data) != f.Rows*f.Cols || len(f.Names) != f.Cols {
		return fmt.Errorf("palate: %s features: %d names and %d numbers for %d rows and %d columns",
			kind, len(f.Names), len(f.Data), f.Rows, f.Cols)
	}
	if f.Blocks != nil {
		sum := 0
		for _, n := range f.Blocks {
			sum += n
			if n < 1 {
				return fmt.Errorf("palate: %s features: a block of %d columns", kind, n)
			}
		}
		if sum != f.Cols {
			return fmt.Errorf("palate: %s features: blocks of %v columns, but there are %d", kind, f.Blocks, f.Cols)
		}
	}
	if f.Rows != rows {
		return fmt.Errorf("palate: %s features: %d rows for %d %ss", kind, f.Rows, rows, kind)
	}
	seen := make(map[string]bool, f.Cols)
	for _, name := range f.Names {
		if seen[name] {
			return fmt.Errorf("palate: %s features: two columns are named %q", kind, name)
		}
		seen[name] = true
	}
	for k, x := range f.Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("palate: %s features: %s %q: %s is %v", kind, kind, id(k/f.Cols), f.Names[k%f.Cols], x)
		}
	}
	return nil
}
