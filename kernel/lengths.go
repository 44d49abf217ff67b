package kernel

import (
	"fmt"
	"math"
)

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
