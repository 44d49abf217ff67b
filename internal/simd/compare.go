package simd

// Spin computes rounds of independent fused operations in registers, of scalar ones where
// there is no assembly, and returns how many operations they were: what takes no less on
// this machine.
func Spin(rounds int) (operations float64) {
	if (mode{}).asm() {
		peakAVX2(rounds)
		return 96 * float64(rounds)
	}
	x := [12]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for range rounds {
		for i := range x {
			x[i] = x[i]*0.999 + 0.001
		}
	}
	return 24 * float64(rounds)
}

// Portably runs work on the pure-Go twins, to compare with. Nothing else may compute
// meanwhile.
func Portably(work func()) {
	defer func(was bool) { twins = was }(twins)
	twins = true
	work()
}

// twins is set while work runs Portably.
var twins bool
