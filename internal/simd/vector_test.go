package simd

import (
	"bufio"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
)

var paths = map[string]mode{"asm": {}, "twin": {portable: true}}

// ulps is how many representable numbers lie between a and b.
func ulps(a, b float64) float64 {
	if math.IsNaN(a) && math.IsNaN(b) || a == b {
		return 0
	}
	order := func(x float64) int64 {
		i := int64(math.Float64bits(x))
		if i < 0 {
			return math.MinInt64 - i
		}
		return i
	}
	x, y := order(a), order(b)
	return float64(uint64(max(x, y)) - uint64(min(x, y)))
}

// bigExp is e^x to about 100 digits, by Taylor's series after halving.
func bigExp(x float64) float64 {
	const prec, halvings = 320, 24
	r := new(big.Float).SetPrec(prec).SetFloat64(x)
	r.SetMantExp(r, -halvings)
	sum, term := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(1)
	for i := int64(1); i < 30; i++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetPrec(prec).SetInt64(i))
		sum.Add(sum, term)
	}
	for range halvings {
		sum.Mul(sum, sum)
	}
	v, _ := sum.Float64()
	return v
}

func TestExp(t *testing.T) {
	r := random()
	x := []float64{0, math.Copysign(0, -1), 1, -1, 709.78, 709.79, -708.4, -745.1, -745.2, 1e-300, -1e-17}
	for range 3000 {
		x = append(x, r.NormFloat64(), r.NormFloat64()*200, -math.Exp(12*r.Float64()-6), r.Float64()*1e-9)
	}
	for name, m := range paths {
		got := make([]float64, len(x))
		m.exp(got, x)
		worst := 0.0
		for i, v := range x {
			want := 0.0
			if v > -800 {
				want = bigExp(min(v, 800))
			}
			if d := ulps(got[i], want); d > worst {
				worst = d
				if d > 1 {
					t.Errorf("%s: exp(%v) = %v, want %v: %v ulp", name, v, got[i], want, d)
				}
			}
		}
		t.Logf("%s: at most %v ulp", name, worst)
	}
}

func TestLog(t *testing.T) {
	r := random()
	x := []float64{1, 2, 0.5, math.Sqrt2, math.Sqrt2 / 2, 0x1p-1022, math.MaxFloat64, 1 + 0x1p-52, 1 - 0x1p-53}
	for range 5000 {
		x = append(x, math.Exp(700*(2*r.Float64()-1)), 1+r.NormFloat64()*1e-3, r.Float64())
	}
	for name, m := range paths {
		got := make([]float64, len(x))
		m.log(got, x)
		for i, v := range x {
			if d := ulps(got[i], math.Log(v)); d > 2 { // math.Log itself may be off by one
				t.Errorf("%s: log(%v) = %v, want %v: %v ulp", name, v, got[i], math.Log(v), d)
			}
		}
	}
}

// TestProbit compares with the 60-digit table of gen/fit.py.
func TestProbit(t *testing.T) {
	file, err := os.Open("testdata/probit.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var z []float64
	var want [3][]float64
	for in := bufio.NewScanner(file); in.Scan(); {
		f := strings.Fields(in.Text())
		if f[0] == "#" {
			continue
		}
		for i, s := range f {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			switch i {
			case 0:
				z = append(z, v)
			case 1: // Φ itself
			default:
				want[i-2] = append(want[i-2], v)
			}
		}
	}
	for name, m := range paths {
		var got [3][]float64
		for i := range got {
			got[i] = make([]float64, len(z))
		}
		m.probit(got[0], got[1], got[2], z)
		for i, what := range []string{"log Φ", "φ/Φ", "1−h(z+h)"} {
			worst, where := 0.0, 0.0
			for j := range z {
				size := math.Abs(want[i][j])
				if size < 0x1p-1022 { // fewer bits to be right
					size = 0x1p-1022
				}
				if d := math.Abs(got[i][j]-want[i][j]) / size; !(d <= worst) {
					worst, where = d, z[j]
				}
			}
			if !(worst <= 1e-14) {
				t.Errorf("%s: %s is off by %.2g of itself at z = %v", name, what, worst, where)
			}
			t.Logf("%s: %s is off by at most %.2g of itself, at z = %v", name, what, worst, where)
		}
	}
}

func TestVectorSpecials(t *testing.T) {
	inf, nan, odd := math.Inf(1), math.NaN(), guard
	for name, m := range paths {
		cases := []struct {
			what       string
			f          func(dst, x []float64)
			in, expect []float64
		}{
			{"exp", m.exp, []float64{inf, -inf, nan, odd, 1e300, -1e300}, []float64{inf, 0, nan, nan, inf, 0}},
			{"log", m.log, []float64{inf, -inf, nan, odd, 0, -1, 5e-324}, []float64{inf, nan, nan, nan, -inf, nan, -744.4400719213812}},
			{"log Φ", func(d, x []float64) { m.probit(d, make([]float64, len(x)), make([]float64, len(x)), x) }, []float64{inf, -inf, nan, odd}, []float64{0, -inf, nan, nan}},
			{"φ/Φ", func(d, x []float64) { m.probit(make([]float64, len(x)), d, make([]float64, len(x)), x) }, []float64{inf, -inf, nan, odd}, []float64{0, inf, nan, nan}},
			{"rest", func(d, x []float64) { m.probit(make([]float64, len(x)), make([]float64, len(x)), d, x) }, []float64{inf, -inf, nan, odd}, []float64{1, 0, nan, nan}},
		}
		for _, v := range []float64{0, 5e-324, -1, inf} { // each with nothing else to give it away
			got := []float64{1}
			m.log(got, []float64{v})
			if want := map[float64]float64{0: -inf, 5e-324: -744.4400719213812, -1: nan, inf: inf}[v]; ulps(got[0], want) > 1 {
				t.Errorf("%s: log(%v) = %v, want %v", name, v, got[0], want)
			}
		}
		for _, c := range cases {
			got := make([]float64, len(c.in))
			c.f(got, c.in)
			for i := range got {
				if ulps(got[i], c.expect[i]) > 1 {
					t.Errorf("%s: %s(%v) = %v, want %v", name, c.what, c.in[i], got[i], c.expect[i])
				}
			}
		}
	}
}

// TestVectorPlaces checks that a value's bits depend neither on its place nor on the length, and that nothing else is written.
func TestVectorPlaces(t *testing.T) {
	r := random()
	for name, m := range paths {
		for fn, f := range map[string]func(dst, x []float64){"exp": m.exp, "log": m.log, "probit": func(d, x []float64) {
			h, rest := make([]float64, len(x)), make([]float64, len(x))
			m.probit(d, h, rest, x)
		}} {
			for _, n := range []int{0, 1, 3, 7, 13, 64, 257} {
				x, dst := make([]float64, n+4), make([]float64, n+4)
				for i := range x {
					x[i], dst[i] = math.Abs(r.NormFloat64()), guard
				}
				off := r.IntN(3)
				f(dst[off:off+n], x[off:off+n])
				for i := range dst {
					want := []float64{guard}
					if i >= off && i < off+n {
						f(want, x[i:i+1])
					}
					if math.Float64bits(want[0]) != math.Float64bits(dst[i]) {
						t.Fatalf("%s %s n = %d: value %d is %v, alone %v", name, fn, n, i, dst[i], want[0])
					}
				}
			}
		}
	}
}
