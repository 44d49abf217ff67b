package tune

import (
	"context"
	"math"
	"math/rand/v2"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
)

// The priors of the logarithms of the hyper-parameters are Gaussians about these medians. An
// amplitude is in units of the noise of a duel, a length-scale in those of the bounds times
// the fourth root of the number of parameters, a margin of ties in units of the noise. With
// longer ones the best point of many parameters is in a corner until there are many duels.
const (
	medianAmplitude = 3.0
	medianLength    = 0.4
	medianMargin    = 0.3
	medianError     = 0.3  // of a number, in deviations of the numbers there are
	medianFall      = 0.15 // of the mean from the centre to a bound, in amplitudes
	deviation       = 1.0  // of the logarithms of amplitude, margin, error and fall
	lengthDeviation = 0.8  // of the logarithms of length-scales
	gainDeviation   = 0.5  // of the logarithm of the gain of numbers, whose median is 1
)

// hyper are hyper-parameters: standard normal coordinates under the prior, those that follow
// and then one a varying parameter for its length-scale.
type hyper []float64

// The first coordinates.
const (
	amplitudeAt = iota
	marginAt
	ownAt
	gainAt
	errorAt
	fallAt
	lengthsAt
)

func (h hyper) amplitude() float64 { return medianAmplitude * math.Exp(deviation*h[amplitudeAt]) }

func (h hyper) margin() float64 { return medianMargin * math.Exp(deviation*h[marginAt]) }

// own is the share of a voter's own taste in the variance of utility; anything from none to
// all of it is as likely.
func (h hyper) own() float64 { return num.Phi(h[ownAt]) }

// gain is how many deviations of numbers go with an amplitude of utility.
func (h hyper) gain() float64 { return math.Exp(gainDeviation * h[gainAt]) }

// error is that of a number, in deviations of numbers.
func (h hyper) error() float64 { return medianError * math.Exp(deviation*h[errorAt]) }

// fall is how much the mean of utility falls from the centre of the space to a bound.
func (h hyper) fall() float64 { return medianFall * h.amplitude() * math.Exp(deviation*h[fallAt]) }

// lengths returns a length-scale for every feature.
func (s *Space) lengths(h hyper) []float64 {
	varying := s.Varying()
	lengths := make([]float64, s.features)
	median := medianLength * math.Sqrt(math.Sqrt(float64(len(varying))))
	for k, j := range varying {
		from, to := s.spans(j)
		for f := from; f < to; f++ {
			lengths[f] = median * math.Exp(lengthDeviation*h[lengthsAt+k])
		}
	}
	return lengths
}

// kernel is the covariance of utility in units of its variance.
func (s *Space) kernel(h hyper) *kernel.Stationary {
	return kernel.NewStationary(shape, kernel.Euclidean, s.lengths(h))
}

// newHyper draws from the prior.
func (s *Space) newHyper(rng *rand.Rand) hyper {
	h := make(hyper, lengthsAt+len(s.Varying()))
	for k := range h {
		h[k] = rng.NormFloat64()
	}
	return h
}

// shape is the profile of the kernel. A duel says little, and a smooth one makes most of it.
const shape = kernel.SE

// How near the sites of expectation propagation come: roughly where only the evidence is
// wanted, which is flat in them.
const (
	rough = 1e-3
	fine  = 1e-6
)

// evidence returns the log evidence of answers under hyper-parameters, and the sites. It
// begins with the given sites, those of rows that are not among them flat.
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
