package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
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
	Base

	itemSpace unitSpace
	userSpace unitSpace
	variance  float64
	items     *mat.Dense // kernel between items
	people    *mat.Dense // kernel between users; the last row is the consensus
	cells     []cell
	problem   *infer.Problem
	result    *infer.Result
	together  *together
}

type cell struct{ user, item int }

// FitTensor fits the joint process. Without features people, or items, are
// independent. When ctx ends before it is done it returns the error of ctx.
func FitTensor(ctx context.Context, d *palate.Dataset, o *TensorOptions) (*Tensor, error) {
	opt := *cmp.Or(o, &TensorOptions{})
	if opt.Rule == nil {
		opt.Rule = infer.Laplace{}
	}
	opt.Jitter = cmp.Or(opt.Jitter, 0.1)
	opt.MaxCells = cmp.Or(opt.MaxCells, 6000)
	m := &Tensor{Base: newBase(d).withUsers(d), problem: &infer.Problem{Rows: &gp.Rows{}}, together: &together{}}
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
	tallies := d.Tallies(true)
	for _, t := range tallies {
		switch {
		case t.Tie:
			return nil, fmt.Errorf("model: joint: ties are not for this model: leave them out")
		case t.User < 0:
			return nil, fmt.Errorf("model: joint: a vote without a voter")
		}
		m.observe(find(cell{t.User, t.A}), find(cell{t.User, t.B}), t.Weight)
	}
	m.count(tallies)
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
	m.itemSpace = newUnitSpace(d.ItemFeatures(), scale(opt.LogPsiItems, 2), opt.Jitter)
	m.userSpace = newUnitSpace(d.UserFeatures(), scale(opt.LogPsiUsers, -2), opt.Jitter)
	m.variance = scale(opt.LogSigma2, 0)
	if m.itemSpace.x != nil { // features bridge what votes do not connect
		m.groups = [][]int{num.Indices(len(m.ids))}
	}
	if err := m.setPrior(); err != nil {
		return nil, err
	}
	var err error
	if m.result, err = infer.Run(ctx, m.problem, &infer.Settings{Rule: opt.Rule, Tolerance: 1e-6}); err != nil {
		return nil, err
	}
	return m, nil
}

// observe adds a win of one cell over another; a weight that is not whole counts
// for the next whole number of votes that are worth less.
func (m *Tensor) observe(win, lose int, weight float64) {
	n, power := likelihood.Whole(weight)
	m.problem.Rows.AppendPair(win, lose)
	m.problem.Likelihood = append(m.problem.Likelihood, likelihood.Raised(likelihood.Probit{}, power))
	m.problem.Count = append(m.problem.Count, n)
}

// setPrior computes the kernels and the covariance of the cells.
func (m *Tensor) setPrior() error {
	m.setItems()
	u := len(m.users)
	users := m.userSpace.kernel(u)
	// The consensus is everybody's average: a user more.
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
	cov := mat.NewSymDense(len(m.cells), nil)
	for i, a := range m.cells {
		for j, b := range m.cells[:i+1] {
			cov.SetSym(i, j, m.cov(a, b))
		}
	}
	var err error
	m.problem.Prior, err = gp.Covariance(cov)
	return err
}

func (m *Tensor) setItems() {
	m.items = m.itemSpace.kernel(len(m.ids))
	m.items.Scale(m.variance, m.items)
}

// unitSpace is features scaled to [0, 1], with an SE kernel and jitter over them;
// without features what they are of is independent.
type unitSpace struct {
	x              *mat.Dense // nil without features
	low, width     []float64  // by feature
	length, jitter float64
}

func newUnitSpace(f *palate.Features, length, jitter float64) unitSpace {
	s := unitSpace{length: length, jitter: jitter}
	if f == nil || f.Cols == 0 {
		return s
	}
	x := mat.NewDense(f.Rows, f.Cols, slices.Clone(f.Data))
	for j := range f.Cols {
		col := mat.Col(nil, j, x)
		low, width := slices.Min(col), slices.Max(col)-slices.Min(col)
		width = cmp.Or(width, 1)
		s.low, s.width = append(s.low, low), append(s.width, width)
	}
	s.x = s.scaled(x)
	return s
}

// scaled brings features to the unit of the others.
func (s unitSpace) scaled(f *mat.Dense) *mat.Dense {
	x := mat.DenseCopyOf(f)
	x.Apply(func(_, j int, v float64) float64 { return (v - s.low[j]) / s.width[j] }, x)
	return x
}

