package population

import (
	"context"
	"math"
	"slices"

	"palate/internal/num"
)

// mixture fits classes of people: everybody is of one of C, of class k with chance π_k, and has
// utilities N(Mx_k, σ²(hK + (1−h)I)) there; K is that of Items, M that of what is known
// of the mean, and both are I without features. It climbs
//
//	J = Σ_u log Σ_k π_k Z_uk/ρ − Σ_k |x_k|²/2a_k − (n/2) Σ_k log a_k + log p(π) − (log σ² + 1)²/8
//
// over means, shares and σ²; each a_k is learnt between the climbs. Classes are segments, each with
// a mean of its own, or levels of reliability (reliability.go), which share a mean x: class k has
// utilities c_k(Mx + own tastes) there.
type mixture struct {
	engine []*Engine
	prior  []*LowRank
	n, c   int
	levels []float64 // c_k of classes that share a mean; nil: each has one of its own
	spread []float64 // a, by mean
	temper float64
	ties   bool
	point  []float64 // means, coordinates of the shares, log σ², log threshold

	share     []float64   // π
	member    [][]float64 // of each class, of each person
	told      []*classTold
	value     float64
	bent      *metric
	score     float64
	converged bool
	run       *run
}

const (
	segmentRounds     = 4
	leastOwn, mostOwn = -6, 4 // of log σ²
	startOwn          = -2
	mostSegments      = 8
	segmentSteps      = 40
)

// newSegments starts from the centres of clusters of so many people each. Features tell a share of
// tastes inside a class.
func (r *run) newSegments(centres [][]float64, count []int, share, threshold float64) (*mixture, error) {
	s, err := r.newMixture(len(centres), share)
	if err != nil {
		return nil, err
	}
	for _, centre := range centres {
		s.spread = append(s.spread, 1)
		x := make([]float64, s.n)
		r.items.OfMean().whiten(x, centre)
		s.point = append(s.point, x...)
	}
	for _, m := range count {
		s.point = append(s.point, math.Log(float64(m)+1))
	}
	if s.point = append(s.point, startOwn); s.ties {
		s.point = append(s.point, math.Log(threshold))
	}
	return s, nil
}

// newMixture is one of so many classes, without a point. Features tell a share of tastes inside a class.
func (r *run) newMixture(c int, share float64) (*mixture, error) {
	n := r.people.items
	s := &mixture{n: n, c: c, temper: r.temper, ties: r.people.Ties(), share: make([]float64, c), run: r}
	for range c {
		e, err := r.engine()
		if err != nil {
			return nil, err
		}
		s.engine = append(s.engine, e)
		s.prior = append(s.prior, &LowRank{Items: r.items, Share: share, T: make([]float64, n)})
		s.told = append(s.told, newClassTold(r.people, share))
		s.member = append(s.member, make([]float64, r.people.Len()))
	}
	return s, nil
}

// split returns means, coordinates of the shares, log σ² and the rest of a point.
func (s *mixture) split(x []float64) (means, shares, rest []float64) {
	means, x = x[:len(s.spread)*s.n], x[len(s.spread)*s.n:]
	number := s.c
	if s.levels != nil {
		number = 1
	}
	return means, x[:number], x[number:]
}

// of returns which mean a class has, and how many times that.
func (s *mixture) of(class int) (mean int, level float64) {
	if s.levels != nil {
		return 0, s.levels[class]
	}
	return class, 1
}

// logShares returns the logarithms of the shares at their coordinates: of segments but for a
// constant the coordinates themselves, of levels of reliability log-normal.
func (s *mixture) logShares(at []float64) []float64 {
	all := slices.Clone(at)
	if s.levels != nil {
		all = logNormal(s.levels, math.Exp(at[0]))
	}
	total := num.LogSumExp(all)
	for k := range all {
		all[k] -= total
	}
	return all
}

func (s *mixture) threshold() float64 {
	if !s.ties {
		return 0
	}
	return math.Exp(s.point[len(s.point)-1])
}

