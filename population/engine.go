package population

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"palate/infer"
	"palate/likelihood"
)

// Settings are how persons are inferred. The zero value is EP on unit probits.
type Settings struct {
	Rule infer.Rule // nil: EP
	// Likelihood gives the likelihood of each kind of outcome; nil: a unit probit
	// for wins. Ties need one.
	Likelihood func(Observation) likelihood.Scalar
	Lean       float64 // what the left side is worth to somebody new
	Tolerance  float64 // 0 stands for 1e-4
	MaxSweeps  int     // 0 stands for 60
	Workers    int     // goroutines; 0: as many as there are processors
}

// Marginals is what is known of people before they vote, as far as an Engine sees
// it. Fill sets mean and covariance of the utilities of some items to person u, by
// the methods of Person.
type Marginals interface {
	Fill(w *Person, u int, items []int32)
}

// Prior is the population: everybody's utilities before they vote. It is sealed: LowRank
// and Full are those there are, and Marginals is all that the engine needs of others.
type Prior interface {
	Marginals
	// NumItems returns the number of items.
	NumItems() int
	// Mean returns the prior mean of an item for person u; the population's mean
	// when u is negative.
	Mean(u, item int) float64
	// Cov returns the prior covariance of two items, the same for everybody.
	Cov(i, j int) float64
	// Apart returns the variance between people of the difference of two items' utilities,
	// its mean over all pairs of the first n.
	Apart(n int) float64
	// sample returns draws of all utilities, less their mean, a row each.
	sample(n int, rng *rand.Rand) *mat.Dense
}

// Engine holds everybody's sites between evaluations, so that each starts
// where the last one ended.
type Engine struct {
	People  *People
	Tau, Nu []float64 // by pair; where the votes are, in memory or on disk
	Leans   []float64 // what the left side is worth to each; nil: nothing
	method  method
	workers int
	spare   []*Person
	logZ    []float64
	disk    *mapping // holds the sites; nil: in memory
}

// held returns the engine with its sites as they are: it looks at people, and moves nothing.
func (e *Engine) held() *Engine {
	h := *e
	h.method.tolerance = math.Inf(1)
	return &h
}

// info returns ΣW_u over n items at the sites that the engine holds, with a weight for each
// person; nil: 1.
func (e *Engine) info(ctx context.Context, prior Marginals, n int, weight []float64) ([]float64, error) {
	sums := NewSums(n, false)
	sums.Weight = weight
	_, _, err := e.held().Evaluate(ctx, prior, sums)
	return sums.Info, err
}

// NewEngine prepares inference for some people.
func NewEngine(p *People, s Settings) (*Engine, error) {
	e := &Engine{People: p, logZ: make([]float64, p.Len())}
	var err error
	if e.method, err = newMethod(p.kinds, s); err != nil {
		return nil, err
	}
	if e.Tau, e.Nu, e.disk, err = p.siteRoom(); err != nil {
		return nil, err
	}
	if e.workers = s.Workers; e.workers == 0 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	return e, nil
}

func newMethod(kinds []Observation, s Settings) (method, error) {
	m := method{rule: s.Rule, tolerance: s.Tolerance, sweeps: s.MaxSweeps}
	if m.rule == nil {
		m.rule = infer.EP{}
	}
	m.tolerance = cmp.Or(m.tolerance, 1e-4)
	m.sweeps = cmp.Or(m.sweeps, 60)
	for _, k := range kinds {
		var l likelihood.Scalar
		switch {
		case s.Likelihood != nil:
			l = s.Likelihood(k)
		case k.Tie:
			return m, fmt.Errorf("population: ties, but no likelihood for them")
		default:
			l = k.Likelihood(1, 0)
		}
		if err := m.rule.Check(l); err != nil {
			return m, err
		}
		m.likelihood, m.side = append(m.likelihood, l), append(m.side, float64(k.Side))
	}
	_, ep := m.rule.(infer.EP)
	m.probit = ep
	for _, l := range m.likelihood {
		p, probit := l.(likelihood.Probit)
		step, drawn := l.(likelihood.Step)
		m.probit = m.probit && (probit && p.Width() == 1 && p.Offset == 0 || drawn && step.Offset == 0)
	}
	return m, nil
}

// Collector gathers statistics of everybody. The numbers of a person are
// computed in parallel and added up one person after the other, in an order
// that depends on the people alone, so that sums have the same bits whatever
// the number of goroutines.
type Collector interface {
	// Size is how many numbers a person with m items has.
	Size(m int) int
	// Collect computes the numbers of person u, once inferred; it may run on several
	// goroutines at a time.
	Collect(dst []float64, w *Person, u int, items []int32)
	// Add takes a person's numbers into the sum.
	Add(src []float64, u int, items []int32)
}

