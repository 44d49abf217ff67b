package simd

import "math"

// Exp writes e^x to dst, at most 1 ulp from the truth over the whole range, subnormal results included. dst may be x.
func Exp(dst, x []float64) { mode{}.exp(dst, x) }

// Log writes log x to dst, at most 1 ulp from the truth. dst may be x.
func Log(dst, x []float64) { mode{}.log(dst, x) }

// Probit writes log Φ(z), h = φ(z)/Φ(z) and 1 − h(z+h), each accurate relative to itself. No destination may overlap another;
// any may be z.
func Probit(logPhi, h, rest, z []float64) { mode{}.probit(logPhi, h, rest, z) }

// exp takes whole vectors of four, the last of them padded, so that a value's bits do not depend on its place.
func (m mode) exp(dst, x []float64) {
	dst = dst[:len(x)]
	if !m.asm() {
		for i, v := range x {
			dst[i] = expOne(v)
		}
		return
	}
	n := len(x) / 4
	if n > 0 {
		expAVX2(&dst[0], &x[0], n, &table[0])
	}
	if rest := x[4*n:]; len(rest) > 0 {
		var pad [4]float64
		copy(pad[:], rest)
		expAVX2(&pad[0], &pad[0], 1, &table[0])
		copy(dst[4*n:], pad[:len(rest)])
	}
}

func (m mode) log(dst, x []float64) {
	dst = dst[:len(x)]
	var buf [64]float64
	for i := 0; i < len(x); i += len(buf) {
		in, out := x[i:min(i+len(buf), len(x))], dst[i:]
		if !m.asm() {
			for j, v := range in {
				out[j] = logOne(v)
			}
			continue
		}
		odd := false
		for _, v := range in {
			odd = odd || !(v >= 0x1p-1022 && v <= math.MaxFloat64)
		}
		copy(buf[:], in)
		logAVX2(&buf[0], &buf[0], (len(in)+3)/4, &table[0])
		if odd {
			for j, v := range in {
				if !(v >= 0x1p-1022 && v <= math.MaxFloat64) {
					buf[j] = logOne(v)
				}
			}
		}
		copy(out, buf[:len(in)])
	}
}

func (m mode) probit(lp, h, rest, z []float64) {
	lp, h, rest = lp[:len(z)], h[:len(z)], rest[:len(z)]
	if !m.asm() {
		for i, v := range z {
			lp[i], h[i], rest[i] = probitOne(v)
		}
		return
	}
	n := len(z) / 4
	if n > 0 {
		probitAVX2(&lp[0], &h[0], &rest[0], &z[0], n, &table[0])
	}
	if tail := z[4*n:]; len(tail) > 0 {
		var a, b, c [4]float64
		copy(a[:], tail)
		probitAVX2(&a[0], &b[0], &c[0], &a[0], 1, &table[0])
		copy(lp[4*n:], a[:len(tail)])
		copy(h[4*n:], b[:len(tail)])
		copy(rest[4*n:], c[:len(tail)])
	}
}
