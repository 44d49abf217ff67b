package paper

import (
	"context"
	"fmt"
	"os"
	"slices"
)

// Figure is a figure or table of settings in a paper, to be drawn again from one split of a set.
type Figure struct {
	Name  string
	About string
	Set   string // data/split
	draw  func(ctx context.Context, t Task, s *Split) ([]picture, error)
}

// picture is something that saves itself into a folder, with its numbers beside it.
type picture interface{ save(dir string) error }

// Draw draws the figures of an experiment that belong to the sets asked for into a folder, each as a picture with a
// table of its numbers. It stops at the first that fails; those drawn before stay.
func (e Experiment) Draw(ctx context.Context, o Options, dir string) error {
	sets, err := e.sets(o.Sets)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, s := range sets {
		figures := slices.DeleteFunc(slices.Clone(e.Figures), func(f Figure) bool { return f.Set != s.Name() })
		if len(figures) == 0 {
			continue
		}
		drawSplit, err := s.splits(o.Folder)
		if err != nil {
			return err
		}
		rng := s.stream(o.Seed, 0)
		split, err := drawSplit(0, rng)
		if err != nil {
			return err
		}
		task := Task{s.Data, split.Train, split.Beside, rng.Uint64(), split.Test}
		for k, f := range figures {
			if o.Progress != nil {
				o.Progress(Progress{Set: s.Name(), Model: f.Name, Splits: 1, Done: k, Total: len(figures)})
			}
			pictures, err := f.draw(ctx, task, split)
			if err != nil {
				return fmt.Errorf("paper: %s: %w", f.Name, err)
			}
			for _, p := range pictures {
				if err := p.save(dir); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
