package cluster

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
)

// Files are read and written through Beam's file systems: paths of this machine, or gs://.

// absolute makes a path of this machine one that other processes on it understand.
func absolute(path string) (string, error) {
	if path == "" || strings.Contains(path, "://") {
		return strings.TrimRight(path, "/"), nil
	}
	return filepath.Abs(path)
}

// openFile opens a file, which closes its file system, too.
func openFile(ctx context.Context, path string) (io.ReadCloser, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, err
	}
	r, err := fs.OpenRead(ctx, path)
	if err != nil {
		return nil, errors.Join(err, fs.Close())
	}
	return &opened{r, fs}, nil
}

type opened struct {
	io.ReadCloser
	fs io.Closer
}

func (o *opened) Close() error { return errors.Join(o.ReadCloser.Close(), o.fs.Close()) }

func readFile(ctx context.Context, path string) ([]byte, error) {
	r, err := openFile(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// writeFile writes a file aside and puts it into place, so that it is there whole or not at
// all; an object store does so by itself.
func writeFile(ctx context.Context, path string, data []byte) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	to := path
	rename, ok := fs.(filesystem.Renamer)
	if ok && !strings.Contains(path, "://") {
		to = fmt.Sprintf("%s.part-%016x", path, rand.Uint64())
	}
	w, err := fs.OpenWrite(ctx, to)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		w.Close()
		return err
	}
	if err := w.Close(); err != nil || to == path {
		return err
	}
	return rename.Rename(ctx, to, path)
}

// list returns the files that a pattern stands for.
func list(ctx context.Context, pattern string) ([]string, error) {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return fs.List(ctx, pattern)
}

// exists reports whether there is a file.
func exists(ctx context.Context, path string) (bool, error) {
	found, err := list(ctx, path)
	return len(found) > 0, err
}

// remove removes the files that a pattern stands for, where the file system can.
func remove(ctx context.Context, pattern string) error {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return err
	}
	defer fs.Close()
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return nil
	}
	found, err := fs.List(ctx, pattern)
	if err != nil {
		return err
	}
	for _, path := range found {
		if err := remover.Remove(ctx, path); err != nil {
			return err
		}
	}
	return nil
}

// sum is the checksum of some bytes.
func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// seal writes a head, as JSON, and a body behind it: eight bytes that say what it is, the length
// of the head, the head, and the body.
func seal(kind string, head any, body ...[]byte) ([]byte, error) {
	h, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, b := range body {
		size += len(b)
	}
	out := make([]byte, 0, 12+len(h)+size)
	out = append(out, kind...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(h)))
	out = append(out, h...)
	for _, b := range body {
		out = append(out, b...)
	}
	return out, nil
}

// unseal reads what seal wrote.
func unseal(kind string, data []byte, head any) (body []byte, err error) {
	if len(data) < 12 || string(data[:8]) != kind {
		return nil, fmt.Errorf("it is no file of palate-cluster of this kind, or it is damaged")
	}
	n := int(binary.LittleEndian.Uint32(data[8:]))
	if n > len(data)-12 {
		return nil, fmt.Errorf("it is damaged: it ends too early")
	}
	d := json.NewDecoder(bytes.NewReader(data[12 : 12+n]))
	if err := d.Decode(head); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	return data[12+n:], nil
}
