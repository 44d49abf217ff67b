package likelihood

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"palate/internal/declared"
	"palate/internal/num"
)

// all lists every likelihood; TestTableIsComplete fails when one is missing.
var all = []struct {
	name   string
	l      Scalar
	smooth bool // has useful pointwise derivatives
	dented bool // is not log-concave
}{
	{"probit", Probit{}, true, false},
	{"probit √2", Probit{Noise: math.Sqrt2}, true, false},
	{"probit sharp", Probit{Noise: 0.2}, true, false},
	{"probit offset", Probit{Offset: 0.4}, true, false},
	{"step", Step{}, false, false},
	{"step with a margin", Step{Offset: 0.4}, false, false},
	{"within", Within{Threshold: 0.6}, false, false},
	{"logit", Logit{}, true, false},
	{"logit scaled", Logit{Scale: 2.5}, true, false},
	{"tie", Tie{Threshold: 0.6}, true, false},
	{"tie narrow", Tie{Threshold: 0.05, Noise: 0.7}, true, false},
	{"class of a rating", Interval{Noise: math.Sqrt(0.5), Lo: 0.3, Hi: 1.1}, true, false},
	{"narrow class", Interval{Lo: -1.02, Hi: -1}, true, false},
	{"lowest class", Interval{Noise: 0.6, Lo: math.Inf(-1), Hi: -0.4}, true, false},
	{"highest class", Interval{Noise: 0.8, Lo: 0.9, Hi: math.Inf(1)}, true, false},
	{"gaussian", Gaussian{Y: 0.7, Sd: 0.5}, true, false},
	{"logit offset", Logit{Scale: 0.8, Offset: 0.6}, true, false},
	{"Rao–Kupper", RaoKupper{Threshold: 0.6}, true, false},
	{"Rao–Kupper narrow", RaoKupper{Threshold: 0.05, Scale: 0.7}, true, false},
	{"Davidson's win", Davidson{Ties: 0.5}, true, false},
	{"Davidson's win of many ties", Davidson{Ties: 3.2, Scale: 1.6}, true, false},
	{"Davidson's tie", Davidson{Ties: 0.12, Draw: true}, true, false},
	{"Davidson's tie of many", Davidson{Ties: 6, Scale: 0.8, Draw: true}, true, false},
	{"lapse of a tie", Lapse{Of: Tie{Threshold: 0.4}, Share: 0.1, Draw: true}, true, true},
	{"lapse of Rao–Kupper", Lapse{Of: RaoKupper{Threshold: 1}, Share: 0.3, Draw: true}, true, true},
	{"lapse of a win", Lapse{Of: Probit{Offset: 0.4}, Share: 0.1}, true, false},
	{"power of a lapse", Power{Lapse{Of: Tie{Threshold: 0.4}, Share: 0.1, Draw: true}, 0.5}, true, true},
	{"power of probit", Power{Probit{}, 0.4}, true, false},
	{"probit twice", Power{Probit{}, 2}, true, false},
	{"sharp probit five times", Power{Probit{Noise: 0.17, Offset: 0.3}, 5}, true, false},
	{"lapse of a win, some times", Power{Lapse{Of: Probit{Offset: 0.4}, Share: 0.1}, 3.5}, true, false},
	{"shifted probit", Shifted{Probit{}, 0.6}, true, false},
	{"shifted tie", Shifted{Tie{Threshold: 0.3}, -0.8}, true, false},
	{"power of tie", Power{Tie{Threshold: 0.3}, 0.75}, true, false},
}

var (
	someMeans = []float64{-9, -3, -0.8, 0, 0.3, 1.7, 6}
	someVars  = []float64{0.01, 0.5, 1, 4, 30}
)

func TestTableIsComplete(t *testing.T) {
	listed := map[string]bool{}
	for _, c := range all {
		listed[reflect.TypeOf(c.l).Name()] = true
	}
	for _, name := range declared.Methods(t, "LogProb") {
		if !listed[name] {
			t.Errorf("likelihood %s is not in the table", name)
		}
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.15g, want %.15g", what, got, want)
	}
}

func TestDerivativesAreFiniteDifferences(t *testing.T) {
	for _, c := range all {
		if !c.smooth {
			continue
		}
		const h = 1e-5
		for _, z := range someMeans {
			_, d1, d2 := c.l.LogProb(z)
			lp1, g1, _ := c.l.LogProb(z + h)
			lp0, g0, _ := c.l.LogProb(z - h)
			near(t, c.name+" d1", d1, (lp1-lp0)/(2*h), 1e-7)
			near(t, c.name+" d2", d2, (g1-g0)/(2*h), 1e-7)
			if d2 > 0 && !c.dented {
				t.Errorf("%s is not log-concave at %g: d2 = %g", c.name, z, d2)
			}
		}
	}
}

