package kernel

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

const (
	embedSteps = 200 // of the subspace iteration
	embedSpare = 8   // directions beyond those wanted, which sharpen them
)

// Embed returns at most dims features of the nodes, a column each: those that
// vary least along the links, which are the eigenvectors of I − D⁻¹W with the
// smallest eigenvalues, the constant left out. Each has mean square one over the
// nodes with links; nodes without are at zero. It returns nil when there are none.
//
// A linear model of these features is a graph kernel cut off after its smoothest
// directions, and learning how much each matters is learning its spectrum (after
// Smola and Kondor 2003). They come from a subspace iteration on the sparse links,
// O(edges·dims) a step, so that graphs of many nodes are no problem; the last of
// them are only nearly eigenvectors. The same graph gives the same features.
func (g *Graph) Embed(dims int) *mat.Dense {
	// In symmetric form, v = D^½u, the constant is D^½1.
	constant := make([]float64, g.nodes)
	linked := 0
	for i, d := range g.deg {
		if d > 0 {
			linked++
			constant[i] = math.Sqrt(d)
		}
	}
	width := min(dims+embedSpare, linked-1)
	dims = min(dims, width)
	if dims < 1 {
		return nil
	}
	rng := rand.New(rand.NewPCG(1, 9))
	x, y := mat.NewDense(width, g.nodes, nil), mat.NewDense(width, g.nodes, nil)
	for c := range width {
		for i, d := range g.deg {
			if v := rng.NormFloat64(); d > 0 {
				x.Set(c, i, v)
			}
		}
	}
	orthonormalise(x, constant)
	for range embedSteps {
		g.smooth(y, x)
		x, y = y, x
		orthonormalise(x, constant)
	}
	// Rayleigh–Ritz: the eigenvectors within the subspace.
	g.smooth(y, x)
	small := mat.NewSymDense(width, nil)
	for a := range width {
		for b := a; b < width; b++ {
			small.SetSym(a, b, simd.Dot(row(x, a), row(y, b)))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(small, true) {
		panic("kernel: embed: no eigenvalues of a small symmetric matrix")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	simd.Mul(y, v.T(), x)
	out := mat.NewDense(g.nodes, dims, nil)
	for c := range dims {
		u := y.RawRowView(width - 1 - c) // ascending: the smoothest last
		var square float64
		for i := range u {
			if constant[i] > 0 {
				u[i] /= constant[i]
				square += u[i] * u[i] / float64(linked)
			}
		}
		for i := range u {
			out.Set(i, c, u[i]/math.Sqrt(square))
		}
	}
	return out
}

// smooth sets y = ⅓(2I + D^−½WD^−½)x for every row, with eigenvalues from ⅓ to 1.
func (g *Graph) smooth(y, x *mat.Dense) {
	width, _ := x.Dims()
	num.Parallel(width, 1, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			from, to := x.RawRowView(c), y.RawRowView(c)
			for i := range to {
				index, data := g.w.row(i)
				var s float64
				for p, j := range index {
					s += data[p] / math.Sqrt(g.deg[j]) * from[j]
				}
				if len(index) > 0 {
					s /= math.Sqrt(g.deg[i])
				}
				to[i] = (2*from[i] + s) / 3
			}
		}
	})
}

// orthonormalise makes the rows orthonormal, and orthogonal to a direction, by
// Gram and Schmidt, twice for accuracy.
func orthonormalise(x *mat.Dense, direction []float64) {
	d := simd.Vec(direction)
	square := simd.Dot(d, d)
	width, _ := x.Dims()
	for c := range width {
		v := row(x, c)
		for range 2 {
			simd.Axpy(-simd.Dot(d, v)/square, d, v)
			for b := range c {
				simd.Axpy(-simd.Dot(row(x, b), v), row(x, b), v)
			}
			if norm := simd.Nrm2(v); norm > 0 {
				simd.Scal(1/norm, v)
			}
		}
	}
}

func row(x *mat.Dense, i int) simd.Vector { return simd.Vec(x.RawRowView(i)) }
