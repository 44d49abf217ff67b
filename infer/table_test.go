package infer

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/internal/declared"
	"palate/likelihood"
)

// rules lists every rule with a likelihood that it accepts for votes;
// TestTablesAreComplete fails when one is missing.
var rules = []struct {
	name string
	rule Rule
	win  likelihood.Scalar
	grad bool // Sensitivity is the objective's gradient
}{
	{"EP", EP{}, likelihood.Probit{}, true},
	{"EP logit", EP{}, likelihood.Logit{}, true},
	{"VI", VI{}, likelihood.Probit{}, true},
	{"VI logit", VI{}, likelihood.Logit{}, true},
	{"Laplace", Laplace{}, likelihood.Probit{}, false},
	{"Jaakkola", Jaakkola{}, likelihood.Logit{}, true},
	{"Linearised", Linearised{}, likelihood.Probit{}, false},
	{"Linearised draft", Linearised{Noise: DraftNoise}, likelihood.Probit{Noise: math.Sqrt2}, false},
	{"Linearised at the mean", Linearised{Noise: MeanNoise}, likelihood.Probit{}, false},
}

// schedules lists every schedule and how near to Batch it ends.
var schedules = []struct {
	name     string
	schedule Schedule
	tol      float64
}{
	{"Batch", Batch{}, 1e-7},
	{"Sequential", Sequential{}, 1e-6},
	{"Stochastic", Stochastic{Batch: 10, Steps: 8000, Forget: 0.9}, 0.02},
}

func TestTablesAreComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, c := range rules {
		listed[reflect.TypeOf(c.rule).Name()] = true
	}
	for _, c := range schedules {
		listed[reflect.TypeOf(c.schedule).Name()] = true
	}
	for _, name := range append(declared.Methods(t, "Update"), declared.Methods(t, "run")...) {
		if !listed[name] {
			t.Errorf("%s is in no table", name)
		}
	}
}

// votes draws a problem: n items under prior, with P votes whose winners come
// from utilities drawn at the problem's scale.
func votes(prior *gp.Prior, scale float64, P int, win likelihood.Scalar, seed uint64) *Problem {
	rng := rand.New(rand.NewPCG(seed, 1))
	n := prior.Len()
	f := make([]float64, n)
	e := make([]float64, prior.Dim())
	for i := range e {
		e[i] = rng.NormFloat64() / math.Sqrt(scale)
	}
	mat.NewVecDense(n, f).MulVec(prior.Features(), mat.NewVecDense(len(e), e))
	p := &Problem{Prior: prior, Rows: &gp.Rows{}, Scale: scale}
	for range P {
		a := rng.IntN(n)
		b := (a + 1 + rng.IntN(n-1)) % n
		if f[a]-f[b]+rng.NormFloat64() < 0 {
			a, b = b, a
		}
		p.Rows.AppendPair(a, b)
		p.Likelihood = append(p.Likelihood, win)
	}
	return p
}

// correlated returns a well-conditioned dense prior.
func correlated(t testing.TB, n int, seed uint64) *gp.Prior {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, 0.4*rng.NormFloat64())
		}
	}
	k := mat.NewSymDense(n, nil)
	k.SymOuterK(1, a)
	for i := range n {
		k.SetSym(i, i, k.At(i, i)+0.5)
	}
	p, err := gp.Covariance(k)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t testing.TB, p *Problem, s Settings) *Result {
	t.Helper()
	r, err := Run(t.Context(), p, &s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// samePosterior compares means and covariances of the items.
func samePosterior(t testing.TB, what string, got, want *gp.Posterior, tol float64) {
	t.Helper()
	var worst float64
	cg, cw := got.Covariance(), want.Covariance()
	for i, m := range got.Utilities() {
		worst = math.Max(worst, math.Abs(m-want.Utilities()[i]))
		for j := range i + 1 {
			worst = math.Max(worst, math.Abs(cg.At(i, j)-cw.At(i, j)))
		}
	}
	if !(worst <= tol) {
		t.Errorf("%s: posteriors differ by %.3g, more than %.3g", what, worst, tol)
	}
}
