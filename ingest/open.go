package ingest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"io"
	"os"
)

// Open opens the file for reading, or standard input when path is "-". Gzipped content is unpacked, whatever
// the name.
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

// unpack returns the reader's content, unpacked when it is gzipped. It refuses what is known not to be text.
func unpack(name string, r io.Reader) (io.Reader, error) {
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
	for _, k := range []struct{ magic, reason string }{
		{"\xff\xfe", "the text is UTF-16: save it as UTF-8"},
		{"\xfe\xff", "the text is UTF-16: save it as UTF-8"},
		{"\x28\xb5\x2f\xfd", "zstd compression is not understood: unpack the file or use gzip"},
		{"PK\x03\x04", "this is a zip archive or a spreadsheet: save it as CSV"},
		{"PAR1", "Parquet is not understood: save it as CSV or JSONL"},
	} {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return nil, &Error{File: name, Reason: k.reason}
		}
	}
	return buffered, nil
}
