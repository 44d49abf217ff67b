package published

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/simd"
)

// field is q of one function, over items or over voters: the consensus, a factor,
// or the voters' weights on a factor. Forms are linear in its values.
type field interface {
	// look returns mean and variance of the forms in sight.
	look(v *view) (mean, variance []float64)
	// means returns the means alone, which cost less.
	means(v *view) []float64
	// start sets means at random, which the first step forgets: where all factors
	// are zero nothing tells them apart.
	start(rng *rand.Rand)
	// begin starts a step; learn may then be called several times, each from
	// where the step began.
	begin()
	// learn mixes the sites of the forms in sight, which stand for weight times as
	// many, into the natural parameters: CROWD (17)–(18).
	learn(rho, weight float64, v *view, sites []gp.Site) error
	// rescale updates q(s): CROWD (15).
	rescale()
	// mean returns E[s].
	mean() float64
	// divergence returns KL(q(values, s) ‖ prior).
	divergence() float64
}

// view is forms of the functions of one space: rows, and what inducing points
// leave of their prior variance.
type view struct {
	rows     *gp.Rows
	residual []float64  // nil without
	count    []float64  // how often each form was seen
	features *mat.Dense // of the forms on inducing points; nil without, and where the rows are many
}

func newView(prior *gp.Prior, rows *gp.Rows, count []float64) *view {
	v := &view{rows: rows, count: count}
	if prior != nil && prior.Sparse() {
		v.residual = prior.Residuals(rows)
		if rows.Len() < prior.Len() {
			v.features = prior.FormFeatures(rows)
		}
	}
	return v
}

// inverseScale is q(s) with the value that the precision holds, which lags behind
// E[s] as the evidence does: CROWD (17) mixes both.
type inverseScale struct {
	prior, q   infer.Gamma
	fixed      bool
	held, base float64
}

func newInverseScale(prior infer.Gamma, fixed bool) inverseScale {
	return inverseScale{prior: prior, q: prior, fixed: fixed, held: prior.Mean()}
}

func (s *inverseScale) mean() float64 { return s.q.Mean() }

func (s *inverseScale) mix(rho float64) { s.held = s.base + rho*(s.mean()-s.base) }

// update takes the number of weights and the expectation of their squared norm.
func (s *inverseScale) update(weights int, square float64) {
	if !s.fixed {
		s.q = infer.Gamma{Shape: s.prior.Shape + 0.5*float64(weights), Rate: s.prior.Rate + 0.5*square}
	}
}

// divergence is that of weights with the expected squared norm, and the log
// determinant of their precision: in CROWD (35), corrected, M·E[log s].
func (s *inverseScale) divergence(weights int, square, logDet float64) float64 {
	n := float64(weights)
	if s.fixed {
		return 0.5 * (s.mean()*square - n - n*math.Log(s.mean()) + logDet)
	}
	return 0.5*(s.mean()*square-n-n*s.q.MeanLog()+logDet) + s.q.KL(s.prior)
}

// process is a Gaussian process on the weights of a prior.
type process struct {
	inverseScale
	prior      *gp.Prior
	ev, before gp.Evidence
	q          *gp.Posterior
}

func newProcess(prior *gp.Prior, s infer.Gamma, fixed bool) (*process, error) {
	f := &process{inverseScale: newInverseScale(s, fixed), prior: prior, ev: gp.NewEvidence(prior.Dim())}
	var err error
	f.q, err = gp.NewPosterior(prior, f.held, f.ev)
	return f, err
}

func (f *process) look(v *view) (mean, variance []float64) {
	if v.features != nil {
		mean, variance = f.q.FormsOf(v.features)
	} else {
		mean, variance = f.q.Forms(v.rows)
	}
	for k, r := range v.residual { // CROWD (32)–(34), corrected
		variance[k] += r / f.mean()
	}
	return mean, variance
}

