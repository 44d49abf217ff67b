package paper

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/infer"
	"palate/kernel"
	"palate/model"
)

// task is what a session works on: one query, several, or a made-up graph.
type task struct {
	settings linkSettings
	x        *mat.Dense
	graph    *kernel.Graph
	truth    []float64
	items    [][]int
	relevant [][]bool
	group    []int
	fresh    int // items at the end that are new: they are judged, and not asked about
}

// learner starts a model on a task.
func (t *task) learner(name string) (learner, error) {
	n := len(t.truth)
	s := t.settings
	switch name {
	case "glicko":
		return model.NewGlicko(itemNames(n), s.own, model.Glickman)
	case "diagonal":
		return model.NewGlicko(itemNames(n), s.own, model.Diagonal)
	}
	k, err := t.kernel(name)
	if err != nil {
		return nil, err
	}
	o := &model.LinkedOptions{Rule: infer.EP{}, Revisits: revisits}
	if name == "linked-adf" || name == "linked-full" {
		o.Revisits = 0
	}
	return model.NewLinked(itemNames(n), k, kernel.Dense(t.x), o)
}

// kernel is that of a model over all items, new ones included.
func (t *task) kernel(name string) (kernel.Kernel, error) {
	switch name {
	case "features":
		return linkKernel(t.settings, t.x, nil), nil
	case "matching", "nystrom":
		how := kernel.Matching
		if name == "nystrom" {
			how = kernel.Nystrom
		}
		known := len(t.truth) - t.fresh
		if t.fresh == 0 {
			return nil, fmt.Errorf("there are no new items to place by %s", name)
		}
		var inside, across []kernel.Edge
		for _, e := range t.graph.Edges() { // From < To
			switch {
			case e.To < known:
				inside = append(inside, e)
			case e.From < known:
				across = append(across, e)
			}
		}
		g, err := kernel.NewGraph(known, inside)
		if err != nil {
			return nil, err
		}
		return kernel.Extend(linkKernel(t.settings, t.x, g), t.fresh, across, how)
	}
	return linkKernel(t.settings, t.x, t.graph), nil
}
