package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/num"
	"palate/likelihood"
)

// truth estimates posterior means, standard deviations and the log evidence of
// a small problem by importance sampling from a widened EP posterior. Draws are
// taken in pairs mirrored about the mean.
func truth(t testing.TB, p *Problem, draws int, seed uint64) (mean, sd []float64, logZ float64) {
	t.Helper()
	ep := run(t, p, Settings{})
	n := p.Prior.Len()
	q := ep.Posterior
	cov := q.Covariance()
	prior := mat.NewSymDense(n, nil)
	prior.SymOuterK(1/p.scale(), p.Prior.Features())
	var cq, cp mat.Cholesky
	if !cq.Factorize(cov) || !cp.Factorize(prior) {
		t.Fatal("not positive definite")
	}
	const widen = 1.25
	var l mat.TriDense
	cq.LTo(&l)
	rng := rand.New(rand.NewPCG(seed, 9))
	e, f := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	logW := make([]float64, 0, 2*draws)
	all := make([]float64, 0, 2*draws*n)
	for range draws {
		for i := range n {
			e.SetVec(i, widen*rng.NormFloat64())
		}
		for _, sign := range []float64{1, -1} {
			f.MulVec(&l, e)
			f.ScaleVec(sign, f)
			logQ := -0.5*mat.Dot(e, e)/(widen*widen) - 0.5*cq.LogDet() - float64(n)*math.Log(widen)
			for i := range n {
				f.SetVec(i, f.AtVec(i)+q.Utilities()[i])
			}
			lp := -0.5*mat.Inner(f, inverse(&cp), f) - 0.5*cp.LogDet()
			for r := range p.Rows.Len() {
				v, _, _ := p.Likelihood[r].LogProb(p.Rows.Dot(r, f.RawVector().Data))
				lp += p.count(r) * v
			}
			logW = append(logW, lp-logQ)
			all = append(all, f.RawVector().Data...)
		}
	}
	logZ = num.LogSumExp(logW) - math.Log(float64(len(logW)))
	mean, sd = make([]float64, n), make([]float64, n)
	for k, lw := range logW {
		w := math.Exp(lw - logZ - math.Log(float64(len(logW))))
		for i := range n {
			mean[i] += w * all[k*n+i]
			sd[i] += w * all[k*n+i] * all[k*n+i]
		}
	}
	for i := range sd {
		sd[i] = math.Sqrt(sd[i] - mean[i]*mean[i])
	}
	return mean, sd, logZ
}

func inverse(c *mat.Cholesky) *mat.SymDense {
	var s mat.SymDense
	if err := c.InverseTo(&s); err != nil {
		panic(err)
	}
	return &s
}

// On up to six votes EP is within .01 and VI within .02 of sampling truth, in
// mean and standard deviation, at prior variance 1. The figures at 4 and 25 are
// printed with -v: there a Gaussian is no longer close to the posterior.
func TestNearTruth(t *testing.T) {
	for _, variance := range []float64{1, 4, 25} {
		worst := map[string]float64{}
		for seed := range uint64(6) {
			p := votes(gp.White(4), 1/variance, 1+int(seed), likelihood.Probit{}, 100+seed)
			mean, sd, logZ := truth(t, p, 100000, seed)
			for _, r := range rules {
				if r.win != (likelihood.Probit{}) {
					continue
				}
				got := run(t, p, Settings{Rule: r.rule})
				cov := got.Posterior.Covariance()
				for i, m := range got.Posterior.Utilities() {
					worst[r.name+" mean"] = math.Max(worst[r.name+" mean"], math.Abs(m-mean[i]))
					worst[r.name+" sd"] = math.Max(worst[r.name+" sd"], math.Abs(math.Sqrt(cov.At(i, i))-sd[i]))
				}
				worst[r.name+" objective"] = math.Max(worst[r.name+" objective"], math.Abs(got.Objective-logZ))
				if got.Kind == LowerBound && got.Objective > logZ+0.005 {
					t.Errorf("%s: bound %.4f above the evidence %.4f", r.name, got.Objective, logZ)
				}
			}
		}
		t.Logf("prior variance %g: worst errors %s", variance, errorsOf(worst))
		if variance == 1 {
			for name, limit := range map[string]float64{"EP mean": 0.01, "EP sd": 0.01, "VI mean": 0.02, "VI sd": 0.02} {
				if !(worst[name] < limit) {
					t.Errorf("%s is off by %.4f, more than %g", name, worst[name], limit)
				}
			}
		}
	}
}

func errorsOf(worst map[string]float64) (s string) {
	for _, r := range []string{"EP", "VI", "Laplace", "Linearised"} {
		s += fmt.Sprintf("| %s mean %.4f sd %.4f objective %.4f ", r, worst[r+" mean"], worst[r+" sd"], worst[r+" objective"])
	}
	return s
}

// Truncating v = z + noise and a probit on z have the same fixed point and log
// evidence; the site variances differ by the noise, the site means do not.
func TestTruncationIsProbit(t *testing.T) {
	const n = 9
	for _, noise2 := range []float64{1, 0.09, 1e-4} {
		base := correlated(t, n, 5)
		cov, noisy := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
		cov.SymOuterK(1, base.Features())
		noisy.CopySym(cov)
		for i := range n {
			noisy.SetSym(i, i, noisy.At(i, i)+noise2)
		}
		problem := func(k *mat.SymDense, l likelihood.Scalar) *Problem {
			prior, err := gp.Covariance(k)
			if err != nil {
				t.Fatal(err)
			}
			p := &Problem{Prior: prior, Rows: &gp.Rows{}}
			for i := range n {
				p.Rows.AppendUnit(i)
				p.Likelihood = append(p.Likelihood, l)
			}
			return p
		}
		for _, s := range schedules[:2] {
			set := Settings{Schedule: s.schedule, Tolerance: 1e-13}
			z := run(t, problem(cov, likelihood.Probit{Noise: math.Sqrt(noise2)}), set)
			v := run(t, problem(noisy, likelihood.Step{}), set)
			near(t, s.name+" log evidence", v.Objective, z.Objective, 1e-10)
			for i := range n {
				a, b := z.Sites[i], v.Sites[i]
				near(t, s.name+" site variance", 1/a.Tau, 1/b.Tau+noise2, 1e-8)
				near(t, s.name+" site mean", a.Nu/a.Tau, b.Nu/b.Tau, 1e-8)
			}
		}
	}
}
