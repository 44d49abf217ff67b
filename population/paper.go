package population

import (
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

// FindFamily returns the member with a name, whatever its case.
func FindFamily(name string) (Family, error) {
	var names []string
	for _, f := range Families() {
		if strings.EqualFold(f.Name, name) {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Family{}, fmt.Errorf("population: no model %q; there are %s", name, strings.Join(names, ", "))
}

// FamilyOptions are the settings of a member of the family. The zero value is
// the paper's, with length-scales from its tables.
type FamilyOptions struct {
	Settings
	Rank       int      // D; 0 stands for 10
	LogPsi     *float64 // log of the SE kernel's length-scale, features scaled to [0, 1]
	LogSigma2  *float64 // log σ²: fixed without factors, else where it starts
	Jitter     float64  // ε of K + εI; 0 stands for 0.1
	Mean       bool     // learn μ, which the paper's experiments do not
	Iterations int      // of EM, at most; 0 stands for 100
	Gain       float64  // relative gain below which EM ends; 0 stands for 1e-5
	Cap        int      // pairs a person in an iteration, drawn anew each time; 0: all
	Seed       uint64
	Progress   func(Progress)
}

// Fitted is a member of the family, learnt.
type Fitted struct {
	*Full
	Engine *Engine
	Win    likelihood.Scalar
	Sigma2 float64
	Rank   int
	Factor []float64 // V, N×D; nil without
	Trace  []float64 // the objective, by iteration
}

// collab is the state of learning a member of the family.
type collab struct {
	family Family
	o      FamilyOptions
	people *People
	n, d   int
	k      []float64 // K + εI, both triangles; nil without features: I
	l      []float64 // its factor; nil: I
	out    *Fitted
	rng    *rand.Rand
}

// LearnFamily fits a member of the family. features may be nil: then K = I.
func LearnFamily(ctx context.Context, f Family, people *People, features *mat.Dense, o FamilyOptions) (*Fitted, error) {
	def := func(x *float64, d float64) {
		if *x == 0 {
			*x = d
		}
	}
	def(&o.Jitter, 0.1)
	def(&o.Gain, 1e-5)
	if o.Rank == 0 {
		o.Rank = 10
	}
	if o.Iterations == 0 {
		o.Iterations = 100
	}
	if o.LogPsi != nil {
		f.psi = *o.LogPsi
	}
	if o.LogSigma2 != nil {
		f.sigma = *o.LogSigma2
	}
	for _, k := range people.kinds {
		if k.Tie {
			return nil, fmt.Errorf("population: %s knows no ties: leave them out", f.Name)
		}
	}
	o.Rule = f.rule
	var win likelihood.Scalar = likelihood.Probit{}
	if f.logit {
		win = likelihood.Logit{}
	}
	o.Likelihood = func(k Kind) likelihood.Scalar {
		if k.Power != 1 {
			return likelihood.Power{Of: win, Weight: k.Power}
		}
		return win
	}
	n := people.items
	c := &collab{family: f, o: o, people: people, n: n, d: min(o.Rank, n-1), rng: rand.New(rand.NewPCG(o.Seed, 0xc011ab))}
	c.out = &Fitted{Full: &Full{N: n, S: make([]float64, n*n), T: make([]float64, n)}, Win: win, Sigma2: math.Exp(f.sigma), Rank: c.d}
	if err := c.setKernel(features); err != nil {
		return nil, err
	}
	if err := f.fit(c, ctx); err != nil {
		return nil, err
	}
	// Everybody's sites, on all pairs.
	e, err := NewEngine(people, o.Settings)
	if err != nil {
		return nil, err
	}
	c.out.Engine = e
	_, _, err = e.Evaluate(context.WithoutCancel(ctx), c.out.Full)
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
	if !(simd.LAPACK{}).Dpotrf(blas.Lower, n, c.l, n) {
		return fmt.Errorf("population: %s: K + %g·I is not positive definite; raise the jitter", c.family.Name, c.o.Jitter)
	}
	return nil
}

// compose sets Σ = VVᵀ + σ²K.
func (c *collab) compose(v []float64, sigma2 float64) {
	n, s := c.n, c.out.S
	clear(s)
	if v != nil {
		simd.BLAS{}.Dgemm(blas.NoTrans, blas.Trans, n, n, c.d, 1, v, c.d, v, c.d, 0, s, n)
	}
	if c.k == nil {
		for i := range n {
			s[i*n+i] += sigma2
		}
		return
	}
	axpy(sigma2, c.k, s)
}

// engine returns the E-step of an iteration: the same all along, or with a cap
// one on fresh subsets of the pairs.
func (c *collab) engine(last *Engine) (*Engine, error) {
	if c.o.Cap == 0 && last != nil {
		return last, nil
	}
	people := c.people
	if c.o.Cap > 0 {
		people = people.capped(c.o.Cap, c.rng)
	}
	return NewEngine(people, c.o.Settings)
}

// iterate runs EM steps until the objective, on all pairs, no longer gains.
func (c *collab) iterate(ctx context.Context, step func(e *Engine) (float64, Stats, error)) error {
	var e *Engine
	var err error
	for i := range c.o.Iterations {
		if e, err = c.engine(e); err != nil {
			return err
		}
		value, stats, err := step(e)
		if err != nil {
			if ctx.Err() != nil && i > 0 {
				return nil
			}
			return err
		}
		c.out.Trace = append(c.out.Trace, value)
		if c.o.Progress != nil {
			c.o.Progress(Progress{Step: i, Evaluations: i + 1, Objective: value, Stats: stats})
		}
		k := len(c.out.Trace)
		if c.o.Cap == 0 && k > 1 && math.Abs(value-c.out.Trace[k-2]) < c.o.Gain*math.Abs(value) {
			break
		}
	}
	return nil
}

// kernelOnly has nothing to learn but μ.
func (c *collab) kernelOnly(ctx context.Context) error {
	c.compose(nil, c.out.Sigma2)
	if !c.o.Mean {
		return nil
	}
	return c.iterate(ctx, func(e *Engine) (float64, Stats, error) {
		sums := NewSums(c.n, false)
		v, st, err := e.Evaluate(ctx, c.out.Full, sums)
		if err == nil {
			c.moveMean(sums)
		}
		return v, st, err
	})
}

// moveMean is COLLAB (13), corrected: μ ← μ + Σ·mean s_u.
func (c *collab) moveMean(sums *Sums) {
	move := make([]float64, c.n)
	matVec(move, c.out.S, sums.Pull, c.n)
	axpy(1/float64(c.people.Len()), move, c.out.T)
}

// anyCovariance is NPCA: Σ ← Σ − ΣSΣ.
func (c *collab) anyCovariance(ctx context.Context) error {
	c.k, c.l = nil, nil
	c.compose(nil, c.out.Sigma2)
	s := &em{n: c.n, persons: c.people.Len(), fixed: !c.o.Mean}
	return c.iterate(ctx, func(e *Engine) (float64, Stats, error) {
		sums := NewSums(c.n, true)
		v, st, err := e.Evaluate(ctx, c.out.Full, sums)
		if err != nil {
			return v, st, err
		}
		c.out.Full, err = s.step(c.out.Full, sums)
		return v, st, err
	})
}

// factorsAndKernel is COLLAB's Algorithm 1.
func (c *collab) factorsAndKernel(ctx context.Context) error {
	n, d := c.n, c.d
	w := make([]float64, n*d) // W = L⁻¹V
	for i := range w {
		w[i] = 0.1 * c.rng.NormFloat64()
	}
	v := make([]float64, n*d)
	set := func() {
		copy(v, w)
		if c.l != nil {
			simd.BLAS{}.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, d, 1, c.l, n, v, d)
		}
		c.compose(v, c.out.Sigma2)
	}
	set()
	c.out.Factor = v
	sums := NewSums(n, true)
	return c.iterate(ctx, func(e *Engine) (float64, Stats, error) {
		sums.Reset()
		value, st, err := e.Evaluate(ctx, c.out.Full, sums)
		if err != nil {
			return value, st, err
		}
		c.statistics(sums)
		if c.o.Mean {
			c.moveMean(sums)
		}
		w, c.out.Sigma2 = c.eigenStep(w, c.out.Sigma2, sums.Info)
		set()
		return value, st, nil
	})
}

// statistics turns the sums into S of COLLAB (15), in Info: the mean of
// W_u − s_u s_uᵀ, and ssᵀ of the mean s when μ moves.
func (c *collab) statistics(sums *Sums) {
	n, u := c.n, float64(c.people.Len())
	for i := range n {
		for j := range i + 1 {
			x := (sums.Info[i*n+j] - sums.Square[i*n+j]) / u
			if c.o.Mean {
				x += sums.Pull[i] * sums.Pull[j] / (u * u)
			}
			sums.Info[i*n+j], sums.Info[j*n+i] = x, x
		}
	}
}

// eigenStep is COLLAB (17): the D largest eigenpairs of
// C̃ = Σ̃ − Σ̃LᵀSLΣ̃, Σ̃ = σ²I + WWᵀ, without forming it (Algorithm 2,
// corrected), give W = R(Λ − σ²I)^½ with σ² the mean of the other eigenvalues.
func (c *collab) eigenStep(w []float64, sigma2 float64, s []float64) ([]float64, float64) {
	n, d := c.n, c.d
	bl := simd.BLAS{}
	tri := func(t blas.Transpose, x []float64, k int) {
		if c.l != nil {
			bl.Dtrmm(blas.Left, blas.Lower, t, blas.NonUnit, n, k, 1, c.l, n, x, k)
		}
	}
	tilde := func(dst, src []float64, k int) { // Σ̃·src
		t := make([]float64, d*k)
		bl.Dgemm(blas.Trans, blas.NoTrans, d, k, n, 1, w, d, src, k, 0, t, k)
		copy(dst, src)
		bl.Dgemm(blas.NoTrans, blas.NoTrans, n, k, d, 1, w, d, t, k, sigma2, dst, k)
	}
	mul := func(dst, src []float64, k int) {
		a, b := make([]float64, n*k), make([]float64, n*k)
		tilde(a, src, k)
		copy(dst, a)
		tri(blas.NoTrans, a, k)
		bl.Dgemm(blas.NoTrans, blas.NoTrans, n, k, n, 1, s, n, a, k, 0, b, k)
		tri(blas.Trans, b, k)
		tilde(a, b, k)
		axpy(-1, a, dst)
	}
	// tr C̃ = tr Σ̃ − tr(S·LΣ̃²Lᵀ), LΣ̃²Lᵀ = σ⁴K + V(2σ²I + WᵀW)Vᵀ
	ww := mat.NewDense(d, d, nil)
	ww.Mul(mat.NewDense(n, d, w).T(), mat.NewDense(n, d, w))
	trace := float64(n)*sigma2 + mat.Trace(ww)
	for i := range n {
		if c.k == nil {
			trace -= sigma2 * sigma2 * s[i*n+i]
		} else {
			trace -= sigma2 * sigma2 * dot(s[i*n:i*n+n], c.k[i*n:i*n+n])
		}
	}
	v := append([]float64(nil), w...)
	tri(blas.NoTrans, v, d)
	var sv, vsv mat.Dense
	sv.Mul(mat.NewDense(n, n, s), mat.NewDense(n, d, v))
	vsv.Mul(mat.NewDense(n, d, v).T(), &sv)
	for i := range d {
		trace -= 2 * sigma2 * vsv.At(i, i)
		for j := range d {
			trace -= ww.At(i, j) * vsv.At(j, i)
		}
	}
	block := min(d+4, n)
	start := make([]float64, n*block)
	for i := range n {
		for j := range block {
			if j < d {
				start[i*block+j] = w[i*d+j]
			} else {
				start[i*block+j] = c.rng.NormFloat64()
			}
		}
	}
	values, r := topEigen(n, d, start, block, 1e-9, c.rng, mul)
	rest := trace
	for _, x := range values {
		rest -= x
	}
	sigma2 = max(rest/float64(n-d), 1e-12*trace/float64(n))
	for i := range n {
		for j, x := range values {
			r[i*d+j] *= math.Sqrt(max(x-sigma2, 0))
		}
	}
	return r, sigma2
}

// tiny keeps VVᵀ, which is singular, invertible: a share of its mean diagonal.
const tiny = 1e-6

// maxSystem bounds the dense system of VU's M-step.
const maxSystem = 8000

// factors is standard EM of z = Vu with the factors u integrated out and V
// estimated: a linear system of size MD, its sign mended.
func (c *collab) factors(ctx context.Context) error {
	n, d := c.n, c.d
	if n*d > maxSystem {
		return fmt.Errorf("population: VU-Jaakkola solves for %d items × %d factors at once; the most is %d numbers: use GPVU-Jaakkola", n, d, maxSystem)
	}
	v := make([]float64, n*d)
	for i := range v {
		v[i] = 0.3 * c.rng.NormFloat64()
	}
	c.k = nil
	set := func() {
		c.compose(v, 0)
		var trace float64
		for i := range n {
			trace += c.out.S[i*n+i]
		}
		for i := range n {
			c.out.S[i*n+i] += tiny * trace / float64(n)
		}
	}
	set()
	c.out.Factor, c.out.Sigma2 = v, 0
	return c.iterate(ctx, func(e *Engine) (float64, Stats, error) {
		m := &moments{n: n, d: d, v: v, left: mat.NewSymDense(n*d, nil), right: make([]float64, n*d)}
		value, st, err := e.Evaluate(ctx, c.out.Full, m)
		if err != nil {
			return value, st, err
		}
		// The votes do not see a constant added to all rows of V, nor items without
		// votes.
		for i := range n * d {
			m.left.SetSym(i, i, m.left.At(i, i)+1e-6)
		}
		chol, err := num.NewCholesky(m.left)
		if err != nil {
			return value, st, err
		}
		chol.SolveVecTo(v, m.right)
		set()
		return value, st, nil
	})
}

// moments collects the M-step of VU: with E[u] = Vᵀs and
// Cov[u] = I − VᵀWV of a person, left += Λ ⊗ E[uuᵀ], right += Bᵀβ ⊗ E[u].
type moments struct {
	n, d  int
	v     []float64
	left  *mat.SymDense
	right []float64
}

func (m *moments) size(k int) int { return k*k + k + m.d + m.d*m.d }

func (m *moments) collect(dst []float64, w *workspace, _ int, items []int32) {
	k, d := w.m, m.d
	at := copy(dst, w.lap)
	at += copy(dst[at:], w.eta)
	mean, second := dst[at:at+d], dst[at+d:at+d+d*d]
	clear(mean)
	v := make([]float64, k*d)
	for i, item := range items {
		copy(v[i*d:(i+1)*d], m.v[int(item)*d:])
		axpy(w.pull[i], v[i*d:(i+1)*d], mean)
	}
	wv := make([]float64, k*d)
	mirror(w.info, k)
	for i := range k {
		for j := range k {
			axpy(w.info[i*k+j], v[j*d:(j+1)*d], wv[i*d:(i+1)*d])
		}
	}
	for a := range d {
		row := second[a*d : (a+1)*d]
		for b := range row {
			row[b] = mean[a] * mean[b]
		}
		row[a]++
		for i := range k {
			axpy(-v[i*d+a], wv[i*d:(i+1)*d], row)
		}
	}
}

func (m *moments) add(src []float64, _ int, items []int32) {
	k, d := len(items), m.d
	lap, eta, mean, second := src[:k*k], src[k*k:k*k+k], src[k*k+k:k*k+k+d], src[k*k+k+d:]
	raw := m.left.RawSymmetric()
	for i, a := range items {
		axpy(eta[i], mean, m.right[int(a)*d:(int(a)+1)*d])
		for j := i; j < k; j++ { // the upper triangle
			x := lap[i*k+j]
			if x == 0 {
				continue
			}
			for r := range d {
				from := 0
				if i == j {
					from = r
				}
				row := raw.Data[(int(a)*d+r)*raw.Stride+int(items[j])*d:]
				for s := from; s < d; s++ {
					row[s] += x * second[r*d+s]
				}
			}
		}
	}
}

// Rule returns how the member is inferred.
func (f Family) Rule() infer.Rule { return f.rule }
