package ingest

import (
	"bufio"
	"fmt"
	"io"
)

// limited is a file whose content may take so many bytes.
type limited struct {
	r          io.Reader
	left, most int64
}

// LimitReader returns a reader of a file that a stranger sent. All that reads files here
// refuses it where its content, unpacked, has more than n bytes, or as Parquet would
// have: a few bytes can stand for any number.
func LimitReader(r io.Reader, n int64) io.Reader { return &limited{r: r, left: n, most: n} }

func (l *limited) Read(b []byte) (int, error) {
	if int64(len(b)) > l.left+1 {
		b = b[:l.left+1]
	}
	n, err := l.r.Read(b)
	if l.left -= int64(n); l.left < 0 {
		return 0, fmt.Errorf("more than %d bytes of content", l.most)
	}
	return n, err
}

// peek returns the first n bytes of a file, fewer where it has no more, and a reader
// of all of it, under the same limit.
func peek(r io.Reader, n int) (whole io.Reader, head []byte) {
	if l, ok := r.(*limited); ok {
		inner, head := peek(l.r, n)
		return &limited{r: inner, left: l.left, most: l.most}, head
	}
	buffered := bufio.NewReader(r)
	head, _ = buffered.Peek(n)
	return buffered, head
}

// limit returns the bytes that a file's content may take, or a number beyond all files.
func limit(r io.Reader) int64 {
	if l, ok := r.(*limited); ok {
		return l.most
	}
	return 1 << 62
}
