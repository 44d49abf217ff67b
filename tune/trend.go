package tune

import (
	"context"
	"math/rand/v2"
)

// Bounds are drawn around what is held to be good, so that utility is expected to fall from
// the centre of the space towards them. Without that the corners, which are most of a space of
// many parameters and of which a stationary kernel knows least, promise most for very long
// (Snoek et al. 2015, Oh, Gavves and Welling 2018). The mean of the process is
//
//	m(x) = −c Σ_j (2(x_j − centre_j))²
//
// over the features of numbers and of words in order, and c is learnt. In a box a parameter at
// one of its bounds costs c.

// centre is where the mean of utility is highest along a feature.
type centre struct {
	feature int
	at      float64
}

// centreSteps is how many steps at random tell the centre of a space with constraints.
const centreSteps = 1000

// settleCentre finds the centre of the space: the middle of the bounds, or the mean of its
// points where it is not all that is within them. When ctx ends before it is done it returns
// the error of ctx.
func (s *Space) settleCentre(ctx context.Context) error {
	for _, j := range s.Varying() {
		if s.Parameters[j].Kind != Categorical {
			s.centres = append(s.centres, centre{s.first[j], 0.5})
		}
	}
	if len(s.Constraints)+len(s.Forbidden) == 0 {
		return ctx.Err()
	}
	mean := make([]float64, s.features)
	rng := rand.New(rand.NewPCG(1, 1))
	x := s.Sample(rng)
	u, at := s.units(x), make([]float64, s.features)
	for range centreSteps {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.wander(x, u, rng)
		s.featuresTo(at, x)
		for f, v := range at {
			mean[f] += v / centreSteps
		}
	}
	for k := range s.centres {
		s.centres[k].at = mean[s.centres[k].feature]
	}
	return ctx.Err()
}

// trend is the mean of utility before answers. It adds by times its derivatives in the features
// of x to dx where that is not nil.
func (s *Space) trend(h hyper, x, dx []float64, by float64) (m float64) {
	fall := h.fall()
	for _, c := range s.centres {
		v := 2 * (x[c.feature] - c.at)
		m -= fall * v * v
		if dx != nil {
			dx[c.feature] -= 4 * by * fall * v
		}
	}
	return m
}
