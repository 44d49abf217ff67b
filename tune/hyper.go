package tune

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/kernel"
	"palate/likelihood"
)

// The priors of the logarithms of the hyper-parameters are Gaussians about these medians. An
// amplitude is in units of the noise of a duel, a length-scale in those of the bounds times
// the fourth root of the number of parameters, a margin of ties in units of the noise. With
// longer ones the best point of many parameters is in a corner until there are many duels.
const (
	medianAmplitude = 3.0
	medianLength    = 0.4
	medianMargin    = 0.3
	deviation       = 1.0 // of the logarithms of amplitude and margin
	lengthDeviation = 0.8 // of those of length-scales
)

// hyper are hyper-parameters: standard normal coordinates under the prior, one for the
// amplitude, one a varying parameter for its length-scale, and one for the margin.
type hyper []float64

func (h hyper) amplitude() float64 { return medianAmplitude * math.Exp(deviation*h[0]) }

func (h hyper) margin() float64 { return medianMargin * math.Exp(deviation*h[len(h)-1]) }

// lengths returns a length-scale for every feature.
func (s *Space) lengths(h hyper) []float64 {
	varying := s.Varying()
	lengths := make([]float64, s.features)
	median := medianLength * math.Sqrt(math.Sqrt(float64(len(varying))))
	for k, j := range varying {
		from, to := s.spans(j)
		for f := from; f < to; f++ {
			lengths[f] = median * math.Exp(lengthDeviation*h[1+k])
		}
	}
	return lengths
}

// newHyper draws from the prior.
func (s *Space) newHyper(rng *rand.Rand) hyper {
	h := make(hyper, 2+len(s.Varying()))
	for k := range h {
		h[k] = rng.NormFloat64()
	}
	return h
}

// data are duels as inference sees them.
type data struct {
	points *mat.Dense // rows 2i and 2i+1: the winner and the loser of duel i, of a tie left and right
	tie    []bool
	ties   bool // there are some
}

// newData leaves out what says nothing.
func (s *Space) newData(duels []Duel) *data {
	d := &data{}
	var rows []float64
	for _, x := range duels {
		a, b := x.Left, x.Right
		switch x.Answer {
		case palate.Skip:
			continue
		case palate.Right:
			a, b = b, a
		case palate.Tie:
			d.ties = true
		}
		rows = append(append(rows, s.Features(a)...), s.Features(b)...)
		d.tie = append(d.tie, x.Answer == palate.Tie)
	}
	if len(d.tie) > 0 {
		d.points = mat.NewDense(2*len(d.tie), s.features, rows)
	}
	return d
}

func (d *data) len() int { return len(d.tie) }

// problem is what inference is asked under hyper-parameters: the prior covariance of the
// differences of utility in duels (EPNOTE), and the likelihoods of their outcomes.
func (s *Space) problem(d *data, h hyper) (*infer.Problem, *mat.SymDense, error) {
	k := kernel.NewStationary(shape, kernel.Euclidean, s.lengths(h))
	variance := h.amplitude() * h.amplitude()
	gram := kernel.Gram(k, kernel.Dense(d.points)).RawSymmetric()
	n := d.len()
	cov := mat.NewSymDense(n, nil)
	for i := range n {
		a, b := gram.Data[2*i*gram.Stride:], gram.Data[(2*i+1)*gram.Stride:]
		for j := i; j < n; j++ {
			cov.SetSym(i, j, variance*(a[2*j]-a[2*j+1]-b[2*j]+b[2*j+1]))
		}
	}
	for i := range n { // the lower half of a symmetric matrix is not stored
		cov.SetSym(i, i, 2*variance*(1-gram.Data[2*i*gram.Stride+2*i+1]))
	}
	prior, err := gp.Covariance(cov)
	if err != nil {
		return nil, nil, err
	}
	p := &infer.Problem{Prior: prior, Rows: &gp.Rows{}, Likelihood: make([]likelihood.Scalar, n)}
	tie := likelihood.Tie{}
	if d.ties {
		tie.Threshold = h.margin()
	}
	for i := range n {
		p.Rows.AppendUnit(i)
		if p.Likelihood[i] = likelihood.Scalar(tie.Win()); d.tie[i] {
			p.Likelihood[i] = tie
		}
	}
	return p, cov, nil
}

// shape is the profile of the kernel. A duel says little, and a smooth one makes most of it.
const shape = kernel.SE

// How near the sites of expectation propagation come: roughly where only the evidence is
// wanted, which is flat in them.
const (
	rough = 1e-3
	fine  = 1e-8
)

// evidence returns the log evidence of duels under hyper-parameters, and the sites.
func (s *Space) evidence(ctx context.Context, d *data, h hyper, start []gp.Site) (float64, []gp.Site, error) {
	if d.len() == 0 {
		return 0, nil, ctx.Err()
	}
	p, _, err := s.problem(d, h)
	if err != nil {
		return 0, nil, err
	}
	r, err := infer.Run(ctx, p, &infer.Settings{Tolerance: rough, Start: start})
	if err != nil {
		return 0, nil, err
	}
	return r.Objective, r.Sites, nil
}

// move takes one step of elliptical slice sampling from h, whose evidence is given: it
// leaves the posterior of the hyper-parameters as it is.
func (s *Space) move(ctx context.Context, d *data, h hyper, value float64, sites []gp.Site, rng *rand.Rand) (hyper, float64, []gp.Site, error) {
	other := s.newHyper(rng)
	least := value - rng.ExpFloat64()
	angle := 2 * math.Pi * rng.Float64()
	lo, hi := angle-2*math.Pi, angle
	next := make(hyper, len(h))
	for {
		sin, cos := math.Sincos(angle)
		for k := range next {
			next[k] = cos*h[k] + sin*other[k]
		}
		v, at, err := s.evidence(ctx, d, next, sites)
		if err != nil {
			return nil, 0, nil, err
		}
		if v > least {
			return next, v, at, nil
		}
		if hi-lo < 1e-6 { // the ellipse has shrunk to where it began
			return h, value, sites, nil
		}
		if angle < 0 {
			lo = angle
		} else {
			hi = angle
		}
		angle = lo + (hi-lo)*rng.Float64()
	}
}
