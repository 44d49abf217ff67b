package model

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
)

// Open reads a model of any kind that Save wrote.
func Open(r io.ReaderAt, size int64) (Model, error) {
	m, err := open(r, size)
	if err != nil {
		return nil, fmt.Errorf("model: load: %w", err)
	}
	return m, nil
}

func open(r io.ReaderAt, size int64) (Model, error) {
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
	switch h.Model {
	case "single":
		return asModel(loadSingle(z, raw))
	case "population":
		return asModel(loadPopulation(z, raw))
	case "crowd":
		return asModel(loadCrowd(z, raw))
	case "joint":
		return asModel(loadTensor(z, raw))
	case "duels":
		return asModel(loadDuels(z, raw))
	case "bt":
		return asModel(loadBradleyTerry(z, raw))
	case Glickman.String(), Diagonal.String():
		return asModel(loadGlicko(z, raw))
	}
	return nil, fmt.Errorf("unknown model %q", h.Model)
}
