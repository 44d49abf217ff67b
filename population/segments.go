package population

import (
	"context"
	"math"

	"palate/internal/num"
)

// segments fits a mixture: everybody is of one of C classes, of class k with chance π_k,
// and has utilities N(Mx_k, σ²(hK + (1−h)I)) there; K is that of Items, M that of what is known
// of the mean, and both are I without features. It climbs
//
//	J = Σ_u log Σ_k π_k Z_uk/ρ − Σ_k |x_k|²/2a_k − (n/2) Σ_k log a_k + Σ_k log π_k − (log σ² + 1)²/8
//
// over means, shares and σ²; each a_k is learnt between the climbs.
type segments struct {
	engine []*Engine
	prior  []*LowRank
	n, c   int
	spread []float64
	temper float64
	ties   bool
	point  []float64 // x_k (c×n), log shares but for a constant, log σ², log threshold

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
func (r *run) newSegments(centres [][]float64, count []int, share, threshold float64) (*segments, error) {
	n, c := r.people.items, len(centres)
	s := &segments{n: n, c: c, temper: r.temper, ties: r.people.Ties(), run: r}
	for k := range c {
		e, err := r.engine()
		if err != nil {
			return nil, err
		}
		s.engine = append(s.engine, e)
		s.prior = append(s.prior, &LowRank{Items: r.items, Share: share, T: make([]float64, n)})
		s.told = append(s.told, newClassTold(r.people, share))
		s.member = append(s.member, make([]float64, r.people.Len()))
		s.spread = append(s.spread, 1)
		x := make([]float64, n)
		r.items.OfMean().whiten(x, centres[k], 1)
		s.point = append(s.point, x...)
	}
	for _, m := range count {
		s.point = append(s.point, math.Log(float64(m)+1))
	}
	s.share = make([]float64, c)
	if s.point = append(s.point, startOwn); s.ties {
		s.point = append(s.point, math.Log(threshold))
	}
	return s, nil
}

// split returns means, log shares, log σ² and the rest of a point.
func (s *segments) split(x []float64) (means, shares, rest []float64) {
	return x[:s.c*s.n], x[s.c*s.n : s.c*(s.n+1)], x[s.c*(s.n+1):]
}

func (s *segments) threshold() float64 {
	if !s.ties {
		return 0
	}
	return math.Exp(s.point[len(s.point)-1])
}

// infer infers everybody under each class at a point, and how far each person is of
// which. It returns the evidence of the votes.
func (s *segments) infer(ctx context.Context, x []float64, also func(k int) []Collector) (float64, error) {
	means, shares, rest := s.split(x)
	total := num.LogSumExp(shares)
	for k, e := range s.engine {
		s.share[k] = math.Exp(shares[k] - total)
		p := s.prior[k]
		p.Items.OfMean().colour(p.T, means[k*s.n:(k+1)*s.n], 1)
		p.Scale = math.Exp(rest[0])
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
			each[k] = e.logZ[u] + shares[k] - total
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
func (s *segments) penalty(x []float64) float64 {
	means, _, rest := s.split(x)
	f := logOwnPrior(math.Exp(rest[0]))
	for k, a := range s.spread {
		m := means[k*s.n : (k+1)*s.n]
		f += math.Log(s.share[k]) - 0.5*num.Dot(m, m)/a - 0.5*float64(s.n)*math.Log(a)
	}
	if s.ties {
		d := rest[1] - math.Log(typicalThreshold)
		f -= d * d / 8
	}
	return f
}

// evaluate is J and its gradient.
func (s *segments) evaluate(ctx context.Context, x []float64) (value float64, grad []float64, err error) {
	means, _, rest := s.split(x)
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
	for k, told := range s.told {
		g := gm[k*s.n : (k+1)*s.n]
		own, size := told.add(g, s.member[k], s.run.people)
		s.run.items.OfMean().shrink(g, g, 1)
		for i := range g {
			g[i] = s.temper*g[i] - means[k*s.n+i]/s.spread[k]
		}
		gs[k] = s.temper*(size-persons*s.share[k]) + 1 - float64(s.c)*s.share[k]
		gr[0] += s.temper * 0.5 * s.prior[k].Scale * own
		if s.ties {
			gr[1] += s.temper * num.Dot(edges[k].each, s.member[k])
		}
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
func (s *segments) bend(ctx context.Context) error {
	evidence, err := s.infer(ctx, s.point, func(int) []Collector { return nil })
	if err != nil {
		return err
	}
	s.value = s.temper*evidence + s.penalty(s.point)
	var size []int
	var blocks [][]float64
	bend := 0.25 // along log σ²
	persons := s.temper * float64(s.run.people.Len())
	for k, e := range s.engine {
		held := *e
		held.method.tolerance = math.Inf(1) // look, do not move
		sums := NewSums(s.n, false)
		sums.Weight = s.member[k]
		if _, _, err := held.Evaluate(ctx, s.prior[k], sums); err != nil {
			return err
		}
		size, blocks = append(size, s.n), append(blocks, meanCurvature(sums.Info, s.n, s.run.items.OfMean(), s.temper, s.spread[k]))
		v := s.prior[k].Scale
		bend += s.temper * 0.5 * v * v * num.Dot(s.told[k].norm, s.member[k])
	}
	for _, p := range s.share {
		size, blocks = append(size, 1), append(blocks, []float64{1 + persons*p})
	}
	if size, blocks = append(size, 1), append(blocks, []float64{bend}); s.ties {
		size, blocks = append(size, 1), append(blocks, []float64{0.25 + s.temper*s.run.tied})
	}
	var ok bool
	if s.bent, ok = newMetric(size, blocks); !ok {
		panic("population: the curvature of segments is not positive definite")
	}
	settled := float64(s.c - 1)
	for i, open := range s.bent.variances()[:s.c*s.n] {
		settled += 1 - open/s.spread[i/s.n]
	}
	s.score = score(s.temper*evidence, settled)
	return nil
}

// relearn sets each a_k to what the curvature says, and returns by how much the largest
// of their logarithms changed.
func (s *segments) relearn() (change float64) {
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
func (s *segments) learn(ctx context.Context) error {
	if err := s.rise(ctx); err != nil {
		return err
	}
	return s.amend(ctx)
}

// amend adds to the score what EP leaves out of the evidence.
func (s *segments) amend(ctx context.Context) error {
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
func (s *segments) rise(ctx context.Context) error {
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

// classTold is what people's votes tell of a class.
type classTold struct {
	people *People
	share  float64   // h
	pull   []float64 // by item of each person
	own    []float64 // tr (ssᵀ − W)(hK + (1−h)I) of each person
	norm   []float64 // |W|² of each person
}

func newClassTold(p *People, share float64) *classTold {
	return &classTold{p, share, make([]float64, len(p.item)), make([]float64, p.Len()), make([]float64, p.Len())}
}

func (t *classTold) Size(int) int { return 0 }

func (t *classTold) Collect(_ []float64, w *Person, u int, _ []int32) {
	copy(t.pull[t.people.itemStart[u]:], w.pull)
	var own, norm float64
	for i, x := range w.pull {
		row := w.info[i*w.m : i*w.m+i+1]
		own += (1 - t.share) * (x*x - row[i])
		if t.share > 0 {
			k := w.kern[i*w.m : i*w.m+i+1]
			for j, y := range w.pull[:i] {
				own += 2 * t.share * k[j] * (x*y - row[j])
			}
			own += t.share * k[i] * (x*x - row[i])
		}
		norm += 2*num.Dot(row, row) - row[i]*row[i]
	}
	t.own[u], t.norm[u] = own, norm
}

func (t *classTold) Add([]float64, int, []int32) {}

// add adds the pulls of all people, as far as each is of the class, and returns the sums
// of their traces and of how far they are.
func (t *classTold) add(pull, member []float64, p *People) (own, size float64) {
	for u, r := range member {
		size += r
		if r == 0 {
			continue
		}
		own += r * t.own[u]
		from := t.pull[p.itemStart[u]:]
		for i, item := range p.Items(u) {
			pull[item] += r * from[i]
		}
	}
	return own, size
}
