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
// coordinates on the leading eigenvectors of the corpus's Gram matrix, with a mean variance of 1/rank. Where texts come
// in groups, it is the mean of its group that is taken from a text, so that axes tell texts of a group apart.
type Terms struct {
	Terms []string `json:"terms"` // in alphabetical order
	DF    []int    `json:"df"`    // in how many texts of the corpus each is
	Texts int      `json:"texts"` // in the corpus
	Mean  Floats   `json:"mean"`  // of the corpus, one a term
	Axes  Floats   `json:"axes"`  // len(Terms) × Rank, row by row
	Rank  int      `json:"rank"`
	// Groups are the means of groups of texts; none where texts are all of one.
	Groups []TermGroup `json:"groups,omitempty"`
}

// TermGroup is the mean of the texts of a group, by its non-zeros.
type TermGroup struct {
	Name string `json:"name"`
	At   []int  `json:"at"`
	Mean Floats `json:"mean"`
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

// learnTerms makes a block from a corpus, given as the terms of each text and its group, of terms in at least low and
// at most high texts; groups are nil where there are none.
func learnTerms(texts [][]string, groups []string, low, high int) *Terms {
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
	rows := make([]sparse, len(texts))
	for i, terms := range texts {
		rows[i] = b.vector(terms)
	}
	b.Mean = make(Floats, len(b.Terms))
	whole := meanOf(rows)
	for k, at := range whole.at {
		b.Mean[at] = float32(whole.x[k])
	}
	of, means := make([]int, len(texts)), []sparse{b.mean()}
	if groups != nil {
		means = nil
		for g, members := range grouped(groups) {
			mean := meanOf(pick(rows, members))
			for _, i := range members {
				of[i] = g
			}
			group := TermGroup{Name: groups[members[0]], At: mean.at}
			for _, x := range mean.x {
				group.Mean = append(group.Mean, float32(x))
			}
			b.Groups = append(b.Groups, group)
			means = append(means, group.mean())
		}
	}
	b.axes(rows, of, means)
	return b
}

// grouped lists the members of each group, by first member.
func grouped(groups []string) (members [][]int) {
	at := map[string]int{}
	for i, name := range groups {
		g, ok := at[name]
		if !ok {
			g = len(members)
			at[name] = g
			members = append(members, nil)
		}
		members[g] = append(members[g], i)
	}
	return members
}

func pick(rows []sparse, members []int) (out []sparse) {
	for _, i := range members {
		out = append(out, rows[i])
	}
	return out
}

// meanOf returns the mean of some vectors.
func meanOf(rows []sparse) (mean sparse) {
	sum := map[int]float64{}
	for _, v := range rows {
		for k, at := range v.at {
			sum[at] += v.x[k]
		}
	}
	for at := range sum {
		mean.at = append(mean.at, at)
	}
	slices.Sort(mean.at)
	for _, at := range mean.at {
		mean.x = append(mean.x, sum[at]/float64(len(rows)))
	}
	return mean
}

func (g TermGroup) mean() sparse { return sparse{g.At, widened(g.Mean)} }

// mean of the corpus.
func (b *Terms) mean() (mean sparse) {
	mean.x = widened(b.Mean)
	for at := range b.Mean {
		mean.at = append(mean.at, at)
	}
	return mean
}

func widened(f Floats) []float64 {
	x := make([]float64, len(f))
	for k, v := range f {
		x[k] = float64(v)
	}
	return x
}

// means returns the mean to take from each text of a table: that of its group in the corpus, of a group the corpus
// does not have that of its texts here, or for one that stands alone that of the corpus.
func (b *Terms) means(rows []sparse, groups []string) []*sparse {
	out := make([]*sparse, len(rows))
	whole := b.mean()
	if len(b.Groups) == 0 || groups == nil {
		for i := range out {
			out[i] = &whole
		}
		return out
	}
	for _, members := range grouped(groups) {
		mean := &whole
		if g := b.group(groups[members[0]]); g != nil {
			m := g.mean()
			mean = &m
		} else if len(members) > 1 {
			m := meanOf(pick(rows, members))
			mean = &m
		}
		for _, i := range members {
			out[i] = mean
		}
	}
	return out
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

// usage returns for each text of a table in how many texts a word is: those of the corpus, and of a group that the
// corpus does not have, as it would be if it had.
func (b *Terms) usage(texts, groups []string) []func(word string) float64 {
	out := make([]func(string) float64, len(texts))
	for i := range out {
		out[i] = b.df
	}
	if len(b.Groups) == 0 || groups == nil {
		return out
	}
	for _, members := range grouped(groups) {
		if b.group(groups[members[0]]) != nil {
			continue
		}
		count := map[string]float64{}
		for _, i := range members {
			seen := map[string]bool{}
			for _, w := range words(texts[i]) {
				if !seen[w] {
					seen[w] = true
					count[w]++
				}
			}
		}
		df := func(word string) float64 {
			if k, ok := slices.BinarySearch(b.Terms, word); ok {
				return float64(b.DF[k]) + count[word]
			}
			return max(1, count[word])
		}
		for _, i := range members {
			out[i] = df
		}
	}
	return out
}

// group returns the group of a name, nil when the corpus does not have it.
func (b *Terms) group(name string) *TermGroup {
	k := slices.IndexFunc(b.Groups, func(g TermGroup) bool { return g.Name == name })
	if k < 0 {
		return nil
	}
	return &b.Groups[k]
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

// typical is the mean cosine of a text with those whose mean is given.
func typical(v sparse, mean *sparse) (c float64) {
	j := 0
	for k, at := range v.at {
		for j < len(mean.at) && mean.at[j] < at {
			j++
		}
		if j < len(mean.at) && mean.at[j] == at {
			c += v.x[k] * mean.x[j]
		}
	}
	return c
}

// axes finds the leading eigenvectors of the Gram matrix of the texts, or of some thousands of them, by subspace
// iteration. Those at the end of a flat spectrum are mixed with what follows them, which have about the same variance.
func (b *Terms) axes(rows []sparse, of []int, means []sparse) {
	if every := (len(rows) + maxGram - 1) / maxGram; every > 1 {
		var some []sparse
		var ofSome []int
		for i := 0; i < len(rows); i += every {
			some, ofSome = append(some, rows[i]), append(ofSome, of[i])
		}
		rows, of = some, ofSome
	}
	n, m := len(rows), len(b.Terms)
	b.Rank = max(0, min(blockRank, n-1, m))
	if b.Rank == 0 {
		return
	}
	g := gram(rows, m)
	centre(g, of, len(means))
	wide := min(b.Rank+10, n, m)
	rng := rand.New(rand.NewPCG(1, 2)) // any start does
	q, z := mat.NewDense(n, wide, nil), mat.NewDense(n, wide, nil)
	for i := range q.RawMatrix().Data {
		q.RawMatrix().Data[i] = rng.NormFloat64()
	}
	for range 20 {
		z.Mul(g, q)
		orthonormalTo(q, z)
	}
	z.Mul(g, q)
	var full mat.Dense
	full.Mul(q.T(), z)
	small := mat.NewSymDense(wide, nil)
	for i := range wide {
		for j := range i + 1 {
			small.SetSym(i, j, 0.5*(full.At(i, j)+full.At(j, i)))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(small, true) {
		b.Rank = 0
		return
	}
	var v, u mat.Dense
	eig.VectorsTo(&v)
	u.Mul(q, &v)
	values := eig.Values(nil)
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
	axes := mat.NewDense(m, wide, nil)
	timesTransposedTo(axes, rows, of, means, &u)
	scale := 1 / math.Sqrt(total) // mean variance 1, over √rank
	b.Axes = make(Floats, m*rank)
	for k := range rank {
		column := wide - 1 - k
		sign := scale / math.Sqrt(values[column])
		largest := 0.0
		for i := range m { // a sign that does not depend on the start
			if x := axes.At(i, column); math.Abs(x) > largest*(1+1e-6) {
				largest = math.Abs(x)
				sign = math.Copysign(sign, x)
			}
		}
		for i := range m {
			b.Axes[i*rank+k] = float32(sign * axes.At(i, column))
		}
	}
}

// maxGram bounds the texts that axes are found from: their Gram matrix has the square of it.
const maxGram = 3000

// gram returns the inner products of some vectors of m terms.
func gram(rows []sparse, m int) *mat.Dense {
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

// onAxes adds times v to its coordinates on the axes.
func (b *Terms) onAxes(dst []float64, times float64, v sparse) {
	for k, at := range v.at {
		x := times * v.x[k]
		for j, a := range b.Axes[at*b.Rank : (at+1)*b.Rank] {
			dst[j] += x * float64(a)
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
	for _, g := range b.Groups {
		if len(g.At) != len(g.Mean) || !slices.IsSorted(g.At) || len(g.At) > 0 && (g.At[0] < 0 || g.At[len(g.At)-1] >= len(b.Terms)) {
			return fmt.Errorf("group %q: %d means at %d of %d terms", g.Name, len(g.Mean), len(g.At), len(b.Terms))
		}
	}
	for k, n := range b.DF {
		if n < 1 || n > b.Texts {
			return fmt.Errorf("term %q in %d of %d texts", b.Terms[k], n, b.Texts)
		}
	}
	return nil
}
