package population

import (
	"context"
	"fmt"
	"math"
	"slices"

	"palate/internal/num"
)

// reliabilities are the levels that people's reliability is one of: somebody of level c has
// utilities c times those of the population, so that the noise of a vote is 1/c as large. The
// lowest is next to tossing a coin.
var reliabilities = []float64{math.Exp(-2), math.Exp(-1), 1, math.Exp(1), math.Exp(2)}

// startOmega is the deviation of the logarithm of reliability that fits begin with.
const startOmega = 0.7

// newReliability starts from own tastes: people of several levels of reliability, whose logarithm is
// N(0, ω²) with ω learnt, f_u = c_u(Mx + own tastes).
func (r *run) newReliability(from *tastes) (*mixture, error) {
	s, err := r.newMixture(len(reliabilities), from.prior.Share)
	if err != nil {
		return nil, err
	}
	s.levels, s.spread = reliabilities, []float64{from.spread}
	mean, _, _ := from.split(from.point)
	own := min(max(math.Log(from.own), leastOwn+1), mostOwn-1)
	if s.point = append(slices.Clone(mean), math.Log(startOmega), own); s.ties {
		s.point = append(s.point, math.Log(from.threshold()))
	}
	return s, nil
}

// logNormal returns, but for a constant, the logarithms of the chances of levels whose logarithm is
// N(0, ω²).
func logNormal(levels []float64, omega float64) []float64 {
	out := make([]float64, len(levels))
	for k, c := range levels {
		x := math.Log(c) / omega
		out[k] = -0.5 * x * x
	}
	return out
}

// logNormalSlope is the slope of logNormal in log ω.
func logNormalSlope(level, omega float64) float64 {
	x := math.Log(level) / omega
	return x * x
}

// logNormalBend is the information that the level of one person has on log ω.
func logNormalBend(levels, share []float64, omega float64) float64 {
	var mean, square float64
	for k, c := range levels {
		d := logNormalSlope(c, omega)
		mean += share[k] * d
		square += share[k] * d * d
	}
	return square - mean*mean
}

// logSpreadPrior is that of log ω.
func logSpreadPrior(x float64) float64      { return -(x + 1) * (x + 1) / 8 }
func logSpreadPriorSlope(x float64) float64 { return -(x + 1) / 4 }

// Check says what is wrong with the classes of a member, such as one that was read from a file.
func (m *Member) Check() error {
	if m.Name == ofReliability && len(m.Classes) != len(reliabilities) {
		return fmt.Errorf("population: %d levels of reliability, want %d", len(m.Classes), len(reliabilities))
	}
	return nil
}

// Reliable is the member whose classes are levels of reliability; nil without.
func (f *Family) Reliable() *Member {
	for _, m := range f.Members {
		if m.Name == ofReliability {
			return m
		}
	}
	return nil
}

// consensusOfLevels is the mean of people of all levels of reliability, E[c]·Mx, of which every level
// tells; how far each person is of which is given.
func (m *Member) consensusOfLevels(ctx context.Context, it *Items, member [][]float64) (*Consensus, error) {
	usual := m.Classes[slices.Index(reliabilities, 1)]
	n := usual.Prior.NumItems()
	info := make([]float64, n*n)
	var mean float64
	for k, c := range m.Classes {
		told, err := c.Engine.info(ctx, c.Prior, n, member[k])
		if err != nil {
			return nil, err
		}
		level := m.level(k)
		num.Axpy(level*level, told, info)
		mean += c.Share * level
	}
	out := &Consensus{Mean: make([]float64, n), root: meanRoot(info, n, it, usual.Spread)}
	for i := range n {
		out.Mean[i] = mean * usual.Prior.Mean(-1, i)
	}
	for i := range out.root {
		out.root[i] *= mean
	}
	return out, nil
}

// level is the reliability of a class of a member whose classes are such levels.
func (m *Member) level(class int) float64 {
	usual := slices.Index(reliabilities, 1)
	return math.Sqrt(m.Classes[class].Prior.(*LowRank).Scale / m.Classes[usual].Prior.(*LowRank).Scale)
}

// Reliability returns what is known of everybody's reliability under a member whose classes are its
// levels: the levels in rising order, and of each the chance that a person is of it.
func (m *Member) Reliability(ctx context.Context) (levels []float64, chance [][]float64, err error) {
	for k := range m.Classes {
		levels = append(levels, m.level(k))
	}
	chance, err = m.memberships(ctx)
	return levels, chance, err
}