func (f *process) means(v *view) []float64 {
	if v.features != nil {
		out := make([]float64, v.rows.Len())
		simd.Gemv(blas.NoTrans, 1, v.features.RawMatrix(), simd.Vec(f.q.Mean), 0, simd.Vec(out))
		return out
	}
	phi := f.prior.Features().RawMatrix()
	values, out := make([]float64, phi.Rows), make([]float64, v.rows.Len())
	simd.Gemv(blas.NoTrans, 1, phi, simd.Vector{N: phi.Cols, Data: f.q.Mean, Inc: 1}, 0, simd.Vector{N: phi.Rows, Data: values, Inc: 1})
	for k := range out {
		out[k] = v.rows.Dot(k, values)
	}
	return out
}

func (f *process) start(rng *rand.Rand) {
	for i := range f.q.Mean {
		f.q.Mean[i] = rng.NormFloat64()
	}
}

func (f *process) begin() { f.before, f.base = f.ev, f.held }

func (f *process) learn(rho, weight float64, v *view, sites []gp.Site) (err error) {
	if v.features != nil {
		f.ev = f.before.Mixed(rho, weight, v.features, sites, v.count)
	} else {
		f.ev = f.before.Clone()
		f.ev.Mix(rho, weight, f.prior.Evidence(v.rows, sites, v.count))
	}
	f.mix(rho)
	f.q, err = gp.NewPosterior(f.prior, f.held, f.ev)
	return err
}

// square is E[|e|²].
func (f *process) square() float64 {
	m := simd.Vec(f.q.Mean)
	return simd.Dot(m, m) + f.q.Trace()
}

func (f *process) rescale() { f.update(f.prior.Dim(), f.square()) }

func (f *process) divergence() float64 {
	return f.inverseScale.divergence(f.prior.Dim(), f.square(), f.q.LogDet())
}

// independent is a function of voters that have nothing to do with one another.
type independent struct {
	inverseScale
	lin, quad   []float64 // what the votes say of every voter
	lin0, quad0 []float64 // when the step began
	first       []float64 // means before the first step; nil after it
}

func newIndependent(n int, s infer.Gamma, fixed bool) *independent {
	return &independent{inverseScale: newInverseScale(s, fixed), lin: make([]float64, n), quad: make([]float64, n), lin0: make([]float64, n), quad0: make([]float64, n)}
}

func (f *independent) at(u int) (mean, variance float64) {
	variance = 1 / (f.held + f.quad[u])
	if f.first != nil {
		return f.first[u], variance
	}
	return f.lin[u] * variance, variance
}

func (f *independent) look(v *view) (mean, variance []float64) {
	mean, variance = make([]float64, v.rows.Len()), make([]float64, v.rows.Len())
	for k := range mean {
		index, coef := v.rows.Row(k)
		for t, u := range index {
			m, s := f.at(u)
			mean[k] += coef[t] * m
			variance[k] += coef[t] * coef[t] * s
		}
	}
	return mean, variance
}

func (f *independent) means(v *view) []float64 {
	m, _ := f.look(v)
	return m
}

func (f *independent) start(rng *rand.Rand) {
	f.first = make([]float64, len(f.lin))
	for u := range f.first {
		f.first[u] = rng.NormFloat64()
	}
}

func (f *independent) begin() {
	copy(f.lin0, f.lin)
	copy(f.quad0, f.quad)
	f.base = f.held
}

func (f *independent) learn(rho, weight float64, v *view, sites []gp.Site) error {
	f.first = nil
	for u := range f.lin {
		f.lin[u], f.quad[u] = (1-rho)*f.lin0[u], (1-rho)*f.quad0[u]
	}
	for k, s := range sites {
		index, _ := v.rows.Row(k) // units
		f.lin[index[0]] += rho * weight * v.count[k] * s.Nu
		f.quad[index[0]] += rho * weight * v.count[k] * s.Tau
	}
	f.mix(rho)
	return nil
}

func (f *independent) square() (square, logDet float64) {
	for u := range f.lin {
		m, v := f.at(u)
		square += m*m + v
		logDet -= math.Log(v)
	}
	return square, logDet
}

func (f *independent) rescale() {
	square, _ := f.square()
	f.update(len(f.lin), square)
}

func (f *independent) divergence() float64 {
	square, logDet := f.square()
	return f.inverseScale.divergence(len(f.lin), square, logDet)
}
