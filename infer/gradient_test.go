package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/kernel"
	"palate/likelihood"
)

// nodes is the number of items in the gradient's tests.
const nodes = 12

// kernels lists every kind of kernel and every shape under every combination.
func kernels(dim int) map[string]kernel.Kernel {
	lengths := make([]float64, dim)
	for i := range lengths {
		lengths[i] = 0.8 + 0.5*float64(i)
	}
	out := map[string]kernel.Kernel{
		"linear": kernel.Sum(kernel.NewLinear(lengths), kernel.Scale(0.1, kernel.Identity{})),
	}
	for _, s := range []kernel.Shape{kernel.SE, kernel.Matern12, kernel.Matern32, kernel.Matern52} {
		for _, c := range []kernel.Combination{kernel.Euclidean, kernel.SoftAnd, kernel.SoftOr} {
			k := kernel.NewStationary(s, c, lengths)
			out[fmt.Sprintf("%v %v", s, c)] = kernel.Sum(k, kernel.Scale(0.2, kernel.Identity{}))
		}
	}
	ring := make([]kernel.Edge, 0, 2*nodes)
	for i := range nodes {
		ring = append(ring, kernel.Edge{From: i, To: (i + 1) % nodes, Weight: 1}, kernel.Edge{From: i, To: (i + 5) % nodes, Weight: 0.5})
	}
	graph, err := kernel.NewGraph(nodes, ring)
	if err != nil {
		panic(err)
	}
	for name, spread := range map[string]kernel.Spread{"laplacian": kernel.Laplacian, "normalised": kernel.Normalised, "diffusion": kernel.Diffusion} {
		out["links "+name] = kernel.Sum(kernel.NewLinks(graph, spread, 0.7, 1.5), kernel.NewStationary(kernel.SE, kernel.Euclidean, lengths))
	}
	k := kernel.NewStationary(kernel.Matern32, kernel.Euclidean, lengths)
	out["product"] = kernel.Scale(1.5, kernel.Product(k, kernel.Sum(kernel.NewLinear(lengths), kernel.Scale(1, kernel.Identity{}))))
	return out
}

// The gradient of the converged objective in every log-parameter of the
// kernel, and in the scale, equals finite differences, with a weight an item
// and with fewer inducing points than items.
func TestGradientIsFiniteDifference(t *testing.T) {
	const n, m, dim, P = nodes, 5, 2, 40
	rng := rand.New(rand.NewPCG(3, 3))
	random := func(r int) *mat.Dense {
		x := mat.NewDense(r, dim, nil)
		for i := range x.RawMatrix().Data {
			x.RawMatrix().Data[i] = rng.NormFloat64()
		}
		return x
	}
	x := kernel.Dense(random(n))
	ids := make([]int, m)
	for i := range ids {
		ids[i] = -1 - i
	}
	z := kernel.Dense(random(m)).WithIDs(ids)

	for name, k := range kernels(dim) {
		for _, inducing := range []bool{false, true} {
			prior := func(theta []float64) *gp.Prior {
				var p *gp.Prior
				var err error
				if inducing {
					p, err = gp.Inducing(k.With(theta), x, z)
				} else {
					p, err = gp.Dense(k.With(theta), x)
				}
				if err != nil {
					t.Fatal(err)
				}
				return p
			}
			theta := k.Params()
			base := votes(prior(theta), 1, P, nil, 4)
			for _, r := range rules {
				if !r.grad {
					continue
				}
				if testing.Short() && r.name != "EP" && r.name != "VI" {
					continue
				}
				for i := range base.Likelihood {
					base.Likelihood[i] = r.win
				}
				at := func(theta []float64, logS float64) (*Problem, *Result) {
					p := *base
					p.Prior, p.Scale = prior(theta), math.Exp(logS)
					return &p, run(t, &p, Settings{Rule: r.rule, Tolerance: 1e-11})
				}
				const logS, h = -0.3, 1e-4
				p, res := at(theta, logS)
				sens := res.Sensitivity()
				grad := p.Prior.KernelGrad(sens, p.Rows)
				label := fmt.Sprintf("%s, %s, inducing %v", name, r.name, inducing)
				for j := range theta {
					up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
					up[j] += h
					down[j] -= h
					_, a := at(up, logS)
					_, b := at(down, logS)
					near(t, label+": "+k.ParamNames()[j], grad[j], (a.Objective-b.Objective)/(2*h), 1e-6)
				}
				_, a := at(theta, logS+h)
				_, b := at(theta, logS-h)
				near(t, label+": scale", -p.Prior.LogScale(sens, p.Prior.Residuals(p.Rows)), (a.Objective-b.Objective)/(2*h), 1e-6)
			}
		}
	}
}

// With q(s) inside the bound the kernel's gradient is still exact.
func TestGradientWithScalePosterior(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	x := mat.NewDense(8, 2, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	k := kernel.NewStationary(kernel.Matern32, kernel.SoftAnd, []float64{1, 2})
	at := func(theta []float64) (*Problem, *Result) {
		prior, err := gp.Dense(k.With(theta), kernel.Dense(x))
		if err != nil {
			t.Fatal(err)
		}
		base := votes(gp.White(8), 1, 30, likelihood.Probit{}, 6)
		base.Prior, base.ScalePrior = prior, &Gamma{Shape: 2, Rate: 2}
		return base, run(t, base, Settings{Rule: VI{}, Tolerance: 1e-11, MaxSweeps: 5000})
	}
	theta := k.Params()
	p, r := at(theta)
	grad := p.Prior.KernelGrad(r.Sensitivity(), p.Rows)
	const h = 1e-4
	for j := range theta {
		up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
		up[j] += h
		down[j] -= h
		_, a := at(up)
		_, b := at(down)
		near(t, "length-scale", grad[j], (a.Objective-b.Objective)/(2*h), 1e-6)
	}
}

// A parameter of the likelihood moves the objective only through its terms.
func TestLikelihoodGradientIsFiniteDifference(t *testing.T) {
	for _, rule := range []Rule{EP{}, VI{}} {
		base := votes(correlated(t, 5, 8), 1, 25, nil, 9)
		lik := func(logT float64) func(int) likelihood.Scalar {
			tie := likelihood.Tie{Threshold: math.Exp(logT)}
			return func(r int) likelihood.Scalar {
				if r%4 == 0 {
					return tie
				}
				return tie.Win()
			}
		}
		at := func(logT float64) *Result {
			p := *base
			p.Likelihood = make([]likelihood.Scalar, 25)
			for r := range p.Likelihood {
				p.Likelihood[r] = lik(logT)(r)
			}
			return run(t, &p, Settings{Rule: rule, Tolerance: 1e-11})
		}
		const logT, h = -0.7, 1e-4
		r := at(logT)
		got := (r.Terms(lik(logT+h)) - r.Terms(lik(logT-h))) / (2 * h)
		near(t, fmt.Sprintf("%T threshold", rule), got, (at(logT+h).Objective-at(logT-h).Objective)/(2*h), 1e-6)
	}
}
