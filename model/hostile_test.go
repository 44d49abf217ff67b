package model

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"
)

// exchanged is a model file of these entries, with one in the place of another.
func exchanged(t testing.TB, data map[string][]byte, changed string, to []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, content := range data {
		if name == changed {
			content = to
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var shapeOf = regexp.MustCompile(`'shape': \(([0-9]+),`)

// spoiled are what somebody may make of an array.
func spoiled(array []byte) map[string][]byte {
	const begin = 10
	from := begin + int(binary.LittleEndian.Uint16(array[begin-2:]))
	head := string(array[begin:from])
	n := (len(array) - from) / 8
	all := map[string][]byte{"cut": array[:max(from, len(array)-1)]}
	if n == 0 || strings.Contains(head, "|u1") {
		return all
	}
	values := map[string]uint64{"-1": math.MaxUint64, "huge": 1 << 40}
	if strings.Contains(head, "<f8") {
		values = map[string]uint64{"NaN": math.Float64bits(math.NaN())}
	}
	for name, x := range values {
		for at, where := range map[int]string{0: "first", n - 1: "last"} {
			b := bytes.Clone(array)
			binary.LittleEndian.PutUint64(b[from+8*at:], x)
			all[where+" "+name] = b
		}
	}
	// One row fewer.
	if m := shapeOf.FindStringSubmatch(head); m != nil {
		var rows int
		fmt.Sscan(m[1], &rows)
		if rows > 0 {
			less := fmt.Sprint(rows - 1)
			short := strings.Replace(head, "("+m[1]+",", "("+less+",", 1)
			short = short[:len(short)-1] + strings.Repeat(" ", len(head)-len(short)) + "\n"
			all["a row less"] = append(append(bytes.Clone(array[:begin]), short...), array[from:len(array)-8*n/rows]...)
		}
	}
	return all
}

// A model file may be made to do harm: numbers of what is not there, no numbers and arrays that
// end too soon are refused, or do not matter. Each array is spoiled once for each kind of model.
func TestHostileFiles(t *testing.T) {
	done := map[[2]string]bool{}
	for _, f := range forms(t) {
		t.Run(f.name, func(t *testing.T) {
			fitted := f.fitted(t)
			data := entries(t, saved(t, fitted))
			for name, array := range data {
				this := [2]string{fitted.Name(), name}
				if !strings.HasSuffix(name, ".npy") || done[this] {
					continue
				}
				done[this] = true
				for what, bad := range spoiled(array) {
					file := exchanged(t, data, name, bad)
					func() {
						at := "read"
						defer func() {
							if p := recover(); p != nil {
								t.Errorf("%s, %s: %s: panic: %.150v", name, what, at, p)
							}
						}()
						m, err := Read(bytes.NewReader(file), int64(len(file)))
						if err != nil {
							return
						}
						at = "prefer"
						for user := -1; user < min(1, m.NumUsers()); user++ {
							if p := m.Prefer(user, 0, 1); !(p >= 0 && p <= 1) {
								t.Errorf("%s, %s: P = %g", name, what, p)
							}
							m.Utility(user, m.NumItems()-1)
						}
					}()
				}
			}
		})
	}
}