// infer infers everybody under each class at a point, and how far each person is of
// which. It returns the evidence of the votes.
func (s *mixture) infer(ctx context.Context, x []float64, also func(k int) []Collector) (float64, error) {
	means, at, rest := s.split(x)
	shares := s.logShares(at)
	for k, e := range s.engine {
		s.share[k] = math.Exp(shares[k])
		p := s.prior[k]
		g, level := s.of(k)
		p.Items.OfMean().colour(p.T, means[g*s.n:(g+1)*s.n], 1)
		for i := range p.T {
			p.T[i] *= level
		}
		p.Scale = level * level * math.Exp(rest[0])
		if s.ties {
			e.setThreshold(math.Exp(rest[1]))
		}
		_, stats, err := e.Evaluate(ctx, p, append(also(k), s.told[k])...)
		s.run.evaluated(stats)
		if err != nil {
			return 0, err
		}
	}
	var sum float64
	each := make([]float64, s.c)
	for u := range s.run.people.Len() {
		for k, e := range s.engine {
			each[k] = e.logZ[u] + shares[k]
		}
		t := num.LogSumExp(each)
		sum += t
		for k := range each {
			s.member[k][u] = math.Exp(each[k] - t)
		}
	}
	return sum, nil
}

// penalty is J without the votes.
func (s *mixture) penalty(x []float64) float64 {
	means, shares, rest := s.split(x)
	f := logOwnPrior(math.Exp(rest[0]))
	for g, a := range s.spread {
		m := means[g*s.n : (g+1)*s.n]
		f -= 0.5*num.Dot(m, m)/a + 0.5*float64(s.n)*math.Log(a)
	}
	if s.levels != nil {
		f += logSpreadPrior(shares[0])
	} else {
		for _, p := range s.share {
			f += math.Log(p)
		}
	}
	if s.ties {
		d := rest[1] - math.Log(typicalThreshold)
		f -= d * d / 8
	}
	return f
}

// evaluate is J and its gradient.
func (s *mixture) evaluate(ctx context.Context, x []float64) (value float64, grad []float64, err error) {
	means, at, rest := s.split(x)
	if rest[0] < leastOwn || rest[0] > mostOwn {
		return math.Inf(-1), nil, nil
	}
	edges := make([]*margin, s.c)
	evidence, err := s.infer(ctx, x, func(k int) []Collector {
		if !s.ties {
			return nil
		}
		edges[k] = &margin{people: s.run.people, threshold: math.Exp(rest[1]), each: make([]float64, s.run.people.Len())}
		return []Collector{edges[k]}
	})
	if err != nil {
		if ctx.Err() == nil {
			return math.Inf(-1), nil, nil // a step too far
		}
		return 0, nil, err
	}
	grad = make([]float64, len(x))
	gm, gs, gr := s.split(grad)
	persons := float64(s.run.people.Len())
	pull := make([]float64, s.n)
	for k, told := range s.told {
		clear(pull)
		own, size := told.add(pull, s.member[k], s.run.people)
		s.run.items.OfMean().shrink(pull, pull, 1)
		g, level := s.of(k)
		num.Axpy(s.temper*level, pull, gm[g*s.n:(g+1)*s.n])
		if more := size - persons*s.share[k]; s.levels == nil {
			gs[k] = s.temper*more + 1 - float64(s.c)*s.share[k]
		} else {
			gs[0] += s.temper * more * logNormalSlope(level, math.Exp(at[0]))
		}
		gr[0] += s.temper * 0.5 * s.prior[k].Scale * own
		if s.ties {
			gr[1] += s.temper * num.Dot(edges[k].each, s.member[k])
		}
	}
	for i, x := range means {
		gm[i] -= x / s.spread[i/s.n]
	}
	if s.levels != nil {
		gs[0] += logSpreadPriorSlope(at[0])
	}
	gr[0] -= (rest[0] + 1) / 4
	if s.ties {
		gr[1] -= (rest[1] - math.Log(typicalThreshold)) / 4
	}
	s.run.evidence = evidence
	return s.temper*evidence + s.penalty(x), grad, nil
}

