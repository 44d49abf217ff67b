package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
	"palate/likelihood"
)

// Formulation is how EPNOTE writes the noise of a duel. Both have the same
// posterior and evidence.
type Formulation int

const (
	// ProbitDuels keep the latent difference z and a probit likelihood.
	ProbitDuels Formulation = iota
	// TruncatedDuels put the noise into the prior of v = z + noise, and truncate
	// v at zero.
	TruncatedDuels
)

var formulations = [...]string{ProbitDuels: "probit", TruncatedDuels: "truncated"}

// String returns the name used in files.
func (f Formulation) String() string { return formulations[f] }

// DuelOptions are the settings of FitDuels and FitDuelVotes.
type DuelOptions struct {
	// Kernel over the vectors, used as it is; nil: one that Features says.
	Kernel   kernel.Kernel
	Features FeatureKernel
	// Scale fixes the inverse scale s that the kernel is divided by; 0: it is learnt
	// from the evidence, under ScalePrior, whose zero is that of Options.
	Scale      float64
	ScalePrior infer.Gamma
	// Noise is the standard deviation σ of the noise on each utility; 0 stands
	// for 1/√2, so that the win probability is Φ of the difference.
	Noise       float64
	Formulation Formulation
	Rule        infer.Rule     // nil: EP
	Schedule    infer.Schedule // nil: Sequential, or Batch with more than 300 duels
	Tolerance   float64        // 0 stands for 1e-8
	Seed        uint64         // of medians, which are sampled with more than 1000 duels
	Progress    func(Progress)
}

// Duels is preference regression: a Gaussian-process utility over feature
// vectors, learnt from duels between them (EPNOTE). The vectors need not recur;
// the work is done in the space of the duels.
type Duels struct {
	Base

	features *mat.Dense // of the items
	options  DuelOptions
	kernel   kernel.Kernel // scaled
	scale    float64       // s
	win      []int         // of each duel
	lose     []int
	weight   []float64
	winner   kernel.Points
	loser    kernel.Points
	result   *infer.Result
	together *together
}

// maxDuels is the number up to which duels fit: the work grows with its cube.
const maxDuels = 3000

// FitDuels learns from duels in which row i of winner beat row i of loser. The items
// of the model are the vectors, each once, by the names that its numbers make. When
// ctx ends before it is done it returns the error of ctx.
func FitDuels(ctx context.Context, winner, loser *mat.Dense, o *DuelOptions) (*Duels, error) {
	t, dim := winner.Dims()
	if r, c := loser.Dims(); r != t || c != dim {
		return nil, fmt.Errorf("model: duels: %d×%d winners, %d×%d losers", t, dim, r, c)
	}
	d := &Duels{weight: make([]float64, t), together: &together{}}
	at := map[string]int{}
	var ids []string
	var rows []float64
	find := func(x []float64) int {
		words := make([]string, dim)
		for j, v := range x {
			words[j] = strconv.FormatFloat(v, 'g', -1, 64)
		}
		id := strings.Join(words, " ")
		i, ok := at[id]
		if !ok {
			i = len(ids)
			at[id] = i
			ids, rows = append(ids, id), append(rows, x...)
		}
		return i
	}
	for i := range t {
		d.win, d.lose = append(d.win, find(winner.RawRowView(i))), append(d.lose, find(loser.RawRowView(i)))
		d.weight[i] = 1
	}
	d.Base = namedBase(ids)
	d.features = mat.NewDense(len(d.ids), dim, rows)
	return d.fit(ctx, o)
}

// FitDuelVotes learns from votes between items that have features, voters pooled.
func FitDuelVotes(ctx context.Context, d *palate.Dataset, o *DuelOptions) (*Duels, error) {
	f := d.ItemFeatures()
	if f == nil || f.Cols == 0 {
		return nil, fmt.Errorf("model: duels are between vectors, and the items have no features")
	}
	m := &Duels{Base: newBase(d), features: mat.NewDense(f.Rows, f.Cols, f.Data), together: &together{}}
	m.groups = [][]int{num.Indices(d.NumItems())} // features bridge what duels do not connect
	for _, t := range d.Tallies(false) {
		if t.Tie {
			return nil, fmt.Errorf("model: duels: ties are not for this model: leave them out, or use the single model")
		}
		times, weight := 1, t.Weight
		if o != nil && o.Formulation == TruncatedDuels && weight == math.Trunc(weight) {
			times, weight = int(weight), 1 // noise is drawn anew every time
		}
		for range times {
			m.win, m.lose, m.weight = append(m.win, t.A), append(m.lose, t.B), append(m.weight, weight)
		}
	}
	return m.fit(ctx, o)
}

