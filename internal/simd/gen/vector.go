package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Where each constant lies in the table the Go side hands over, four lanes apiece; table.go lists them in this order.
const (
	log2e = iota
	ln2hi
	ln2lo
	magic // 1.5·2⁵²: adding it rounds to an integer and leaves that integer in the low bits
	half
	one
	floor // exponents are held to [floor, ceil], reachable by two normal powers of two
	ceil
	lowest // arguments of exp below it give 0 whatever multiplies them
	expAt
)

const (
	logAt    = expAt + 10
	millsAt  = logAt + 7
	restAt   = millsAt + 25
	afterAll = restAt + 30
)

const (
	sqrtHalf  = afterAll + iota // bits of √½ below those of 1
	exponents                   // 2⁵²: or-ed with a small integer makes it a float64
	bias                        // 2⁵² + 1023
	absMask
	fold // 4, where the Mills ratio is folded
	twoFold
	rootTwoPi // 1/√(2π)
	farthest  // 39: φ is 0 beyond
	third
	mantissa // the fraction's bits
	minusHalf
	signBit
	safe    // 708: below it in size e^x is normal
	flush   // −1023: the exponent whose bits are those of 0
	farRoot // 1500: e^−r is 0 beyond, whatever multiplies it
)

// table is the register that holds its address.
type table struct{ reg.Register }

func (t table) at(i int) operand.Mem { return at(t.Register, 32*i) }

func (c asm) table() table { return table{c.arg("tab")} }

// poly evaluates Σ cⱼxʲ as even and odd halves in x².
func (c asm) poly(t table, first, n int, x, xx reg.VecVirtual) reg.VecVirtual {
	run := func(j int) reg.VecVirtual {
		acc := c.YMM()
		c.VMOVUPD(t.at(first+j), acc)
		for j -= 2; j >= 0; j -= 2 {
			c.VFMADD213PD(t.at(first+j), xx, acc)
		}
		return acc
	}
	top, next := run(n-1), run(n-2)
	odd, even := top, next
	if (n-1)%2 == 0 {
		odd, even = next, top
	}
	c.VFMADD231PD(odd, x, even)
	return even
}

// expParts gives e^(x+low) as p·2ⁿ with n a float64; low may be nil. x is clobbered.
func (c asm) expParts(t table, x reg.VecVirtual, low reg.Register) (p, n reg.VecVirtual) {
	n = c.YMM()
	c.VMOVUPD(t.at(log2e), n)
	c.VFMADD213PD(t.at(magic), x, n)
	c.VSUBPD(t.at(magic), n, n)
	c.VFNMADD231PD(t.at(ln2hi), n, x)
	if low != nil {
		c.VADDPD(low, x, x)
	}
	c.VFNMADD231PD(t.at(ln2lo), n, x)
	xx := c.YMM()
	c.VMULPD(x, x, xx)
	p = c.poly(t, expAt, 10, x, xx)
	c.VFMADD213PD(x, xx, p)
	c.VADDPD(t.at(one), p, p)
	return p, n
}

// scale multiplies p by 2ⁿ in two steps, so that subnormal results round once and overflow gives infinity. n is clobbered.
func (c asm) scale(t table, p, n reg.VecVirtual) {
	c.VMAXPD(t.at(floor), n, n)
	c.VMINPD(t.at(ceil), n, n)
	s1 := c.YMM()
	c.VMOVUPD(t.at(half), s1)
	c.VFMADD213PD(t.at(magic), n, s1)
	n1 := c.YMM()
	c.VSUBPD(t.at(magic), s1, n1)
	c.VSUBPD(n1, n, n)
	c.VADDPD(t.at(magic), n, n)
	for _, s := range []reg.VecVirtual{s1, n} {
		c.VPSLLQ(operand.Imm(52), s, s)
		c.VPADDQ(t.at(one), s, s)
		c.VMULPD(s, p, p)
	}
}

// scaleFlush multiplies p by 2ⁿ for n ≤ 1023 and gives 0 in place of subnormal numbers. n is clobbered.
func (c asm) scaleFlush(t table, p, n reg.VecVirtual) {
	c.VMAXPD(t.at(flush), n, n)
	c.VADDPD(t.at(magic), n, n)
	c.VPSLLQ(operand.Imm(52), n, n)
	c.VPADDQ(t.at(one), n, n)
	c.VMULPD(n, p, p)
}

