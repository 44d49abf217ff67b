package ingest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"palate/internal/wording"
)

const (
	blockSize = 1 << 20  // large enough to keep the workers busy, small enough to stay in cache
	recordMax = 16 << 20 // a longer row means a quote left open or a file that is not text
)

// block is a run of whole records. Only its last record may have a quote left open.
type block struct {
	text  []byte
	line  int        // of the first byte
	rows  int        // of Parquet, which has
	cells []cellData // by column instead of text
}

// format is how a file is cut into rows.
type format uint8

const (
	separated format = iota // CSV and its like
	objects                 // JSONL
	array                   // a JSON array of objects
	lines                   // one line a row, read by a form of its own
	columnar                // Parquet
)

// source cuts a file into blocks, having found out its format and its header.
type source struct {
	file   string
	header []string
	titles int      // how many columns of the header the file has; more may be asked for
	first  []byte   // the header as it stands in separated text
	texts  []string // of questions, below the header of an export of Qualtrics; else nil
	inside []string // paths to what is inside the first object's objects
	format format
	comma  byte
	layout *layout // of a file whose form is known from its name or its first lines
	table  *parquetTable

	headerLine int
	numbered   bool // an array on one line, whose rows have numbers in place of lines

	ctx  context.Context // no more can be read when it has ended
	r    io.Reader
	most int64  // bytes that the content may take
	buf  []byte // read but not handed out
	line int    // of buf[0]
	size int
	err  error // why no more can be read
}

// newSource reads as far as the header. Nothing is read after ctx has ended.
func newSource(ctx context.Context, file string, r io.Reader, size int) (*source, error) {
	size = cmp.Or(size, blockSize)
	r, err := unpack(file, r)
	if err != nil {
		return nil, err
	}
	s := &source{file: file, ctx: ctx, r: heedful{ctx, r}, most: limit(r), line: 1, size: size}
	if err := s.start(); err != nil {
		return nil, err
	}
	s.headerLine = s.line
	switch {
	case s.format == objects || s.format == array:
		err = s.keys()
	case s.format == columnar:
		err = s.openParquet()
	case s.format == separated && s.header == nil:
		err = s.headings()
		if err == nil {
			s.questionRows()
		}
	}
	if err != nil {
		return nil, err
	}
	s.titles = len(s.header)
	return s, nil
}

func (s *source) fail(format string, args ...any) *Error {
	return &Error{File: s.file, Line: s.line, Reason: fmt.Sprintf(format, args...)}
}

// fill reads until there are n bytes or no more to come.
func (s *source) fill(n int) {
	for len(s.buf) < n && s.err == nil {
		if cap(s.buf) < n {
			s.buf = append(make([]byte, 0, max(n, 2*len(s.buf))), s.buf...)
		}
		k, err := s.r.Read(s.buf[len(s.buf):n])
		s.buf, s.err = s.buf[:len(s.buf)+k], err
	}
}

// drop discards the first n bytes of what was read.
func (s *source) drop(n int) {
	s.line += bytes.Count(s.buf[:n], []byte{'\n'})
	s.buf = s.buf[:copy(s.buf, s.buf[n:])]
}

// peek returns the first object without taking it.
func (s *source) peek() ([]byte, error) {
	for size := max(s.size, 64); ; size *= 2 {
		s.fill(size)
		if s.format == array {
			s.drop(separators(s.buf))
		}
		end := s.cut(true)
		switch {
		case end > 0:
			return s.buf[:end], nil
		case s.err == io.EOF && s.format == array && (len(s.buf) == 0 || s.buf[0] == ']'):
			if err := s.closed(); err != io.EOF {
				return nil, err
			}
			return nil, &Error{File: s.file, Reason: "no rows: the array is empty"}
		case s.err == io.EOF:
			return s.buf, nil
		case s.err != nil:
			return nil, readError(s.file, s.line, s.err)
		case size > recordMax:
			return nil, s.fail("the line is longer than %d bytes", recordMax)
		}
	}
}

// rows returns a splitter for this source's blocks. needs tells what the columns may hold.
func (s *source) rows(needs []need) rows {
	switch s.format {
	case objects, array:
		return newJSONRows(s.header, s.titles, needs, s.format == array, s.numbered)
	case lines:
		return &lineRows{header: s.header}
	case columnar:
		s.table.read(needs)
		return &parquetRows{table: s.table}
	}
	return &csvRows{comma: s.comma, header: s.header}
}

// next returns the next block, written over one that is not needed any more, or io.EOF; with one set, a single
// record.
func (s *source) next(over block, one bool) (block, error) {
	if err := s.ctx.Err(); err != nil {
		return block{}, err
	}
	if s.format == columnar {
		return s.table.next(over)
	}
	size := s.size
	if one {
		size = min(size, 4096)
	}
	for {
		s.fill(size)
		if s.format == array {
			s.drop(separators(s.buf))
			if len(s.buf) > 0 && s.buf[0] == ']' || len(s.buf) == 0 && s.err == io.EOF {
				return block{}, s.closed()
			}
		}
		if len(s.buf) == 0 && s.err == io.EOF {
			return block{}, io.EOF
		}
		end := s.cut(one)
		if end == 0 && (s.err != nil || len(s.buf) >= recordMax) {
			// No whole record: the last line of the file, or a quote left open, which then ends with its line.
			if s.format != array {
				end = bytes.IndexByte(s.buf, '\n') + 1
			}
			switch {
			case s.err != nil && s.err != io.EOF:
				return block{}, readError(s.file, s.line, s.err)
			case end == 0 && s.err == nil:
				return block{}, s.fail("the line is longer than %d bytes", recordMax)
			case end == 0:
				end = len(s.buf)
			}
		}
		if end > 0 {
			b := block{text: append(over.text[:0], s.buf[:end]...), line: s.line}
			if s.numbered {
				s.line += elements(b.text) - bytes.Count(b.text, []byte{'\n'})
			}
			s.drop(end)
			return b, nil
		}
		size = max(size, min(2*len(s.buf), recordMax))
	}
}

// cut returns where the last whole record in the buffer ends, or the first when one is set, 0 when there is none.
func (s *source) cut(one bool) int {
	switch {
	case s.format == array:
		return cutArray(s.buf, one)
	case s.format != separated && one:
		return bytes.IndexByte(s.buf, '\n') + 1
	case !one && (s.format != separated || bytes.IndexByte(s.buf, '"') < 0):
		return bytes.LastIndexByte(s.buf, '\n') + 1
	}
	end := 0
	for {
		n := csvRecord(s.buf[end:], s.comma)
		if n == 0 {
			return end
		}
		if end += n; one {
			return end
		}
	}
}

// closed sees that an array ends, with nothing after it.
func (s *source) closed() error {
	for {
		s.fill(max(s.size, 2))
		if len(s.buf) == 0 || s.buf[0] != ']' {
			if s.err != io.EOF {
				return readError(s.file, s.line, s.err)
			}
			return s.fail("the array does not end: the file is truncated")
		}
		const shown = 40
		rest := bytes.TrimLeft(s.buf[1:], " \t\r\n")
		if len(rest) > 0 {
			s.fill(len(s.buf) + shown)
			rest = bytes.TrimLeft(s.buf[1:], " \t\r\n")
		}
		switch {
		case len(rest) > 0:
			return s.fail("%s follows the end of the array", wording.Quote(rest[:min(len(rest), shown)]))
		case s.err == io.EOF:
			return io.EOF
		case s.err != nil:
			return readError(s.file, s.line, s.err)
		}
		s.drop(len(s.buf))
		s.buf = append(s.buf, ']')
	}
}
