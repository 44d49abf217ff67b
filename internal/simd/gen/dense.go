package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// dense generates the routines under GEMM, TRSM, Cholesky and the vector operations.
func dense(c asm) {
	gemm(c)
	pack(c)
	solve(c, "solve4AVX2", "solve4AVX2 overwrites four rows of 4n values with T⁻¹·x; t is lower, by columns, with a reciprocal diagonal.", [4]int{0, 1, 2, 3})
	solve(c, "solve4upAVX2", "solve4upAVX2 is solve4AVX2 for an upper triangle.", [4]int{3, 2, 1, 0})
	dot(c)
	axpy(c)
	rowsTimes(c)
	rowsAdded(c)
}

// gemm keeps a 4×12 tile of C in twelve registers; three hold a row of B and one a broadcast of A. Strides of A are free, so that
// the packed and the unpacked, the plain and the transposed operand all come through here.
func gemm(c asm) {
	c.fn("gemm4x12AVX2", "func(k int, a *float64, rsa, csa int, b *float64, rsb int, c *float64, ldc int, alpha float64, fresh bool)",
		"gemm4x12AVX2 adds alpha·A·B to the 4×12 tile C or, fresh, writes it there; A is 4×k with any strides, the rows of B are contiguous.")
	k, a, rsa, csa := c.arg("k"), c.arg("a"), c.stride("rsa"), c.stride("csa")
	b, rsb := c.arg("b"), c.stride("rsb")
	row := c.rows(a, rsa)
	acc, y, x := c.ymms(12), c.ymms(3), c.YMM()
	for _, r := range acc {
		c.VXORPD(r, r, r)
	}
	step := func() {
		for j := range y {
			c.VMOVUPD(at(b, 32*j), y[j])
		}
		for i := range row {
			c.VBROADCASTSD(row[i], x)
			for j := range y {
				c.VFMADD231PD(x, y[j], acc[3*i+j])
			}
		}
		c.ADDQ(csa, a)
		c.ADDQ(rsb, b)
	}
	c.SUBQ(operand.Imm(4), k)
	c.JL(operand.LabelRef("tail"))
	c.Label("loop")
	for range 4 {
		step()
	}
	c.SUBQ(operand.Imm(4), k)
	c.JGE(operand.LabelRef("loop"))
	c.Label("tail")
	c.ADDQ(operand.Imm(4), k)
	c.JZ(operand.LabelRef("store"))
	c.Label("one")
	step()
	c.DECQ(k)
	c.JNZ(operand.LabelRef("one"))
	c.Label("store")
	p, ldc, alpha := c.arg("c"), c.stride("ldc"), c.spread("alpha")
	fresh := c.Load(c.Param("fresh"), c.GP8())
	c.TESTB(fresh, fresh)
	c.JNZ(operand.LabelRef("fresh"))
	for i := range row {
		for j := range y {
			c.VMOVUPD(at(p, 32*j), y[j])
			c.VFMADD231PD(alpha, acc[3*i+j], y[j])
			c.VMOVUPD(y[j], at(p, 32*j))
		}
		if i < 3 {
			c.ADDQ(ldc, p)
		}
	}
	c.ret()
	c.Label("fresh")
	for i := range row {
		for j := range y {
			c.VMULPD(alpha, acc[3*i+j], y[j])
			c.VMOVUPD(y[j], at(p, 32*j))
		}
		if i < 3 {
			c.ADDQ(ldc, p)
		}
	}
	c.ret()
}

