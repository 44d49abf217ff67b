package ingest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"palate/internal/npy"
)

// vectors holds vectors for the rows of a table.
type vectors struct {
	name  string
	width int
	data  []float64
}

func (a *vectors) row(i int) []float64 { return a.data[i*a.width : (i+1)*a.width] }

// pick returns the vectors of some rows.
func (a *vectors) pick(rows []int) vectors {
	out := vectors{name: a.name, width: a.width}
	for _, i := range rows {
		out.data = append(out.data, a.row(i)...)
	}
	return out
}

func (t *Table) array(name string) *vectors {
	for k := range t.arrays {
		if t.arrays[k].name == name {
			return &t.arrays[k]
		}
	}
	return nil
}

// maxArray bounds the numbers of an array: 1 GB of them.
const maxArray = 1 << 27

// AddVectors reads a NumPy array (.npy, float64 or float32) with one row for each row of the table, in order,
// and adds them as a column.
func (t *Table) AddVectors(ctx context.Context, column, name string, r io.Reader) error {
	a, rows, err := readVectors(name, heedful{ctx, r})
	a.name = column
	switch {
	case err != nil:
		return err
	case rows != len(t.IDs):
		return &Error{File: name, Reason: fmt.Sprintf("%s for %s of %s", plural(rows, "vector"), plural(len(t.IDs), "row"), t.File)}
	case find(t.Columns, a.name) >= 0 || t.array(a.name) != nil:
		return &Error{File: name, Reason: fmt.Sprintf("the table has a column %s already", a.name)}
	}
	t.arrays = append(t.arrays, a)
	return nil
}

// arrayTable makes a table of an array.
func arrayTable(name string, r io.Reader) (*Table, error) {
	a, rows, err := readVectors(name, r)
	if err != nil {
		return nil, err
	}
	a.name = "vector"
	t := &Table{File: name, arrays: []vectors{a}}
	for i := range rows {
		t.IDs, t.Lines = append(t.IDs, strconv.Itoa(i)), append(t.Lines, i+1)
	}
	return t, nil
}

func readVectors(name string, r io.Reader) (a vectors, rows int, err error) {
	in := bufio.NewReader(r)
	head, _ := in.Peek(128)
	var shape []int
	if strings.Contains(string(head), "'<f4'") {
		var single []float32
		single, shape, err = npy.Read[float32](in, maxArray)
		for _, x := range single {
			a.data = append(a.data, float64(x))
		}
	} else {
		a.data, shape, err = npy.Read[float64](in, maxArray)
	}
	switch {
	case err != nil:
		return a, 0, &Error{File: name, Reason: err.Error(), Err: err}
	case len(shape) != 2 || shape[0] == 0 || shape[1] == 0:
		return a, 0, &Error{File: name, Reason: fmt.Sprintf("an array of shape %v: rows and columns are needed", shape)}
	}
	a.width = shape[1]
	for k, x := range a.data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return a, 0, &Error{File: name, Reason: fmt.Sprintf("row %d, column %d is %v", k/a.width, k%a.width, x)}
		}
	}
	return a, shape[0], nil
}
