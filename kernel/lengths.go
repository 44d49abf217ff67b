package kernel

import (
	"fmt"
	"math"
)

// Endless is the length-scale of a feature that tells no points apart, such as one
// that is the same for all of them. A kernel is the same with it and without.
const Endless = 1e150

// endless is the length-scale from which on a feature counts as one without end,
// so that a multiple of Endless is still one.
const endless = 1e100

// varying counts the length-scales that have an end.
func varying(lengths []float64) (n int) {
	for _, l := range lengths {
		if l < endless {
			n++
		}
	}
	return n
}

// lengths are log length-scales, one a feature or a single one for all.
type lengths []float64

func newLengths(l []float64) lengths {
	if len(l) == 0 {
		panic("kernel: no length-scales")
	}
	logs := make(lengths, len(l))
	for d, v := range l {
		if !(v > 0) || math.IsInf(v, 1) {
			panic(fmt.Sprintf("kernel: length-scale %d is %v, want a positive number", d, v))
		}
		logs[d] = math.Log(v)
	}
	return logs
}

func (l lengths) names() []string {
	if len(l) == 1 {
		return []string{"length"}
	}
	names := make([]string, len(l))
	for d := range names {
		names[d] = fmt.Sprintf("length[%d]", d)
	}
	return names
}

func (l lengths) copy() []float64 { return append([]float64(nil), l...) }

func (l lengths) with(params []float64) lengths {
	checkParams(params, len(l))
	return append(lengths(nil), params...)
}

// finite returns how many of so many features have a length-scale that has an end.
func (l lengths) finite(features int) (n int) {
	for d := range features {
		if l[min(d, len(l)-1)] < math.Log(endless) {
			n++
		}
	}
	return n
}

// inverse returns c/ℓ_d for the features of x and y.
func (l lengths) inverse(c float64, x, y Points) []float64 {
	if x.d != y.d {
		panic(fmt.Sprintf("kernel: points with %d and %d features", x.d, y.d))
	}
	if x.d == 0 || (len(l) != 1 && len(l) != x.d) {
		panic(fmt.Sprintf("kernel: %d length-scales for %d features", len(l), x.d))
	}
	inv := make([]float64, x.d)
	for d := range inv {
		inv[d] = c * math.Exp(-l[min(d, len(l)-1)])
	}
	return inv
}

// fold adds gradients by feature to gradients by parameter.
func (l lengths) fold(grad, byFeature []float64) {
	if len(l) > 1 {
		for d, g := range byFeature {
			grad[d] += g
		}
		return
	}
	var s float64
	for _, g := range byFeature {
		s += g
	}
	grad[0] += s
}

// scaleRow sets dst_d = x_d·inv_d.
func scaleRow(dst, x, inv []float64) {
	x, inv = x[:len(dst)], inv[:len(dst)]
	for d := range dst {
		dst[d] = x[d] * inv[d]
	}
}

// scaled returns dense rows times inv, without gaps.
func scaled(p Points, inv []float64) []float64 {
	dst := make([]float64, p.n*p.d)
	for i := range p.n {
		scaleRow(dst[i*p.d:(i+1)*p.d], p.row(i), inv)
	}
	return dst
}

// scaledCSR returns sparse rows times inv.
func scaledCSR(p Points, inv []float64) *CSR {
	c := *p.csr
	c.data = make([]float64, len(p.csr.data))
	for k, d := range c.index {
		c.data[k] = p.csr.data[k] * inv[d]
	}
	return &c
}
