package ingest

import (
	"bytes"
	"fmt"

	"palate/internal/wording"
)

// stamp is a time as it is written, and where.
type stamp struct {
	text string
	line int
}

// zones are the first time without a zone, and the first with one that is not UTC: both in one file leave open what
// the former mean.
type zones struct{ without, other stamp }

// add looks at a time that could be read.
func (z *zones) add(text []byte, line int) {
	if len(text) == 0 || text[len(text)-1] == 'Z' || bytes.IndexByte(text, ':') < 0 {
		return
	}
	to := &z.without
	if clock := text[bytes.IndexByte(text, ':'):]; bytes.ContainsAny(clock, "+-") {
		offset := clock[bytes.IndexAny(clock, "+-")+1:]
		if len(bytes.Trim(offset, "0:")) == 0 {
			return
		}
		to = &z.other
	}
	if to.line == 0 {
		*to = stamp{string(text), line}
	}
}

// join adds what comes later in the file.
func (z *zones) join(later zones) {
	for to, from := range map[*stamp]stamp{&z.without: later.without, &z.other: later.other} {
		if to.line == 0 {
			*to = from
		}
	}
}

// ambiguous returns the time that may be of two zones.
func (z *zones) ambiguous(file, column string) *Error {
	if z.without.line == 0 || z.other.line == 0 {
		return nil
	}
	return &Error{File: file, Line: z.without.line, Column: column, Err: errTwoReadings, Reason: fmt.Sprintf(
		"%s has no zone, and %s on line %d has another than UTC: write the zones of all, or say with --time-format how times are written",
		wording.Quote(z.without.text), wording.Quote(z.other.text), z.other.line)}
}
