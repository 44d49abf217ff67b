package ingest

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"
)

// Sheet writes a table in one of WriteFormats. Cells are text, float64, int64, a
// time.Time, or nil where nothing is known; a column has one type.
type Sheet struct {
	out *bufio.Writer
	to  sheet
}

// NewSheet begins a table with the named columns.
func NewSheet(w io.Writer, format string, columns []string) (*Sheet, error) {
	out := bufio.NewWriterSize(w, 1<<16)
	to, err := newSheet(out, format, columns)
	if err != nil {
		return nil, err
	}
	return &Sheet{out, to}, nil
}

// Row writes a row, a cell a column.
func (s *Sheet) Row(cells ...any) error { return s.to.row(cells) }

// Close ends the table; the writer below stays open.
func (s *Sheet) Close() error {
	if err := s.to.close(); err != nil {
		return err
	}
	return s.out.Flush()
}

// sheet writes rows of cells that are text, float64, int64, a time.Time or nil.
type sheet interface {
	row(cells []any) error
	close() error
}

// WriteFormats lists the formats that votes can be written in; each is also the end of a file's name.
func WriteFormats() []string { return []string{"csv", "tsv", "jsonl", "json", "parquet"} }

// FormatOf returns the format that a file's name asks for, the ending of a compression left out, or "".
func FormatOf(name string) string {
	ext := strings.TrimPrefix(extension(name), ".")
	if slices.Contains(WriteFormats(), ext) {
		return ext
	}
	return ""
}

func newSheet(out *bufio.Writer, format string, names []string) (sheet, error) {
	switch format {
	case "", "csv", "tsv":
		s := &separatedSheet{cells{out: out, comma: ','}}
		if format == "tsv" {
			s.comma = '\t'
		}
		s.cells.row(names...)
		return s, nil
	case "json", "jsonl":
		return &jsonSheet{out: out, names: names, array: format == "json"}, nil
	case "parquet":
		return newParquetSheet(out, names), nil
	}
	return nil, fmt.Errorf("ingest: format %q is not one of %s", format, strings.Join(WriteFormats(), ", "))
}

type separatedSheet struct{ cells }

func (s *separatedSheet) row(row []any) error {
	for _, x := range row {
		s.cell(cellText(x))
	}
	s.cells.row()
	return s.err
}

func (s *separatedSheet) close() error { return nil }

type jsonSheet struct {
	out   *bufio.Writer
	names []string
	array bool
	rows  int
}

func (s *jsonSheet) row(row []any) error {
	switch {
	case s.array && s.rows == 0:
		s.out.WriteString("[\n")
	case s.array:
		s.out.WriteString(",\n")
	}
	s.rows++
	for k, x := range row {
		key, err := json.Marshal(s.names[k])
		if err != nil {
			return err
		}
		if t, ok := x.(time.Time); ok {
			x = t.Format(time.RFC3339Nano)
		}
		value, err := json.Marshal(x)
		if err != nil {
			return err
		}
		s.out.WriteByte("{,"[min(k, 1)])
		s.out.Write(key)
		s.out.WriteByte(':')
		s.out.Write(value)
	}
	err := s.out.WriteByte('}')
	if !s.array {
		err = s.out.WriteByte('\n')
	}
	return err
}

func (s *jsonSheet) close() error {
	if s.array {
		if s.rows == 0 {
			s.out.WriteByte('[')
		}
		s.out.WriteString("\n]\n")
	}
	return nil
}

type parquetSheet struct {
	w     *parquet.GenericWriter[any]
	names []string
	at    []int          // column of each cell
	kind  []parquet.Kind // of each cell
}

// newParquetSheet knows the kind of a column by its name.
func newParquetSheet(out io.Writer, names []string) *parquetSheet {
	group := parquet.Group{}
	for _, name := range names {
		node := parquet.Encoded(parquet.String(), &parquet.RLEDictionary)
		switch name {
		case "weight", "tstamp", "propensity", "seconds", "score", "sd", "chance", "p":
			node = parquet.Leaf(parquet.DoubleType)
		case "time":
			node = parquet.Timestamp(parquet.Microsecond)
		case "ballot", "seq", "undoes", "rank", "line":
			node = parquet.Int(64)
		}
		group[name] = parquet.Optional(node)
	}
	schema := parquet.NewSchema("votes", group)
	s := &parquetSheet{names: names, w: parquet.NewGenericWriter[any](out, schema, parquet.Compression(&parquet.Zstd))}
	for _, name := range names {
		leaf, _ := schema.Lookup(name)
		s.at, s.kind = append(s.at, leaf.ColumnIndex), append(s.kind, leaf.Node.Type().Kind())
	}
	return s
}

func (s *parquetSheet) row(cells []any) error {
	row := make(parquet.Row, len(cells))
	for k, x := range cells {
		var v parquet.Value
		level := 1
		switch x := x.(type) {
		case string:
			v = parquet.ByteArrayValue([]byte(x))
		case float64:
			v = parquet.DoubleValue(x)
		case int64:
			v = parquet.Int64Value(x)
		case time.Time:
			v = parquet.Int64Value(x.UnixMicro())
		default:
			level = 0
		}
		if level == 1 && v.Kind() != s.kind[k] {
			return fmt.Errorf("ingest: column %s: %v is no %v", s.names[k], x, s.kind[k])
		}
		row[s.at[k]] = v.Level(0, level, s.at[k])
	}
	_, err := s.w.WriteRows([]parquet.Row{row})
	return err
}

func (s *parquetSheet) close() error { return s.w.Close() }

// Pack returns a writer that packs what goes to w as the end of the name says: .gz, .zst, or not at all.
func Pack(w io.Writer, name string) (io.WriteCloser, error) {
	switch name = strings.ToLower(name); {
	case strings.HasSuffix(name, ".gz"):
		return gzip.NewWriter(w), nil
	case strings.HasSuffix(name, ".zst"), strings.HasSuffix(name, ".zstd"):
		return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
	}
	return unpackedWriter{w}, nil
}

type unpackedWriter struct{ io.Writer }

func (unpackedWriter) Close() error { return nil }
