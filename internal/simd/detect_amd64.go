//go:build !noasm

package simd

// fast says that the processor has AVX2 and FMA and that the operating system saves their registers.
var fast = detect()

func detect() bool {
	top, _, _, _ := cpuid(0, 0)
	if top < 7 {
		return false
	}
	const fma, osxsave, avx, avx2, state = 1 << 12, 1 << 27, 1 << 28, 1 << 5, 0b110
	_, _, c, _ := cpuid(1, 0)
	if c&fma == 0 || c&osxsave == 0 || c&avx == 0 {
		return false
	}
	saved, _ := xgetbv()
	_, b, _, _ := cpuid(7, 0)
	return saved&state == state && b&avx2 != 0
}