// fit learns the scale and then the posterior.
func (d *Duels) fit(ctx context.Context, o *DuelOptions) (*Duels, error) {
	if o != nil {
		d.options = *o
	}
	if err := d.settle(); err != nil {
		return nil, err
	}
	opt := &d.options
	d.kernel = opt.Kernel
	if d.kernel == nil {
		var both mat.Dense
		both.Stack(d.rows(d.win), d.rows(d.lose))
		d.kernel = opt.Features.at(kernel.Dense(&both), rand.New(rand.NewPCG(opt.Seed, 1)))
	}
	if d.scale = opt.Scale; d.scale == 0 {
		s, err := d.learnScale(ctx)
		if err != nil {
			return nil, err
		}
		d.scale = s
	}
	if d.scale != 1 {
		d.kernel = kernel.Scale(1/d.scale, d.kernel)
	}
	p, err := d.problem(opt.Formulation)
	if err != nil {
		return nil, err
	}
	d.result, err = infer.Run(ctx, p, &infer.Settings{Rule: opt.Rule, Schedule: opt.Schedule, Tolerance: opt.Tolerance})
	if err != nil {
		return nil, err
	}
	return d, d.derive(p) // as a file would have it
}

// settle fills in what the options leave open, and counts votes.
func (d *Duels) settle() error {
	o := &d.options
	if o.Noise == 0 {
		o.Noise = math.Sqrt2 / 2
	}
	o.Tolerance = cmp.Or(o.Tolerance, 1e-8)
	switch t := len(d.win); {
	case t == 0:
		return fmt.Errorf("model: no duels to learn from")
	case t > maxDuels:
		return fmt.Errorf("model: %d duels, and the work grows with their cube; the most is %d: use the single model", t, maxDuels)
	case !(o.Noise > 0) || !(o.Scale >= 0):
		return fmt.Errorf("model: duels: noise %g is not positive, or inverse scale %g negative", o.Noise, o.Scale)
	case o.Schedule == nil && t <= 300:
		o.Schedule = infer.Sequential{}
	case o.Schedule == nil:
		o.Schedule = infer.Batch{}
	}
	d.votes = make([]float64, len(d.ids))
	for i, w := range d.weight {
		d.votes[d.win[i]] += w
		d.votes[d.lose[i]] += w
	}
	d.point()
	return nil
}

// point finds the vectors of the duels.
func (d *Duels) point() {
	d.winner, d.loser = kernel.Dense(d.rows(d.win)), kernel.Dense(d.rows(d.lose))
}

func (d *Duels) rows(items []int) *mat.Dense {
	_, cols := d.features.Dims()
	x := mat.NewDense(len(items), cols, nil)
	for i, item := range items {
		x.SetRow(i, d.features.RawRowView(item))
	}
	return x
}

// problem is what was observed under the kernel: Σ₀ of the latent differences, here
// oriented so that wins are positive, with the noise in the likelihood or in Σ₀.
func (d *Duels) problem(f Formulation) (*infer.Problem, error) {
	cov := d.differences()
	noise := d.options.Noise
	lik := likelihood.Scalar(likelihood.Probit{Noise: math.Sqrt2 * noise})
	if f == TruncatedDuels {
		for i := range d.win {
			if d.weight[i] != 1 {
				return nil, fmt.Errorf("model: duels: %s beat %s with a weight of %g in all, and truncated duels are whole: use the probit form", d.ids[d.win[i]], d.ids[d.lose[i]], d.weight[i])
			}
			cov.SetSym(i, i, cov.At(i, i)+2*noise*noise)
		}
		lik = likelihood.Step{}
	}
	prior, err := gp.Covariance(cov)
	if err != nil {
		return nil, err
	}
	p := &infer.Problem{Prior: prior, Rows: &gp.Rows{}}
	for i, w := range d.weight {
		n, power := likelihood.Whole(w)
		p.Rows.AppendUnit(i)
		p.Likelihood, p.Count = append(p.Likelihood, likelihood.Raised(lik, power)), append(p.Count, n)
	}
	return p, nil
}

// derive sets the posterior from the sites.
func (d *Duels) derive(p *infer.Problem) (err error) {
	d.result.Posterior, err = gp.NewPosterior(p.Prior, 1, p.Prior.Evidence(p.Rows, d.result.Sites, p.Count))
	return err
}

