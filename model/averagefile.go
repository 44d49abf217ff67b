package model

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// averageHeader is model.json of an average.
type averageHeader struct {
	heading
	Weights []float64 `json:"weights"`
}

// partName is the entry of the file that holds a part, itself a model file.
func partName(k int) string { return fmt.Sprintf("part%d.palate", k) }

// Save writes the model as a zip of model.json, what the board says, and the files of its
// parts.
func (m *Average) Save(ctx context.Context, w io.Writer) error {
	h := averageHeader{heading: m.heading(m.Name()), Weights: m.weight}
	h.Version = averageVersion
	return m.save(ctx, w, m, h, func(a *arrayWriter) {
		for k, p := range m.parts {
			if a.err != nil {
				return
			}
			var f io.Writer
			if f, a.err = a.z.CreateHeader(&zip.FileHeader{Name: partName(k), Method: zip.Store}); a.err == nil {
				a.err = p.Save(ctx, f)
			}
		}
	})
}

// loadAverage reads what Save wrote.
func loadAverage(z *zip.Reader, raw []byte) (*Average, error) {
	var h averageHeader
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	b, err := h.base()
	if err != nil {
		return nil, err
	}
	m := &Average{}
	m.weight = h.Weights
	for k := range h.Weights {
		f, err := z.Open(partName(k))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", partName(k), err)
		}
		data, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", partName(k), err)
		}
		p, err := read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", partName(k), err)
		}
		if p.Name() == m.Name() {
			return nil, fmt.Errorf("%s: an average of averages", partName(k))
		}
		m.parts = append(m.parts, p)
	}
	if err := m.settle(); err != nil {
		return nil, err
	}
	if !slices.Equal(b.ids, m.ids) || !slices.Equal(b.users, m.users) {
		return nil, fmt.Errorf("model.json: %d items and %d voters, which are not those of the parts", len(b.ids), len(b.users))
	}
	m.ItemEncoder, m.UserEncoder = b.ItemEncoder, b.UserEncoder
	return m, nil
}