func TestTiltIsQuadrature(t *testing.T) {
	for _, c := range all {
		if _, ok := c.l.(Tilter); !ok || !c.smooth || c.dented { // quadrature looks for one mode
			continue
		}
		for _, m := range someMeans {
			for _, v := range someVars {
				got, want := Tilt(c.l, m, v), tiltQuadrature(c.l, m, v)
				near(t, c.name+" logZ", got.LogZ, want.LogZ, 1e-11)
				near(t, c.name+" d1", got.D1, want.D1, 1e-10)
				near(t, c.name+" d2", got.D2, want.D2, 1e-9)
				near(t, c.name+" shrink", got.Shrink, want.Shrink, 1e-9)
			}
		}
	}
}

// Gauss–Hermite is a second judge where it is accurate: smooth likelihoods,
// moderate variance.
func TestQuadratureIsGaussHermite(t *testing.T) {
	x, w := num.GaussHermite(64)
	for _, c := range all {
		if !c.smooth || width(c.l) < 0.7 {
			continue
		}
		for _, m := range []float64{-2, 0, 1} {
			const v = 0.4
			var z, e float64
			for k := range x {
				lp, _, _ := c.l.LogProb(m + math.Sqrt(v)*x[k])
				z += w[k] * math.Exp(lp)
				e += w[k] * lp
			}
			near(t, c.name+" tilt", Tilt(c.l, m, v).LogZ, math.Log(z), 1e-10)
			got, _, _ := Expect(c.l, m, v)
			near(t, c.name+" expect", got, e, 1e-10)
		}
	}
}

func TestTiltDerivativesAreFiniteDifferences(t *testing.T) {
	for _, c := range all {
		for _, m := range someMeans {
			for _, v := range someVars {
				h := 1e-4 * math.Sqrt(v)
				a, b, got := Tilt(c.l, m+h, v), Tilt(c.l, m-h, v), Tilt(c.l, m, v)
				near(t, c.name+" d1", got.D1, (a.LogZ-b.LogZ)/(2*h), 1e-6)
				near(t, c.name+" d2", got.D2, (a.D1-b.D1)/(2*h), 1e-6)
				near(t, c.name+" shrink", got.Shrink, 1+got.D2*v, 1e-9)
				if !(got.Shrink > 0 && (got.Shrink <= 1+1e-12 || c.dented)) {
					t.Errorf("%s: shrink %g outside (0, 1] at m=%g v=%g", c.name, got.Shrink, m, v)
				}
			}
		}
	}
}

func TestExpect(t *testing.T) {
	for _, c := range all {
		if !c.smooth {
			continue
		}
		for _, m := range someMeans {
			for _, v := range someVars {
				e, d1, d2 := Expect(c.l, m, v)
				if _, ok := c.l.(Expecter); ok {
					we, w1, w2 := expectQuadrature(c.l, m, v)
					near(t, c.name+" e", e, we, 1e-10)
					near(t, c.name+" d1", d1, w1, 1e-10)
					near(t, c.name+" d2", d2, w2, 1e-10)
				}
				h := 1e-4 * math.Sqrt(v)
				a, _, _ := Expect(c.l, m+h, v)
				b, _, _ := Expect(c.l, m-h, v)
				near(t, c.name+" d1", d1, (a-b)/(2*h), 1e-6)
				// ∂E/∂v = d2/2.
				hv := 1e-4 * v
				a, _, _ = Expect(c.l, m, v+hv)
				b, _, _ = Expect(c.l, m, v-hv)
				near(t, c.name+" dv", d2/2, (a-b)/(2*hv), 1e-6)
				// Jensen.
				if logZ := Tilt(c.l, m, v).LogZ; e > logZ+1e-12 {
					t.Errorf("%s: E log p = %g above log E p = %g", c.name, e, logZ)
				}
			}
		}
	}
}