// learnScale returns the inverse scale of most evidence, with its prior. Both
// formulations have the same evidence, and the probit's prior has no noise in it.
func (d *Duels) learnScale(ctx context.Context) (float64, error) {
	p, err := d.problem(ProbitDuels)
	if err != nil {
		return 0, err
	}
	o := &d.options
	var start []gp.Site
	round := 0
	at := func(logS float64) (float64, *infer.Result, error) {
		p.Scale = math.Exp(logS)
		r, err := infer.Run(ctx, p, &infer.Settings{Rule: o.Rule, Tolerance: 1e-5, Start: start})
		if err != nil {
			return 0, nil, err
		}
		start = r.Sites
		lp, _ := scalePrior{gamma: o.ScalePrior}.logDensity(logS)
		return r.Objective + lp, r, nil
	}
	l := math.Log(scaleRange)
	best, err := maximise(ctx, []parameter{{name: "inverse scale", lo: -l, hi: l}}, 0, 1e-3, 50, func(x []float64) (float64, []float64, error) {
		value, r, err := at(x[0])
		if err != nil {
			return 0, nil, err
		}
		if round++; o.Progress != nil {
			o.Progress(Progress{Stage: "learning the scale", Round: round, Objective: value})
		}
		if r.HasGradient() {
			_, slope := scalePrior{gamma: o.ScalePrior}.logDensity(x[0])
			return value, []float64{slope - p.Prior.LogScale(r.Sensitivity(), nil)}, nil
		}
		const h = 1e-3
		above, _, err := at(x[0] + h)
		if err != nil {
			return 0, nil, err
		}
		below, _, err := at(x[0] - h)
		return value, []float64{(above - below) / (2 * h)}, err
	})
	if err != nil {
		return 0, fmt.Errorf("model: duels: learning the scale: %w", err)
	}
	return math.Exp(best[0]), nil
}

// differences returns the prior covariance of f(winner_i) − f(loser_i).
func (d *Duels) differences() *mat.SymDense {
	t := d.winner.Len()
	var ww, wl, ll mat.Dense
	d.kernel.MatrixTo(&ww, d.winner, d.winner)
	d.kernel.MatrixTo(&wl, d.winner, d.loser)
	d.kernel.MatrixTo(&ll, d.loser, d.loser)
	cov := mat.NewSymDense(t, nil)
	for i := range t {
		for j := i; j < t; j++ {
			cov.SetSym(i, j, ww.At(i, j)+ll.At(i, j)-wl.At(i, j)-wl.At(j, i))
		}
	}
	return cov
}

// LogEvidence returns the EP log evidence, or the objective of another rule.
func (d *Duels) LogEvidence() float64 { return d.result.Objective }

// Predict returns mean and joint covariance of the utility at the rows of x:
// m_tes and Σ_tes of EPNOTE, corrected.
func (d *Duels) Predict(x *mat.Dense) (mean []float64, cov *mat.SymDense) {
	points := kernel.Dense(x)
	var cross, lose mat.Dense
	d.kernel.MatrixTo(&cross, points, d.winner)
	d.kernel.MatrixTo(&lose, points, d.loser)
	cross.Sub(&cross, &lose)
	q := d.result.Posterior
	return q.PredictAt(q.Prior.ProjectCovariance(&cross), kernel.Gram(d.kernel, points))
}

// Beats returns the probability that vector a beats vector b in a noisy duel:
// Φ((m_a−m_b)/√(v_a+v_b−2c_ab+2σ²)).
func (d *Duels) Beats(a, b []float64) float64 {
	return d.beats(a, b, 2*d.options.Noise*d.options.Noise)
}

// Better returns the probability that the latent utility of vector a is above that
// of b.
func (d *Duels) Better(a, b []float64) float64 { return d.beats(a, b, 0) }

func (d *Duels) beats(a, b []float64, noise2 float64) float64 {
	if slices.Equal(a, b) {
		return 0.5
	}
	x := mat.NewDense(2, len(a), nil)
	x.SetRow(0, a)
	x.SetRow(1, b)
	m, c := d.Predict(x)
	return ahead(m[0]-m[1], c.At(0, 0)+c.At(1, 1)-2*c.At(0, 1)+noise2)
}

// ahead is the chance that a lead with a variance is one.
func ahead(lead, variance float64) float64 {
	if variance <= 0 { // as good as the same point
		return 0.5
	}
	return num.Phi(lead / math.Sqrt(variance))
}
