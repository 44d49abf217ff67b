package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
	"palate/likelihood"
)

// TensorOptions are the settings of FitTensor. The zero value, and nil, are
// GPfull-Laplace with the figures of COLLAB table 2.
type TensorOptions struct {
	Rule infer.Rule // nil: Laplace
	// Log length-scales of the SE kernels over items and users, whose features
	// are scaled to [0, 1]; nil stands for 2 and −2.
	LogPsiItems, LogPsiUsers *float64
	LogSigma2                *float64 // log of the variance; nil stands for 0
	Jitter                   float64  // on both kernels; 0 stands for 0.1
	MaxCells                 int      // 0 stands for 6000
}

// Tensor is a joint Gaussian process over people × items: the covariance of two
// cells is that of the items times that of the people (GPfull of COLLAB,
// joint GPPL of CROWD). It grows with the cube of the cells that were voted on,
// and is here as a yardstick.
type Tensor struct {
	ids    []string
	votes  []float64
	items  *mat.Dense // kernel between items
	people *mat.Dense // kernel between users; the last row is the consensus
	cells  []cell
	result *infer.Result
	all    [][]int
}

type cell struct{ user, item int }

// FitTensor fits the joint process. Without features people, or items, are
// independent.
func FitTensor(ctx context.Context, d *palate.Dataset, o *TensorOptions) (*Tensor, error) {
	opt := TensorOptions{}
	if o != nil {
		opt = *o
	}
	if opt.Rule == nil {
		opt.Rule = infer.Laplace{}
	}
	if opt.Jitter == 0 {
		opt.Jitter = 0.1
	}
	if opt.MaxCells == 0 {
		opt.MaxCells = 6000
	}
	m := &Tensor{votes: make([]float64, d.NumItems()), all: [][]int{everything(d.NumItems())}}
	for i := range d.NumItems() {
		m.ids = append(m.ids, d.ItemID(i))
	}
	p := &infer.Problem{Rows: &gp.Rows{}}
	at := map[cell]int{}
	find := func(c cell) int {
		k, ok := at[c]
		if !ok {
			k = len(m.cells)
			at[c] = k
			m.cells = append(m.cells, c)
		}
		return k
	}
	for _, t := range d.Tallies(true) {
		switch {
		case t.Tie:
			return nil, fmt.Errorf("model: joint: ties are not for this model: leave them out")
		case t.User < 0:
			return nil, fmt.Errorf("model: joint: a vote without a voter")
		}
		m.votes[t.A] += t.Weight
		m.votes[t.B] += t.Weight
		p.Rows.AppendPair(find(cell{t.User, t.A}), find(cell{t.User, t.B}))
		p.Likelihood = append(p.Likelihood, likelihood.Probit{})
		p.Count = append(p.Count, t.Weight)
	}
	n := len(m.cells)
	switch {
	case n == 0:
		return nil, fmt.Errorf("model: no votes to learn from: %d votes, all skipped", d.NumVotes())
	case n > opt.MaxCells:
		return nil, fmt.Errorf("model: joint: %d people × items were voted on, and the work grows with their cube; the most is %d: use the population model", n, opt.MaxCells)
	}
	scale := func(x *float64, def float64) float64 {
		if x == nil {
			return math.Exp(def)
		}
		return math.Exp(*x)
	}
	m.items = unitKernel(d.ItemFeatures(), d.NumItems(), scale(opt.LogPsiItems, 2), opt.Jitter)
	m.items.Scale(scale(opt.LogSigma2, 0), m.items)
	users := unitKernel(d.UserFeatures(), d.NumUsers(), scale(opt.LogPsiUsers, -2), opt.Jitter)
	// The consensus is everybody's average: a user more.
	u := d.NumUsers()
	m.people = mat.NewDense(u+1, u+1, nil)
	m.people.Slice(0, u, 0, u).(*mat.Dense).Copy(users)
	var grand float64
	for i := range u {
		mean := mat.Sum(users.RowView(i)) / float64(u)
		m.people.Set(i, u, mean)
		m.people.Set(u, i, mean)
		grand += mean / float64(u)
	}
	m.people.Set(u, u, grand)

	cov := mat.NewSymDense(n, nil)
	for i, a := range m.cells {
		for j, b := range m.cells[:i+1] {
			cov.SetSym(i, j, m.cov(a, b))
		}
	}
	var err error
	if p.Prior, err = gp.Covariance(cov); err != nil {
		return nil, err
	}
	if m.result, err = infer.Run(ctx, p, &infer.Settings{Rule: opt.Rule, Tolerance: 1e-6}); err != nil {
		return nil, err
	}
	return m, nil
}

