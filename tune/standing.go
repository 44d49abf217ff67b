package tune

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// Interval is an expected value, and from where to where 90 % of what is believed lies.
type Interval struct {
	Mean float64 `json:"mean"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

// Comparison is what is believed of the difference of utility between two points, in units of
// the noise of a duel.
type Comparison struct {
	Gain   Interval `json:"gain"`
	Better float64  `json:"better"` // chance that the first has the higher utility
	Wins   float64  `json:"wins"`   // chance that it wins a duel that is no tie
}

// Standing is where a search stands.
type Standing struct {
	Duels int
	Best  Point // of the highest expected utility
	// Where has from where to where each parameter of the best point may be, 90 % of it; of
	// words, of which it is how likely, see Likely.
	Where []Interval
	// Likely has for parameters of words the chance of each, else nothing.
	Likely [][]float64
	// Reference is the point that was given, else the start of the space, or else the first
	// point that was asked about or has a number; nil: there is none yet. Over is the best point against it.
	Reference Point
	Over      Comparison
	// Regret is what the best point is expected to lack of the best there is, in units of the
	// noise of a duel, and Ideal the chance that the best there is would win against it.
	Regret, Ideal float64
	// Span is by how much expected utility differs over the space.
	Span float64
	// Enough says that further duels will not help much: the best there is would hardly be told
	// from the best point, or differs from it by little of the span.
	Enough bool
	// Importance is, for each parameter, its share in how utility varies; zero for those that
	// do not vary.
	Importance []Interval
}

// A search has enough of duels when the regret is below littleNoise of the noise of a duel,
// where the best there is wins 54 % of duels, or below littleSpan of the span.
const (
	littleNoise = 0.1
	littleSpan  = 0.01
)

// Best returns the point of the highest expected utility.
func (s *Search) Best(ctx context.Context) (Point, error) {
	b, err := s.Belief(ctx)
	if err != nil {
		return nil, err
	}
	return s.field(b, s.rng(standStream, 0)).best(b, climbs), ctx.Err()
}

// Compare says what is believed of two points. When ctx ends before it is done it returns the
// error of ctx.
func (s *Search) Compare(ctx context.Context, x, y Point) (Comparison, error) {
	b, err := s.Belief(ctx)
	if err != nil {
		return Comparison{}, err
	}
	return b.compare(s.Space.Features(x), s.Space.Features(y)), ctx.Err()
}

func (b *Belief) compare(x, y []float64) (c Comparison) {
	share := 1 / float64(len(b.draws))
	var parts []normal
	for _, g := range b.draws {
		at := g.pair()
		mx, my, v := g.difference(at, x, y, false)
		g.pairs.Put(at)
		p := normal{mx - my, math.Sqrt(v)}
		parts = append(parts, p)
		c.Gain.Mean += share * p.mean
		c.Better += share * (1 - p.below(0))
		c.Wins += share * num.Phi(p.mean/math.Sqrt(1+v))
	}
	c.Gain.Lo, c.Gain.Hi = quantile(parts, 0.05), quantile(parts, 0.95)
	return c
}

// normal is a part of a mixture.
type normal struct{ mean, sd float64 }

// below is the chance of less than v, where a value that is certain counts half at itself.
func (p normal) below(v float64) float64 {
	if p.sd == 0 {
		switch {
		case v > p.mean:
			return 1
		case v < p.mean:
			return 0
		}
		return 0.5
	}
	return num.Phi((v - p.mean) / p.sd)
}

// quantile returns that of a mixture of equal parts.
func quantile(parts []normal, chance float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range parts {
		lo, hi = min(lo, p.mean-6*p.sd), max(hi, p.mean+6*p.sd)
	}
	for range 60 {
		mid := lo + (hi-lo)/2
		sum := 0.0
		for _, p := range parts {
			sum += p.below(mid)
		}
		if sum < chance*float64(len(parts)) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + (hi-lo)/2
}

// standDraws is how many utilities are drawn for what has no closed form.
const standDraws = 256

// Standing says where the search stands, against a point or, with nil, the start. When ctx ends
// before it is done it returns the error of ctx.
func (s *Search) Standing(ctx context.Context, against Point) (*Standing, error) {
	b, err := s.Belief(ctx)
	if err != nil {
		return nil, err
	}
	rng := s.rng(standStream, 0)
	f := s.field(b, rng)
	st := &Standing{Duels: s.Log.Answers(), Best: f.best(b, climbs)}
	likely := f.rivals(b, st.Best, 8)
	for k := range candidates / 2 { // where the best may be is looked at closely
		f.points = append(f.points, s.Space.nudge(f.points[likely[k%len(likely)]], rng))
	}
	f.points = append(f.points, st.Best)
	f.measure(b)
	st.Span = slices.Max(f.mean) - slices.Min(f.mean)
	if st.Reference = against; st.Reference == nil {
		st.Reference = s.Space.Start
	}
	if st.Reference == nil && len(s.Log.Duels) > 0 {
		st.Reference = s.Log.Duels[0].Left
	}
	if st.Reference == nil && len(s.Log.Values) > 0 {
		st.Reference = s.Log.Values[0].Point
	}
	if st.Reference != nil {
		st.Over = b.compare(s.Space.Features(st.Best), s.Space.Features(st.Reference))
	}
	var tops []Point
	per := standDraws / len(b.draws)
	for _, g := range b.draws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		mean, cov := g.joint(f.features)
		for _, values := range drawJoint(mean, cov, per, rng) {
			top := highest(values)
			tops = append(tops, f.points[top])
			lack := values[top] - values[len(values)-1]
			st.Regret += lack / float64(per*len(b.draws))
			st.Ideal += num.Phi(lack) / float64(per*len(b.draws))
		}
	}
	st.whereabouts(s.Space, tops)
	st.Enough = s.Log.Answers() > s.Space.fillers() && (st.Regret < littleNoise || st.Regret < littleSpan*st.Span)
	st.Importance, err = s.importance(ctx, b)
	return st, err
}

// whereabouts sums up the best points of utilities that were drawn.
func (st *Standing) whereabouts(s *Space, tops []Point) {
	st.Where, st.Likely = make([]Interval, len(s.Parameters)), make([][]float64, len(s.Parameters))
	for j := range s.Parameters {
		p := &s.Parameters[j]
		if p.Numeric() {
			var values []float64
			for _, x := range tops {
				values = append(values, x[j])
			}
			st.Where[j] = spreadOf(values)
			continue
		}
		st.Likely[j] = make([]float64, len(p.Words))
		for _, x := range tops {
			st.Likely[j][int(x[j])] += 1 / float64(len(tops))
		}
	}
}

// spreadOf returns the mean of values and the middle 90 % of them.
func spreadOf(values []float64) (i Interval) {
	slices.Sort(values)
	for _, v := range values {
		i.Mean += v / float64(len(values))
	}
	at := func(share float64) float64 { return values[int(share*float64(len(values)-1)+0.5)] }
	i.Lo, i.Hi = at(0.05), at(0.95)
	return i
}

// importancePoints is at how many points utility is varied.
const importancePoints = 40

// importance returns the share that each parameter has in how utility varies: half the mean
// square that a change of it alone makes (Sobol's total effect), of the sum of all.
func (s *Search) importance(ctx context.Context, b *Belief) ([]Interval, error) {
	rng := s.rng(standStream, 1)
	varying := s.Space.Varying()
	var rows []Point
	type change struct{ from, to, of int }
	var changes []change
	for range importancePoints {
		at := len(rows)
		rows = append(rows, s.Space.Sample(rng))
		for v, j := range varying {
			if x, ok := s.Space.vary(rows[at], j, s.Space.Sample(rng)); ok {
				changes = append(changes, change{at, len(rows), v})
				rows = append(rows, x)
			}
		}
	}
	x := mat.NewDense(len(rows), s.Space.features, nil)
	for i, p := range rows {
		s.Space.featuresTo(x.RawRowView(i), p)
	}
	shares := make([][]float64, len(varying))
	for _, g := range b.draws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		mean, cov := g.joint(x)
		for _, f := range drawJoint(mean, cov, standDraws/len(b.draws), rng) {
			effect, count := make([]float64, len(varying)), make([]float64, len(varying))
			for _, c := range changes {
				effect[c.of] += (f[c.to] - f[c.from]) * (f[c.to] - f[c.from])
				count[c.of]++
			}
			var sum float64
			for v := range effect {
				effect[v] /= max(count[v], 1)
				sum += effect[v]
			}
			for v := range effect {
				shares[v] = append(shares[v], effect[v]/max(sum, 1e-300))
			}
		}
	}
	all := make([]Interval, len(s.Space.Parameters))
	for v, j := range varying {
		all[j] = spreadOf(shares[v])
	}
	return all, ctx.Err()
}

// vary returns x with parameter j as in y. Where equalities tie it to others it moves along
// them as far as it can; it is not ok where the space does not allow it.
func (s *Space) vary(x Point, j int, y Point) (Point, bool) {
	z := slices.Clone(x)
	z[j] = y[j]
	k := slices.Index(s.moving, j)
	if k < 0 || len(s.equal) == 0 {
		return z, s.feasible(z)
	}
	u := s.units(x)
	way := make([]float64, len(u))
	way[k] = s.Parameters[j].unit(y[j]) - u[k]
	without(way, s.equal)
	if math.Abs(way[k]) < 1e-9 {
		return nil, false
	}
	z, _, ok := s.along(x, u, way, 1)
	return z, ok
}