// log is the logarithm of positive normal values; x is clobbered.
func (c asm) log(t table, x reg.VecVirtual) reg.VecVirtual {
	e, k := c.YMM(), c.YMM()
	c.VPADDQ(t.at(sqrtHalf), x, e)
	c.VPSRLQ(operand.Imm(52), e, e) // exponent + 1023 of the power of two next to x
	c.VPSLLQ(operand.Imm(52), e, k)
	c.VPSUBQ(k, x, x)
	c.VPADDQ(t.at(one), x, x)
	c.VPOR(t.at(exponents), e, e)
	c.VSUBPD(t.at(bias), e, e)
	f, s, w, ww := c.YMM(), c.YMM(), c.YMM(), c.YMM()
	c.VSUBPD(t.at(one), x, f)
	c.VADDPD(t.at(one), x, s)
	c.VDIVPD(s, f, s)
	c.VMULPD(s, s, w)
	c.VMULPD(w, w, ww)
	p := c.poly(t, logAt, 7, w, ww)
	c.VFNMADD213PD(f, w, p) // f − w·p
	lo := c.YMM()
	c.VMULPD(t.at(ln2lo), e, lo)
	c.VFMSUB213PD(lo, s, p) // s·(f − w·p) − e·ln2lo
	c.VSUBPD(p, f, f)
	c.VFMADD231PD(t.at(ln2hi), e, f)
	return f
}

// next closes a loop over n vectors of four.
func (c asm) next(n reg.Register, moved ...reg.Register) {
	for _, r := range moved {
		c.ADDQ(operand.Imm(32), r)
	}
	c.DECQ(n)
	c.JNZ(operand.LabelRef("loop"))
	c.ret()
}

// vector generates the functions of long vectors.
func vector(c asm) {
	c.fn("expAVX2", "func(dst, x *float64, n int, tab *float64)", "expAVX2 writes e^x of n vectors of four.")
	dst, x, n, t := c.arg("dst"), c.arg("x"), c.arg("n"), c.table()
	c.Label("loop")
	v, far := c.YMM(), c.YMM()
	c.VMOVUPD(at(x, 0), v)
	c.VANDPD(t.at(absMask), v, far)
	c.VCMPPD(operand.Imm(0x05), t.at(safe), far, far) // |x| not below 708
	any := c.GP32()
	c.VMOVMSKPD(far, any)
	c.TESTL(any, any)
	c.JNZ(operand.LabelRef("far"))
	p, e := c.expParts(t, v, nil)
	c.VADDPD(t.at(magic), e, e)
	c.VPSLLQ(operand.Imm(52), e, e)
	c.VPADDQ(e, p, p)
	c.VMOVUPD(p, at(dst, 0))
	c.Label("next")
	c.ADDQ(operand.Imm(32), dst)
	c.ADDQ(operand.Imm(32), x)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("loop"))
	c.ret()
	c.Label("far")
	c.VMOVUPD(t.at(farRoot), far)
	c.VMINPD(v, far, v)
	c.VMOVUPD(t.at(lowest), far)
	c.VMAXPD(v, far, v)
	p, e = c.expParts(t, v, nil)
	c.scale(t, p, e)
	c.VMOVUPD(p, at(dst, 0))
	c.JMP(operand.LabelRef("next"))

	c.fn("logAVX2", "func(dst, x *float64, n int, tab *float64)", "logAVX2 writes log x of n vectors of four positive normal values.")
	dst, x, n, t = c.arg("dst"), c.arg("x"), c.arg("n"), c.table()
	c.Label("loop")
	v = c.YMM()
	c.VMOVUPD(at(x, 0), v)
	c.VMOVUPD(c.log(t, v), at(dst, 0))
	c.next(n, dst, x)

	c.fn("probitAVX2", "func(lp, h, rest, z *float64, n int, tab *float64)",
		"probitAVX2 writes log Φ(z), h = φ/Φ and 1 − h(z+h) of n vectors of four.")
	lp, h, rest, z := c.arg("lp"), c.arg("h"), c.arg("rest"), c.arg("z")
	n, t = c.arg("n"), c.table()
	c.Label("loop")
	m := c.mills(t, z)
	// z > 0: u = Φ = 1 − q and low the part of q that u lost; z ≤ 0: u = R/√(2π), low = −z²/2.
	u, low, q := c.YMM(), c.YMM(), c.YMM()
	c.VMULPD(m.density, m.ratio, q)
	c.VMOVUPD(t.at(one), low)
	c.VSUBPD(q, low, u)
	c.VSUBPD(u, low, low)
	c.VSUBPD(q, low, low)
	ratio, den := c.YMM(), c.YMM()
	c.VBLENDVPD(m.positive, m.density, m.shifted, ratio)
	c.VBLENDVPD(m.positive, u, m.poly, den)
	c.VDIVPD(den, ratio, ratio)
	c.VMOVUPD(ratio, at(h, 0))
	left := c.YMM()
	c.VADDPD(m.near, ratio, left)
	c.VFNMADD213PD(t.at(one), ratio, left)
	s := c.poly(t, restAt, 30, m.y, m.yy)
	c.VMULPD(m.w, s, s)
	c.VMULPD(m.w, s, s)
	c.VBLENDVPD(m.positive, left, s, s)
	c.VMOVUPD(s, at(rest, 0))
	square := c.YMM()
	c.VMULPD(t.at(minusHalf), m.size, square)
	c.VMULPD(m.size, square, square)
	c.VBLENDVPD(m.positive, low, square, low)
	c.VMULPD(t.at(rootTwoPi), m.ratio, q)
	c.VBLENDVPD(m.positive, u, q, u)
	l := c.log(t, u)
	c.VADDPD(low, l, l)
	c.VMOVUPD(l, at(lp, 0))
	c.next(n, lp, h, rest, z)
}

