package feature

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// maxGram bounds the texts that axes are found from: their Gram matrix has the square of it.
const maxGram = 3000

// principalAxes finds the leading eigenvectors of the Gram matrix of texts, or of some thousands of them, less their means:
// means[of[i]] for text i. It returns them as m × rank axes on which texts have coordinates with a mean variance of
// 1/rank. Subspace iteration mixes those at the end of a flat spectrum with what follows them, which has about the same
// variance.
func principalAxes(ctx context.Context, rows []sparse, of []int, means []sparse, m int) (Floats, int, error) {
	if every := (len(rows) + maxGram - 1) / maxGram; every > 1 {
		var some []sparse
		var ofSome []int
		for i := 0; i < len(rows); i += every {
			some, ofSome = append(some, rows[i]), append(ofSome, of[i])
		}
		rows, of = some, ofSome
	}
	n := len(rows)
	rank := max(0, min(blockRank, n-1, m))
	if rank == 0 {
		return nil, 0, nil
	}
	g := gram(ctx, rows, m)
	centre(g, of, len(means))
	values, u := eigenvectors(ctx, g, min(rank+10, n, m))
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	// Coordinates on unit axes have the eigenvalues as their sums of squares.
	total, wide := 0.0, len(values)
	most := rank
	rank = 0
	for k := range most {
		if values[wide-1-k] > 1e-10*values[wide-1] {
			rank++
			total += values[wide-1-k] / float64(n)
		}
	}
	if !(total > 0) {
		return nil, 0, nil
	}
	all := mat.NewDense(m, wide, nil)
	timesTransposedTo(all, rows, of, means, u)
	scale := 1 / math.Sqrt(total) // mean variance 1, over √rank
	out := make(Floats, m*rank)
	for k := range rank {
		column := wide - 1 - k
		sign := scale / math.Sqrt(values[column])
		largest := 0.0
		for i := range m { // a sign that does not depend on the start
			if x := all.At(i, column); math.Abs(x) > largest*(1+1e-6) {
				largest = math.Abs(x)
				sign = math.Copysign(sign, x)
			}
		}
		for i := range m {
			out[i*rank+k] = float32(sign * all.At(i, column))
		}
	}
	return out, rank, nil
}

// gram returns the inner products of some vectors of m terms; nonsense when ctx has ended.
func gram(ctx context.Context, rows []sparse, m int) *mat.Dense {
	n := len(rows)
	type use struct {
		row int
		x   float64
	}
	uses := make([][]use, m)
	for i, v := range rows {
		for k, at := range v.at {
			uses[at] = append(uses[at], use{i, v.x[k]})
		}
	}
	g := mat.NewDense(n, n, nil)
	for _, list := range uses {
		if ctx.Err() != nil {
			break
		}
		for a, u := range list {
			row := g.RawRowView(u.row)
			for _, w := range list[:a+1] {
				row[w.row] += u.x * w.x
			}
		}
	}
	for i := range n {
		for j := range i {
			g.Set(j, i, g.At(i, j))
		}
	}
	return g
}

// centre takes the mean of its group from every vector of a Gram matrix: from its rows and its columns.
func centre(g *mat.Dense, of []int, groups int) {
	n, _ := g.Dims()
	size := make([]float64, groups)
	for _, k := range of {
		size[k]++
	}
	for range 2 {
		mean := mat.NewDense(groups, n, nil)
		for i, k := range of {
			floats.AddScaled(mean.RawRowView(k), 1/size[k], g.RawRowView(i))
		}
		for i, k := range of {
			floats.Sub(g.RawRowView(i), mean.RawRowView(k))
		}
		for i := range n { // then the columns, which are the rows of the transpose
			for j := range i {
				a, b := g.At(i, j), g.At(j, i)
				g.Set(i, j, b)
				g.Set(j, i, a)
			}
		}
	}
}

// eigenvectors returns the largest eigenvalues of a symmetric matrix, ascending, and their vectors, by subspace iteration,
// which is cut short when ctx ends.
func eigenvectors(ctx context.Context, g *mat.Dense, wide int) ([]float64, *mat.Dense) {
	n, _ := g.Dims()
	rng := rand.New(rand.NewPCG(1, 2)) // any start does
	q, z := mat.NewDense(n, wide, nil), mat.NewDense(n, wide, nil)
	for i := range q.RawMatrix().Data {
		q.RawMatrix().Data[i] = rng.NormFloat64()
	}
	for k := 0; k < 20 && ctx.Err() == nil; k++ {
		simd.Mul(z, g, q)
		orthonormalTo(q, z)
	}
	simd.Mul(z, g, q)
	var full mat.Dense
	simd.Mul(&full, q.T(), z)
	small := mat.NewSymDense(wide, nil)
	for i := range wide {
		for j := range i + 1 {
			small.SetSym(i, j, 0.5*(full.At(i, j)+full.At(j, i)))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(small, true) {
		panic("ingest: no eigenvectors of a symmetric matrix")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	simd.Mul(z, q, &v)
	return eig.Values(nil), z
}

// orthonormalTo sets q to an orthonormal basis of the columns of z, by Gram and Schmidt's method, twice.
func orthonormalTo(q, z *mat.Dense) {
	t := mat.DenseCopyOf(z.T())
	n, _ := t.Dims()
	for k := range n {
		row := t.RawRowView(k)
		before := floats.Norm(row, 2)
		for range 2 {
			for j := range k {
				other := t.RawRowView(j)
				floats.AddScaled(row, -floats.Dot(row, other), other)
			}
		}
		if norm := floats.Norm(row, 2); norm > 1e-12*before {
			floats.Scale(1/norm, row)
		} else { // a column that depends on the others
			clear(row)
		}
	}
	q.Copy(t.T())
}

// timesTransposedTo sets z = (X − M)ᵀ·y, row i of M being means[of[i]].
func timesTransposedTo(z *mat.Dense, rows []sparse, of []int, means []sparse, y *mat.Dense) {
	_, wide := y.Dims()
	z.Zero()
	sum := mat.NewDense(len(means), wide, nil)
	for i, v := range rows {
		from := y.RawRowView(i)
		floats.Add(sum.RawRowView(of[i]), from)
		for k, at := range v.at {
			floats.AddScaled(z.RawRowView(at), v.x[k], from)
		}
	}
	for g, mean := range means {
		for k, at := range mean.at {
			floats.AddScaled(z.RawRowView(at), -mean.x[k], sum.RawRowView(g))
		}
	}
}