// ErrIndefinite is the error of an evaluation under a population that makes no sense for
// somebody.
var ErrIndefinite = errors.New("covariance not positive definite")

// room is how many numbers of persons wait to be added up, and how many of their
// votes are held at a time when those are on disk: 32 MB each.
const room = 1 << 22

// Evaluate infers everybody and returns the sum of the log evidences, or of the
// bounds. Without collectors only the sites move. Of the counts, sweeps are summed
// over persons.
func (e *Engine) Evaluate(ctx context.Context, prior Marginals, collectors ...Collector) (float64, infer.Stats, error) {
	var stats infer.Stats
	sizes := func(u int) (n int) {
		m := len(e.People.Items(u))
		for _, c := range collectors {
			n += c.Size(m)
		}
		return n
	}
	persons := e.People.Len()
	offset := make([]int, 0, 256)
	outcomes := make([]outcome, 0, 256)
	var buffer []float64
	for lo := 0; lo < persons; {
		if err := ctx.Err(); err != nil {
			return 0, stats, err
		}
		// A batch is as many persons as fit, one at least; on disk, as fit with
		// their votes.
		offset = append(offset[:0], 0)
		hi := lo
		for hi < persons {
			next := offset[hi-lo] + sizes(hi)
			if hi > lo && (next > room || e.People.disk != nil && e.People.numbers(lo, hi+1) > room) {
				break
			}
			offset = append(offset, next)
			hi++
		}
		resize(&buffer, offset[hi-lo])
		outcomes = append(outcomes[:0], make([]outcome, hi-lo)...)
		e.parallel(ctx, hi-lo, func(w *Person, k int) {
			u := lo + k
			outcomes[k] = e.person(w, prior, u)
			at := offset[k]
			for _, c := range collectors {
				if outcomes[k].failed {
					break
				}
				n := c.Size(w.m)
				c.Collect(buffer[at:at+n], w, u, e.People.Items(u))
				at += n
			}
		})
		if err := ctx.Err(); err != nil {
			return 0, stats, err
		}
		for k, o := range outcomes {
			u := lo + k
			if o.failed || math.IsNaN(o.logZ) {
				return 0, stats, fmt.Errorf("population: person %d with %d items: %w", u, len(e.People.Items(u)), ErrIndefinite)
			}
			e.logZ[u] = o.logZ
			stats.Sweeps += o.sweeps + 1
			stats.Skipped += o.skipped
			stats.Change = max(stats.Change, o.change)
			if !o.converged {
				stats.Unconverged++
			}
			if o.jitter > 0 {
				stats.Jitter = max(stats.Jitter, o.jitter)
				stats.Jittered++
			}
			at := offset[k]
			items := e.People.Items(u)
			for _, c := range collectors {
				n := c.Size(len(items))
				c.Add(buffer[at:at+n], u, items)
				at += n
			}
		}
		lo = hi
		e.release()
	}
	var sum float64
	for _, z := range e.logZ {
		sum += z
	}
	return sum, stats, nil
}

// LogEvidence returns each person's log evidence at the last evaluation.
func (e *Engine) LogEvidence() []float64 { return e.logZ }

// person runs inference for person u.
func (e *Engine) person(w *Person, prior Marginals, u int) outcome {
	p := e.People
	items := p.Items(u)
	lo, hi := p.pairStart[u], p.pairStart[u+1]
	w.resize(len(items), hi-lo)
	w.lean = e.lean(u)
	prior.Fill(w, u, items)
	return w.run(&e.method, p.votes(u), e.Tau[lo:hi], e.Nu[lo:hi])
}

// lean is what the left side is worth to person u.
func (e *Engine) lean(u int) float64 {
	if e.Leans == nil {
		return 0
	}
	return e.Leans[u]
}

// release gives the memory of votes and sites on disk back.
func (e *Engine) release() {
	e.People.disk.release()
	e.disk.release()
}

// parallel calls f for 0…n, in that order, until ctx ends, on several goroutines,
// each with a Person of its own.
func (e *Engine) parallel(ctx context.Context, n int, f func(w *Person, k int)) {
	workers := min(e.workers, n)
	for len(e.spare) < workers {
		e.spare = append(e.spare, &Person{})
	}
	if workers <= 1 {
		for k := 0; k < n && ctx.Err() == nil; k++ {
			f(e.spare[0], k)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for g := range workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				k := int(next.Add(1)) - 1
				if k >= n {
					return
				}
				f(e.spare[g], k)
			}
		})
	}
	wg.Wait()
}
