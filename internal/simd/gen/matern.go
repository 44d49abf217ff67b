package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// matern generates the inner loops of kernel matrices. Three rows of X meet a panel of eight rows of Y, stored feature by feature,
// both already in length-scales; s gathers the sum over features and p the product, both 3×8.
func matern(c asm) {
	abs := func(t table, d reg.VecVirtual) { c.VANDPD(t.at(absMask), d, d) }
	accumulate(c, "addSquares", "adds Σd² to s", func(t table, s, p, d, one reg.VecVirtual) {
		c.VFMADD231PD(d, d, s)
	})
	accumulate(c, "addSpans", "adds Σ|d| to s", func(t table, s, p, d, one reg.VecVirtual) {
		abs(t, d)
		c.VADDPD(d, s, s)
	})
	accumulate(c, "addLines", "adds Σ|d| to s and multiplies p by Π(1+|d|)", func(t table, s, p, d, one reg.VecVirtual) {
		abs(t, d)
		c.VADDPD(d, s, s)
		c.VFMADD231PD(d, p, p)
	})
	accumulate(c, "addConics", "adds Σ|d| to s and multiplies p by Π(1+|d|+|d|²/3)", func(t table, s, p, d, one reg.VecVirtual) {
		abs(t, d)
		c.VADDPD(d, s, s)
		f := c.YMM()
		c.VMOVUPD(t.at(third), f)
		c.VFMADD213PD(one, d, f)
		c.VFMADD213PD(one, d, f)
		c.VMULPD(f, p, p)
	})
	foldExponents(c)

	finish(c, "expNeg", "e^−s", false, func(t table, s reg.VecVirtual) reg.VecVirtual { return nil })
	finish(c, "expNegRoot", "e^−√s", true, func(t table, r reg.VecVirtual) reg.VecVirtual { return nil })
	finish(c, "expNegRoot32", "(1+r)·e^−r, r = √s", true, func(t table, r reg.VecVirtual) reg.VecVirtual {
		f := c.YMM()
		c.VADDPD(t.at(one), r, f)
		return f
	})
	finish(c, "expNegRoot52", "(1+r+r²/3)·e^−r, r = √s", true, func(t table, r reg.VecVirtual) reg.VecVirtual {
		f := c.YMM()
		c.VMOVUPD(t.at(third), f)
		c.VFMADD213PD(t.at(one), r, f)
		c.VFMADD213PD(t.at(one), r, f)
		return f
	})
	finishProduct(c)
}

func accumulate(c asm, name, doc string, add func(t table, s, p, d, one reg.VecVirtual)) {
	c.fn(name+"AVX2", "func(x *float64, ldx int, y *float64, k int, fresh bool, s, p, tab *float64)",
		name+"AVX2 "+doc+" over k features; fresh, s begins at 0 and p at 1.")
	x, ldx, y, k := c.arg("x"), c.stride("ldx"), c.arg("y"), c.arg("k")
	fresh := c.Load(c.Param("fresh"), c.GP8())
	sums, prods, t := c.arg("s"), c.arg("p"), c.table()
	row := []operand.Mem{{Base: x}, {Base: x, Index: ldx, Scale: 1}, {Base: x, Index: ldx, Scale: 2}}
	s, p, unit := c.ymms(6), c.ymms(6), c.YMM()
	product, conic := name == "addLines" || name == "addConics", name == "addConics"
	for i := range s {
		c.VXORPD(s[i], s[i], s[i])
		if product {
			c.VMOVUPD(t.at(one), p[i])
		}
	}
	c.TESTB(fresh, fresh)
	c.JNZ(operand.LabelRef("ready"))
	for i := range s {
		c.VMOVUPD(at(sums, 32*i), s[i])
		if product {
			c.VMOVUPD(at(prods, 32*i), p[i])
		}
	}
	c.Label("ready")
	if conic {
		c.VMOVUPD(t.at(one), unit)
	}
	c.Label("loop")
	ys := []operand.Op{at(y, 0), at(y, 32)}
	if !conic { // there are registers to spare
		for i, r := range c.ymms(2) {
			c.VMOVUPD(ys[i], r)
			ys[i] = r
		}
	}
	for i := range row {
		v, d := c.YMM(), c.YMM()
		c.VBROADCASTSD(row[i], v)
		c.VSUBPD(ys[0], v, d)
		add(t, s[2*i], p[2*i], d, unit)
		c.VSUBPD(ys[1], v, v)
		add(t, s[2*i+1], p[2*i+1], v, unit)
	}
	c.ADDQ(operand.Imm(8), x)
	c.ADDQ(operand.Imm(64), y)
	c.DECQ(k)
	c.JNZ(operand.LabelRef("loop"))
	for i := range s {
		c.VMOVUPD(s[i], at(sums, 32*i))
		if product {
			c.VMOVUPD(p[i], at(prods, 32*i))
		}
	}
	c.ret()
}

