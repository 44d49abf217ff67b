package collab

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
	"palate/kernel"
	"palate/likelihood"
	"palate/population"
)

// Family is a member of COLLAB's family of models: GP terms over items, matrix
// factors, or both, with an approximation each.
type Family struct {
	Name  string
	About string
	rule  infer.Rule
	logit bool
	fit   func(*collab, context.Context) error
	psi   float64 // log of the length-scale, where the paper's tables have it
	sigma float64 // log σ², at the start
}

// Families lists the family; GPfull-Laplace is the joint model.
func Families() []Family {
	return []Family{
		{"GPVU-EP", "factors and a GP over items, EP (COLLAB's own)", infer.EP{}, false, (*collab).factorsAndKernel, 0, 0},
		{"GPVU-Jaakkola", "the same with Jaakkola's bound of the logistic", infer.Jaakkola{}, true, (*collab).factorsAndKernel, 0, 0},
		{"VU-Jaakkola", "factors alone, standard EM", infer.Jaakkola{}, true, (*collab).factors, 0, 0},
		{"NPCA-EP", "any covariance, no item features", infer.EP{}, false, (*collab).anyCovariance, 0, 0},
		{"GPitem-EP", "a GP over items, EP", infer.EP{}, false, (*collab).kernelOnly, -2, 1},
		{"GPitem-Laplace", "a GP over items, Laplace", infer.Laplace{}, false, (*collab).kernelOnly, -2, 0},
	}
}

// Find returns the member with a name, whatever its case.
func Find(name string) (Family, error) {
	var names []string
	for _, f := range Families() {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Family{}, fmt.Errorf("collab: no model %q; there are %s", name, strings.Join(names, ", "))
}

// Options are the settings of a member of the family. The zero value is
// the paper's, with length-scales from its tables.
type Options struct {
	population.Settings
	Rank       int      // D; 0 stands for 10
	LogPsi     *float64 // log of the SE kernel's length-scale, features scaled to [0, 1]
	LogSigma2  *float64 // log σ²: fixed without factors, else where it starts
	Jitter     float64  // ε of K + εI; 0 stands for 0.1
	Mean       bool     // learn μ, which the paper's experiments do not
	Iterations int      // of EM, at most; 0 stands for 100
	Gain       float64  // relative gain below which EM ends; 0 stands for 1e-5
	Cap        int      // pairs a person in an iteration, drawn anew each time; 0: all
	Ridge      float64  // of VU's M-step; 0 stands for 1e-6
	// Wide starts at Σ = I, with σ² = 0, as the authors' released code does, in place of small random factors.
	Wide bool
	// Watch, if set, sees the population after every E-step, and ends learning by returning true.
	Watch    func(*population.Engine, *population.Full) bool
	Seed     uint64
	Progress func(population.Progress)
}

// Fitted is a member of the family, learnt.
type Fitted struct {
	*population.Full
	Engine *population.Engine
	// Converged reports whether EM stood still before its last iteration, or had
	// nothing to learn, and everybody's inference with it.
	Converged bool
	Stats     infer.Stats
	Trace     []float64 // the objective, by iteration
	Win       likelihood.Scalar
	Sigma2    float64
	Rank      int
	Factor    []float64 // V, N×D; nil without
}

// collab is the state of learning a member of the family.
type collab struct {
	family Family
	o      Options
	people *population.People
	n, d   int
	k      []float64 // K + εI, both triangles; nil without features: I
	l      []float64 // Cholesky factor of k; nil: I
	out    *Fitted
	rng    *rand.Rand
}

// Learn fits a member of the family. features may be nil: then K = I.
func Learn(ctx context.Context, f Family, people *population.People, features *mat.Dense, o Options) (*Fitted, error) {
	def := func(x *float64, d float64) {
		if *x == 0 {
			*x = d
		}
	}
	def(&o.Jitter, 0.1)
	def(&o.Gain, 1e-5)
	def(&o.Ridge, 1e-6)
	o.Rank = cmp.Or(o.Rank, 10)
	o.Iterations = cmp.Or(o.Iterations, 100)
	if o.LogPsi != nil {
		f.psi = *o.LogPsi
	}
	if o.LogSigma2 != nil {
		f.sigma = *o.LogSigma2
	}
	if people.Ties() {
		return nil, fmt.Errorf("collab: %s knows no ties: leave them out", f.Name)
	}
	o.Rule = f.rule
	win := f.Likelihood()
	o.Likelihood = func(k population.Observation) likelihood.Scalar {
		if k.Power != 1 {
			return likelihood.Power{Of: win, Weight: k.Power}
		}
		return win
	}
	n := people.NumItems()
	c := &collab{family: f, o: o, people: people, n: n, d: min(o.Rank, n-1), rng: rand.New(rand.NewPCG(o.Seed, 0xc011ab))}
	c.out = &Fitted{Full: &population.Full{N: n, S: make([]float64, n*n), T: make([]float64, n)}, Win: win, Sigma2: math.Exp(f.sigma), Rank: c.d}
	if err := c.setKernel(features); err != nil {
		return nil, err
	}
	if err := f.fit(c, ctx); err != nil {
		return nil, err
	}
	var err error
	if c.out.Engine, err = population.NewEngine(people, o.Settings); err != nil {
		return nil, err
	}
	_, c.out.Stats, err = c.out.Engine.Evaluate(ctx, c.out.Full)
	c.out.Converged = c.out.Converged && c.out.Stats.Unconverged == 0
	return c.out, err
}

// setKernel is the SE kernel exp(−|x−y|²/2ℓ²), log ℓ = ψ as in the released
// code, on features scaled to [0, 1], plus jitter.
func (c *collab) setKernel(features *mat.Dense) error {
	if features == nil {
		return nil
	}
	n, cols := features.Dims()
	x := mat.DenseCopyOf(features)
	for j := range cols {
		col := mat.Col(nil, j, x)
		lo, hi := slices.Min(col), slices.Max(col)
		for i := range col {
			if hi > lo {
				col[i] = (col[i] - lo) / (hi - lo)
			} else {
				col[i] = 0
			}
		}
		x.SetCol(j, col)
	}
	gram := mat.NewDense(n, n, nil)
	p := kernel.Dense(x)
	kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{math.Exp(c.family.psi)}).MatrixTo(gram, p, p)
	c.k = gram.RawMatrix().Data
	for i := range n {
		c.k[i*n+i] += c.o.Jitter
	}
	c.l = make([]float64, n*n)
	for i := range n {
		copy(c.l[i*n:i*n+i+1], c.k[i*n:i*n+i+1])
	}
	if !num.FactorWide(c.l, n) {
		return fmt.Errorf("collab: %s: K + %g·I is not positive definite; raise the jitter", c.family.Name, c.o.Jitter)
	}
	return nil
}

