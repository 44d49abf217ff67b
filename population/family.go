package population

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"palate/infer"
	"palate/internal/num"
	"palate/likelihood"
)

// Class is a Gaussian that some of the people are drawn from.
type Class struct {
	Share  float64 // of the people
	Prior  Prior
	Engine *Engine // holds everybody's sites under it
	Spread float64 // variance of its mean beforehand
}

// Member is one of a family: classes that people are drawn from, one or several.
type Member struct {
	Name      string  // own, factors or segments; empty of a form that was asked for
	Weight    float64 // in what the family says
	Score     float64 // what new votes would say for it, see score
	Threshold float64 // the margin below which people call a tie; 0 without ties
	// Win is the likelihood of a vote for the first of two items; nil: a unit probit with
	// that margin.
	Win       likelihood.Scalar
	Classes   []Class
	Converged bool
}

// Family is what may be known of people, several ways at once: tastes of everybody's
// own, tastes along factors beside, and segments of people who are alike. Its members
// are weighed by their scores.
type Family struct {
	Members   []*Member
	Leans     *Leans  // nil: the left side is worth nothing
	Evidence  float64 // log evidence of the votes under the heaviest member as it is
	Evals     int
	Converged bool
	Stats     infer.Stats
}

// none is the variance of own tastes where people have none to speak of.
const none = 0.001

// ownGrid and factorGrid are the variances of own tastes that members have.
var (
	ownGrid    = []float64{none, 0.02, 0.08, 0.3, 0.8, 2, 6, 20, 60, 180}
	factorGrid = []float64{none, 0.02, 0.15, 0.5, 1.2, 4, 12, 36, 100, 300}
)

const (
	mostColumns = 8 // of factors at the start
	// reach is how far below others a kind no longer matters, in nats, and near how far below
	// others of its kind a member does not.
	reach = 25
	near  = 10
)

// fits are those at several variances of own tastes.
type fits []*tastes

// nearest returns the one whose variance is nearest.
func (f fits) nearest(own float64) *tastes {
	return slices.MinFunc(f, func(a, b *tastes) int {
		return cmp.Compare(math.Abs(math.Log(a.own/own)), math.Abs(math.Log(b.own/own)))
	})
}

// middling is where fits along the grids begin.
const middling = 3

// along fits at the variances of a grid, from its middle to both sides as far as they
// matter, each from the one before.
func (r *run) along(grid []float64, fit func(own float64, from *tastes) (*tastes, error)) (all fits, err error) {
	top := math.Inf(-1)
	for _, step := range []int{-1, 1} {
		var from *tastes
		at := middling
		if step > 0 {
			from = all[0]
			at += step
		}
		for ; at >= 0 && at < len(grid); at += step {
			t, err := fit(grid[at], from)
			if err != nil {
				return nil, err
			}
			all, from = append(all, t), t
			if top = max(top, t.score); t.score < top-near {
				break
			}
		}
	}
	return all, nil
}

// ownTastes fits tastes of people's own of a variance, from another such fit on; nil: from nothing.
func (r *run) ownTastes(ctx context.Context, own float64, from *tastes) (*tastes, error) {
	t, err := r.newTastes(own)
	if err != nil {
		return nil, err
	}
	if from != nil {
		t.from(from)
	}
	return t, t.learn(ctx)
}

// factorTastes fits factors beside own tastes of a variance, from a fit without them on: columns that are
// alike, then from there on columns that need not be. It returns the one that new votes would say more
// for: people who differ a little in many ways are of the first kind, and those who differ in a few of
// the second.
func (r *run) factorTastes(ctx context.Context, own float64, from *tastes) (*tastes, error) {
	alike, err := r.newTastes(own)
	if err != nil {
		return nil, err
	}
	alike.from(from)
	alike.alike = true
	if err := alike.grow(ctx, min(mostColumns, r.people.items-1)); err != nil {
		return nil, err
	}
	if err := alike.learn(ctx); err != nil || alike.k == 0 {
		return alike, err
	}
	t, err := r.newTastes(own)
	if err != nil {
		return nil, err
	}
	t.from(alike)
	if err := t.learn(ctx); err != nil {
		return nil, err
	}
	if alike.score > t.score {
		return alike, nil
	}
	return t, nil
}

