package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/likelihood"
)

// mendWork bounds the likelihood evaluations that mending may cost; with more
// votes it weighs fewer draws.
const mendWork = 2e7

// leastMended is the least number of draws that are worth weighing.
const leastMended = 1000

// minESS is the effective sample size below which weights are not to be
// trusted; then the draws stay as the Gaussian gave them.
const minESS = 100

// Where the Gaussian posterior is too narrow its own draws miss the tails, so
// every other draw is widened by this factor. The weights account for it: the
// proposal is the even mixture of the two.
const widen = 1.3

// Draws returns joint draws of all utilities, the same for any user, weighted
// by the true over the approximate posterior: likelihood of the votes, and prior
// with the scale integrated out where it was learnt (see scales).
func (m *Single) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	rows := &m.obs.rows
	n = atMost(n, leastMended, mendWork/float64(rows.Len()))
	if m.own {
		return m.ownDraws(ctx, n, rng)
	}
	s, err := m.scales(ctx)
	if err != nil {
		return Draws{}, err
	}
	sparse := s.at[0].Prior.Sparse() // sites see the weights, not what they leave
	dim, effects := s.at[0].Prior.Dim(), len(m.obs.effects)
	// What all sites together say of the weights costs a product with a matrix, and is had by row where there are
	// fewer rows than that is worth, or effects beside the weights.
	byRow := !sparse && (effects > 0 || rows.Len() < dim*dim/8)
	orders := m.obs.orders(m.voting.threshold)
	if m.obs.group != nil || m.obs.answer != nil && orders == nil || effects > 0 && (sparse || dim > scaleWeights) {
		return s.mixture(ctx, n, rng)
	}
	if orders != nil {
		n, byRow = min(n, int(mendWork/orders.work)), false
	}
	white := mat.NewDense(n, dim+effects, nil)
	for k := range n {
		row := white.RawRowView(k)
		for i := range row {
			row[i] = rng.NormFloat64()
			if k%2 == 1 {
				row[i] *= widen
			}
		}
	}
	f, e, of, err := s.draws(ctx, white.Slice(0, n, 0, dim).(*mat.Dense), rng)
	if err != nil {
		return Draws{}, err
	}
	alike := s.alikeIn(of)
	logW := make([]float64, n)
	kinds := m.obs.alike(m.voting.of(m.obs))
	if err := num.ParallelUntil(ctx, n, 16, func(lo, hi int) {
		z, surprise, c := make([]float64, rows.Len()), make([]float64, len(s.at)), make([]float64, effects)
		var room orderRoom
		for k := lo; k < hi; k++ {
			u := f.RawRowView(k)
			given, sides := s.given[of[k]], s.sides[of[k]]
			if given != nil {
				given.Draw(c, u, white.RawRowView(k)[dim:])
			}
			clear(surprise)
			for c, q := range s.at {
				if !byRow && s.sides[c] == sides {
					surprise[c] = q.Surprise(e.RawRowView(k))
				}
			}
			for _, kind := range kinds {
				z := z[:len(kind.rows)]
				for t, r := range kind.rows {
					if z[t] = rows.Dot(r, u); given != nil {
						z[t] += m.obs.context.Dot(r, c)
					}
					if byRow {
						for c, sites := range s.sites {
							if s.sides[c] == sides {
								surprise[c] += m.obs.count[r] * (0.5*sites[r].Tau*z[t] - sites[r].Nu) * z[t]
							}
						}
					}
				}
				likelihood.LogProbs(z, kind.likelihood, z)
				for t, r := range kind.rows {
					logW[k] += m.obs.count[r] * z[t]
				}
			}
			if orders != nil {
				logW[k] += orders.logProb(u, &room)
			}
			logW[k] += s.logRatio(sides, e.RawRowView(k), c, surprise)
		}
	}); err != nil {
		return Draws{}, err
	}
	w, tail := smoothWeights(logW)
	if ess := effective(w); ess >= minESS && (tail < maxTail || ess > evenShare*float64(n)) {
		return Draws{F: f, Weight: w, Alike: alike, ESS: ess, Mended: true}, nil
	}
	// Only the draws that were not widened follow the Gaussians.
	d := Draws{F: f, Weight: make([]float64, n), Alike: alike}
	var sum float64
	for k := 0; k < n; k += 2 {
		d.Weight[k] = s.mass[of[k]] / s.share[of[k]]
		sum += d.Weight[k]
	}
	for k := range d.Weight {
		d.Weight[k] /= sum
	}
	d.ESS = effective(d.Weight)
	return d, nil
}

