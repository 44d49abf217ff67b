package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
)

// output is a file, or standard output, that gets all of a result or nothing.
// A file is written aside and renamed into place by commit.
type output struct {
	path string
	to   *os.File // where write goes: a file aside, or path itself when it is not a plain file
	mode fs.FileMode
}

// create makes ready to write to path, "-" or nothing for standard output. It
// fails early where commit would fail after the work is done. It refuses to
// replace one of the inputs.
func create(path string, inputs ...string) (*output, error) {
	if path == "" || path == "-" {
		return &output{path: "standard output", to: os.Stdout}, nil
	}
	for _, in := range inputs {
		a, err := os.Stat(in)
		b, err2 := os.Stat(path)
		if err == nil && err2 == nil && a.Mode().IsRegular() && os.SameFile(a, b) {
			return nil, fmt.Errorf("%s: will not write over an input: name another file with -o", path)
		}
	}
	o := &output{path: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		o.path = real
	}
	info, err := os.Stat(o.path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s: cannot write: it is a directory", path)
	case err == nil:
		existing, err := os.OpenFile(o.path, os.O_WRONLY, 0)
		if err != nil {
			return nil, unwritable(path, err)
		}
		if !info.Mode().IsRegular() {
			o.to = existing
			return o, nil
		}
		existing.Close()
		o.mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, unwritable(path, err)
	}
	aside := fmt.Sprintf("%s.%08x.tmp", o.path, rand.Uint32())
	if o.to, err = os.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, unwritable(path, err)
	}
	return o, nil
}

func unwritable(path string, err error) error {
	return fmt.Errorf("%s: cannot write: %w", path, reason(err))
}

// reason strips an error of the operation and the path or address, which we say
// ourselves.
func reason(err error) error {
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

// aside reports whether there is a file to rename or to remove.
func (o *output) aside() bool { return o.to != nil && o.to != os.Stdout && o.to.Name() != o.path }

// Write writes to the file aside.
func (o *output) Write(b []byte) (int, error) {
	n, err := o.to.Write(b)
	if err != nil {
		err = unwritable(o.path, err)
	}
	return n, err
}

// commit puts what was written into place.
func (o *output) commit() error {
	if !o.aside() {
		if o.to != os.Stdout {
			return o.to.Close()
		}
		return nil
	}
	aside := o.to.Name()
	if o.mode != 0 {
		if err := o.to.Chmod(o.mode); err != nil {
			return unwritable(o.path, err)
		}
	}
	err := errors.Join(o.to.Sync(), o.to.Close())
	if err == nil {
		err = os.Rename(aside, o.path)
	}
	if err != nil {
		return unwritable(o.path, err)
	}
	o.to = nil
	return nil
}

// discard removes what commit did not put into place.
func (o *output) discard() {
	if o.aside() {
		o.to.Close()
		os.Remove(o.to.Name())
		o.to = nil
	}
}