func pack(c asm) {
	c.fn("transpose4AVX2", "func(dst *float64, ldd int, src *float64, lds, k int)",
		"transpose4AVX2 writes four rows of k values as k rows of four.")
	dst, ldd, src, lds, k := c.arg("dst"), c.stride("ldd"), c.arg("src"), c.stride("lds"), c.arg("k")
	in, out := c.rows(src, lds), c.rows(dst, ldd)
	c.SUBQ(operand.Imm(4), k)
	c.JL(operand.LabelRef("tail"))
	c.Label("loop")
	r, t := c.ymms(4), c.ymms(4)
	for i := range in {
		c.VMOVUPD(in[i], r[i])
	}
	c.VUNPCKLPD(r[1], r[0], t[0])
	c.VUNPCKHPD(r[1], r[0], t[1])
	c.VUNPCKLPD(r[3], r[2], t[2])
	c.VUNPCKHPD(r[3], r[2], t[3])
	c.VPERM2F128(operand.Imm(0x20), t[2], t[0], r[0])
	c.VPERM2F128(operand.Imm(0x20), t[3], t[1], r[1])
	c.VPERM2F128(operand.Imm(0x31), t[2], t[0], r[2])
	c.VPERM2F128(operand.Imm(0x31), t[3], t[1], r[3])
	for i := range out {
		c.VMOVUPD(r[i], out[i])
	}
	c.ADDQ(operand.Imm(32), src)
	c.LEAQ(operand.Mem{Base: dst, Index: ldd, Scale: 4}, dst)
	c.SUBQ(operand.Imm(4), k)
	c.JGE(operand.LabelRef("loop"))
	c.Label("tail")
	c.ADDQ(operand.Imm(4), k)
	c.JZ(operand.LabelRef("done"))
	c.Label("one")
	s := c.XMM()
	for i := range in {
		c.VMOVSD(in[i], s)
		c.VMOVSD(s, at(dst, 8*i))
	}
	c.ADDQ(operand.Imm(8), src)
	c.ADDQ(ldd, dst)
	c.DECQ(k)
	c.JNZ(operand.LabelRef("one"))
	c.Label("done")
	c.ret()

	c.fn("copy12AVX2", "func(dst *float64, ldd int, src *float64, lds, k int)", "copy12AVX2 copies k rows of twelve values.")
	dst, ldd, src, lds, k = c.arg("dst"), c.stride("ldd"), c.arg("src"), c.stride("lds"), c.arg("k")
	c.Label("loop")
	for j, v := range c.ymms(3) {
		c.VMOVUPD(at(src, 32*j), v)
		c.VMOVUPD(v, at(dst, 32*j))
	}
	c.ADDQ(lds, src)
	c.ADDQ(ldd, dst)
	c.DECQ(k)
	c.JNZ(operand.LabelRef("loop"))
	c.ret()
}

// solve is substitution with a 4×4 triangle whose diagonal holds reciprocals: forward with the lower one, backward with the upper.
func solve(c asm, name, doc string, order [4]int) {
	c.fn(name, "func(t *float64, x *float64, ldx, n int)", doc)
	t, x, ldx, n := c.arg("t"), c.arg("x"), c.stride("ldx"), c.arg("n")
	row := c.rows(x, ldx)
	var coef [4][4]reg.VecVirtual
	for q, j := range order {
		for _, i := range order[q:] {
			coef[i][j] = c.YMM()
			c.VBROADCASTSD(at(t, 8*(4*j+i)), coef[i][j])
		}
	}
	v := c.ymms(4)
	c.Label("loop")
	for i := range row {
		c.VMOVUPD(row[i], v[i])
	}
	for q, j := range order {
		c.VMULPD(coef[j][j], v[j], v[j])
		for _, i := range order[q+1:] {
			c.VFNMADD231PD(coef[i][j], v[j], v[i])
		}
	}
	for i := range row {
		c.VMOVUPD(v[i], row[i])
	}
	c.ADDQ(operand.Imm(32), x)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("loop"))
	c.ret()
}

