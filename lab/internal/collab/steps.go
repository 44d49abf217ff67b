package collab

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
	"palate/population"
)

// kernelOnly has nothing to learn but μ.
func (c *collab) kernelOnly(ctx context.Context) error {
	c.compose(nil, c.out.Sigma2)
	if !c.o.Mean {
		c.out.Converged = true
		return nil
	}
	sums := population.NewSums(c.n, false)
	return c.iterate(ctx, emptied(sums), func() error {
		c.moveMean(sums)
		return nil
	})
}

// emptied has sums begin anew.
func emptied(sums *population.Sums) func(*population.Engine) population.Collector {
	return func(*population.Engine) population.Collector {
		sums.Reset()
		return sums
	}
}

// moveMean is COLLAB (13), corrected: μ ← μ + Σ·mean s_u.
func (c *collab) moveMean(sums *population.Sums) {
	move := make([]float64, c.n)
	simd.BLAS{}.Dgemv(blas.NoTrans, c.n, c.n, 1, c.out.S, c.n, sums.Pull, 1, 0, move, 1)
	num.Axpy(1/float64(c.people.Len()), move, c.out.T)
}

// anyCovariance is NPCA: Σ ← Σ − ΣSΣ.
func (c *collab) anyCovariance(ctx context.Context) error {
	c.k, c.l = nil, nil
	c.compose(nil, c.out.Sigma2)
	n, bl := c.n, simd.BLAS{}
	sums := population.NewSums(n, true)
	return c.iterate(ctx, emptied(sums), func() error {
		c.statistics(sums)
		if c.o.Mean {
			c.moveMean(sums)
		}
		half, next := make([]float64, n*n), slices.Clone(c.out.S)
		bl.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, c.out.S, n, sums.Info, n, 0, half, n)
		bl.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, -1, half, n, c.out.S, n, 1, next, n)
		for i := range n {
			for j := range i { // rounding has driven the triangles apart
				x := (next[i*n+j] + next[j*n+i]) / 2
				next[i*n+j], next[j*n+i] = x, x
			}
		}
		c.out.S = next
		return nil
	})
}

// factorsAndKernel is COLLAB's Algorithm 1.
func (c *collab) factorsAndKernel(ctx context.Context) error {
	n, bl := c.n, simd.BLAS{}
	w := c.start() // W = L⁻¹V
	set := func() {
		v, d := slices.Clone(w), len(w)/n
		if c.l != nil {
			bl.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, d, 1, c.l, n, v, d)
		}
		c.compose(v, c.out.Sigma2)
		c.out.Factor = v
	}
	set()
	sums := population.NewSums(n, true)
	return c.iterate(ctx, emptied(sums), func() error {
		c.statistics(sums)
		if c.o.Mean {
			c.moveMean(sums)
		}
		w, c.out.Sigma2 = c.eigenStep(w, c.out.Sigma2, sums.Info)
		set()
		return nil
	})
}

// start is W before the first step: small random factors or, where Wide says so, those of Σ = I, of which there are as many
// as items until the first step has chosen D.
func (c *collab) start() []float64 {
	n := c.n
	if !c.o.Wide {
		w := make([]float64, n*c.d)
		for i := range w {
			w[i] = 0.1 * c.rng.NormFloat64()
		}
		return w
	}
	w := make([]float64, n*n)
	for i := range n {
		w[i*n+i] = 1
	}
	if c.l != nil {
		simd.BLAS{}.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, c.l, n, w, n)
	}
	c.out.Sigma2 = 0
	return w
}

// statistics turns the sums into S of COLLAB (15), in Info: the mean of
// W_u − s_u s_uᵀ, and ssᵀ of the mean s when μ moves.
func (c *collab) statistics(sums *population.Sums) {
	n, u := c.n, float64(c.people.Len())
	for i := range n {
		for j := range i + 1 {
			x := (sums.Info[i*n+j] - sums.Square[i*n+j]) / u
			if c.o.Mean {
				x += sums.Pull[i] * sums.Pull[j] / (u * u)
			}
			sums.Info[i*n+j], sums.Info[j*n+i] = x, x
		}
	}
}

// eigenStep is COLLAB (17): the D largest eigenpairs of
// C̃ = Σ̃ − Σ̃LᵀSLΣ̃, Σ̃ = σ²I + WWᵀ, without forming it (Algorithm 2,
// corrected), give W = R(Λ − σ²I)^½ with σ² the mean of the other eigenvalues.
func (c *collab) eigenStep(w []float64, sigma2 float64, s []float64) ([]float64, float64) {
	n, d, old := c.n, c.d, len(w)/c.n // factors after the step, and before it
	bl := simd.BLAS{}
	tri := func(t blas.Transpose, x []float64, k int) {
		if c.l != nil {
			bl.Dtrmm(blas.Left, blas.Lower, t, blas.NonUnit, n, k, 1, c.l, n, x, k)
		}
	}
	tilde := func(dst, src []float64, k int) { // Σ̃·src
		t := make([]float64, old*k)
		bl.Dgemm(blas.Trans, blas.NoTrans, old, k, n, 1, w, old, src, k, 0, t, k)
		copy(dst, src)
		bl.Dgemm(blas.NoTrans, blas.NoTrans, n, k, old, 1, w, old, t, k, sigma2, dst, k)
	}
	mul := func(dst, src []float64, k int) {
		a, b := make([]float64, n*k), make([]float64, n*k)
		tilde(a, src, k)
		copy(dst, a)
		tri(blas.NoTrans, a, k)
		bl.Dgemm(blas.NoTrans, blas.NoTrans, n, k, n, 1, s, n, a, k, 0, b, k)
		tri(blas.Trans, b, k)
		tilde(a, b, k)
		num.Axpy(-1, a, dst)
	}
	// tr C̃ = tr Σ̃ − tr(S·LΣ̃²Lᵀ), LΣ̃²Lᵀ = σ⁴K + V(2σ²I + WᵀW)Vᵀ
	ww := mat.NewDense(old, old, nil)
	simd.Mul(ww, mat.NewDense(n, old, w).T(), mat.NewDense(n, old, w))
	trace := float64(n)*sigma2 + mat.Trace(ww)
	for i := range n {
		if c.k == nil {
			trace -= sigma2 * sigma2 * s[i*n+i]
		} else {
			trace -= sigma2 * sigma2 * num.Dot(s[i*n:i*n+n], c.k[i*n:i*n+n])
		}
	}
	v := append([]float64(nil), w...)
	tri(blas.NoTrans, v, old)
	var sv, vsv mat.Dense
	simd.Mul(&sv, mat.NewDense(n, n, s), mat.NewDense(n, old, v))
	simd.Mul(&vsv, mat.NewDense(n, old, v).T(), &sv)
	for i := range old {
		trace -= 2 * sigma2 * vsv.At(i, i)
		for j := range old {
			trace -= ww.At(i, j) * vsv.At(j, i)
		}
	}
	block := min(d+4, n)
	start := make([]float64, n*block)
	for i := range n {
		for j := range block {
			if j < min(d, old) {
				start[i*block+j] = w[i*old+j]
			} else {
				start[i*block+j] = c.rng.NormFloat64()
			}
		}
	}
	values, r := topEigen(n, d, start, block, 1e-9, c.rng, mul)
	rest := trace
	for _, x := range values {
		rest -= x
	}
	sigma2 = max(rest/float64(n-d), 1e-12*trace/float64(n))
	for i := range n {
		for j, x := range values {
			r[i*d+j] *= math.Sqrt(max(x-sigma2, 0))
		}
	}
	return r, sigma2
}
