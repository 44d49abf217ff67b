package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"palate/feature"
	"palate/ingest"
	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
	"palate/report"
)

// input is an open file, or standard input.
type input struct {
	*bufio.Reader
	path string
	file *os.File
	size int64 // 0: not known
}

// open opens a file; standard input is waited for until ctx ends.
func open(ctx context.Context, path string) (*input, error) {
	in := &input{path: path, file: os.Stdin}
	if path != "-" {
		var err error
		if in.file, err = os.Open(path); err != nil {
			return nil, fmt.Errorf("%s: cannot read: %w", path, cli.Reason(err))
		}
		info, err := in.file.Stat()
		switch {
		case err == nil && info.IsDir():
			in.file.Close()
			return nil, fmt.Errorf("%s: cannot read: it is a directory", path)
		case err == nil && info.Mode().IsRegular():
			in.size = info.Size()
		}
	}
	var from io.Reader = in.file
	if path == "-" {
		from = awaited{ctx, in.file}
	}
	in.Reader = bufio.NewReaderSize(from, 1<<16)
	return in, nil
}

// awaited reads what may never come, until ctx ends.
type awaited struct {
	ctx context.Context
	r   io.Reader
}

func (a awaited) Read(b []byte) (int, error) {
	type read struct {
		text []byte
		err  error
	}
	come := make(chan read, 1) // what comes after ctx has ended is nobody's
	go func() {
		own := make([]byte, len(b))
		n, err := a.r.Read(own)
		come <- read{own[:n], err}
	}()
	select {
	case r := <-come:
		return copy(b, r.text), r.err
	case <-a.ctx.Done():
		return 0, a.ctx.Err()
	}
}

func (in *input) close() {
	if in.file != os.Stdin {
		in.file.Close()
	}
}

// isModel reports whether the file is a zip, as models are.
func (in *input) isModel() bool {
	head, _ := in.Peek(4)
	return bytes.Equal(head, []byte("PK\x03\x04"))
}

// model reads a model file, and says what it is.
func (in *input) model() (model.Model, *report.Fit, error) {
	var r io.ReaderAt = in.file
	size := in.size
	if size == 0 {
		all, err := io.ReadAll(in)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: cannot read: %w", in.name(), cli.Reason(err))
		}
		r, size = bytes.NewReader(all), int64(len(all))
	}
	if err := checkModel(r, size); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.name(), err)
	}
	m, err := model.Read(r, size)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", in.name(), err)
	}
	f := describe(m)
	var e feature.Encoder
	if items, _ := m.Encoders(); items != nil && json.Unmarshal(items, &e) == nil {
		f.Features = e.Width()
	}
	return m, f, nil
}

// checkModel tells archives that are no models at all, spreadsheets for one,
// from models.
func checkModel(r io.ReaderAt, size int64) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return fmt.Errorf("neither a whole model file nor votes: %w; make a model with palate fit, or save votes as CSV", err)
	}
	f, err := z.Open("model.json")
	if err != nil {
		return errors.New("an archive or a spreadsheet, but not a model file: make a model with palate fit, or save votes as CSV")
	}
	return f.Close()
}

func (in *input) name() string { return wording.File(in.path) }

// readTable reads the table at path.
func readTable(ctx context.Context, path string) (*ingest.Table, error) {
	in, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.close()
	return ingest.ReadTable(ctx, in.path, in)
}

// readModel reads the model file at path.
func readModel(ctx context.Context, path string) (model.Model, error) {
	in, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if !in.isModel() {
		return nil, fmt.Errorf("%s: not a model file; make one with palate fit", in.name())
	}
	m, _, err := in.model()
	return m, err
}
