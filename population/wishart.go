package population

import (
	"cmp"
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
)

// Wishart is the prior of a full covariance: inverse Wishart, centred on
// Size·(K+I)/2, worth Weight+N−1 persons; and of the mean, N(0, Spread·Size·(K+I)/2).
// The zero value stands for the defaults, which were chosen on SUSHI.
type Wishart struct {
	Weight float64 // δ; 0 stands for 20
	Size   float64 // s; 0 stands for 100
	Spread float64 // 0 stands for 0.3
}

// Fitted is a population with any covariance, learnt.
type Fitted struct {
	*Full
	Engine *Engine
	// Evidence is the sum of everybody's log evidences at what was learnt.
	Evidence float64
	// Converged reports whether EM stood still before its last iteration, and
	// everybody's inference with it.
	Converged bool
	Stats     infer.Stats
	Trace     []float64 // the objective, by iteration
}

// LearnFull finds mean and full covariance by EM with closed-form steps. Its
// objective is the log evidence less what the priors cost, up to a constant; Fitted
// has the evidence alone. Its statistics take N² numbers: for few items.
func LearnFull(ctx context.Context, people *People, it *Items, prior Wishart, o *Options) (*Fitted, error) {
	if o == nil {
		o = &Options{}
	}
	e, err := NewEngine(people, o.Settings)
	if err != nil {
		return nil, err
	}
	return newEM(it, people.Len(), prior).run(ctx, e, o)
}

// em is the closed-form EM of a full covariance.
type em struct {
	n, persons int
	centre     []float64 // Ψ, both triangles
	count      float64   // n₀
	precision  []float64 // T₀, of the mean
	start      *Full
}

func newEM(it *Items, persons int, w Wishart) *em {
	n := it.N
	w.Weight, w.Size, w.Spread = cmp.Or(w.Weight, 20), cmp.Or(w.Size, 100), cmp.Or(w.Spread, 0.3)
	s := &em{n: n, persons: persons, start: &Full{N: n, S: make([]float64, n*n), T: make([]float64, n)}}
	for i := range n {
		for j := range n {
			s.start.S[i*n+j] = w.Size * it.at(i, j) / 2
		}
		s.start.S[i*n+i] += w.Size / 2
	}
	s.count = w.Weight + float64(n) - 1
	s.centre = make([]float64, n*n)
	for i, x := range s.start.S {
		s.centre[i] = s.count * x
	}
	scaled := mat.NewSymDense(n, append([]float64(nil), s.start.S...))
	scaled.ScaleSym(w.Spread, scaled)
	c, err := num.NewCholesky(scaled)
	if err != nil {
		panic(err) // (K+I)/2 is positive definite
	}
	inv := mat.NewDense(n, n, nil)
	eye := mat.NewDense(n, n, nil)
	for i := range n {
		eye.Set(i, i, 1)
	}
	c.SolveTo(inv, eye)
	s.precision = inv.RawMatrix().Data
	return s
}

// run iterates until the objective gains less than o.Gain, relatively.
func (s *em) run(ctx context.Context, e *Engine, o *Options) (*Fitted, error) {
	steps, gain := cmp.Or(o.MaxSteps, 50), cmp.Or(o.Gain, 1e-5)
	p := s.start
	out := &Fitted{Engine: e}
	sums := NewSums(s.n, true)
	for step := range steps {
		sums.Reset()
		value, _, err := e.Evaluate(ctx, p, sums)
		if err != nil {
			return nil, err
		}
		penalty, err := s.penalty(p)
		if err != nil {
			return nil, err
		}
		out.Trace = append(out.Trace, value-penalty)
		if o.Progress != nil {
			o.Progress(Progress{step + 1, value - penalty, value, math.NaN()})
		}
		if k := len(out.Trace); k > 1 && out.Trace[k-1]-out.Trace[k-2] < gain*math.Abs(out.Trace[k-1]) {
			out.Converged = true
			break
		}
		if p, err = s.step(p, sums); err != nil {
			return nil, err
		}
	}
	out.Full = p
	var err error
	out.Evidence, out.Stats, err = e.Evaluate(ctx, p)
	out.Converged = out.Converged && out.Stats.Unconverged == 0
	return out, err
}

// penalty is what the priors cost: ½tr(ΨS⁻¹) + ½n₀log|S| + ½tᵀT₀t.
func (s *em) penalty(p *Full) (float64, error) {
	n := s.n
	c, err := num.NewCholesky(mat.NewSymDense(n, p.S))
	if err != nil {
		return 0, err
	}
	var x mat.Dense
	c.SolveTo(&x, mat.NewDense(n, n, s.centre))
	tt := make([]float64, n)
	matVec(tt, s.precision, p.T, n)
	return 0.5*mat.Trace(&x) + 0.5*s.count*c.LogDet() + 0.5*num.Dot(p.T, tt), nil
}

// step is the closed form: t ← (I + S·T₀/U)⁻¹(t + mean S·s_u), and with
// r_u = S·s_u − (t_new − t), S ← [Ψ + U·S − S(ΣW)S + Σ r_u r_uᵀ]/(n₀+U).
func (s *em) step(p *Full, sums *Sums) (*Full, error) {
	n, u := s.n, float64(s.persons)
	num.Mirror(sums.Info, n)
	num.Mirror(sums.Square, n)
	next := &Full{N: n, T: append([]float64(nil), p.T...)}
	shift := make([]float64, n) // Σ S·s_u
	matVec(shift, p.S, sums.Pull, n)
	for i := range n {
		next.T[i] += shift[i] / u
	}
	var a mat.Dense
	simd.Mul(&a, mat.NewDense(n, n, p.S), mat.NewDense(n, n, s.precision))
	a.Scale(1/u, &a)
	for i := range n {
		a.Set(i, i, a.At(i, i)+1)
	}
	var t mat.VecDense
	if err := t.SolveVec(&a, mat.NewVecDense(n, next.T)); err != nil {
		return nil, err
	}
	next.T = t.RawVector().Data
	delta := make([]float64, n)
	for i := range n {
		delta[i] = next.T[i] - p.T[i]
	}
	gap := make([]float64, n*n)
	for i := range gap {
		gap[i] = sums.Square[i] - sums.Info[i]
	}
	next.S = sandwich(p.S, gap, n)
	for i := range n {
		for j := range n {
			x := next.S[i*n+j] + u*p.S[i*n+j] - delta[i]*shift[j] - shift[i]*delta[j] + u*delta[i]*delta[j]
			next.S[i*n+j] = (x + s.centre[i*n+j]) / (s.count + u)
		}
	}
	symmetrise(next.S, n)
	return next, nil
}