// kernel returns the covariance of n points.
func (s unitSpace) kernel(n int) *mat.Dense {
	k, jitter := mat.NewDense(n, n, nil), s.jitter
	if s.x != nil {
		p := kernel.Dense(s.x)
		kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{s.length}).MatrixTo(k, p, p)
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
	if user < 0 || user >= len(m.users) {
		user = len(m.users) // the consensus
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

// Name returns "joint".
func (m *Tensor) Name() string { return "joint" }

// Fit returns how the fit went.
func (m *Tensor) Fit() Fit {
	f := Fit{Objective: m.result.Objective, Kind: m.result.Kind.String(), Status: m.result.Status, Stats: m.result.Stats, Scale: 1 / m.variance}
	for _, v := range m.votes {
		f.Votes += v / 2 // every vote has two sides
	}
	return f
}

// Extend returns the model with further items, known only by their features.
func (m *Tensor) Extend(ids []string, features *mat.Dense) (Model, error) {
	r, c := features.Dims()
	switch {
	case m.itemSpace.x == nil:
		return nil, fmt.Errorf("model: joint: the items have no features, so nothing can be said of new ones")
	case r != len(ids) || c != len(m.itemSpace.low):
		return nil, fmt.Errorf("model: joint: %d rows of %d features for %d new items; the others have %d", r, c, len(ids), len(m.itemSpace.low))
	}
	e := *m
	e.Base, e.together = m.grown(ids), &together{}
	e.itemSpace.x = &mat.Dense{}
	e.itemSpace.x.Stack(m.itemSpace.x, m.itemSpace.scaled(features))
	e.setItems()
	return &e, nil
}

// Prefer returns the probability that user picks left over right.
func (m *Tensor) Prefer(user, left, right int) float64 {
	if left == right {
		return 0.5
	}
	f, c := m.predict(user, []int{left, right})
	return wonBy(f[0]-f[1], max(0, c.At(0, 0)+c.At(1, 1)-2*c.At(0, 1)))
}

// wonBy is the chance that a lead with a variance wins a vote of unit noise.
func wonBy(lead, variance float64) float64 { return num.Phi(lead / math.Sqrt(1+variance)) }

// preferTo sets dst to what Prefer says of pairs.
func (m *Tensor) preferTo(dst []float64, user int, left, right []int) {
	m.together.preferTo(dst, user, len(m.ids), left, right, m.momentsTo(user), wonBy)
}

func (m *Tensor) momentsTo(user int) func(items []int) moments {
	return func(items []int) moments {
		mean, cov := m.predict(user, items)
		return moments{mean, cov}
	}
}

// Utility returns mean and variance of the utility of an item.
func (m *Tensor) Utility(user, item int) (mean, variance float64) {
	f, c := m.predict(user, []int{item})
	return f[0], c.At(0, 0)
}

// Draws returns joint draws of the utilities of all items, as the Gaussian has
// them.
func (m *Tensor) Draws(ctx context.Context, user, n int, rng *rand.Rand) (Draws, error) {
	mean, cov := m.predict(user, num.Indices(len(m.ids)))
	return covarianceDraws(ctx, mean, cov, n, rng)
}

// covarianceDraws are n joint draws of a Gaussian.
func covarianceDraws(ctx context.Context, mean []float64, cov *mat.SymDense, n int, rng *rand.Rand) (Draws, error) {
	c, err := num.NewCholesky(cov)
	if err != nil {
		panic(err) // a covariance, up to rounding
	}
	return gaussianDraws(ctx, mean, c, n, rng)
}

// gaussianDraws are n joint draws of a Gaussian by the factor of its covariance.
func gaussianDraws(ctx context.Context, mean []float64, c *num.Cholesky, n int, rng *rand.Rand) (Draws, error) {
	items := len(mean)
	f, l := mat.NewDense(n, items, nil), c.L().RawTriangular()
	err := num.InTurn(ctx, n, func(lo, hi int) {
		some := f.Slice(lo, hi, 0, items).(*mat.Dense).RawMatrix()
		for i := range some.Data[:(hi-lo)*items] {
			some.Data[i] = rng.NormFloat64()
		}
		simd.Trmm(blas.Right, blas.Trans, 1, l, some)
		for k := lo; k < hi; k++ {
			floats.Add(f.RawRowView(k), mean)
		}
	})
	return evenDraws(f, err)
}
