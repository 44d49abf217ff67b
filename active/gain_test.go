package active

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The gain is the mutual information of answer and difference: Monte Carlo.
func TestGainIsMutualInformation(t *testing.T) {
	entropy := func(p float64) float64 {
		if p <= 0 || p >= 1 {
			return 0
		}
		return -(p*math.Log2(p) + (1-p)*math.Log2(1-p))
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range [][2]float64{{0, 1}, {0.5, 0.3}, {-1.5, 2}, {2, 9}, {0, 100}} {
		const n = 400000
		var p, h float64
		for range n {
			x := tail(-(c[0] + math.Sqrt(c[1])*rng.NormFloat64()))
			p += x / n
			h += entropy(x) / n
		}
		if got, want := Gain(c[0], c[1]), entropy(p)-h; math.Abs(got-want) > 0.003 {
			t.Errorf("gain at d=%v, v=%v is %v, Monte Carlo %v", c[0], c[1], got, want)
		}
	}
	// The figure of the exact integral where the usual approximation says 1e-6.
	if got := Gain(1.5, 0.01); math.Abs(got-0.0019) > 0.0001 {
		t.Errorf("gain at d=1.5, v=.01 is %v, want .0019", got)
	}
	if Gain(1, 2) != Gain(-1, 2) {
		t.Error("the gain is not even in d")
	}
}

// The quadrature has converged: half the step changes nothing.
func TestGainHasConverged(t *testing.T) {
	fine := func(d, v float64) (sum float64) {
		const step = 0.002
		q := tail(d / math.Sqrt(1+v))
		for k := -5000; k <= 5000; k++ {
			z := step * float64(k)
			sum += math.Exp(-0.5*z*z) * divergence(tail(d+math.Sqrt(v)*z), q)
		}
		return sum * step / math.Sqrt(2*math.Pi) / math.Ln2
	}
	for _, v := range []float64{1e-4, 0.01, 0.3, 1, 5, 40, 900} {
		for _, d := range []float64{0, 0.3, 1, 3, 5} {
			if got, want := Gain(d, v), fine(d, v); math.Abs(got-want) > 1e-7*want {
				t.Errorf("d=%v v=%v: %v, finer %v", d, v, got, want)
			}
		}
	}
}

func TestTableIsGain(t *testing.T) {
	table := gains()
	worst := 0.0
	rng := rand.New(rand.NewPCG(2, 2))
	for range 3000 {
		v := math.Exp(rng.Float64()*18 - 9)
		u := 6 * rng.Float64()
		d := u * math.Sqrt(1+v)
		got, want := table.log(d, v), math.Log(Gain(d, v))
		if math.Abs(got-want) > worst {
			worst = math.Abs(got - want)
			if worst > 1e-5 {
				t.Errorf("d=%v v=%v (u=%v): log gain %v, quadrature %v", d, v, u, got, want)
			}
		}
	}
	t.Logf("largest error of the log gain: %.2g", worst)
	if !math.IsInf(table.log(100, 1), -1) || !math.IsInf(table.log(0, 0), -1) {
		t.Error("nothing to learn is not −∞")
	}
}

// No pair is passed over that could reach what is needed, and most that could
// not are.
func TestLimitsAreSafe(t *testing.T) {
	table, limits := gains(), gainLimits()
	rng := rand.New(rand.NewPCG(3, 3))
	spared := 0
	const n = 20000
	for range n {
		v := math.Exp(rng.Float64()*18 - 9)
		d := 7 * rng.Float64() * math.Sqrt(1+v)
		reach := table.log(d, v)
		if limits.exclude(d, v, reach) {
			t.Fatalf("d=%v v=%v: a pair of log gain %v was passed over", d, v, reach)
		}
		if limits.exclude(d, v, reach+1.5) {
			spared++
		}
	}
	if spared < n/2 {
		t.Errorf("only %d of %d hopeless pairs were passed over", spared, n)
	}
	if !limits.exclude(0, 1e9, 0) || limits.exclude(0, 1, math.Inf(-1)) {
		t.Error("the ends of the table")
	}
}

func BenchmarkGainTable(b *testing.B) {
	table := gains()
	var x float64
	for b.Loop() {
		for k := range 1000 {
			x += table.log(float64(k)*0.002, 0.7)
		}
	}
	_ = x
}