// Many points at a time are as good as one after the other, far out and narrow.
func TestExpectIsQuadrature(t *testing.T) {
	for _, c := range []struct {
		l   Scalar
		tol float64
	}{
		{Probit{}, 1e-10}, {Probit{Offset: 0.4}, 1e-10}, {Probit{Noise: 5, Offset: 1}, 1e-8}, {Probit{Noise: 1 / 1.8, Offset: 0.2}, 1e-8},
		{Tie{Threshold: 0.3}, 1e-8}, {Tie{Threshold: 1e-3, Noise: 2}, 1e-8}, {Tie{Threshold: 2, Noise: 0.6}, 1e-8}, {Tie{Threshold: 1e-5}, 1e-8},
	} {
		means, variances, least := []float64{-12, -1.5, 0, 0.4, 3, 25}, []float64{1e-3, 0.05, 0.2, 0.48, 0.7, 30}, 1e-3
		if c.tol < 1e-9 {
			means, variances, least = []float64{-30, -3, 0, 0.7, 5, 40}, []float64{1e-3, 1, 30, 1e4}, 1e-10
		}
		for _, m := range means {
			for _, v := range variances {
				e, d1, d2 := Expect(c.l, m, v)
				we, w1, w2 := expectQuadrature(c.l, m, v)
				for k, x := range [][2]float64{{e, we}, {d1, w1}, {d2, w2}} {
					if math.Abs(x[0]-x[1]) > c.tol*(least+math.Abs(x[1])) {
						t.Errorf("%+v under N(%g, %g), derivative %d: %.14g, want %.14g", c.l, m, v, k, x[0], x[1])
					}
				}
			}
		}
	}
}

func TestBoundLiesBelow(t *testing.T) {
	for _, c := range all {
		b, ok := c.l.(Bounder)
		if !ok {
			continue
		}
		for _, m := range someMeans {
			for _, v := range someVars {
				term, tau, nu := b.Bound(m, v)
				exact, _, _ := Expect(c.l, m, v)
				if term > exact+1e-12 {
					t.Errorf("%s: bound %g above the expectation %g", c.name, term, exact)
				}
				// E of the quadratic is the term, so its constant is known; the
				// quadratic must lie below log p everywhere and touch it.
				k := term - nu*m + 0.5*tau*(m*m+v)
				gap := math.Inf(1)
				for z := -12.0; z <= 12; z += 0.01 {
					lp, _, _ := c.l.LogProb(z)
					gap = math.Min(gap, lp-(k+nu*z-0.5*tau*z*z))
				}
				if gap < -1e-9 || (gap > 1e-3 && math.Sqrt(m*m+v) < 12) {
					t.Errorf("%s: smallest gap %g at m=%g v=%g", c.name, gap, m, v)
				}
			}
		}
	}
}

func TestOutcomesSumToOne(t *testing.T) {
	for _, tie := range []Tie{{Threshold: 0.3}, {Threshold: 1.2, Noise: 0.4}} {
		for _, z := range someMeans {
			win, _, _ := tie.Win().LogProb(z)
			lose, _, _ := tie.Win().LogProb(-z)
			draw, _, _ := tie.LogProb(z)
			near(t, "sum", math.Exp(win)+math.Exp(lose)+math.Exp(draw), 1, 1e-14)
		}
	}
	for _, three := range [][2]Scalar{
		{RaoKupper{Threshold: 0.3}.Win(), RaoKupper{Threshold: 0.3}},
		{RaoKupper{Threshold: 2, Scale: 0.4}.Win(), RaoKupper{Threshold: 2, Scale: 0.4}},
		{Davidson{Ties: 0.12}, Davidson{Ties: 0.12, Draw: true}},
		{Davidson{Ties: 3.2, Scale: 2}, Davidson{Ties: 3.2, Scale: 2, Draw: true}},
		{Lapse{Of: Probit{Offset: 0.3}, Share: 0.2}, Lapse{Of: Tie{Threshold: 0.3}, Share: 0.2, Draw: true}},
	} {
		for _, z := range someMeans {
			win, _, _ := three[0].LogProb(z)
			lose, _, _ := three[0].LogProb(-z)
			draw, _, _ := three[1].LogProb(z)
			near(t, "sum", math.Exp(win)+math.Exp(lose)+math.Exp(draw), 1, 1e-14)
			if d, ok := three[0].(Davidson); ok {
				near(t, "odds of a decided vote", win-lose, z/d.Width(), 1e-13)
			}
		}
	}
	for _, l := range []Scalar{Probit{}, Logit{Scale: 3}} {
		a, _, _ := l.LogProb(0.7)
		b, _, _ := l.LogProb(-0.7)
		near(t, "sum", math.Exp(a)+math.Exp(b), 1, 1e-14)
	}
}

