//go:build noasm || !amd64

package simd

const fast = false
