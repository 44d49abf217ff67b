package ingest

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"palate/internal/wording"
)

// Error says what is wrong with a file, and where.
type Error struct {
	File   string `json:"file"`             // as given by the caller; "-" is standard input
	Line   int    `json:"line,omitempty"`   // counted from 1; 0 when the whole file is meant
	Column string `json:"column,omitempty"` // name of the column; empty when the whole row is meant
	Reason string `json:"reason"`
	Err    error  `json:"-"` // the cause, when there is one
}

// Error returns, for example, `votes.csv:17: column winner: "x" is neither "a" nor "b"`.
func (e *Error) Error() string {
	var s strings.Builder
	s.WriteString(wording.File(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&s, ":%d", e.Line)
	}
	s.WriteString(": ")
	if e.Column != "" {
		fmt.Fprintf(&s, "column %s: ", e.Column)
	}
	s.WriteString(e.Reason)
	return s.String()
}

// Unwrap returns the cause, so that errors.Is finds io.ErrUnexpectedEOF behind a truncated file.
func (e *Error) Unwrap() error { return e.Err }

// fault is an Error that does not know its file and line yet.
type fault struct{ column, reason string }

func (f *fault) at(file string, line int) *Error {
	return &Error{File: file, Line: line, Column: f.column, Reason: f.reason}
}

// readError says in a user's words why reading failed.
func readError(file string, line int, err error) *Error {
	reason := err.Error()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "the packed data end too early: the file is truncated"
	case errors.Is(err, zstd.ErrCRCMismatch):
		reason = "the zstd checksum does not match: the file is damaged"
	case errors.Is(err, gzip.ErrChecksum):
		reason = "the gzip checksum does not match: the file is damaged"
	case errors.Is(err, gzip.ErrHeader):
		reason = "there is something after the gzip data, or they are damaged"
	}
	return &Error{File: file, Line: line, Reason: reason, Err: err}
}
