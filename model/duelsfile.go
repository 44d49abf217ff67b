package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
)

// duelsHeader is model.json of duels.
type duelsHeader struct {
	heading
	Kernel      *kernel.Spec        `json:"kernel"` // divided by the inverse scale
	Scale       float64             `json:"inverse_scale"`
	ScalePrior  []float64           `json:"scale_prior,omitempty"` // see scalePrior; none where the scale was given
	Noise       float64             `json:"noise"`                 // on each utility
	Formulation string              `json:"formulation"`
	Rule        string              `json:"rule"`
	Objective   float64             `json:"objective"`
	Kind        infer.ObjectiveKind `json:"objective_kind"`
	Status      infer.Status        `json:"status"`
	Stats       infer.Stats         `json:"stats"`
	Seed        uint64              `json:"seed"`
}

// Save writes the model as a zip of model.json and .npy arrays: the vectors, and the
// duels (winner, loser, weight) with their sites.
func (d *Duels) Save(ctx context.Context, w io.Writer) error {
	spec := kernel.SpecOf(d.kernel)
	h := duelsHeader{
		heading: d.heading(d.Name()),
		Kernel:  &spec, Scale: d.scale, Noise: d.options.Noise, Formulation: d.options.Formulation.String(), Rule: ruleName(d.rule()),
		Objective: d.result.Objective, Kind: d.result.Kind, Status: d.result.Status, Stats: d.result.Stats, Seed: d.options.Seed,
	}
	if d.options.Scale == 0 {
		h.ScalePrior = scalePrior{gamma: d.options.ScalePrior}.numbers()
	}
	return d.save(ctx, w, d, h, d.saveArrays)
}

func (d *Duels) saveArrays(a *arrayWriter) {
	n := len(d.win)
	pairs, tau, nu := make([]int64, 0, 2*n), make([]float64, n), make([]float64, n)
	for i, s := range d.result.Sites {
		pairs = append(pairs, int64(d.win[i]), int64(d.lose[i]))
		tau[i], nu[i] = s.Tau, s.Nu
	}
	a.matrix("features", d.features)
	writeArray(a, "pairs", pairs, n, 2)
	a.floats("weight", d.weight, n)
	a.floats("site_tau", tau, n)
	a.floats("site_nu", nu, n)
}

// rule is EP unless the options say otherwise.
func (d *Duels) rule() infer.Rule {
	if d.options.Rule == nil {
		return infer.EP{}
	}
	return d.options.Rule
}

// loadDuels reads what Save wrote.
func loadDuels(z *zip.Reader, raw []byte) (*Duels, error) {
	var h duelsHeader
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	form := slices.Index(formulations[:], h.Formulation)
	if len(h.Items) == 0 || h.Kernel == nil || form < 0 || !(h.Noise > 0) || !(h.Scale > 0) {
		return nil, fmt.Errorf("model.json: %d items, formulation %q, noise %g, inverse scale %g, or no kernel", len(h.Items), h.Formulation, h.Noise, h.Scale)
	}
	h.Groups = [][]int{num.Indices(len(h.Items))} // features bridge what duels do not connect
	b, err := h.base()
	if err != nil {
		return nil, err
	}
	d := &Duels{Base: b, scale: h.Scale, together: &together{}}
	d.options = DuelOptions{Noise: h.Noise, Formulation: Formulation(form), Rule: ruleOf(h.Rule), Scale: h.Scale, Seed: h.Seed}
	if h.ScalePrior != nil {
		p, err := scalePriorOf(h.ScalePrior)
		if err != nil {
			return nil, err
		}
		d.options.Scale, d.options.ScalePrior = 0, p.gamma
	}
	if d.kernel, err = kernel.FromSpec(*h.Kernel); err != nil {
		return nil, err
	}
	a := arrayReader{z: z}
	if d.features = a.matrix("features"); a.err != nil {
		return nil, a.err
	}
	rows, cols := d.features.Dims()
	if rows != len(d.ids) {
		return nil, fmt.Errorf("features.npy: %d rows for %d items", rows, len(d.ids))
	}
	if err := checkDims(d.kernel, cols); err != nil {
		return nil, err
	}
	pairs, shape := readArray[int64](&a, "pairs")
	if a.err == nil && (len(shape) != 2 || shape[1] != 2 || shape[0] == 0 || shape[0] > maxDuels) {
		return nil, fmt.Errorf("pairs.npy: shape %v", shape)
	}
	if a.err != nil {
		return nil, a.err
	}
	n := shape[0]
	tau, nu := a.floats("site_tau", n), a.floats("site_nu", n)
	if d.weight = a.floats("weight", n); a.err != nil {
		return nil, a.err
	}
	sites := make([]gp.Site, n)
	for k := range sites {
		i, j := pairs[2*k], pairs[2*k+1]
		if i < 0 || j < 0 || i >= int64(rows) || j >= int64(rows) || i == j || !(d.weight[k] > 0) || tau[k] < 0 {
			return nil, fmt.Errorf("pairs.npy: row %d: items %d and %d of %d, weight %g, precision %g", k, i, j, rows, d.weight[k], tau[k])
		}
		d.win, d.lose = append(d.win, int(i)), append(d.lose, int(j))
		sites[k] = gp.Site{Tau: tau[k], Nu: nu[k]}
	}
	if err := d.settle(); err != nil {
		return nil, err
	}
	p, err := d.problem(d.options.Formulation)
	if err != nil {
		return nil, err
	}
	d.result = &infer.Result{Sites: sites, Objective: h.Objective, Kind: h.Kind, Status: h.Status, Stats: h.Stats}
	return d, d.derive(p)
}
