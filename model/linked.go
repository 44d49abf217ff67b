package model

import (
	"cmp"
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

// Linked is one utility for all voters that learns vote by vote: every vote
// moves all items at once, in O(n²) (AXPGP: LINK §2.2). Its kernel may add up
// features, links between items (kernel.Graph) and a share of the item's own.
//
// Observe takes one vote; the posterior is then that of assumed-density
// filtering, a single pass of EP, which depends a little on the order of the
// votes. Revisit takes it to the fixed point of EP, where a batch fit ends.
type Linked struct {
	Base

	prior  *gp.Prior
	online *infer.Online
	voting voting
	margin float64 // of ties where the threshold is 0
}

// LinkedOptions are the settings of NewLinked; nil means the defaults.
type LinkedOptions struct {
	// Scale is the inverse scale s of the kernel; 0 stands for 1.
	Scale float64
	// Threshold is the margin below which voters call a tie; 0: they never do.
	Threshold float64
	// Rule of inference; nil: EP.
	Rule infer.Rule
	// Revisits is how many earlier votes are looked at again, in turn, with every
	// vote: a posterior near the fixed point of EP at a cost a vote that stays
	// O(n²). 0: none, assumed-density filtering as in LINK.
	Revisits int
	// Groups, if set, are the items that are compared only among themselves,
	// such as the documents of one query. All learn from each other's votes.
	Groups [][]int
}

// NewLinked starts at the prior. x are the items, in the order of ids; a nil
// kernel stands for independent items.
func NewLinked(ids []string, k kernel.Kernel, x kernel.Points, o *LinkedOptions) (*Linked, error) {
	opt := *cmp.Or(o, &LinkedOptions{})
	n := len(ids)
	if n < 2 {
		return nil, fmt.Errorf("model: linked: %d items; it takes two to compare", n)
	}
	if n > maxLinked {
		return nil, fmt.Errorf("model: linked: %d items; vote by vote it takes the covariance of all, and the most that fits is %d: fit them in one go", n, maxLinked)
	}
	if x.Len() != n {
		panic(fmt.Sprintf("model: linked: %d identifiers for %d points", n, x.Len()))
	}
	opt.Scale = cmp.Or(opt.Scale, 1)
	if !(opt.Scale > 0) || math.IsInf(opt.Scale, 1) || !(opt.Threshold >= 0) {
		return nil, fmt.Errorf("model: linked: inverse scale %g, tie threshold %g", opt.Scale, opt.Threshold)
	}
	m := &Linked{Base: namedBase(ids), voting: voting{threshold: opt.Threshold}}
	var err error
	if k == nil {
		m.prior = gp.White(n)
	} else if m.prior, err = gp.Dense(k, x); err != nil {
		return nil, err
	}
	if opt.Groups != nil {
		m.groups = opt.Groups
	}
	if m.online, err = infer.NewOnline(m.prior, opt.Scale, opt.Rule); err != nil {
		return nil, err
	}
	m.online.Revisits = max(0, opt.Revisits)
	return m, nil
}

// Observe learns from one vote; skips teach nothing. A weight that is not whole
// counts as the next whole number of votes that weigh less.
func (m *Linked) Observe(v palate.Vote) error {
	win, lose, l, copies, err := voteRow(len(m.ids), m.voting, m.margin, v)
	if err != nil || v.Outcome == palate.Skip {
		return err
	}
	for range copies {
		if err := m.online.Vote(win, lose, l); err != nil {
			return err
		}
	}
	m.votes[win] += v.Weight
	m.votes[lose] += v.Weight
	return nil
}

// voteRow returns a vote between n items as an observation made so many times. A tie has
// the margin of the voting, or the other where that is 0.
func voteRow(n int, voting voting, margin float64, v palate.Vote) (win, lose int, l likelihood.Scalar, copies int, err error) {
	if v.Left < 0 || v.Right < 0 || v.Left >= n || v.Right >= n || v.Left == v.Right || !(v.Weight > 0) || math.IsInf(v.Weight, 1) {
		return 0, 0, nil, 0, fmt.Errorf("model: linked: vote between items %d and %d of %d with weight %g", v.Left, v.Right, n, v.Weight)
	}
	win, lose, l = v.Left, v.Right, voting.win()
	switch v.Outcome {
	case palate.Right:
		win, lose = lose, win
	case palate.Tie:
		voting.threshold = cmp.Or(voting.threshold, margin)
		if voting.threshold == 0 {
			return 0, 0, nil, 0, fmt.Errorf("model: linked: items %d and %d tied, but the tie threshold is 0", v.Left, v.Right)
		}
		win, lose, l = min(win, lose), max(win, lose), voting.tie()
	}
	whole, power := likelihood.Whole(v.Weight)
	return win, lose, likelihood.Raised(l, power), int(whole), nil
}

// Forget takes back a vote that was observed, or that the fit that m continues
// was made from, in O(n²) and a look at all rows.
func (m *Linked) Forget(v palate.Vote) error {
	win, lose, l, copies, err := voteRow(len(m.ids), m.voting, m.margin, v)
	if err != nil || v.Outcome == palate.Skip {
		return err
	}
	for range copies {
		if !m.online.Retract(win, lose, l) {
			return fmt.Errorf("model: linked: no such vote between items %d and %d to forget", v.Left, v.Right)
		}
	}
	m.votes[win] -= v.Weight
	m.votes[lose] -= v.Weight
	return nil
}

// Frozen returns the model as it is now, for predictions and boards while m
// learns on; it cannot learn.
func (m *Linked) Frozen() *Linked {
	f := *m
	f.votes, f.online = slices.Clone(m.votes), m.online.Frozen()
	return &f
}

// newTies is the margin of ties that a model without ties is told of.
const newTies = 0.2

// Online returns the model as one that goes on learning vote by vote, from where
// the fit ended; the fit itself stays as it is. Where no votes tied, further ties
// have a margin of a fifth of the noise.
func (m *Single) Online() (*Linked, error) {
	q := m.result.Posterior
	if n := len(m.ids); q.Prior.Owned() && n > maxLinked {
		return nil, fmt.Errorf("model: online: %d items; the most that fits is %d", n, maxLinked)
	}
	prior := q.Prior
	if m.links != nil {
		var err error
		if prior, err = gp.Dense(m.kernel, m.x); err != nil {
			return nil, err
		}
	}
	if q.Prior.Sparse() {
		return nil, fmt.Errorf("model: online: %d items are seen through inducing points; it takes a weight an item", len(m.ids))
	}
	p, sites := m.problem(prior, q.Scale, m.voting, 0), m.result.Sites
	if m.obs.group != nil || m.obs.answer != nil || m.obs.habit != nil { // what voters said stays as it is, and those who come are like them
		p, sites = &infer.Problem{Prior: prior, Rows: &gp.Rows{}, Scale: q.Scale}, nil
	}
	o, err := infer.ResumeOnline(p, q, sites, m.rule())
	if err != nil {
		return nil, err
	}
	b := m.Base
	b.votes = slices.Clone(m.votes)
	return &Linked{Base: b, prior: prior, online: o, voting: m.voting, margin: newTies}, nil
}

// Revisit sweeps over the votes until their sites settle within the tolerance,
// at most so many times.
func (m *Linked) Revisit(ctx context.Context, tolerance float64, sweeps int) infer.Status {
	return m.online.Revisit(ctx, tolerance, sweeps)
}

// Utility returns mean and variance of an item's utility, the same for any
// user.
func (m *Linked) Utility(_, item int) (mean, variance float64) {
	s := m.online.State()
	return s.Mean[item], s.Cov.At(item, item)
}

// Prefer returns the probability that left beats right.
func (m *Linked) Prefer(_, left, right int) float64 {
	s := m.online.State()
	v := s.Cov.At(left, left) + s.Cov.At(right, right) - 2*s.Cov.At(left, right)
	return m.voting.prefer(s.Mean[left]-s.Mean[right], max(v, 0))
}

// UtilitiesTo sets mean and variance to those of all items.
func (m *Linked) UtilitiesTo(ctx context.Context, mean, variance []float64, _ int) error {
	s := m.online.State()
	copy(mean, s.Mean)
	for i := range m.ids {
		variance[i] = s.Cov.At(i, i)
	}
	return ctx.Err()
}

// CovarianceTo sets dst_k to the covariance of item and others[k].
func (m *Linked) CovarianceTo(dst []float64, _, item int, others []int) {
	a := m.online.State().Cov.RawSymmetric()
	row := a.Data[item*a.Stride:]
	for k, j := range others {
		if j >= item {
			dst[k] = row[j]
		} else {
			dst[k] = a.Data[j*a.Stride+item]
		}
	}
}

// Draws returns joint draws from the Gaussian posterior.
func (m *Linked) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	s := m.online.State()
	chol, err := num.NewCholesky(s.Cov)
	if err != nil {
		panic(err) // rank-one steps keep a covariance positive definite
	}
	return gaussianDraws(ctx, s.Mean, chol, n, rng)
}

// DefaultKernel is a kernel to start asking with, before any vote: features, if
// any, and the item's own share, with a variance of 2 each in units of the noise of
// a vote. Length-scales are those of the median heuristic.
func DefaultKernel(n int, f *palate.Features) (kernel.Kernel, kernel.Points) {
	return LinkedKernel(n, f, nil, kernel.Diffusion)
}

// LinkedKernel is DefaultKernel and, if there are any, links between items, with the
// same variance.
func LinkedKernel(n int, f *palate.Features, links *kernel.Graph, spread kernel.Spread) (kernel.Kernel, kernel.Points) {
	const variance = 2
	x := kernel.Indexed(n)
	terms := []kernel.Kernel{kernel.Scale(variance, kernel.Identity{})}
	if f != nil && f.Cols > 0 {
		x = kernel.Dense(mat.NewDense(f.Rows, f.Cols, f.Data))
		terms = append(terms, kernel.Scale(variance, FeatureKernel{}.at(x, rand.New(rand.NewPCG(0, 1)))))
	}
	if links != nil {
		terms = append(terms, evenLinks(links, nil, spread, variance))
	}
	return kernel.Sum(terms...), x
}
