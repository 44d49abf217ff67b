package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
)

// listing prints the rows of Parquet files, as pyarrow reads them, in JSON.
const listing = `
import json, sys
import pyarrow.parquet as parquet
for path in sys.argv[1:]:
    for row in parquet.read_table(path).to_pylist():
        print(json.dumps(row))
`

// python is a Python that has pyarrow: $PALATE_PYTHON, or that of this machine.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("PALATE_PYTHON")
	path = cmp.Or(path, "python3")
	if out, err := exec.Command(path, "-c", "import pyarrow.parquet").CombinedOutput(); err != nil {
		lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		t.Skipf("%s has no pyarrow to read Parquet with: %v %s", path, err, lines[len(lines)-1])
	}
	return path
}

// rows reads objects of JSON one after the other.
func rows(t *testing.T, r io.Reader) (all []map[string]any) {
	t.Helper()
	for d := json.NewDecoder(r); ; {
		var row map[string]any
		switch err := d.Decode(&row); err {
		case nil:
			all = append(all, row)
		case io.EOF:
			return all
		default:
			t.Fatal(err)
		}
	}
}

// Lists written as Parquet are read by pyarrow: they have the rows of those written as JSONL, number for number.
func TestParquetIsReadByOthers(t *testing.T) {
	reader := python(t)
	ctx := context.Background()
	f := fittedTo(t, made(t, 30, 14, 12, false), Dealing{Shards: 2})
	folder := t.TempDir()
	var files []string
	var want []map[string]any
	for _, format := range []string{"parquet", "jsonl"} {
		if err := (Top{Number: 10, Format: format}).Write(ctx, prism, f, folder); err != nil {
			t.Fatal(err)
		}
		found, err := filepath.Glob(folder + "/*." + format)
		if err != nil || len(found) != 2 {
			t.Fatal(found, err)
		}
		if format == "parquet" {
			files = found
			continue
		}
		for _, path := range found {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, rows(t, bytes.NewReader(data))...)
		}
	}
	out, err := exec.Command(reader, append([]string{"-c", listing}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := rows(t, bytes.NewReader(out))
	if len(got) != 300 || !reflect.DeepEqual(got, want) {
		t.Errorf("%d rows, the first %v; as JSONL %d, %v", len(got), got[0], len(want), want[0])
	}
}
