package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"palate/internal/atomicfile"
)

// Open reads the model of any kind in a file that Save wrote.
func Open(path string) (Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := read(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("model: %s: %w", path, err)
	}
	return m, nil
}

// Save writes a model to a file, for Open. It is written aside, read back and put into
// place when it is whole.
func Save(ctx context.Context, path string, m Model) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return fmt.Errorf("model: save: %w", err)
	}
	defer f.Discard()
	if err := m.Save(ctx, f); err != nil {
		return err
	}
	if err := f.ReadBack(ctx, func(r io.ReaderAt, size int64) error { _, err := Read(r, size); return err }); err != nil {
		return err
	}
	if err := f.Commit(); err != nil {
		return fmt.Errorf("model: save: %w", err)
	}
	return nil
}

// Read reads a model of any kind that its Save wrote.
func Read(r io.ReaderAt, size int64) (Model, error) {
	m, err := read(r, size)
	if err != nil {
		return nil, fmt.Errorf("model: load: %w", err)
	}
	return m, nil
}

func read(r io.ReaderAt, size int64) (Model, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("not a model file: %w", err)
	}
	f, err := z.Open("model.json")
	if err != nil {
		return nil, fmt.Errorf("not a model file: no model.json inside")
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, 1<<30))
	if err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	var h struct {
		Format  string `json:"format"`
		Version int    `json:"version"`
		Model   string `json:"model"`
	}
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	switch {
	case h.Format != "palate":
		return nil, fmt.Errorf("not a model file: format %q", h.Format)
	case h.Version > newestVersion:
		return nil, fmt.Errorf("the file has version %d, newer than this palate reads (%d); use a newer palate", h.Version, newestVersion)
	case h.Version < 1:
		return nil, fmt.Errorf("unknown version %d", h.Version)
	}
	e, err := Find(h.Model)
	if err != nil {
		return nil, fmt.Errorf("unknown model %q", h.Model)
	}
	return e.open(z, raw)
}