// LearnFamily finds a family that people come from, with the best of what may be known of the items
// (BestKnown). ρ is how much votes are redundant, 1 where each tells something of its own.
func LearnFamily(ctx context.Context, people *People, known []*Items, redundancy float64, o *Options) (*Family, error) {
	if o == nil {
		o = &Options{}
	}
	it, first, err := bestKnown(ctx, people, known, redundancy, o)
	if err != nil {
		return nil, err
	}
	r := newRun(people, it, redundancy, o)
	f := &Family{Converged: true}
	if people.sided() {
		if r.leans, err = r.learnLeans(ctx); err != nil {
			return nil, err
		}
		f.Leans = r.leans
	}
	owns, err := r.along(ownGrid, func(own float64, from *tastes) (*tastes, error) {
		if from == nil && r.leans == nil && first != nil {
			return first, nil // it is at that variance
		}
		return r.ownTastes(ctx, own, from)
	})
	if err != nil {
		return nil, err
	}
	factors, err := r.along(factorGrid, func(own float64, _ *tastes) (*tastes, error) {
		return r.factorTastes(ctx, own, owns.nearest(own))
	})
	if err != nil {
		return nil, err
	}
	best := owns[0] // of those whose variance segments may have
	for _, t := range slices.Concat(owns, factors) {
		if t.score > best.score && t.own <= math.Exp(mostOwn) {
			best = t
		}
	}
	for _, t := range owns {
		f.Members = append(f.Members, t.result(ownTastes))
	}
	reliable, err := r.newReliability(slices.MaxFunc(owns, func(a, b *tastes) int { return cmp.Compare(a.score, b.score) }))
	if err != nil {
		return nil, err
	}
	if err := reliable.learn(ctx); err != nil {
		return nil, err
	}
	f.Members = append(f.Members, reliable.result(ofReliability))
	for _, t := range factors {
		if t.k > 0 { // else it is one of the others
			f.Members = append(f.Members, t.result(factorsOfTaste))
		}
	}
	points, err := best.means(ctx)
	if err != nil {
		return nil, err
	}
	centres := means(points, make([]int, len(points)), points[:min(1, len(points))])
	top, last, worse := best.score, math.Inf(-1), 0
	for c := 2; c <= min(mostSegments, people.Len()); c++ {
		var count []int
		centres, count = clusters(points, centres)
		s, err := r.newSegments(centres, count, best.prior.Share, best.threshold())
		if err != nil {
			return nil, err
		}
		if err := s.learn(ctx); err != nil {
			return nil, err
		}
		f.Members = append(f.Members, s.result(inSegments))
		if s.score > last {
			worse = 0
		} else if worse++; worse == 2 || s.score < top-reach {
			break
		}
		last, top = s.score, max(top, s.score)
	}
	f.weigh()
	f.Evals, f.Stats = r.evals, r.stats
	return f, f.settle(ctx)
}

// settle infers everybody once more under all members, so that sites and members agree.
func (f *Family) settle(ctx context.Context) (err error) {
	for _, m := range f.Members {
		f.Converged = f.Converged && m.Converged
		for _, c := range m.Classes {
			c.Engine.method.tolerance = final
		}
		for _, c := range m.Classes {
			if _, f.Stats, err = c.Engine.Evaluate(ctx, c.Prior); err != nil {
				return err
			}
			f.Converged = f.Converged && f.Stats.Unconverged == 0
		}
	}
	f.Evidence, err = f.LogEvidence(ctx)
	return err
}

// heaviest is the member of most weight.
func (f *Family) heaviest() *Member {
	return slices.MaxFunc(f.Members, func(a, b *Member) int { return cmp.Compare(a.Weight, b.Weight) })
}

// LogEvidence returns that of everybody's votes under the heaviest member as it is.
func (f *Family) LogEvidence(ctx context.Context) (sum float64, err error) {
	each, err := f.heaviest().logEvidences(ctx)
	if err != nil {
		return 0, err
	}
	for u := range each[0] {
		var person []float64
		for k := range each {
			person = append(person, each[k][u])
		}
		sum += num.LogSumExp(person)
	}
	return sum, nil
}