// unitKernel is the SE kernel on features scaled to [0, 1], plus jitter; the
// identity without features.
func unitKernel(f *palate.Features, n int, length, jitter float64) *mat.Dense {
	k := mat.NewDense(n, n, nil)
	if f != nil && f.Cols > 0 {
		x := mat.NewDense(n, f.Cols, slices.Clone(f.Data))
		for j := range f.Cols {
			col := mat.Col(nil, j, x)
			lo, hi := slices.Min(col), slices.Max(col)
			for i := range col {
				col[i] = (col[i] - lo) / max(hi-lo, math.SmallestNonzeroFloat64)
			}
			x.SetCol(j, col)
		}
		p := kernel.Dense(x)
		kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{length}).MatrixTo(k, p, p)
	} else {
		jitter = 1
	}
	for i := range n {
		k.Set(i, i, k.At(i, i)+jitter)
	}
	return k
}

func (m *Tensor) cov(a, b cell) float64 {
	return m.items.At(a.item, b.item) * m.people.At(a.user, b.user)
}

// predict returns mean and covariance of a user's utilities of some items.
func (m *Tensor) predict(user int, items []int) ([]float64, *mat.SymDense) {
	if user < 0 {
		r, _ := m.people.Dims()
		user = r - 1
	}
	cross := mat.NewDense(len(items), len(m.cells), nil)
	self := mat.NewSymDense(len(items), nil)
	for i, a := range items {
		for j, c := range m.cells {
			cross.Set(i, j, m.cov(cell{user, a}, c))
		}
		for j, b := range items[:i+1] {
			self.SetSym(i, j, m.cov(cell{user, a}, cell{user, b}))
		}
	}
	q := m.result.Posterior
	return q.PredictAt(q.Prior.ProjectCovariance(cross), self)
}

// NumItems returns the number of items.
func (m *Tensor) NumItems() int { return len(m.ids) }

// ItemID returns the identifier of item i.
func (m *Tensor) ItemID(i int) string { return m.ids[i] }

// Groups returns one group: the process connects all items.
func (m *Tensor) Groups() [][]int { return m.all }

// Votes returns how many votes each item took part in.
func (m *Tensor) Votes() []float64 { return m.votes }

// Objective returns the log evidence, by the rule's estimate.
func (m *Tensor) Objective() float64 { return m.result.Objective }

// Prefer returns the probability that user picks left over right.
func (m *Tensor) Prefer(user, left, right int) float64 {
	if left == right {
		return 0.5
	}
	f, c := m.predict(user, []int{left, right})
	return num.Phi((f[0] - f[1]) / math.Sqrt(1+max(0, c.At(0, 0)+c.At(1, 1)-2*c.At(0, 1))))
}

// Utility returns mean and variance of the utility of an item.
func (m *Tensor) Utility(user, item int) (mean, variance float64) {
	f, c := m.predict(user, []int{item})
	return f[0], c.At(0, 0)
}

// Draws returns joint draws of the utilities of all items, as the Gaussian has
// them.
func (m *Tensor) Draws(user, n int, rng *rand.Rand) Draws {
	mean, cov := m.predict(user, m.all[0])
	c, err := num.NewCholesky(cov)
	if err != nil {
		panic(err) // the jitter on the item kernel keeps it positive definite
	}
	items := len(mean)
	f := mat.NewDense(n, items, nil)
	white := make([]float64, items)
	l := c.L()
	for k := range n {
		for i := range white {
			white[i] = rng.NormFloat64()
		}
		row := mat.NewVecDense(items, f.RawRowView(k))
		row.MulVec(l, mat.NewVecDense(items, white))
		row.AddVec(row, mat.NewVecDense(items, mean))
	}
	return evenDraws(f)
}