// split takes p = m·2ᵉ apart; p becomes m and e is returned.
func (c asm) split(t table, p reg.VecVirtual) reg.VecVirtual {
	e := c.YMM()
	c.VPSRLQ(operand.Imm(52), p, e)
	c.VPOR(t.at(exponents), e, e)
	c.VSUBPD(t.at(bias), e, e)
	c.VANDPD(t.at(mantissa), p, p)
	c.VORPD(t.at(one), p, p)
	return e
}

func foldExponents(c asm) {
	c.fn("foldAVX2", "func(p, e *float64, n int, tab *float64)", "foldAVX2 moves the exponents of n vectors of p to e.")
	p, e, n, t := c.arg("p"), c.arg("e"), c.arg("n"), c.table()
	c.Label("loop")
	v := c.YMM()
	c.VMOVUPD(at(p, 0), v)
	x := c.split(t, v)
	c.VADDPD(at(e, 0), x, x)
	c.VMOVUPD(v, at(p, 0))
	c.VMOVUPD(x, at(e, 0))
	c.next(n, p, e)
}

func finish(c asm, name, doc string, root bool, factor func(t table, r reg.VecVirtual) reg.VecVirtual) {
	c.fn(name+"AVX2", "func(s *float64, n int, tab *float64)", name+"AVX2 overwrites n vectors of s with "+doc+".")
	s, n, t := c.arg("s"), c.arg("n"), c.table()
	c.Label("loop")
	v, far := c.YMM(), c.YMM()
	c.VMOVUPD(at(s, 0), v)
	if root {
		c.VSQRTPD(v, v)
	}
	c.VMOVUPD(t.at(farRoot), far)
	c.VMINPD(v, far, v)
	f := factor(t, v)
	c.VXORPD(t.at(signBit), v, v)
	p, e := c.expParts(t, v, nil)
	if f != nil {
		c.VMULPD(f, p, p)
	}
	c.scaleFlush(t, p, e)
	c.VMOVUPD(p, at(s, 0))
	c.next(n, s)
}

func finishProduct(c asm) {
	c.fn("expNegProductAVX2", "func(s, p, e *float64, n int, tab *float64)",
		"expNegProductAVX2 overwrites n vectors of s with p·2ᵉ·e^−s.")
	s, p, e, n, t := c.arg("s"), c.arg("p"), c.arg("e"), c.arg("n"), c.table()
	c.Label("loop")
	v, far, f := c.YMM(), c.YMM(), c.YMM()
	c.VMOVUPD(at(s, 0), v)
	c.VXORPD(t.at(signBit), v, v)
	beyond := c.YMM()
	c.VCMPPD(operand.Imm(0x11), t.at(lowest), v, beyond) // −s < lowest: 0, whatever p claims
	c.VMOVUPD(t.at(lowest), far)
	c.VMAXPD(v, far, v)
	q, x := c.expParts(t, v, nil)
	c.VMOVUPD(at(p, 0), f)
	y := c.split(t, f)
	c.VADDPD(y, x, x)
	c.VADDPD(at(e, 0), x, x)
	c.VMULPD(f, q, q)
	c.scaleFlush(t, q, x)
	c.VANDNPD(q, beyond, q)
	c.VMOVUPD(q, at(s, 0))
	c.next(n, s, p, e)
}
