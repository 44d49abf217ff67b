package num

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"
)

// The tables under testdata were computed with Python's mpmath at 120 digits (200
// for interval.csv, 60 for quantile.csv) and written with 20. Every argument is
// the exact value of the float64 printed. The recipe:
//
//	Φ(z) = erfc(−z/√2)/2, φ(z) = exp(−z²/2)/√(2π), h = φ/Φ
//	log Φ = log(Φ(z)), from z = 5 on log1p(−Φ(−z))
//	rest = 1 − h(z + h), which 120 digits leave more than 60 of at z = −1e12
//	for z ≤ −1000: h = x + 1/(x + 2/(x + 3/(x + …))), x = −z, 4000 terms
//	interval: log(Φ(hi) − Φ(lo)), mirrored so that lo + hi ≤ 0
//	quantile: the root of log Φ(z) = log p, mirrored so that p ≤ ½
func table(t *testing.T, name string) [][]float64 {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out [][]float64
	for _, row := range rows[1:] {
		vals := make([]float64, len(row))
		for j, s := range row {
			if vals[j] = math.NaN(); s != "" {
				if vals[j], err = strconv.ParseFloat(s, 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		out = append(out, vals)
	}
	return out
}

func relErr(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / math.Abs(want)
}

func TestNormalTable(t *testing.T) {
	const tol, tolRest = 1e-13, 2e-12
	var worst [5]float64
	check := func(k int, what string, z, got, want, tol float64) {
		e := relErr(got, want)
		worst[k] = max(worst[k], e)
		if !(e <= tol) {
			t.Errorf("%s(%v) = %v, want %v: relative error %.2g", what, z, got, want, e)
		}
	}
	for _, row := range table(t, "normal.csv") {
		z, lp, h, rest := row[0], row[1], row[2], row[3]
		gotLP, gotH, gotRest := Probit(z)
		check(0, "Probit log Φ", z, gotLP, lp, tol)
		check(1, "Probit h", z, gotH, h, tol)
		check(2, "Probit rest", z, gotRest, rest, tolRest)
		check(0, "LogPhi", z, LogPhi(z), lp, tol)
		if lp > -700 { // Φ is a normal number
			// The reference itself inherits lp's rounding, |lp| units of it.
			check(3, "Phi", z, Phi(z), math.Exp(lp), 1e-13+math.Abs(lp)*0x1p-52)
		}
	}
	t.Logf("worst relative error: log Φ %.1e, h %.1e, rest %.1e, Φ %.1e",
		worst[0], worst[1], worst[2], worst[3])
}

// The series for 1 − h(z+h) holds to 2e-10 below −22 (EPNOTE, tails); the
// continued fraction meets it there and carries on to where z² overflows.
func TestRestMeetsSeries(t *testing.T) {
	for z := -22.0; z > -1e150; z *= 1.3 {
		s := 1 / (z * z)
		series := s * (1 - s*(6-s*(50-s*(518-s*(6354-s*89782)))))
		if _, _, rest := Probit(z); !(relErr(rest, series) < 3e-10) {
			t.Errorf("rest(%v) = %v, series %v", z, rest, series)
		}
	}
}

// Neighbouring branches agree, and the values move the way the functions do.
func TestProbitIsSmooth(t *testing.T) {
	prevLP, prevH, prevRest := Probit(-40)
	for z := -40 + 1.0/64; z < 40; z += 1.0 / 64 {
		lp, h, rest := Probit(z)
		if lp < prevLP || h > prevH || rest < prevRest-1e-15 || rest <= 0 || rest > 1 {
			t.Fatalf("not monotone at %v: log Φ %v, h %v, rest %v", z, lp, h, rest)
		}
		prevLP, prevH, prevRest = lp, h, rest
	}
	for _, z := range []float64{-tail, 0, tail} {
		below, above := math.Nextafter(z, -50), math.Nextafter(z, 50)
		lp0, h0, r0 := Probit(below)
		lp1, h1, r1 := Probit(above)
		if relErr(lp0, lp1) > 1e-14 || relErr(h0, h1) > 1e-14 || relErr(r0, r1) > 2e-12 {
			t.Errorf("jump at %v: %v %v, %v %v, %v %v", z, lp0, lp1, h0, h1, r0, r1)
		}
	}
}

func TestNormalAtTheEnds(t *testing.T) {
	inf := math.Inf(1)
	if lp, h, rest := Probit(inf); lp != 0 || h != 0 || rest != 1 {
		t.Errorf("Probit(∞) = %v, %v, %v", lp, h, rest)
	}
	if lp, h, rest := Probit(-inf); lp != -inf || h != inf || rest != 0 {
		t.Errorf("Probit(−∞) = %v, %v, %v", lp, h, rest)
	}
	if lp, h, rest := Probit(-1e200); lp != -inf || h != 1e200 || rest != 0 {
		t.Errorf("Probit(−1e200) = %v, %v, %v", lp, h, rest)
	}
	if Phi(-inf) != 0 || Phi(inf) != 1 || LogPhi(inf) != 0 || LogPhi(-inf) != -inf {
		t.Errorf("Φ at the ends: %v %v %v %v", Phi(-inf), Phi(inf), LogPhi(inf), LogPhi(-inf))
	}
	nan := math.NaN()
	lp, h, rest := Probit(nan)
	for _, v := range []float64{lp, h, rest, Phi(nan), LogPhi(nan), Quantile(nan), Quantile(-1), Quantile(2), LogPhiDiff(nan, 0), LogPhiDiff(1, 0)} {
		if !math.IsNaN(v) {
			t.Errorf("NaN or an argument outside the domain gave %v", v)
		}
	}
	if Quantile(0) != -inf || Quantile(1) != inf || Quantile(0.5) != 0 {
		t.Errorf("quantiles of 0, ½, 1: %v %v %v", Quantile(0), Quantile(0.5), Quantile(1))
	}
}

func TestQuantileTable(t *testing.T) {
	for _, row := range table(t, "quantile.csv") {
		if got := Quantile(row[0]); !(relErr(got, row[1]) < 1e-14) {
			t.Errorf("Quantile(%v) = %v, want %v", row[0], got, row[1])
		}
	}
}

func TestLogPhiDiffTable(t *testing.T) {
	for _, row := range table(t, "interval.csv") {
		got, want := LogPhiDiff(row[0], row[1]), row[2]
		// The quantity that matters is the probability, so the error is absolute
		// in the log, beyond the rounding of the log itself.
		if !(math.Abs(got-want) < 1e-13+2e-16*math.Abs(want)) {
			t.Errorf("LogPhiDiff(%v, %v) = %v, want %v", row[0], row[1], got, want)
		}
		if mirror := LogPhiDiff(-row[1], -row[0]); mirror != got {
			t.Errorf("LogPhiDiff(%v, %v) = %v, its mirror image %v", row[0], row[1], got, mirror)
		}
	}
	inf := math.Inf(1)
	if LogPhiDiff(-inf, inf) != 0 || LogPhiDiff(-inf, -3) != LogPhi(-3) || LogPhiDiff(3, inf) != LogPhi(-3) || LogPhiDiff(2, 2) != -inf {
		t.Error("LogPhiDiff with infinite or equal ends")
	}
	for h := 0.005; h < 1; h += 0.005 { // narrow, and from a half on wide
		if got, want := LogPhiDiff(-h, h), math.Log(math.Erf(h/math.Sqrt2)); math.Abs(got-want) > 1e-15*(1+math.Abs(want)) {
			t.Errorf("LogPhiDiff(%v, %v) = %v, want %v", -h, h, got, want)
		}
	}
}

func BenchmarkProbit(b *testing.B) {
	for _, z := range []float64{-1000, -10, -4.1, -1, 1, 5} {
		b.Run(strconv.FormatFloat(z, 'g', -1, 64), func(b *testing.B) {
			var s float64
			for b.Loop() {
				_, _, r := Probit(z)
				s += r
			}
			_ = s
		})
	}
}
