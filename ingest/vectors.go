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
	"palate/internal/wording"
)

// Array holds a vector for every row of a table.
type Array struct {
	Name  string // as of a column
	Width int
	Data  []float64 // row-major
}

// Row returns the vector of row i.
func (a *Array) Row(i int) []float64 { return a.Data[i*a.Width : (i+1)*a.Width] }

// pick returns the vectors of some rows.
func (a *Array) pick(rows []int) Array {
	out := Array{Name: a.Name, Width: a.Width}
	for _, i := range rows {
		out.Data = append(out.Data, a.Row(i)...)
	}
	return out
}

// Array returns the vectors of that name, or nil.
func (t *Table) Array(name string) *Array {
	for k := range t.Arrays {
		if t.Arrays[k].Name == name {
			return &t.Arrays[k]
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
	a.Name = column
	switch {
	case err != nil:
		return err
	case rows != len(t.IDs):
		return &Error{File: name, Reason: fmt.Sprintf("%s for %s of %s", wording.Plural(rows, "vector"), wording.Plural(len(t.IDs), "row"), t.File)}
	case wording.Find(t.Columns, a.Name) >= 0 || t.Array(a.Name) != nil:
		return &Error{File: name, Reason: fmt.Sprintf("the table has a column %s already", a.Name)}
	}
	t.Arrays = append(t.Arrays, a)
	return nil
}

// arrayTable makes a table of an array.
func arrayTable(name string, r io.Reader) (*Table, error) {
	a, rows, err := readVectors(name, r)
	if err != nil {
		return nil, err
	}
	a.Name = "vector"
	t := &Table{File: name, Arrays: []Array{a}}
	for i := range rows {
		t.IDs, t.Lines = append(t.IDs, strconv.Itoa(i)), append(t.Lines, i+1)
	}
	return t, nil
}

func readVectors(name string, r io.Reader) (a Array, rows int, err error) {
	in := bufio.NewReader(r)
	head, _ := in.Peek(128)
	var shape []int
	if strings.Contains(string(head), "'<f4'") {
		var single []float32
		single, shape, err = npy.Read[float32](in, maxArray)
		for _, x := range single {
			a.Data = append(a.Data, float64(x))
		}
	} else {
		a.Data, shape, err = npy.Read[float64](in, maxArray)
	}
	switch {
	case err != nil:
		return a, 0, &Error{File: name, Reason: err.Error(), Err: err}
	case len(shape) != 2 || shape[0] == 0 || shape[1] == 0:
		return a, 0, &Error{File: name, Reason: fmt.Sprintf("an array of shape %v: rows and columns are needed", shape)}
	}
	a.Width = shape[1]
	for k, x := range a.Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return a, 0, &Error{File: name, Reason: fmt.Sprintf("row %d, column %d is %v", k/a.Width, k%a.Width, x)}
		}
	}
	return a, shape[0], nil
}