// compose sets Σ = VVᵀ + σ²K.
func (c *collab) compose(v []float64, sigma2 float64) {
	n, s := c.n, c.out.S
	clear(s)
	if v != nil {
		d := len(v) / n
		simd.BLAS{}.Dgemm(blas.NoTrans, blas.Trans, n, n, d, 1, v, d, v, d, 0, s, n)
	}
	if c.k == nil {
		for i := range n {
			s[i*n+i] += sigma2
		}
		return
	}
	num.Axpy(sigma2, c.k, s)
}

// engine returns the E-step of an iteration: the same all along, or with a cap
// one on fresh subsets of the pairs.
func (c *collab) engine(last *population.Engine) (*population.Engine, error) {
	if c.o.Cap == 0 && last != nil {
		return last, nil
	}
	people := c.people
	if c.o.Cap > 0 {
		people = capped(people, c.o.Cap, c.rng)
	}
	return population.NewEngine(people, c.o.Settings)
}

// iterate alternates E- and M-steps until the objective, on all pairs, no longer gains.
// What the E-step collects is what begin returns.
func (c *collab) iterate(ctx context.Context, begin func(e *population.Engine) population.Collector, maximise func() error) error {
	var e *population.Engine
	var err error
	for i := range c.o.Iterations {
		if e, err = c.engine(e); err != nil {
			return err
		}
		value, _, err := e.Evaluate(ctx, c.out.Full, begin(e))
		if err != nil {
			return err
		}
		c.out.Trace = append(c.out.Trace, value)
		if c.o.Progress != nil {
			c.o.Progress(population.Progress{Evaluations: i + 1, Objective: value, Evidence: value, HeldOut: math.NaN()})
		}
		if c.o.Watch != nil && c.o.Watch(e, c.out.Full) {
			break
		}
		if err := maximise(); err != nil {
			return err
		}
		k := len(c.out.Trace)
		if c.o.Cap == 0 && k > 1 && math.Abs(value-c.out.Trace[k-2]) < c.o.Gain*math.Abs(value) {
			c.out.Converged = true
			break
		}
	}
	return nil
}

// Likelihood returns the noise of a vote that the member is fitted with.
func (f Family) Likelihood() likelihood.Scalar {
	if f.logit {
		return likelihood.Logit{}
	}
	return likelihood.Probit{}
}
