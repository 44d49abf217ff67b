package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"palate/internal/atomicfile"
	"palate/population"
)

// checkpointHeader is checkpoint.json.
type checkpointHeader struct {
	Format     string  `json:"format"` // "palate checkpoint"
	Version    int     `json:"version"`
	DataDigest string  `json:"data_digest"`
	Round      int     `json:"round"`
	Steps      int     `json:"steps"`
	Evals      int     `json:"evaluations"`
	Quiet      int     `json:"quiet"`
	Objective  float64 `json:"objective"`
	Spread     float64 `json:"spread"`
}

// writeCheckpoint writes the state of a fit to the votes with a digest.
func writeCheckpoint(w io.Writer, digest string, c *population.Checkpoint) error {
	z := zip.NewWriter(w)
	f, err := z.Create("checkpoint.json")
	if err != nil {
		return err
	}
	h := checkpointHeader{"palate checkpoint", fileVersion, digest, c.Round, c.Climb.Rounds, c.Climb.Evals, c.Climb.Quiet, c.Climb.F, c.Spread}
	if err := json.NewEncoder(f).Encode(h); err != nil {
		return err
	}
	a := arrayWriter{z: z}
	n := len(c.Climb.X)
	a.floats("point", c.Climb.X, n)
	a.floats("gradient", c.Climb.G, n)
	a.floats("curvature", c.Climb.H, n)
	a.floats("steps", c.Climb.Steps, len(c.Climb.Steps))
	a.floats("bends", c.Climb.Bends, len(c.Climb.Bends))
	a.floats("relevance", c.Relevance, len(c.Relevance))
	a.floats("site_tau", c.Tau, len(c.Tau))
	a.floats("site_nu", c.Nu, len(c.Nu))
	if a.err != nil {
		return a.err
	}
	return z.Close()
}

// readCheckpoint reads what writeCheckpoint wrote, for the votes with a digest.
func readCheckpoint(r io.ReaderAt, size int64, digest string) (*population.Checkpoint, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("model: not a checkpoint: %w", err)
	}
	f, err := z.Open("checkpoint.json")
	if err != nil {
		return nil, fmt.Errorf("model: not a checkpoint: no checkpoint.json inside")
	}
	defer f.Close()
	var h checkpointHeader
	if err := json.NewDecoder(io.LimitReader(f, 1<<20)).Decode(&h); err != nil {
		return nil, fmt.Errorf("model: checkpoint.json: %w", err)
	}
	switch {
	case h.Format != "palate checkpoint" || h.Version < 1 || h.Version > fileVersion:
		return nil, fmt.Errorf("model: not a checkpoint that this palate reads: format %q, version %d", h.Format, h.Version)
	case h.DataDigest != digest:
		return nil, fmt.Errorf("model: the checkpoint is of other votes")
	case h.Round < 0 || h.Steps < 0 || !(h.Spread > 0):
		return nil, fmt.Errorf("model: checkpoint.json: round %d, step %d, spread %g", h.Round, h.Steps, h.Spread)
	}
	a := arrayReader{z: z}
	c := &population.Checkpoint{Round: h.Round, Spread: h.Spread}
	c.Climb.F, c.Climb.Rounds, c.Climb.Evals, c.Climb.Quiet = h.Objective, h.Steps, h.Evals, h.Quiet
	c.Climb.X = a.vector("point")
	n := len(c.Climb.X)
	c.Climb.G, c.Climb.H, c.Climb.Steps, c.Climb.Bends = a.vector("gradient"), a.vector("curvature"), a.vector("steps"), a.vector("bends")
	c.Relevance, c.Tau, c.Nu = a.vector("relevance"), a.vector("site_tau"), a.vector("site_nu")
	if a.err == nil && (n == 0 || len(c.Climb.G) != n || len(c.Climb.H) != n || len(c.Climb.Steps) != len(c.Climb.Bends) || len(c.Climb.Steps)%n != 0) {
		a.err = fmt.Errorf("%d parameters, %d slopes, %d and %d steps", n, len(c.Climb.G), len(c.Climb.Steps), len(c.Climb.Bends))
	}
	if a.err != nil {
		return nil, fmt.Errorf("model: checkpoint: %w", a.err)
	}
	return c, nil
}

// keeper writes checkpoints to a file now and then.
type keeper struct {
	ctx    context.Context // what is being written is given up when it ends
	path   string
	every  time.Duration
	digest string
	last   time.Time
}

// resume returns the checkpoint in the file, nil when there is none.
func (k *keeper) resume() (*population.Checkpoint, error) {
	f, err := os.Open(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("model: checkpoint: %w", err)
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("model: checkpoint: %w", err)
	}
	c, err := readCheckpoint(f, st.Size(), k.digest)
	if err != nil {
		return nil, fmt.Errorf("%w (%s): remove the file to begin afresh", err, k.path)
	}
	return c, nil
}

// keep writes the state if the last time is long enough ago: beside the file
// first, from where it is read back, so that there is always a whole one.
func (k *keeper) keep(c *population.Checkpoint) error {
	if time.Since(k.last) < k.every {
		return nil
	}
	k.last = time.Now()
	f, err := atomicfile.Create(k.path)
	if err == nil {
		defer f.Discard()
		if err = writeCheckpoint(heedful{k.ctx, f}, k.digest, c); err == nil {
			err = f.ReadBack(k.ctx, func(r io.ReaderAt, size int64) error {
				_, err := readCheckpoint(r, size, k.digest)
				return err
			})
		}
		if err == nil {
			err = f.Commit()
		}
	}
	if err != nil {
		return fmt.Errorf("model: checkpoint: %w", err)
	}
	return nil
}

func (k *keeper) done() { os.Remove(k.path) }
