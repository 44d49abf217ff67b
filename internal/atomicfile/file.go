package atomicfile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// File is a file on its way to its place.
type File struct {
	*os.File             // written aside, or the file itself where that is not a plain one
	path     string      // where it belongs
	mode     fs.FileMode // of the file that it takes the place of
	undo     *Undo       // nil: there is nothing to put into place
}

// Create makes ready to write a file. It fails early where Commit would fail after
// the work is done: when the file is there already, it must be one that may be
// written. What is no plain file, such as a pipe, is written as it is.
func Create(path string) (*File, error) {
	f := &File{path: path}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		f.path = real
	}
	info, err := os.Stat(f.path)
	switch {
	case err == nil && info.IsDir():
		return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("it is a directory")}
	case err == nil:
		existing, err := os.OpenFile(f.path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			f.File = existing
			return f, nil
		}
		existing.Close()
		f.mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	name := fmt.Sprintf("%s.%08x.tmp", f.path, rand.Uint32())
	pending.Lock()
	defer pending.Unlock()
	if f.File, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, err
	}
	f.undo = &Undo{f.remove}
	pending.undos = append(pending.undos, f.undo)
	return f, nil
}

// Write puts data into a file at once.
func Write(path string, data []byte) error {
	f, err := Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := f.Write(data); err != nil {
		return err
	}
	return f.Commit()
}

// ReadBack hands what was written so far to a function that reads it, before Commit.
// What is no plain file is gone by then, and is not read. Reading fails when ctx ends.
func (f *File) ReadBack(ctx context.Context, read func(r io.ReaderAt, size int64) error) error {
	if f.undo == nil {
		return nil
	}
	info, err := f.Stat()
	if err == nil {
		err = read(heedful{ctx, f}, info.Size())
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("what was written cannot be read back: %w", err)
	}
	return nil
}

// heedful reads until ctx ends.
type heedful struct {
	ctx context.Context
	io.ReaderAt
}

func (h heedful) ReadAt(b []byte, at int64) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.ReaderAt.ReadAt(b, at)
}

// Commit puts what was written into place.
func (f *File) Commit() error {
	if f.undo == nil {
		return f.Close()
	}
	if f.mode != 0 {
		if err := f.Chmod(f.mode); err != nil {
			return err
		}
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	err := f.undo.Settle(func() error { return os.Rename(f.Name(), f.path) })
	if err == nil {
		f.undo = nil
	}
	return err
}

// Discard takes away what Commit did not put into place.
func (f *File) Discard() {
	if f.undo == nil {
		return
	}
	f.undo.Settle(func() error {
		f.remove()
		return nil
	})
	f.undo = nil
}

func (f *File) remove() {
	f.Close()
	os.Remove(f.Name())
}

// Unnamed returns a new file in a folder that has no name: it vanishes when it is
// closed, and with the process however that ends.
func Unnamed(dir string) (*os.File, error) {
	pending.Lock()
	defer pending.Unlock()
	f, err := os.CreateTemp(dir, "palate-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
