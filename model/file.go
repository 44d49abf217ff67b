package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
)

// fileVersion is the version of the model file that Save writes, newestVersion the
// newest that Load reads. What was new in version 2, items with parts of their own
// beside inducing points, in version 3, independent items by the graph of their
// comparisons, in version 4, linked ones, in version 5, sides, in version 6, populations
// learnt several ways at once, in version 7, properties of votes, in version 8, sides
// that are worth something to voters of a population, in version 9, answers about several
// items, in version 10, populations learnt several ways of items with features, in version
// 11, averages of models, in version 12, answers about several items of people, in version
// 13, utilities that move, in version 14, ratings, in version 15, choices of one of several
// items, in version 16, utilities that jump and people of several levels of reliability, and in
// version 17, votes that may be no better than coins, is marked as such only where it is so.
const (
	fileVersion     = 1
	ownVersion      = 2
	graphVersion    = 3
	linkVersion     = 4
	contextVersion  = 5
	familyVersion   = 6
	propertyVersion = 7
	leanVersion     = 8
	answerVersion   = 9
	knownVersion    = 10
	averageVersion  = 11
	saidVersion     = 12
	movingVersion   = 13
	ratedVersion    = 14
	choiceVersion   = 15
	jumpVersion     = 16
	reliableVersion = 16
	coinVersion     = 17
	newestVersion   = 17
)

// header is model.json of a Single.
type header struct {
	heading
	Kernel     *kernel.Spec        `json:"kernel,omitempty"`
	Likelihood string              `json:"likelihood"`
	Threshold  float64             `json:"tie_threshold,omitempty"`
	Ties       *tieHabits          `json:"tie_habits,omitempty"` // where voters differ in how they call ties
	Scale      float64             `json:"inverse_scale"`
	ScalePrior []float64           `json:"scale_prior,omitempty"` // see scalePrior; none where the scale was given
	Objective  float64             `json:"objective"`
	Kind       infer.ObjectiveKind `json:"objective_kind"`
	Taste      float64             `json:"voter_taste,omitempty"`           // see Dependence
	Repeat     float64             `json:"voter_repeat,omitempty"`          // see Dependence
	Together   bool                `json:"voter_repeat_together,omitempty"` // see voting.together; before there was a site for each of a row's votes
	Integrated bool                `json:"integrated,omitempty"`            // chances are means over what votes leave open of the scale
	Gain       *float64            `json:"gain,omitempty"`                  // over coins, in nats
	Context    []string            `json:"context,omitempty"`               // names of what bears on votes beside the items
	Effects    []Effect            `json:"effects,omitempty"`               // what is known of it
	Sides      string              `json:"sides,omitempty"`                 // see Sides; empty: they were not told apart
	Lean       float64             `json:"side_lean,omitempty"`             // see voting
	Rule       string              `json:"rule"`
	Schedule   string              `json:"schedule"`
	Steps      *Steps              `json:"steps,omitempty"` // of a stochastic schedule
	Tolerance  float64             `json:"tolerance"`
	Seed       uint64              `json:"seed"`
	Status     infer.Status        `json:"status"`
	Stats      infer.Stats         `json:"stats"`
	Own        bool                `json:"own,omitempty"`           // what inducing points leave of an item is its own; without them, all of it
	Trained    int                 `json:"trained_items,omitempty"` // the others were added by their features; 0: there are none
}

// ruleNames are the rules of inference as model.json calls them.
var ruleNames = []struct {
	name string
	rule infer.Rule
}{
	{"EP", infer.EP{}}, {"VI", infer.VI{}}, {"Laplace", infer.Laplace{}}, {"Jaakkola", infer.Jaakkola{}},
	{"Linearised", infer.Linearised{}}, {"Linearised, draft noise", infer.Linearised{Noise: infer.DraftNoise}},
	{"Linearised, mean noise", infer.Linearised{Noise: infer.MeanNoise}},
}

// ruleName returns what model.json calls a rule; one of another package by its type.
func ruleName(r infer.Rule) string {
	for _, n := range ruleNames {
		if n.rule == r {
			return n.name
		}
	}
	return fmt.Sprintf("%T", r)
}

// ruleOf returns the rule of a name; nil, the default, where it is none of ours.
func ruleOf(name string) infer.Rule {
	for _, n := range ruleNames {
		if n.name == name {
			return n.rule
		}
	}
	return nil
}

var likelihoodNames = map[Likelihood]string{Probit: "probit", Logit: "logit", Davidson: "davidson"}

// likelihoodNamed is the likelihood that model.json calls so.
func likelihoodNamed(name string) (Likelihood, error) {
	for l, n := range likelihoodNames {
		if n == name {
			return l, nil
		}
	}
	return 0, fmt.Errorf("model.json: unknown likelihood %q", name)
}

