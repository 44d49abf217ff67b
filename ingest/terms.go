package ingest

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	maxTerms  = 8000 // of a block, the most frequent ones, so that a model file stays small
	blockRank = 50   // of a block; 50 did better than 100 and 200
)

// Terms is a block of features from the terms of texts, words or runs of letters. A text is a vector of
// (1 + log tf)·log(N/df), of length 1, from which the mean of the corpus is taken; its features are its
// coordinates on the leading eigenvectors of the corpus's Gram matrix, with a mean variance of 1/rank.
type Terms struct {
	Terms []string `json:"terms"` // in alphabetical order
	DF    []int    `json:"df"`    // in how many texts of the corpus each is
	Texts int      `json:"texts"` // in the corpus
	Mean  Floats   `json:"mean"`  // of the corpus, one a term
	Axes  Floats   `json:"axes"`  // len(Terms) × Rank, row by row
	Rank  int      `json:"rank"`

	centre []float64 // the mean on the axes
}

// Floats are numbers kept to single precision, in JSON as little-endian bytes in base64.
type Floats []float32

// MarshalJSON writes the numbers.
func (f Floats) MarshalJSON() ([]byte, error) {
	raw := make([]byte, 0, 4*len(f))
	for _, x := range f {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return json.Marshal(base64.StdEncoding.EncodeToString(raw))
}

// UnmarshalJSON reads the numbers.
func (f *Floats) UnmarshalJSON(text []byte) error {
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	raw, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(raw)%4 != 0 {
		return fmt.Errorf("ingest: numbers are not base64 of whole float32s")
	}
	*f = make(Floats, len(raw)/4)
	for k := range *f {
		(*f)[k] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*k:]))
		if x := float64((*f)[k]); math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("ingest: number %d is %v", k, x)
		}
	}
	return nil
}

// learnTerms makes a block from a corpus, given as the terms of each text, of terms in at least low and at most
// high texts.
func learnTerms(texts [][]string, low, high int) *Terms {
	df := map[string]int{}
	for _, terms := range texts {
		seen := map[string]bool{}
		for _, t := range terms {
			if !seen[t] {
				seen[t] = true
				df[t]++
			}
		}
	}
	b := &Terms{Texts: len(texts)}
	for t, n := range df {
		if n >= low && n <= high {
			b.Terms = append(b.Terms, t)
		}
	}
	slices.SortFunc(b.Terms, func(x, y string) int { return cmp.Or(cmp.Compare(df[y], df[x]), cmp.Compare(x, y)) })
	b.Terms = b.Terms[:min(len(b.Terms), maxTerms)]
	slices.Sort(b.Terms)
	for _, t := range b.Terms {
		b.DF = append(b.DF, df[t])
	}
	b.Mean = make(Floats, len(b.Terms))
	rows := make([]sparse, len(texts))
	sum := make([]float64, len(b.Terms))
	for i, terms := range texts {
		rows[i] = b.vector(terms)
		for k, at := range rows[i].at {
			sum[at] += rows[i].x[k]
		}
	}
	for k := range sum {
		b.Mean[k] = float32(sum[k] / float64(len(texts)))
	}
	b.axes(rows)
	return b
}

// sparse is a vector by its non-zeros.
type sparse struct {
	at []int
	x  []float64
}

// df returns in how many texts of the corpus a term is, 1 when it is not among those kept.
func (b *Terms) df(term string) float64 {
	if k, ok := slices.BinarySearch(b.Terms, term); ok {
		return float64(b.DF[k])
	}
	return 1
}

// vector weighs the terms of a text; its length is 1, or 0 when no term is known.
func (b *Terms) vector(terms []string) sparse {
	tf := map[int]float64{}
	for _, t := range terms {
		if k, ok := slices.BinarySearch(b.Terms, t); ok {
			tf[k]++
		}
	}
	var v sparse
	norm := 0.0
	for k := range tf {
		v.at = append(v.at, k)
	}
	slices.Sort(v.at)
	for _, k := range v.at {
		x := (1 + math.Log(tf[k])) * math.Log(float64(b.Texts)/float64(b.DF[k]))
		v.x = append(v.x, x)
		norm += x * x
	}
	if norm = math.Sqrt(norm); norm > 0 {
		for k := range v.x {
			v.x[k] /= norm
		}
	}
	return v
}

// typical is the mean cosine of a text with those of the corpus.
func (b *Terms) typical(v sparse) (c float64) {
	for k, at := range v.at {
		c += v.x[k] * float64(b.Mean[at])
	}
	return c
}

