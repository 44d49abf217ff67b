package paper

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"palate/ingest"
)

// Folder is where the data sets are, a folder each.
type Folder string

// archive is a data set as its authors pack it.
type archive struct {
	name    string // of the data set, and of its folder
	unpacks string // other name of the folder, as it comes out of the archive
	home    string // where it can be had
}

// open opens the first of the files that is there.
func (f Folder) open(a archive, files ...string) (*table, error) {
	if f == "" {
		return nil, fmt.Errorf("paper: %s: no data folder: set PALATE_DATA or give --data; the data are at %s", a.name, a.home)
	}
	for _, dir := range []string{a.name, a.unpacks} {
		for _, file := range files {
			path := filepath.Join(string(f), dir, file)
			r, err := ingest.Open(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return nil, err
			}
			lines := bufio.NewScanner(r)
			lines.Buffer(nil, 1<<20)
			return &table{path: path, file: r, lines: lines}, nil
		}
	}
	return nil, fmt.Errorf("paper: %s: no %s in %s: %w; the data are at %s", a.name, strings.Join(files, " or "),
		filepath.Join(string(f), a.name), os.ErrNotExist, a.home)
}

// table reads a file of separated fields.
type table struct {
	path  string
	file  interface{ Close() error }
	lines *bufio.Scanner
	line  int
	row   []string
}

// next reads the next line, split at sep, passing over blank ones. It returns false at the end, and an error for
// a row with fewer than the given fields.
func (t *table) next(sep string, fields int) (bool, error) {
	for t.lines.Scan() {
		t.line++
		text := strings.TrimRight(t.lines.Text(), " \r")
		if strings.TrimSpace(text) == "" {
			continue
		}
		t.row = strings.Split(text, sep)
		if len(t.row) < fields {
			return false, t.fault("", "%d fields, not %d", len(t.row), fields)
		}
		return true, nil
	}
	if err := t.lines.Err(); err != nil {
		return false, &ingest.Error{File: t.path, Line: t.line, Reason: err.Error(), Err: err}
	}
	return false, nil
}

// ratings returns what separates the fields of a file of ratings, by its name, and reads past its header.
func (t *table) ratings() (separator string, err error) {
	switch {
	case strings.HasSuffix(t.path, ".dat"):
		return "::", nil
	case strings.Contains(t.path, ".csv"):
		_, err = t.next(",", 3)
		return ",", err
	}
	return "\t", nil
}

// each reads a file of fields separated by tabs, under a header, row by row.
func (f Folder) each(a archive, files []string, fields int, row func(*table) error) error {
	t, err := f.open(a, files...)
	if err != nil {
		return err
	}
	defer t.close()
	for header := true; ; header = false {
		ok, err := t.next("\t", fields)
		if !ok || err != nil {
			return err
		}
		if header {
			continue
		}
		if err := row(t); err != nil {
			return err
		}
	}
}

func (t *table) close() { t.file.Close() }

// whole returns field k as a whole number in 0…limit−1.
func (t *table) whole(k int, name string, limit int) (int, error) {
	x, err := strconv.Atoi(strings.TrimSpace(t.row[k]))
	if err != nil || x < 0 || x >= limit {
		return 0, t.fault(name, "%q is not a whole number from 0 to %d", t.row[k], limit-1)
	}
	return x, nil
}

// number returns field k as a number.
func (t *table) number(k int, name string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(t.row[k]), 64)
	if err != nil {
		return 0, t.fault(name, "%q is not a number", t.row[k])
	}
	return x, nil
}

func (t *table) fault(column, format string, args ...any) error {
	return &ingest.Error{File: t.path, Line: t.line, Column: column, Reason: fmt.Sprintf(format, args...)}
}