// Save writes the model as a zip of model.json and .npy arrays: the items'
// features, votes and inducing points, the rows (winner, loser, outcome, count)
// with their sites and, where voters are told apart, their voters, what else bears on
// them, the evidence on the
// weights, and for readers, as of every model,
// the score of every item on the board and its standard deviation.
func (m *Single) Save(ctx context.Context, w io.Writer) error { return m.saveFor(ctx, w, m) }

// SaveState is Save without the scores, which are for other readers and take joint draws
// of all items: the model that is read back is the same.
func (m *Single) SaveState(ctx context.Context, w io.Writer) error { return m.saveFor(ctx, w, nil) }

// saveFor writes the model, with the scores of the board of p if there is one.
func (m *Single) saveFor(ctx context.Context, w io.Writer, p Predictor) error {
	q := m.result.Posterior
	if n := len(m.ids); m.z == nil && n > m.trained {
		return fmt.Errorf("model: save: %d of %d items were added after the fit; save the model as it was fitted", n-m.trained, n)
	}
	h := header{
		heading:    m.heading(m.Name()),
		Likelihood: likelihoodNames[m.voting.family], Threshold: m.voting.threshold, Scale: q.Scale,
		Objective: m.result.Objective, Kind: m.result.Kind, Status: m.result.Status, Stats: m.result.Stats,
		Rule: m.made.rule, Schedule: m.made.schedule, Steps: m.made.steps, Tolerance: m.made.tolerance, Seed: m.options.Seed,
	}
	h.Effects = m.effects
	h.Taste, h.Repeat, h.Gain, h.Integrated = m.dependence.Taste, m.dependence.Repeat, m.gain, m.integrated
	h.Together = h.Repeat > 0
	h.Ties = m.tieHabits()
	if m.own {
		h.Version, h.Own = ownVersion, true
		if m.links != nil {
			h.Version = linkVersion
		} else if m.z == nil {
			h.Version = graphVersion
		}
	}
	if m.obs.context != nil {
		h.Version, h.Context = contextVersion, m.obs.effects
	}
	if m.obs.sided {
		h.Sides, h.Lean = sideNames[m.voting.sides], m.voting.lean
	}
	if len(m.properties) > 0 {
		h.Version = propertyVersion
	}
	if m.obs.answer != nil {
		h.Version = answerVersion
	}
	if m.coins {
		h.Version = coinVersion
	}
	if m.trained < len(m.ids) {
		h.Trained = m.trained
	}
	if m.options.Scale == 0 {
		h.ScalePrior = m.scalePrior().numbers()
	}
	if m.kernel != nil {
		s := kernel.SpecOf(m.kernel)
		h.Kernel = &s
	}
	return m.save(ctx, w, p, h, func(a *arrayWriter) {
		m.saveRows(a)
		if !m.own { // else the sites say it all
			ev := q.Evidence()
			a.floats("evidence_linear", ev.Lin, len(ev.Lin))
			a.matrix("evidence_quadratic", mat.DenseCopyOf(ev.Quad))
		}
	})
}

