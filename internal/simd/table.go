package simd

import (
	"math"
	"slices"
)

// The constants of exp: log 2 in two parts, the first with 32 bits, so that its products with exponents are exact without FMA.
const (
	ln2hi    = 0xb17217f8p-32
	ln2lo    = math.Ln2 - ln2hi
	twoFold  = 8                          // twice the point where the Mills ratio is folded
	farthest = 39                         // φ is 0 beyond
	lowest   = -(1 << 20)                 // e^x·2ⁿ is 0 below, for every n a product of features can reach
	farRoot  = 1500                       // (1+r+r²/3)·e^−r is 0 beyond
	invRoot  = 1 / 2.50662827463100050242 // 1/√(2π)
)

var table = lanes()

// lanes is the table the assembly reads, four copies of each constant in the order of gen/vector.go.
func lanes() []float64 {
	bits := math.Float64frombits
	list := slices.Concat(
		[]float64{math.Log2E, ln2hi, ln2lo, 3 << 51, 0.5, 1, -2000, 2000, lowest},
		expPoly[:], logPoly[:], millsPoly[:], restPoly[:],
		[]float64{
			bits(0x3ff0_0000_0000_0000 - 0x3fe6_a09e_667f_3bcd),
			1 << 52, 1<<52 + 1023, bits(1<<63 - 1), twoFold / 2, twoFold, invRoot, farthest, 1.0 / 3,
			bits(1<<52 - 1), -0.5, bits(1 << 63), 708, -1023, farRoot,
		})
	out := make([]float64, 0, 4*len(list))
	for _, v := range list {
		out = append(out, v, v, v, v)
	}
	return out
}
