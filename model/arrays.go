package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/npy"
)

// writeHeader writes model.json.
func writeHeader(z *zip.Writer, h any) error {
	f, err := z.Create("model.json")
	if err != nil {
		return err
	}
	e := json.NewEncoder(f)
	e.SetIndent("", " ")
	if err := e.Encode(h); err != nil {
		return fmt.Errorf("model: save: %w", err)
	}
	return nil
}

// heedful writes until ctx ends.
type heedful struct {
	ctx context.Context
	io.Writer
}

func (h heedful) Write(b []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.Writer.Write(b)
}

// arrayWriter writes arrays into a zip until the first error.
type arrayWriter struct {
	z        *zip.Writer
	unpacked bool // for speed, and for readers that map files
	err      error
}

func writeArray[T npy.Element](a *arrayWriter, name string, data []T, shape ...int) {
	a.entry(name, shape, func(w io.Writer) error { return npy.Write(w, data, shape...) })
}

// writeFunc writes an array whose elements a function tells.
func writeFunc[T npy.Element](a *arrayWriter, name string, at func(k int) T, shape ...int) {
	a.entry(name, shape, func(w io.Writer) error { return npy.WriteFunc(w, at, shape...) })
}

// entry writes an array, unless it could not be read back.
func (a *arrayWriter) entry(name string, shape []int, write func(io.Writer) error) {
	n := 1
	for _, k := range shape {
		n *= k
	}
	if a.err == nil && n > maxElements {
		a.err = fmt.Errorf("%s.npy: %d elements; the most that a file holds is %d", name, n, maxElements)
	}
	if a.err != nil {
		return
	}
	header := &zip.FileHeader{Name: name + ".npy", Method: zip.Deflate}
	if a.unpacked {
		header.Method = zip.Store
	}
	f, err := a.z.CreateHeader(header)
	if err == nil {
		err = write(f)
	}
	if a.err == nil {
		a.err = err
	}
}

// floats writes finite numbers.
func (a *arrayWriter) floats(name string, data []float64, shape ...int) {
	if a.err == nil {
		a.err = finite(name, data)
	}
	writeArray(a, name, data, shape...)
}

// finite says which of some numbers is not.
func finite(name string, data []float64) error {
	for i, x := range data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("%s.npy: element %d is %g", name, i, x)
		}
	}
	return nil
}

func (a *arrayWriter) matrix(name string, m *mat.Dense) {
	if m == nil {
		return
	}
	r, c := m.Dims()
	a.floats(name, mat.DenseCopyOf(m).RawMatrix().Data, r, c)
}

// maxElements bounds an array of a model file: 8 GB of float64.
const maxElements = 1 << 30

// arrayReader reads arrays of a zip until the first error.
type arrayReader struct {
	z   *zip.Reader
	err error
}

func (a *arrayReader) has(name string) bool {
	for _, f := range a.z.File {
		if f.Name == name+".npy" {
			return true
		}
	}
	return false
}

func readArray[T npy.Element](a *arrayReader, name string) (data []T, shape []int) {
	if a.err != nil {
		return nil, nil
	}
	f, err := a.z.Open(name + ".npy")
	if err != nil {
		a.err = fmt.Errorf("%s.npy is missing", name)
		return nil, nil
	}
	defer f.Close()
	// What a zip claims to hold cannot be larger than what it has, by much.
	limit := maxElements
	if s, err := f.Stat(); err == nil {
		limit = int(min(int64(limit), s.Size()))
	}
	if data, shape, a.err = npy.Read[T](f, limit); a.err != nil {
		a.err = fmt.Errorf("%s.npy: %w", name, a.err)
	}
	return data, shape
}

// floats reads finite numbers of a known shape.
func (a *arrayReader) floats(name string, shape ...int) []float64 {
	data, got := readArray[float64](a, name)
	if a.err != nil {
		return nil
	}
	if a.err = finite(name, data); a.err == nil && !slices.Equal(got, shape) {
		a.err = fmt.Errorf("%s.npy: shape %v, want %v", name, got, shape)
	}
	if a.err != nil {
		return nil
	}
	return data
}

// numbers reads so many whole numbers.
func (a *arrayReader) numbers(name string, n int) []int {
	data, _ := readArray[int64](a, name)
	if a.err == nil && len(data) != n {
		a.err = fmt.Errorf("%s.npy: %d entries for %d rows", name, len(data), n)
	}
	if a.err != nil {
		return nil
	}
	out := make([]int, n)
	for i, x := range data {
		out[i] = int(x)
	}
	return out
}

// vector reads finite numbers, however many there are.
func (a *arrayReader) vector(name string) []float64 {
	data, shape := readArray[float64](a, name)
	if a.err != nil {
		return nil
	}
	if a.err = finite(name, data); a.err == nil && len(shape) != 1 {
		a.err = fmt.Errorf("%s.npy: shape %v, want a vector", name, shape)
	}
	if a.err != nil {
		return nil
	}
	return data
}

func (a *arrayReader) matrix(name string) *mat.Dense {
	data, shape := readArray[float64](a, name)
	if a.err != nil {
		return nil
	}
	if a.err = finite(name, data); a.err != nil {
		return nil
	}
	if len(shape) != 2 || len(data) == 0 {
		a.err = fmt.Errorf("%s.npy: shape %v, want a matrix", name, shape)
		return nil
	}
	return mat.NewDense(shape[0], shape[1], data)
}
