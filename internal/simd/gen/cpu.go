package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// cpu generates the feature test and the measurement of peak arithmetic.
func cpu(c asm) {
	c.fn("cpuid", "func(leaf, sub uint32) (a, b, c, d uint32)", "cpuid runs the instruction of that name.")
	c.Load(c.Param("leaf"), reg.EAX)
	c.Load(c.Param("sub"), reg.ECX)
	c.CPUID()
	for i, r := range []reg.Register{reg.EAX, reg.EBX, reg.ECX, reg.EDX} {
		c.Store(r, c.ReturnIndex(i))
	}
	c.RET()

	c.fn("xgetbv", "func() (a, d uint32)", "xgetbv reads which registers the operating system saves.")
	c.XORL(reg.ECX, reg.ECX)
	c.XGETBV()
	c.Store(reg.EAX, c.ReturnIndex(0))
	c.Store(reg.EDX, c.ReturnIndex(1))
	c.RET()

	c.fn("peakAVX2", "func(n int)", "peakAVX2 runs n rounds of 12 independent four-lane FMAs, 96 operations a round.")
	n := c.arg("n")
	acc, x := c.ymms(12), c.ymms(2)
	for _, r := range append(acc, x...) {
		c.VXORPD(r, r, r)
	}
	c.Label("loop")
	for _, r := range acc {
		c.VFMADD231PD(x[0], x[1], r)
	}
	c.DECQ(n)
	c.JNZ(operand.LabelRef("loop"))
	c.ret()
}
