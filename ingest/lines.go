package ingest

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"

	"palate/internal/wording"
)

// lineRows has one field a row, the whole line.
type lineRows struct {
	header []string
	text   []byte
	line   int
}

func (r *lineRows) reset(b block) { r.text, r.line = b.text, b.line }

func (r *lineRows) next(rec *record) bool {
	for len(r.text) > 0 {
		var line []byte
		line, r.text, _ = bytes.Cut(r.text, []byte{'\n'})
		r.line++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		rec.line, rec.text, rec.bad = r.line-1, line, nil
		rec.fields = append(rec.fields[:0], line)
		if why := unreadable(line); why != "" {
			rec.bad = &fault{r.header[0], fmt.Sprintf("%s %s", wording.Quote(line), why)}
		}
		return true
	}
	return false
}

// extension returns how a file's name ends, in lower case, without the ending of its compression.
func extension(file string) string {
	file = strings.ToLower(file)
	for _, packed := range []string{".gz", ".zst", ".zstd"} {
		file = strings.TrimSuffix(file, packed)
	}
	return path.Ext(file)
}

// known recognises files that have no header, by their first bytes or the end of their name.
func (s *source) known() (bool, error) {
	switch ext := extension(s.file); ext {
	case ".soc", ".soi", ".toc", ".toi":
		return true, s.preflib(ext)
	case ".cat", ".wmd", ".pwg", ".wmg", ".tog": // the last three are graphs of before 2022
		if s.starts('#') || s.numbers(",") == 1 {
			return true, s.preflib(ext)
		}
	case ".order":
		if s.numbers(" ") > 0 {
			return true, s.sushiOrders()
		}
	case ".score":
		if s.numbers(" ") > 0 {
			return true, s.sushiScores()
		}
	case ".data", ".base", ".test": // u.data and its parts of MovieLens-100K
		if s.numbers("\t") == 4 {
			s.header, s.comma = []string{"user", "item", "rating", "timestamp"}, '\t'
			return true, nil
		}
	case ".dat": // ratings.dat of MovieLens-1M, whose separator is ::
		if s.numbers("::") == 4 {
			s.header, s.comma = []string{"user", "", "item", "", "rating", "", "timestamp"}, ':'
			return true, nil
		}
	}
	if s.fill(2); bytes.HasPrefix(s.buf, []byte("# ")) {
		s.fill(40)
		for _, key := range []string{"FILE NAME:", "TITLE:", "DATA TYPE:", "NUMBER ALTERNATIVES:", "ALTERNATIVE NAME "} {
			if bytes.HasPrefix(s.buf[2:], []byte(key)) {
				return true, s.preflib("")
			}
		}
	}
	return false, nil
}

// numbers returns how many numbers the first line has, 0 when there is anything else in it.
func (s *source) numbers(separator string) int {
	var line []byte
	for n := 256; ; n *= 2 {
		s.fill(n)
		var ended bool
		if line, _, ended = bytes.Cut(s.buf, []byte{'\n'}); ended || s.err != nil || n > 1<<20 {
			break
		}
	}
	parts := bytes.Split(bytes.TrimSpace(line), []byte(separator))
	if separator == " " {
		parts = bytes.Fields(line)
	}
	for _, p := range parts {
		if _, ok := ParseNumber(string(p)); !ok {
			return 0
		}
	}
	return len(parts)
}

// take returns the next line and goes on to the one after it; io.EOF when there is none.
func (s *source) take() (string, error) {
	for size := 256; ; size *= 2 {
		s.fill(size)
		n := bytes.IndexByte(s.buf, '\n') + 1
		switch {
		case n == 0 && s.err == nil && size < recordMax:
			continue
		case n == 0 && s.err == nil:
			return "", s.fail("the line is longer than %d bytes", recordMax)
		case n == 0 && s.err != io.EOF:
			return "", readError(s.file, s.line, s.err)
		case len(s.buf) == 0:
			return "", io.EOF
		case n == 0:
			n = len(s.buf)
		}
		line := string(bytes.TrimSpace(s.buf[:n]))
		if why := unreadable([]byte(line)); why != "" {
			return "", s.fail("the line %s", why)
		}
		s.drop(n)
		return line, nil
	}
}

// starts reports whether the next line begins with a byte.
func (s *source) starts(c byte) bool {
	s.fill(1)
	return len(s.buf) > 0 && s.buf[0] == c
}
