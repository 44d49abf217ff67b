package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"

	"palate/internal/atomicfile"
)

// Output is a file, or standard output, that gets all of a result or nothing: a
// file is put into place by Commit.
type Output struct {
	path string
	file *atomicfile.File // nil: standard output
}

// Create makes ready to write to path, "-" or nothing for standard output. It
// fails early where Commit would fail after the work is done. It refuses to
// replace one of the inputs.
func Create(path string, inputs ...string) (*Output, error) {
	if path == "" || path == "-" {
		return &Output{path: "standard output"}, nil
	}
	for _, in := range inputs {
		a, err := os.Stat(in)
		b, err2 := os.Stat(path)
		if err == nil && err2 == nil && a.Mode().IsRegular() && os.SameFile(a, b) {
			return nil, fmt.Errorf("%s: will not write over an input: name another file with -o", path)
		}
	}
	f, err := atomicfile.Create(path)
	if err != nil {
		return nil, Unwritable(path, err)
	}
	return &Output{path, f}, nil
}

// Unwritable says that a file cannot be written, and why.
func Unwritable(path string, err error) error {
	return fmt.Errorf("%s: cannot write: %w", path, Reason(err))
}

// Reason strips an error of the operation and the path or address, which we say
// ourselves.
func Reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	var n *net.OpError
	if errors.As(err, &n) {
		err = n.Err
	}
	var s *os.SyscallError
	if errors.As(err, &s) {
		return s.Err
	}
	return err
}

// Write writes to the file aside.
func (o *Output) Write(b []byte) (n int, err error) {
	if o.file == nil {
		n, err = os.Stdout.Write(b)
	} else {
		n, err = o.file.Write(b)
	}
	if err != nil {
		err = Unwritable(o.path, err)
	}
	return n, err
}

// Print writes what a function writes, all at once so that nothing is shown where it fails,
// and puts it into place.
func (o *Output) Print(ctx context.Context, write func(w io.Writer) error) error {
	var all bytes.Buffer
	if err := write(&all); err != nil {
		return err
	}
	if _, err := o.Write(all.Bytes()); err != nil {
		return err
	}
	return o.Commit(ctx)
}

// ReadBack hands what was written to a function that reads it; standard output is gone
// by then.
func (o *Output) ReadBack(ctx context.Context, read func(r io.ReaderAt, size int64) error) error {
	if o.file == nil {
		return nil
	}
	if err := o.file.ReadBack(ctx, read); err != nil {
		return fmt.Errorf("%s was not written: %w", o.path, err)
	}
	return nil
}

// Commit puts what was written into place, unless the command was told to stop.
func (o *Output) Commit(ctx context.Context) error {
	if ctx.Err() != nil {
		return ErrInterrupted
	}
	if o.file == nil {
		return nil
	}
	if err := o.file.Commit(); err != nil {
		return Unwritable(o.path, err)
	}
	return nil
}

// Discard removes what Commit did not put into place.
func (o *Output) Discard() {
	if o.file != nil {
		o.file.Discard()
	}
}