// bend finds the curvature at the point, and the score there: of the means as far as votes
// settled them, and of the shares.
func (s *mixture) bend(ctx context.Context) error {
	evidence, err := s.infer(ctx, s.point, func(int) []Collector { return nil })
	if err != nil {
		return err
	}
	s.value = s.temper*evidence + s.penalty(s.point)
	bend := 0.25 // along log σ²
	persons := s.temper * float64(s.run.people.Len())
	info := make([][]float64, len(s.spread))
	for k, e := range s.engine {
		told, err := e.info(ctx, s.prior[k], s.n, s.member[k])
		if err != nil {
			return err
		}
		g, level := s.of(k)
		if info[g] == nil {
			info[g] = make([]float64, s.n*s.n)
		}
		num.Axpy(level*level, told, info[g])
		v := s.prior[k].Scale
		bend += s.temper * 0.5 * v * v * num.Dot(s.told[k].norm, s.member[k])
	}
	var size []int
	var blocks [][]float64
	for g, a := range s.spread {
		size, blocks = append(size, s.n), append(blocks, meanCurvature(info[g], s.n, s.run.items.OfMean(), s.temper, a))
	}
	settled := float64(s.c - 1)
	if s.levels == nil {
		for _, p := range s.share {
			size, blocks = append(size, 1), append(blocks, []float64{1 + persons*p})
		}
	} else {
		_, at, _ := s.split(s.point)
		size, blocks, settled = append(size, 1), append(blocks, []float64{0.25 + persons*logNormalBend(s.levels, s.share, math.Exp(at[0]))}), 1
	}
	if size, blocks = append(size, 1), append(blocks, []float64{bend}); s.ties {
		size, blocks = append(size, 1), append(blocks, []float64{0.25 + s.temper*s.run.tied})
	}
	var ok bool
	if s.bent, ok = newMetric(size, blocks); !ok {
		panic("population: the curvature of a mixture is not positive definite")
	}
	for i, open := range s.bent.variances()[:len(s.spread)*s.n] {
		settled += 1 - open/s.spread[i/s.n]
	}
	s.score = score(s.temper*evidence, settled)
	return nil
}

// relearn sets each a_k to what the curvature says, and returns by how much the largest
// of their logarithms changed.
func (s *mixture) relearn() (change float64) {
	means, _, _ := s.split(s.point)
	open := s.bent.variances()
	for k, a := range s.spread {
		m := means[k*s.n : (k+1)*s.n]
		var trace float64
		for _, x := range open[k*s.n : (k+1)*s.n] {
			trace += x
		}
		gamma := max(float64(s.n)-trace/a, 0.5)
		to := min(max((num.Dot(m, m)+0.05)/(gamma+0.05), leastSpread), mostSpread)
		change = max(change, math.Abs(math.Log(to/a)))
		s.spread[k] = to
	}
	return change
}

// learn fits from the point on.
func (s *mixture) learn(ctx context.Context) error {
	if err := s.rise(ctx); err != nil {
		return err
	}
	return s.amend(ctx)
}

// amend adds to the score what EP leaves out of the evidence.
func (s *mixture) amend(ctx context.Context) error {
	more := make([][]float64, s.c)
	for k, e := range s.engine {
		var err error
		if more[k], err = e.amendments(ctx, s.prior[k]); err != nil {
			return err
		}
	}
	each := make([]float64, s.c)
	for u := range s.run.people.Len() {
		for k := range each {
			each[k] = math.Log(s.member[k][u]) + more[k][u]
		}
		s.score += s.temper * num.LogSumExp(each)
	}
	return nil
}

// rise climbs from the point on, and leaves the curvature and the score where it ends.
func (s *mixture) rise(ctx context.Context) error {
	for round := range segmentRounds {
		if err := s.bend(ctx); err != nil {
			return err
		}
		if round > 0 {
			if s.relearn() < settled {
				return nil
			}
		}
		var err error
		if s.point, s.value, s.converged, err = s.run.climbFrom(ctx, s.point, s.bent, s.evaluate, segmentSteps); err != nil {
			return err
		}
	}
	return s.bend(ctx)
}
