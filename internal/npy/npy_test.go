package npy

import (
	"bytes"
	"encoding/hex"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestRoundTrip(t *testing.T) {
	check(t, []float64{1, -2.5, 3e300, 0, 5, 6}, 2, 3)
	check(t, []int64{1, -2, 1 << 40}, 3)
	check(t, []uint8{0, 255}, 1, 2, 1)
	check(t, []float32{1.5, -2, 3e38, 0}, 2, 2)
	// An array without elements is within any limit, whatever its other dimensions.
	check(t, []float64{}, 0, 4)
	check(t, []float64{}, 4000, 0)
	check(t, []int64{}, 3000, 0, 3000)
	check(t, []uint8{}, 0)
	check(t, []float64{7})
}

func check[T Element](t *testing.T, data []T, shape ...int) {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, data, shape...); err != nil {
		t.Fatal(err)
	}
	got, gotShape, err := Read[T](&b, 100)
	if err != nil || !slices.Equal(got, data) || !slices.Equal(gotShape, shape) {
		t.Errorf("%v %v came back as %v %v, %v", data, shape, got, gotShape, err)
	}
}

// The bytes that numpy 2.1 saves for numpy.array([[1, 2]], dtype='<i8'), header
// written out.
func TestBytesAreNumPys(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, []int64{1, 2}, 1, 2); err != nil {
		t.Fatal(err)
	}
	dict := "{'descr': '<i8', 'fortran_order': False, 'shape': (1, 2), }"
	want := "\x93NUMPY\x01\x00\x76\x00" + dict + strings.Repeat(" ", 0x76-len(dict)-1) + "\n" +
		"\x01\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00"
	if b.String() != want {
		t.Errorf("got\n%s", hex.Dump(b.Bytes()))
	}
}

// The bytes that numpy 2.4 saves for numpy.array(["é", "ab"]), header written out.
func TestStringsAreNumPys(t *testing.T) {
	var b bytes.Buffer
	if err := WriteStrings(&b, []string{"é", "ab"}); err != nil {
		t.Fatal(err)
	}
	dict := "{'descr': '<U2', 'fortran_order': False, 'shape': (2,), }"
	want := "\x93NUMPY\x01\x00\x76\x00" + dict + strings.Repeat(" ", 0x76-len(dict)-1) + "\n" +
		"\xe9\x00\x00\x00\x00\x00\x00\x00a\x00\x00\x00b\x00\x00\x00"
	if b.String() != want {
		t.Errorf("got\n%s", hex.Dump(b.Bytes()))
	}
}

// A header that announces more than there is takes no more memory than what there is.
func TestHeadersThatLie(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, []float64{1, 2, 3}, 3); err != nil {
		t.Fatal(err)
	}
	lie := strings.Replace(b.String(), "(3,), }         ", "(1073741824,), }", 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := Read[float64](strings.NewReader(lie), 1<<30)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; err == nil || !strings.Contains(err.Error(), "1073741824 elements") || took > 1<<20 {
		t.Errorf("%v, after %d bytes of memory", err, took)
	}
	// And large arrays come back as they were.
	long := make([]float64, 100_000)
	for k := range long {
		long[k] = float64(k)
	}
	b.Reset()
	if err := Write(&b, long, 1000, 100); err != nil {
		t.Fatal(err)
	}
	if got, _, err := Read[float64](&b, 1<<30); err != nil || !slices.Equal(got, long) || cap(got) != len(long) {
		t.Errorf("%d of %d elements came back, %v", len(got), len(long), err)
	}
}

func TestBadFiles(t *testing.T) {
	var good bytes.Buffer
	if err := Write(&good, []float64{1, 2, 3}, 3); err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]string{
		"empty":      "",
		"not npy":    "PK\x03\x04 something else",
		"cut short":  good.String()[:good.Len()-5],
		"other type": strings.Replace(good.String(), "<f8", "<f4", 1),
		"too large":  strings.Replace(good.String(), "(3,)", "(9999999,)", 1),
		"too wide":   strings.Replace(good.String(), "(3,)", "(1, 9999999)", 1),
		"overflow":   strings.Replace(good.String(), "(3,)", "(9223372036854775807, 9223372036854775807)", 1),
		"no number":  strings.Replace(good.String(), "(3,)", "(99999999999999999999, 0)", 1),
		"fortran":    strings.Replace(good.String(), "False", "True", 1),
		"garbled":    strings.Replace(good.String(), "shape", "share", 1),
	} {
		if _, _, err := Read[float64](strings.NewReader(s), 100); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func FuzzRead(f *testing.F) {
	var good bytes.Buffer
	if err := Write(&good, []float64{1, 2, 3}, 3); err != nil {
		f.Fatal(err)
	}
	f.Add(good.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		data, shape, err := Read[float64](bytes.NewReader(b), 1000)
		if err == nil && size(shape) != len(data) {
			t.Fatalf("%d elements in shape %v", len(data), shape)
		}
	})
}