func dot(c asm) {
	c.fn("dotAVX2", "func(x, y *float64, n int) float64", "dotAVX2 is the inner product of n values.")
	x, y, n := c.arg("x"), c.arg("y"), c.arg("n")
	acc, v := c.ymms(4), c.YMM()
	for _, r := range acc {
		c.VXORPD(r, r, r)
	}
	c.SUBQ(operand.Imm(16), n)
	c.JL(operand.LabelRef("four"))
	c.Label("loop")
	for i, r := range acc {
		c.VMOVUPD(at(x, 32*i), v)
		c.VFMADD231PD(at(y, 32*i), v, r)
	}
	c.ADDQ(operand.Imm(128), x)
	c.ADDQ(operand.Imm(128), y)
	c.SUBQ(operand.Imm(16), n)
	c.JGE(operand.LabelRef("loop"))
	c.Label("four")
	c.ADDQ(operand.Imm(12), n)
	c.JL(operand.LabelRef("sum"))
	c.Label("four_loop")
	c.VMOVUPD(at(x, 0), v)
	c.VFMADD231PD(at(y, 0), v, acc[0])
	c.ADDQ(operand.Imm(32), x)
	c.ADDQ(operand.Imm(32), y)
	c.SUBQ(operand.Imm(4), n)
	c.JGE(operand.LabelRef("four_loop"))
	c.Label("sum")
	c.VADDPD(acc[1], acc[0], acc[0])
	c.VADDPD(acc[3], acc[2], acc[2])
	c.VADDPD(acc[2], acc[0], acc[0])
	h := c.XMM()
	c.VEXTRACTF128(operand.Imm(1), acc[0], h)
	c.VADDPD(h, acc[0].AsX(), h)
	s := c.XMM()
	c.VHADDPD(h, h, s)
	c.ADDQ(operand.Imm(4), n)
	c.JZ(operand.LabelRef("done"))
	c.Label("one")
	w := c.XMM()
	c.VMOVSD(at(x, 0), w)
	c.VFMADD231SD(at(y, 0), w, s)
	c.ADDQ(operand.Imm(8), x)
	c.ADDQ(operand.Imm(8), y)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("one"))
	c.Label("done")
	c.VZEROUPPER()
	c.Store(s, c.ReturnIndex(0))
	c.RET()
}

func axpy(c asm) {
	c.fn("axpyAVX2", "func(alpha float64, x, y *float64, n int)", "axpyAVX2 adds alpha·x to the n values of y.")
	alpha, x, y, n := c.spread("alpha"), c.arg("x"), c.arg("y"), c.arg("n")
	v := c.ymms(4)
	c.SUBQ(operand.Imm(16), n)
	c.JL(operand.LabelRef("four"))
	c.Label("loop")
	for i := range v {
		c.VMOVUPD(at(y, 32*i), v[i])
		c.VFMADD231PD(at(x, 32*i), alpha, v[i])
		c.VMOVUPD(v[i], at(y, 32*i))
	}
	c.ADDQ(operand.Imm(128), x)
	c.ADDQ(operand.Imm(128), y)
	c.SUBQ(operand.Imm(16), n)
	c.JGE(operand.LabelRef("loop"))
	c.Label("four")
	c.ADDQ(operand.Imm(12), n)
	c.JL(operand.LabelRef("tail"))
	c.Label("four_loop")
	c.VMOVUPD(at(y, 0), v[0])
	c.VFMADD231PD(at(x, 0), alpha, v[0])
	c.VMOVUPD(v[0], at(y, 0))
	c.ADDQ(operand.Imm(32), x)
	c.ADDQ(operand.Imm(32), y)
	c.SUBQ(operand.Imm(4), n)
	c.JGE(operand.LabelRef("four_loop"))
	c.Label("tail")
	c.ADDQ(operand.Imm(4), n)
	c.JZ(operand.LabelRef("done"))
	c.Label("one")
	s := c.XMM()
	c.VMOVSD(at(y, 0), s)
	c.VFMADD231SD(at(x, 0), alpha.AsX(), s)
	c.VMOVSD(s, at(y, 0))
	c.ADDQ(operand.Imm(8), x)
	c.ADDQ(operand.Imm(8), y)
	c.DECQ(n)
	c.JNZ(operand.LabelRef("one"))
	c.Label("done")
	c.ret()
}