// axes finds the leading eigenvectors by subspace iteration. Those at the end of a flat spectrum are mixed with
// what follows them, which have about the same variance.
func (b *Terms) axes(rows []sparse) {
	n, m := len(rows), len(b.Terms)
	b.Rank = max(0, min(blockRank, n-1, m))
	if b.Rank == 0 {
		return
	}
	wide := min(b.Rank+10, n, m)
	rng := rand.New(rand.NewPCG(1, 2)) // any start does
	q := mat.NewDense(m, wide, nil)
	for i := range m {
		for j := range wide {
			q.Set(i, j, rng.NormFloat64())
		}
	}
	y, z := mat.NewDense(n, wide, nil), mat.NewDense(m, wide, nil)
	for range 16 {
		b.timesTo(y, rows, q)
		b.timesTransposedTo(z, rows, y)
		orthonormalTo(q, z)
	}
	b.timesTo(y, rows, q)
	var small mat.SymDense
	small.SymOuterK(1, y.T())
	var eig mat.EigenSym
	if !eig.Factorize(&small, true) {
		b.Rank = 0
		return
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	values := eig.Values(nil)
	var axes mat.Dense
	axes.Mul(q, &v)
	// Coordinates on unit axes have the eigenvalues as their sums of squares.
	total, rank := 0.0, 0
	for k := range b.Rank {
		if values[wide-1-k] > 1e-10*values[wide-1] {
			rank++
			total += values[wide-1-k] / float64(n)
		}
	}
	if b.Rank = rank; rank == 0 || !(total > 0) {
		b.Rank = 0
		return
	}
	scale := 1 / math.Sqrt(total) // mean variance 1, over √rank
	b.Axes = make(Floats, m*rank)
	for k := range rank {
		column := wide - 1 - k
		sign := scale
		largest := 0.0
		for i := range m { // a sign that does not depend on the start
			if x := axes.At(i, column); math.Abs(x) > largest*(1+1e-6) {
				largest = math.Abs(x)
				sign = math.Copysign(scale, x)
			}
		}
		for i := range m {
			b.Axes[i*rank+k] = float32(sign * axes.At(i, column))
		}
	}
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

// timesTo sets y = (X − 1·meanᵀ)·q.
func (b *Terms) timesTo(y *mat.Dense, rows []sparse, q *mat.Dense) {
	_, wide := q.Dims()
	centre := make([]float64, wide)
	for k, mean := range b.Mean {
		for j, x := range q.RawRowView(k) {
			centre[j] += float64(mean) * x
		}
	}
	for i, v := range rows {
		to := y.RawRowView(i)
		for j := range to {
			to[j] = -centre[j]
		}
		for k, at := range v.at {
			for j, x := range q.RawRowView(at) {
				to[j] += v.x[k] * x
			}
		}
	}
}

// timesTransposedTo sets z = (X − 1·meanᵀ)ᵀ·y.
func (b *Terms) timesTransposedTo(z *mat.Dense, rows []sparse, y *mat.Dense) {
	_, wide := y.Dims()
	z.Zero()
	sum := make([]float64, wide)
	for i, v := range rows {
		from := y.RawRowView(i)
		for j, x := range from {
			sum[j] += x
		}
		for k, at := range v.at {
			to := z.RawRowView(at)
			for j, x := range from {
				to[j] += v.x[k] * x
			}
		}
	}
	for k, mean := range b.Mean {
		to := z.RawRowView(k)
		for j := range to {
			to[j] -= float64(mean) * sum[j]
		}
	}
}

func (b *Terms) prepare() {
	b.centre = make([]float64, b.Rank)
	for k, mean := range b.Mean {
		for j := range b.centre {
			b.centre[j] += float64(mean) * float64(b.Axes[k*b.Rank+j])
		}
	}
}

// encodeTo writes the features of a text.
func (b *Terms) encodeTo(dst []float64, v sparse) {
	for j := range dst {
		dst[j] = -b.centre[j]
	}
	for k, at := range v.at {
		for j := range dst {
			dst[j] += v.x[k] * float64(b.Axes[at*b.Rank+j])
		}
	}
}

func (b *Terms) check() error {
	switch {
	case len(b.DF) != len(b.Terms) || len(b.Mean) != len(b.Terms):
		return fmt.Errorf("%d counts and %d means for %d terms", len(b.DF), len(b.Mean), len(b.Terms))
	case b.Rank < 0 || len(b.Axes) != b.Rank*len(b.Terms):
		return fmt.Errorf("%d numbers in %d axes of %d terms", len(b.Axes), b.Rank, len(b.Terms))
	case !slices.IsSorted(b.Terms):
		return fmt.Errorf("terms out of order")
	}
	for k, n := range b.DF {
		if n < 1 || n > b.Texts {
			return fmt.Errorf("term %q in %d of %d texts", b.Terms[k], n, b.Texts)
		}
	}
	return nil
}
