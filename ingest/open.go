package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Open opens the file for reading, or standard input when path is "-". Content packed with gzip or zstd is
// unpacked, whatever the name.
func Open(path string) (io.ReadCloser, error) {
	if path == "-" {
		return unpacked(path, io.NopCloser(os.Stdin))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return unpacked(path, f)
}

type readCloser struct {
	io.Reader
	io.Closer
}

func unpacked(path string, r io.ReadCloser) (io.ReadCloser, error) {
	u, err := unpack(path, r)
	if err != nil {
		r.Close()
		return nil, err
	}
	return readCloser{u, r}, nil
}

// heedful reads until ctx ends.
type heedful struct {
	ctx context.Context
	io.Reader
}

func (h heedful) Read(b []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.Reader.Read(b)
}

// unpack returns the reader's content, unpacked when it is packed. It refuses what is known to be
// neither text nor Parquet.
func unpack(name string, r io.Reader) (io.Reader, error) {
	if l, ok := r.(*limited); ok {
		u, err := unpack(name, l.r)
		return &limited{r: u, left: l.left, most: l.most}, err
	}
	buffered := bufio.NewReader(r)
	head, err := buffered.Peek(4)
	if err != nil && err != io.EOF {
		return nil, readError(name, 0, err)
	}
	if bytes.HasPrefix(head, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(buffered)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, readError(name, 0, err)
		}
		return z, nil
	}
	if bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")) {
		z, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, readError(name, 0, err)
		}
		return z, nil
	}
	for _, k := range []struct{ magic, reason string }{
		{"\xff\xfe", "the text is UTF-16: save it as UTF-8"},
		{"\xfe\xff", "the text is UTF-16: save it as UTF-8"},
		{"PK\x03\x04", "this is a zip archive or a spreadsheet: save it as CSV"},
	} {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return nil, &Error{File: name, Reason: k.reason}
		}
	}
	return buffered, nil
}