// mixture returns draws of the Gaussians at the scales as they are, each as often as its
// mass says: where voters have tastes of their own a draw of the utilities alone has no
// likelihood to be weighed by.
func (s *scales) mixture(ctx context.Context, n int, rng *rand.Rand) (Draws, error) {
	f, of := mat.NewDense(n, s.at[0].Prior.Len(), nil), make([]int, n)
	var sum float64
	lo := 0
	for k, q := range s.at {
		sum += s.mass[k]
		hi := min(int(math.Round(sum*float64(n))), n)
		if k == len(s.at)-1 {
			hi = n
		}
		if hi == lo {
			continue
		}
		part, _, err := q.Draws(ctx, num.Normals(hi-lo, q.Prior.Dim(), rng), rng)
		if err != nil {
			return Draws{}, err
		}
		s.ofVoters(k, part, rng)
		f.Slice(lo, hi, 0, q.Prior.Len()).(*mat.Dense).Copy(part)
		for ; lo < hi; lo++ {
			of[lo] = k
		}
	}
	d, err := evenDraws(f, nil)
	d.Alike = s.alikeIn(of)
	return d, err
}

// alikeIn marks the draws of items that do not differ, given the scale that each has. The
// mean of voters who have tastes of their own differs all the same.
func (s *scales) alikeIn(of []int) []bool {
	if !slices.Contains(s.alike, true) {
		return nil
	}
	marks := make([]bool, len(of))
	for k, at := range of {
		marks[k] = s.alike[at] && (s.average == nil || s.average[at] == nil)
	}
	return marks
}

// ownDrawWork bounds pairs times draws where items have parts of their own, whose
// draws take a solve each; fewer than minOwnDraws tell little of ranks.
const (
	ownDrawWork = 5e7
	minOwnDraws = 400
)

// ownDraws returns draws of the Gaussian posterior as it is: there are as many
// dimensions as items, too many for weights to be of use.
func (m *Single) ownDraws(ctx context.Context, n int, rng *rand.Rand) (Draws, error) {
	n = atMost(n, minOwnDraws, ownDrawWork/float64(m.result.Posterior.Pairs()))
	return evenDraws(m.result.Posterior.Sample(ctx, n, rng))
}

// atMost is n draws, or as many as a bound on the work allows, but not fewer than least for that.
func atMost(n, least int, bound float64) int {
	return int(min(float64(n), max(float64(least), bound)))
}

// kind is a likelihood with the rows that have it.
type kind struct {
	likelihood likelihood.Scalar
	rows       []int
}

// alike sorts rows that are votes by their likelihood, in order of first use.
func (o *observations) alike(l []likelihood.Scalar) (kinds []kind) {
	at := map[likelihood.Scalar]int{}
	for r, x := range l {
		if o.inAnswer(r) {
			continue
		}
		k, ok := at[x]
		if !ok {
			k = len(kinds)
			at[x] = k
			kinds = append(kinds, kind{likelihood: x})
		}
		kinds[k].rows = append(kinds[k].rows, r)
	}
	return kinds
}

// effective returns the effective sample size of weights that sum to one.
func effective(w []float64) float64 {
	var s float64
	for _, x := range w {
		s += x * x
	}
	return 1 / s
}

// maxTail is the shape of the weights' tail above which importance weights do
// not settle (Vehtari, Simpson, Gelman, Yao, Gabry 2024, Pareto smoothed
// importance sampling).
const maxTail = 0.7

// evenShare of the draws is an effective sample size at which weights are so
// even that the shape of their tail does not matter.
const evenShare = 0.25

// smoothWeights turns log weights into weights that sum to one, with the
// largest replaced by quantiles of the generalised Pareto distribution fitted
// to them, whose shape it returns. That takes the accident out of the few
// draws on which the sum would hang.
func smoothWeights(logW []float64) (w []float64, shape float64) {
	n := len(logW)
	order := argsort(logW)
	tail := int(min(0.2*float64(n), 3*math.Sqrt(float64(n))))
	top := logW[order[n-1]]
	w = make([]float64, n)
	for k, l := range logW {
		w[k] = math.Exp(l - top)
	}
	if tail >= 5 {
		cut := w[order[n-tail-1]]
		excess := make([]float64, tail)
		for k := range excess {
			excess[k] = w[order[n-tail+k]] - cut
		}
		var scale float64
		if shape, scale = fitPareto(excess); scale > 0 {
			for k := range excess {
				p := (float64(k) + 0.5) / float64(tail)
				w[order[n-tail+k]] = math.Min(1, cut+paretoQuantile(p, shape, scale))
			}
		}
	}
	var sum float64
	for _, x := range w {
		sum += x
	}
	for k := range w {
		w[k] /= sum
	}
	return w, shape
}