// millsParts is what Φ, log Φ and φ/Φ share.
type millsParts struct {
	positive reg.VecVirtual // mask of z > 0
	size     reg.VecVirtual // |z|
	near     reg.VecVirtual // min(|z|, 39)
	shifted  reg.VecVirtual // |z| + 4
	w, y, yy reg.VecVirtual // 1/(|z|+4), (|z|−4)/(|z|+4), y²
	poly     reg.VecVirtual // (|z|+4)·R
	ratio    reg.VecVirtual // R(|z|)
	density  reg.VecVirtual // φ(z)
}

func (c asm) mills(t table, z reg.Register) (m millsParts) {
	m.positive, m.size, m.near = c.YMM(), c.YMM(), c.YMM()
	c.VMOVUPD(at(z, 0), m.size)
	c.VXORPD(m.positive, m.positive, m.positive)
	c.VCMPPD(operand.Imm(0x1e), m.positive, m.size, m.positive) // z > 0
	c.VANDPD(t.at(absMask), m.size, m.size)
	c.VMOVUPD(t.at(farthest), m.near)
	c.VMINPD(m.size, m.near, m.near)
	// e^(−t²/2) with the rounding of t² put back.
	hi, lo := c.YMM(), c.YMM()
	c.VMULPD(m.near, m.near, hi)
	c.VMOVAPD(hi, lo)
	c.VFMSUB231PD(m.near, m.near, lo)
	c.VMULPD(t.at(minusHalf), hi, hi)
	c.VMULPD(t.at(minusHalf), lo, lo)
	var e reg.VecVirtual
	m.density, e = c.expParts(t, hi, lo)
	c.VMULPD(t.at(rootTwoPi), m.density, m.density)
	c.scale(t, m.density, e)

	m.shifted, m.w, m.y, m.yy, m.ratio = c.YMM(), c.YMM(), c.YMM(), c.YMM(), c.YMM()
	c.VADDPD(t.at(fold), m.size, m.shifted)
	c.VMOVUPD(t.at(one), m.w)
	c.VDIVPD(m.shifted, m.w, m.w)
	c.VMOVUPD(t.at(one), m.y)
	c.VFNMADD231PD(t.at(twoFold), m.w, m.y)
	c.VMULPD(m.y, m.y, m.yy)
	m.poly = c.poly(t, millsAt, 25, m.y, m.yy)
	c.VMULPD(m.poly, m.w, m.ratio)
	return m
}