// loadSingle reads a Single; raw is model.json.
func loadSingle(z *zip.Reader, raw []byte) (*Single, error) {
	var h header
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	switch {
	case !(h.Scale > 0) || h.Threshold < 0 || len(h.Items) == 0 || h.Trained < 0 || h.Trained > len(h.Items):
		return nil, fmt.Errorf("model.json: inverse scale %g, tie threshold %g, %d items, %d of them trained", h.Scale, h.Threshold, len(h.Items), h.Trained)
	}
	b, err := h.base()
	if err != nil {
		return nil, err
	}
	m := &Single{Base: b, grid: &num.Lazy[*scales]{}, open: &openKernel{}}
	m.options.Seed, m.options.Scale, m.options.Rule, m.options.Tolerance = h.Seed, h.Scale, ruleOf(h.Rule), h.Tolerance
	if m.trained = h.Trained; m.trained == 0 {
		m.trained = len(h.Items)
	}
	if h.ScalePrior != nil {
		p, err := scalePriorOf(h.ScalePrior)
		if err != nil {
			return nil, err
		}
		m.options.Scale, m.options.ScalePrior, m.coins = 0, p.gamma, p.coins
	}
	m.made = made{h.Rule, h.Schedule, h.Steps, h.Tolerance}
	m.voting.threshold, m.voting.repeat = h.Threshold, h.Repeat
	m.dependence, m.gain, m.integrated = Dependence{Taste: h.Taste, Repeat: h.Repeat}, h.Gain, h.Integrated
	if !(h.Taste >= 0) || !(h.Repeat >= 0 && h.Repeat < 1) {
		return nil, fmt.Errorf("model.json: voters of taste %g who repeat %g of the noise", h.Taste, h.Repeat)
	}
	m.effects = h.Effects
	for _, e := range h.Effects {
		if e.Property != "" {
			m.properties = append(m.properties, e)
		}
	}
	if err := m.loadSides(h); err != nil {
		return nil, err
	}
	if m.voting.family, err = likelihoodNamed(h.Likelihood); err != nil {
		return nil, err
	}
	a := arrayReader{z: z}
	n := len(m.ids)
	m.votes = a.floats("votes", n)
	if err := m.loadPrior(&a, h); err != nil {
		return nil, err
	}
	m.loadRows(&a, m.trained)
	m.loadContext(&a, h)
	m.loadHabits(&a, h.Ties)
	if a.err != nil {
		return nil, a.err
	}
	if m.obs.group == nil && m.dependence != (Dependence{}) || m.obs.group != nil && m.z != nil {
		return nil, fmt.Errorf("model.json: voters of taste %g who repeat %g of the noise, and voter.npy is not there or beside inducing points", h.Taste, h.Repeat)
	}
	if !h.Together {
		m.gatherSites()
	}
	all := m.x
	if m.trained < n {
		m.x = all.Subset(num.Indices(m.trained))
	}
	p, err := m.prior(m.kernel)
	if err != nil {
		return nil, err
	}
	m.x = all
	if m.own {
		m.result.Posterior, err = m.ownPosterior(p, h.Scale, m.voting, m.result.Sites, h.Kind)
	} else {
		d := p.Dim()
		ev := gp.NewEvidence(d)
		copy(ev.Lin, a.floats("evidence_linear", d))
		if quad := a.floats("evidence_quadratic", d, d); a.err == nil {
			ev.Quad.CopySym(mat.NewSymDense(d, quad))
		}
		if a.err != nil {
			return nil, a.err
		}
		m.result.Posterior, err = gp.NewPosterior(p, h.Scale, ev)
	}
	if err != nil {
		return nil, err
	}
	if m.trained < n {
		m.result.Posterior = m.result.Posterior.On(p.ExtendBy(m.kernel, m.x))
	}
	m.result.Objective, m.result.Kind, m.result.Status, m.result.Stats = h.Objective, h.Kind, h.Status, h.Stats
	return m, nil
}

// gammaOf reads a shape and a rate.
func gammaOf(p []float64) (infer.Gamma, error) {
	if len(p) != 2 || !(p[0] > 0 && p[1] > 0) {
		return infer.Gamma{}, fmt.Errorf("model.json: scale prior %v is no shape and rate", p)
	}
	return infer.Gamma{Shape: p[0], Rate: p[1]}, nil
}

// checkGroups insists that every item is in one group, and groups in order.
func checkGroups(groups [][]int, items int) error {
	seen := make([]bool, items)
	count := 0
	for _, g := range groups {
		for k, i := range g {
			if i < 0 || i >= items || seen[i] || (k > 0 && g[k-1] > i) {
				return fmt.Errorf("model.json: item %d of %d is out of place in its group", i, items)
			}
			seen[i] = true
			count++
		}
	}
	if count != items {
		return fmt.Errorf("model.json: groups hold %d of %d items", count, items)
	}
	return nil
}

func (m *Single) loadPrior(a *arrayReader, h header) error {
	n := len(m.ids)
	m.x = kernel.Indexed(n)
	if h.Kernel == nil {
		m.own = h.Own
		return nil
	}
	var err error
	if m.kernel, err = kernel.FromSpec(*h.Kernel); err != nil {
		return err
	}
	if links, _, ok := kernel.Regularised(m.kernel); ok && h.Own {
		if links.Graph().Nodes() != n {
			return fmt.Errorf("model.json: links between %d nodes, but there are %d items", links.Graph().Nodes(), n)
		}
		m.links, m.own = linksAlong(links.Graph()), true
		return nil
	}
	if !a.has("features") {
		return checkBare(m.kernel)
	}
	if m.features = a.matrix("features"); a.err != nil {
		return a.err
	}
	rows, cols := m.features.Dims()
	if rows != n {
		return fmt.Errorf("features.npy: %d rows for %d items", rows, n)
	}
	m.x = kernel.Dense(m.features)
	if a.has("inducing") {
		if m.z = a.matrix("inducing"); a.err != nil {
			return a.err
		}
		if _, c := m.z.Dims(); c != cols {
			return fmt.Errorf("inducing.npy: %d features, the items have %d", c, cols)
		}
		m.own = h.Own
	}
	return checkDims(m.kernel, cols)
}

// checkDims turns the panic of a kernel over other features into an error.
func checkDims(k kernel.Kernel, cols int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("kernel does not fit %d features: %v", cols, r)
		}
	}()
	kernel.Gram(k, kernel.Dense(mat.NewDense(1, cols, nil)))
	return nil
}
