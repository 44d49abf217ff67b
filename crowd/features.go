package crowd

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
)

// About is what is known of people beside their votes: features, whose mean over
// them is zero, a row for each user of the dataset. A voter's weights are then
// w_u ~ N(Bx_u, I), B_cf ~ N(0, 1/r_f), so that features tell of tastes what they
// can and votes tell the rest. The relevances r have Gamma posteriors: those of
// features that tell nothing grow, and switch them off.
type About struct {
	Features *mat.Dense
	// Groups numbers from 0 the relevance that every column shares with others;
	// nil: each column has its own.
	Groups []int
	// Relevance is the Gamma prior of every r; zero stands for shape 1, rate 1e-4.
	Relevance infer.Gamma
}

// leaning is q(B)q(r). The covariance of B_c is the same for every factor.
type leaning struct {
	x         *mat.Dense // a row a voter
	groups    []int
	prior     infer.Gamma
	relevance []infer.Gamma // by group
	silent    []bool        // groups that are the same for all voters, and tell nothing
	gram      *mat.SymDense // Σ_u xxᵀ
	mean      *mat.Dense    // features × factors
	cov       *mat.SymDense
	logDet    float64       // of cov
	slack     []float64     // xᵀ·cov·x, by voter
	apart     *mat.SymDense // covariance of Bx over the voters of the fit, once it is done
	sum       *mat.Dense    // Σ_u x·E[w]ᵀ, as batches tell it; nil with all voters
}

func (a *About) check(users int) error {
	rows, cols := a.Features.Dims()
	if rows < users {
		return fmt.Errorf("crowd: features of %d users, but user %d votes", rows, users-1)
	}
	if a.Groups != nil && len(a.Groups) != cols {
		return fmt.Errorf("crowd: %d groups for %d features", len(a.Groups), cols)
	}
	return nil
}

// of returns the features of the voters, a row each; one who is no user of the
// dataset has none, and is taken as average.
func (a *About) of(v *Votes) *mat.Dense {
	_, cols := a.Features.Dims()
	x := mat.NewDense(v.Voters(), cols, nil)
	for u, owner := range v.owner {
		if owner >= 0 {
			x.SetRow(u, a.Features.RawRowView(owner))
		}
	}
	return x
}

// known is the shape of a Gamma distribution that is as good as a number.
const known = 1e12

// newLeaning starts with features that tell nothing and relevances at which all
// groups together would tell as much as is left.
func newLeaning(a *About, v *Votes, factors int) *leaning {
	x := a.of(v)
	n, f := x.Dims()
	l := &leaning{x: x, groups: a.Groups, prior: a.Relevance, gram: mat.NewSymDense(f, nil), mean: mat.NewDense(f, factors, nil)}
	if l.groups == nil {
		for g := range f {
			l.groups = append(l.groups, g)
		}
	}
	if l.prior == (infer.Gamma{}) {
		l.prior = infer.Gamma{Shape: 1, Rate: 1e-4}
	}
	simd.Syrk(blas.Trans, 1, x.RawMatrix(), 0, l.gram.RawSymmetric())
	groups := slices.Max(l.groups) + 1
	size, columns := make([]float64, groups), make([]float64, groups)
	for k, g := range l.groups {
		size[g] += l.gram.At(k, k) / float64(n)
		columns[g]++
	}
	l.silent = make([]bool, groups)
	telling := 0.0
	for g, s := range size {
		if l.silent[g] = s == 0; s > 0 {
			telling++
		}
	}
	for g := range groups {
		shape := l.prior.Shape + 0.5*columns[g]*float64(factors)
		if l.silent[g] { // whatever it is
			l.relevance = append(l.relevance, infer.Gamma{Shape: known, Rate: known})
			continue
		}
		l.relevance = append(l.relevance, infer.Gamma{Shape: shape, Rate: shape / (1e-6 + size[g]*telling)})
	}
	l.narrow()
	return l
}

// with returns the same q for other voters, who are average when nothing is
// known about them.
func (l *leaning) with(a *About, v *Votes) *leaning {
	o := *l
	if o.x = mat.NewDense(v.Voters(), len(l.groups), nil); a != nil {
		o.x = a.of(v)
	}
	o.slacken()
	return &o
}

// narrow sets the covariance of B to the best: (R + Σ xxᵀ)⁻¹.
func (l *leaning) narrow() {
	f := l.gram.SymmetricDim()
	prec := mat.NewSymDense(f, nil)
	prec.CopySym(l.gram)
	for k := range f {
		prec.SetSym(k, k, prec.At(k, k)+l.relevanceOf(k).Mean())
	}
	chol, err := num.NewExact(prec)
	if err != nil {
		panic(fmt.Errorf("crowd: the precision of what features tell: %w", err))
	}
	l.cov, l.logDet = chol.Inverse(), -chol.LogDet()
	l.slacken()
}