// rows is the address of four rows.
func (c asm) rows(base, ld reg.GPVirtual) []operand.Mem {
	ld3 := c.GP64()
	c.LEAQ(operand.Mem{Base: ld, Index: ld, Scale: 2}, ld3)
	return []operand.Mem{{Base: base}, {Base: base, Index: ld, Scale: 1}, {Base: base, Index: ld, Scale: 2}, {Base: base, Index: ld3, Scale: 1}}
}

func rowsTimes(c asm) {
	c.fn("dot4AVX2", "func(a *float64, lda int, x *float64, n int, out *float64)",
		"dot4AVX2 writes the inner products of four rows of 4n values with x.")
	a, lda, x, n, out := c.arg("a"), c.stride("lda"), c.arg("x"), c.arg("n"), c.arg("out")
	row := c.rows(a, lda)
	acc, v := c.ymms(8), c.ymms(2)
	for _, r := range acc {
		c.VXORPD(r, r, r)
	}
	c.SUBQ(operand.Imm(2), n)
	c.JL(operand.LabelRef("tail"))
	c.Label("loop")
	for h := range 2 {
		c.VMOVUPD(at(x, 32*h), v[h])
		for i := range row {
			m := row[i]
			m.Disp = 32 * h
			c.VFMADD231PD(m, v[h], acc[2*i+h])
		}
	}
	c.ADDQ(operand.Imm(64), a)
	c.ADDQ(operand.Imm(64), x)
	c.SUBQ(operand.Imm(2), n)
	c.JGE(operand.LabelRef("loop"))
	c.Label("tail")
	c.ADDQ(operand.Imm(2), n)
	c.JZ(operand.LabelRef("sum"))
	c.VMOVUPD(at(x, 0), v[0])
	for i := range row {
		c.VFMADD231PD(row[i], v[0], acc[2*i])
	}
	c.Label("sum")
	for i := range row {
		c.VADDPD(acc[2*i+1], acc[2*i], acc[2*i])
	}
	c.VHADDPD(acc[2], acc[0], acc[0])
	c.VHADDPD(acc[6], acc[4], acc[4])
	c.VPERM2F128(operand.Imm(0x21), acc[4], acc[0], v[0])
	c.VBLENDPD(operand.Imm(0b1100), acc[4], acc[0], v[1])
	c.VADDPD(v[0], v[1], v[0])
	c.VMOVUPD(v[0], at(out, 0))
	c.ret()
}

func rowsAdded(c asm) {
	c.fn("axpy4AVX2", "func(alpha *float64, a *float64, lda int, y *float64, n int)",
		"axpy4AVX2 adds four rows of 4n values, each times its alpha, to y.")
	alpha, a, lda, y, n := c.arg("alpha"), c.arg("a"), c.stride("lda"), c.arg("y"), c.arg("n")
	row := c.rows(a, lda)
	f, v := c.ymms(4), c.ymms(2)
	for i := range f {
		c.VBROADCASTSD(at(alpha, 8*i), f[i])
	}
	step := func(h int) {
		c.VMOVUPD(at(y, 32*h), v[h])
		for i := range row {
			m := row[i]
			m.Disp = 32 * h
			c.VFMADD231PD(m, f[i], v[h])
		}
		c.VMOVUPD(v[h], at(y, 32*h))
	}
	c.SUBQ(operand.Imm(2), n)
	c.JL(operand.LabelRef("tail"))
	c.Label("loop")
	step(0)
	step(1)
	c.ADDQ(operand.Imm(64), a)
	c.ADDQ(operand.Imm(64), y)
	c.SUBQ(operand.Imm(2), n)
	c.JGE(operand.LabelRef("loop"))
	c.Label("tail")
	c.ADDQ(operand.Imm(2), n)
	c.JZ(operand.LabelRef("done"))
	step(0)
	c.Label("done")
	c.ret()
}