func (t *tastes) result(name string) *Member {
	return &Member{Name: name, Score: t.score, Threshold: t.threshold(), Classes: []Class{{1, t.prior, t.engine, t.spread}}, Converged: t.converged}
}

func (s *mixture) result(name string) *Member {
	m := &Member{Name: name, Score: s.score, Threshold: s.threshold(), Converged: s.converged}
	for k, p := range s.prior {
		g, level := s.of(k)
		m.Classes = append(m.Classes, Class{s.share[k], p, s.engine[k], level * level * s.spread[g]})
	}
	return m
}

// means returns everybody's posterior mean of all items.
func (t *tastes) means(ctx context.Context) ([][]float64, error) {
	p := t.prior
	out := make([][]float64, t.engine.People.Len())
	pulls := newClassTold(t.engine.People, 0)
	if _, _, err := t.engine.held().Evaluate(ctx, p, pulls); err != nil {
		return nil, err
	}
	for u := range out {
		m := append([]float64(nil), p.T...)
		low := make([]float64, p.D)
		from := pulls.pull[t.engine.People.itemStart[u]:]
		for i, item := range t.engine.People.Items(u) {
			m[item] += p.Scale * (1 - p.Share) * from[i]
			if k := p.Items.K; k != nil {
				num.Axpy(p.Scale*p.Share*from[i], k[int(item)*t.n:(int(item)+1)*t.n], m)
			}
			for c := range low {
				low[c] += p.Scale * from[i] * p.A[int(item)*p.D+c]
			}
		}
		for i := range m {
			for c, x := range low {
				m[i] += p.A[i*p.D+c] * x
			}
		}
		out[u] = m
	}
	return out, nil
}

// Alone is the family of one member of one class.
func Alone(p Prior, e *Engine, spread, threshold float64) *Family {
	return &Family{Members: []*Member{{Weight: 1, Threshold: threshold, Classes: []Class{{1, p, e, spread}}}}}
}

// Threshold returns the margin below which people call a tie, in the mean of the members.
func (f *Family) Threshold() (mean float64) {
	for _, m := range f.Members {
		mean += m.Weight * m.Threshold
	}
	return mean
}

// People returns those whom the family was learnt from.
func (f *Family) People() *People { return f.Members[0].Classes[0].Engine.People }

// Segments returns the probability of each number of classes, that of one first.
func (f *Family) Segments() (chance []float64) {
	for _, m := range f.Members {
		n := 1
		if m.Name == inSegments {
			n = len(m.Classes)
		}
		for len(chance) < n {
			chance = append(chance, 0)
		}
		chance[n-1] += m.Weight
	}
	return chance
}

// Blends reports whether a family of people is learnt in seconds: it takes some hundred
// evaluations, where one form takes some tens. Of 20 items that is so up to 60,000 votes.
func Blends(p *People) bool {
	var work float64
	for u := range p.Len() {
		m := float64(p.itemStart[u+1] - p.itemStart[u])
		work += m*m*m + pairWork*float64(p.pairStart[u+1]-p.pairStart[u])
	}
	return p.items <= mostBlendItems && work <= mostBlendWork
}

// mostBlendItems is the number of items up to which Blends may say so.
const mostBlendItems = 200

const (
	mostBlendWork = 4e7
	pairWork      = 300 // of a pair beside the cube of a person's items
)

// String says how much of what the family says is of which kind, that of most first.
func (f *Family) String() string {
	var names []string
	weight := map[string]float64{}
	for _, m := range f.Members {
		name := map[string]string{ownTastes: "own tastes", factorsOfTaste: "factors of taste", inSegments: fmt.Sprint(len(m.Classes), " segments"), ofReliability: "own tastes and reliability"}[m.Name]
		if weight[name] += m.Weight; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(weight[b], weight[a]) })
	var words []string
	for _, name := range names {
		if w := weight[name]; w >= 0.05 {
			words = append(words, fmt.Sprintf("%s %.0f%%", name, 100*w))
		}
	}
	return strings.Join(words, ", ")
}

// Names of members.
const (
	ownTastes      = "own"
	factorsOfTaste = "factors"
	inSegments     = "segments"
	ofReliability  = "reliability"
)