func (l *leaning) slacken() {
	n, f := l.x.Dims()
	l.slack = make([]float64, n)
	var xs mat.Dense
	simd.Mul(&xs, l.x, l.cov)
	for u := range n {
		l.slack[u] = num.Dot(xs.RawRowView(u), l.x.RawRowView(u)[:f])
	}
}

func (l *leaning) relevanceOf(column int) infer.Gamma { return l.relevance[l.groups[column]] }

// towards sets the weights that features lead one to expect of voter u.
func (l *leaning) towards(dst []float64, u int) {
	clear(dst)
	for k, x := range l.x.RawRowView(u) {
		for c, b := range l.mean.RawRowView(k) {
			dst[c] += x * b
		}
	}
}

// relevances sets q(r) to the best.
func (l *leaning) relevances() {
	_, factors := l.mean.Dims()
	for g := range l.relevance {
		if !l.silent[g] {
			l.relevance[g] = l.prior
		}
	}
	for k, g := range l.groups {
		if l.silent[g] {
			continue
		}
		r, row := &l.relevance[g], l.mean.RawRowView(k)
		r.Shape += 0.5 * float64(factors)
		r.Rate += 0.5 * (num.Dot(row, row) + float64(factors)*l.cov.At(k, k))
	}
}

// divergence of q(B)q(r) from the prior.
func (l *leaning) divergence() (sum float64) {
	f, factors := l.mean.Dims()
	for k := range f {
		r, row := l.relevanceOf(k), l.mean.RawRowView(k)
		sum += 0.5 * (r.Mean()*(num.Dot(row, row)+float64(factors)*l.cov.At(k, k)) - float64(factors)*r.MeanLog())
	}
	sum -= 0.5 * float64(factors) * (float64(f) + l.logDet)
	for g, r := range l.relevance {
		if !l.silent[g] {
			sum += r.KL(l.prior)
		}
	}
	return sum
}

// slopes returns the derivative of the bound in what is known of every user, q as it
// is: for factors C and voter u it is Σ_c (w_uc − b_cᵀx_u)b_c − C·Sx_u, S the
// covariance of every b_c. A user who is no voter has zeros.
func (e *engine) slopes(a *About) *mat.Dense {
	l := e.leaning
	rows, cols := a.Features.Dims()
	var off, slope, spread mat.Dense // E[w] − Bx, and the two terms
	simd.Mul(&off, l.x, l.mean)
	off.Sub(e.factorWeights(), &off)
	simd.Mul(&slope, &off, l.mean.T())
	simd.Mul(&spread, l.x, l.cov)
	spread.Scale(float64(e.c), &spread)
	slope.Sub(&slope, &spread)
	out := mat.NewDense(rows, cols, nil)
	for u, owner := range e.owner {
		if owner >= 0 {
			out.SetRow(owner, slope.RawRowView(u))
		}
	}
	return out
}

// settle notes how voters differ by what features tell.
func (l *leaning) settle(voters int) {
	_, c := l.mean.Dims()
	var gm, apart mat.Dense
	simd.Mul(&gm, l.gram, l.mean)
	simd.Mul(&apart, l.mean.T(), &gm)
	l.apart = mat.NewSymDense(c, nil)
	for i := range c {
		for j := i; j < c; j++ {
			l.apart.SetSym(i, j, apart.At(i, j)/float64(voters))
		}
	}
}

// spread takes what a batch of voters told for what all would tell.
func (l *leaning) spread(a *About, all *Votes, w *mat.Dense) {
	x := a.of(all)
	l.gram = mat.NewSymDense(len(l.groups), nil)
	simd.Syrk(blas.Trans, 1, x.RawMatrix(), 0, l.gram.RawSymmetric())
	l.sum = &mat.Dense{}
	simd.Mul(l.sum, l.x.T(), w)
	l.sum.Scale(float64(all.Voters())/float64(len(l.slack)), l.sum)
	l.narrow()
}

// move takes a step of size rho towards what a batch of voters with mean weights
// w tells, counted times over.
func (l *leaning) move(rho, times float64, w *mat.Dense) {
	var told mat.Dense
	simd.Mul(&told, l.x.T(), w)
	told.Scale(rho*times, &told)
	sum := &mat.Dense{}
	sum.Scale(1-rho, l.sum)
	sum.Add(sum, &told)
	l.sum = sum
	l.narrow()
	l.mean = mat.NewDense(len(l.groups), sum.RawMatrix().Cols, nil)
	simd.Mul(l.mean, l.cov, sum)
	l.relevance = slices.Clone(l.relevance)
	l.relevances()
}

// leaningOf reads q(B) back, for somebody to be folded in. Of q(r) there are the means.
func leaningOf(features, factors int, a Arrays) *leaning {
	l := &leaning{
		x: mat.NewDense(1, features, nil), mean: mat.NewDense(features, factors, a.Lead),
		cov: mat.NewSymDense(features, a.LeadCov), apart: mat.NewSymDense(factors, a.Apart),
	}
	for k, mean := range a.Relevance {
		l.groups, l.relevance = append(l.groups, k), append(l.relevance, infer.Gamma{Shape: mean, Rate: 1})
	}
	return l
}
