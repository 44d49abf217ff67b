// Package npy reads and writes arrays in NumPy's .npy format, version 1.0,
// row-major: float64, int64 and uint8, which is what model files hold, and
// float32, as embeddings often are.
package npy

import (
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Element is a type that arrays may hold.
type Element interface {
	float64 | float32 | int64 | uint8
}

func descr[T Element]() string {
	var zero T
	switch any(zero).(type) {
	case float64:
		return "<f8"
	case float32:
		return "<f4"
	case int64:
		return "<i8"
	}
	return "|u1"
}

const magic = "\x93NUMPY\x01\x00"

// Write writes data as an array of the given shape.
func Write[T Element](w io.Writer, data []T, shape ...int) error {
	if size(shape) != len(data) {
		panic(fmt.Sprintf("npy: %d elements in shape %v", len(data), shape))
	}
	return WriteFunc(w, func(k int) T { return data[k] }, shape...)
}

// piece is how many elements are written at a time.
const piece = 1 << 13

// WriteFunc writes an array whose element k, in row-major order, is what a
// function says, without holding it in memory.
func WriteFunc[T Element](w io.Writer, at func(k int) T, shape ...int) error {
	if err := writeHeader[T](w, shape); err != nil {
		return err
	}
	data := make([]T, 0, piece)
	for k := range size(shape) {
		if data = append(data, at(k)); len(data) == piece {
			if err := binary.Write(w, binary.LittleEndian, data); err != nil {
				return err
			}
			data = data[:0]
		}
	}
	return binary.Write(w, binary.LittleEndian, data)
}

// WriteStrings writes texts as an array of NumPy's fixed-width Unicode strings, as wide as
// the longest. NumPy drops zero runes at their ends.
func WriteStrings(w io.Writer, texts []string) error {
	width := 1
	for _, s := range texts {
		width = max(width, utf8.RuneCountInString(s))
	}
	if err := writeHeading(w, fmt.Sprintf("<U%d", width), []int{len(texts)}); err != nil {
		return err
	}
	row := make([]uint32, width)
	for _, s := range texts {
		clear(row)
		k := 0
		for _, r := range s {
			row[k] = uint32(r)
			k++
		}
		if err := binary.Write(w, binary.LittleEndian, row); err != nil {
			return err
		}
	}
	return nil
}

func writeHeader[T Element](w io.Writer, shape []int) error {
	return writeHeading(w, descr[T](), shape)
}

func writeHeading(w io.Writer, descr string, shape []int) error {
	dims := make([]string, len(shape))
	for i, n := range shape {
		dims[i] = strconv.Itoa(n)
	}
	tuple := strings.Join(dims, ", ")
	if len(dims) == 1 {
		tuple += ","
	}
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, tuple)
	// Padded so that the data start at a multiple of 64.
	const fixed = len(magic) + 2
	pad := (64 - (fixed+len(header)+1)%64) % 64
	header += strings.Repeat(" ", pad) + "\n"
	start := append([]byte(magic), 0, 0)
	binary.LittleEndian.PutUint16(start[len(magic):], uint16(len(header)))
	_, err := w.Write(append(start, header...))
	return err
}

var field = regexp.MustCompile(`^\{'descr': '([^']+)', 'fortran_order': (True|False), 'shape': \(([0-9, ]*)\), \}\s*$`)

// Read reads an array of elements of type T, of at most limit elements.
func Read[T Element](r io.Reader, limit int) (data []T, shape []int, err error) {
	start := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(r, start); err != nil {
		return nil, nil, fmt.Errorf("npy: header: %w", err)
	}
	if string(start[:len(magic)]) != magic {
		return nil, nil, fmt.Errorf("npy: not an .npy file of version 1.0")
	}
	header := make([]byte, binary.LittleEndian.Uint16(start[len(magic):]))
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, nil, fmt.Errorf("npy: header: %w", err)
	}
	m := field.FindSubmatch(header)
	if m == nil {
		return nil, nil, fmt.Errorf("npy: cannot read the header %q", header)
	}
	if got := string(m[1]); got != descr[T]() {
		return nil, nil, fmt.Errorf("npy: elements are %s, want %s", got, descr[T]())
	}
	if string(m[2]) == "True" {
		return nil, nil, fmt.Errorf("npy: column-major arrays are not supported")
	}
	if shape, err = dimensions(string(m[3])); err != nil {
		return nil, nil, err
	}
	n, ok := within(shape, limit)
	if !ok {
		return nil, nil, fmt.Errorf("npy: shape (%s) is more than %d elements", m[3], limit)
	}
	// Room is made as elements come in: those that a header announces may not be there.
	for len(data) < n {
		have := len(data)
		room := make([]T, min(n, max(piece, 2*have)))
		copy(room, data)
		if err := binary.Read(r, binary.LittleEndian, room[have:]); err != nil {
			return nil, nil, fmt.Errorf("npy: %d elements: %w", n, err)
		}
		data = room
	}
	return data, shape, nil
}

// dimensions reads the numbers of a shape.
func dimensions(tuple string) (shape []int, err error) {
	for s := range strings.SplitSeq(tuple, ",") {
		if s = strings.TrimSpace(s); s == "" {
			continue
		}
		k, err := strconv.Atoi(s)
		if err != nil {
			return nil, fmt.Errorf("npy: shape (%s): %q is no dimension", tuple, s)
		}
		shape = append(shape, k)
	}
	return shape, nil
}

// within returns the number of elements of a shape, if it is at most the limit. One
// dimension of 0 makes it 0, however large the others are.
func within(shape []int, limit int) (n int, ok bool) {
	if slices.Contains(shape, 0) {
		return 0, true
	}
	n = 1
	for _, k := range shape {
		if n > limit/k {
			return 0, false
		}
		n *= k
	}
	return n, n <= limit
}

func size(shape []int) int {
	n := 1
	for _, k := range shape {
		n *= k
	}
	return n
}