// The worked case of EPNOTE, corrected: μ̄ = .3, σ̄ = 1.2, v < 0. Here z = −v.
func TestTruncatedMoments(t *testing.T) {
	const m, v = -0.3, 1.44
	r := Step{}.Tilt(m, v)
	near(t, "E[v]", -(m + v*r.D1), -0.8563, 1e-4)
	near(t, "Var[v]", v*r.Shrink, 0.4499, 1e-4)
	tau := -r.D2 / r.Shrink
	nu := (r.D1 - r.D2*m) / r.Shrink
	near(t, "site mean", -nu/tau, -1.3817, 1e-4)
	near(t, "site variance", 1/tau, 0.6544, 1e-4)
}

func TestNoLossInTheTails(t *testing.T) {
	// β = −1e4: 1−g ~ β⁻² − 6β⁻⁴, and the truncated mean σ̄(β + h) ~ σ̄/|β|.
	for _, beta := range []float64{-300, -1e4, -1e7} {
		r := Step{}.Tilt(beta, 1)
		b2 := beta * beta
		want := 1/b2 - 6/(b2*b2) + 50/(b2*b2*b2) - 518/(b2*b2*b2*b2)
		if rel := math.Abs(r.Shrink/want - 1); rel > 1e-9 {
			t.Errorf("β = %g: shrink off by %.2g", beta, rel)
		}
	}
	for _, m := range []float64{-1e4, -1e6} {
		r := Probit{}.Tilt(m, 4)
		if tau := -r.D2 / r.Shrink; !(tau > 0 && math.Abs(tau-1) < 1e-6) {
			t.Errorf("site precision %g at mean %g, want 1: far out a probit is its noise", tau, m)
		}
	}
}

// However far out, the tilted variance of a tie is positive and no larger than the
// cavity's, and the site no sharper than the noise and margin allow.
func TestTieFarOut(t *testing.T) {
	for _, threshold := range []float64{1e-4, 0.005, 0.3, 5} {
		for _, m := range []float64{0, 30, 3000, -1e5, 1e7} {
			for _, v := range []float64{1e-6, 1, 900, 1e6} {
				r := Tie{Threshold: threshold}.Tilt(m, v)
				if !(r.Shrink > 0 && r.Shrink <= 1) || r.D2 > 0 || !(-r.D2/r.Shrink <= 1) || math.IsNaN(r.D1) {
					t.Errorf("threshold %g at N(%g, %g): %+v", threshold, m, v, r)
				}
			}
		}
	}
}

func TestObservationVar(t *testing.T) {
	// A flat Beta(1,1) prior, whose variance is 1/12, gives a win Q = 1/6.
	// asin(t/(1+t))/2π = 1/12 at t/(1+t) = ½.
	near(t, "Q", Probit{}.ObservationVar(1), 1.0/6, 1e-12)
	near(t, "Q at noise √2", Probit{Noise: math.Sqrt2}.ObservationVar(2), 1.0/6, 1e-12)
}

func TestLogProbsIsLogProb(t *testing.T) {
	for _, c := range all {
		got := make([]float64, len(someMeans))
		LogProbs(got, c.l, someMeans)
		for i, z := range someMeans {
			want, _, _ := c.l.LogProb(z)
			if math.IsInf(want, -1) && math.IsInf(got[i], -1) {
				continue
			}
			near(t, c.name, got[i], want, 1e-13)
		}
	}
}

// Any weight is a count of powers, of which there are few whatever the weights.
func TestCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	powers := map[float64]bool{}
	for k := range 20000 {
		weight := math.Exp(-20 + 25*rng.Float64())
		switch {
		case k < 1000:
			weight = 1 / float64(k+1)
		case k < 2000:
			weight = math.Exp(-700 * rng.Float64())
		}
		count, power := Counted(weight)
		if math.Abs(count*power-weight) > 1e-15*weight {
			t.Fatalf("weight %v: %v of power %v", weight, count, power)
		}
		if weight > 1e-18 && !(count > 1-1e-9 && (count < 2 || power == 1)) {
			t.Errorf("weight %v: count %v", weight, count)
		}
		if k < 64 && math.Abs(count-1) > 1e-12 {
			t.Errorf("weight 1/%d: %v of power %v", k+1, count, power)
		}
		powers[power] = true
	}
	if len(powers) >= 127 {
		t.Errorf("%d powers", len(powers))
	}
}
