package population

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"

	"palate/infer"
	"palate/internal/num"
)

// run is the fitting of a family to some people.
type run struct {
	people   *People
	items    *Items
	settings Settings
	temper   float64 // 1/ρ
	tied     float64 // the number of ties
	evals    int
	stats    infer.Stats
	evidence float64 // of the votes, at the last evaluation
	leans    *Leans  // nil: the left side is worth nothing
	progress func(Progress)
}

// engine is one for everybody, for a climb.
func (r *run) engine() (*Engine, error) {
	e, err := NewEngine(r.people, r.settings)
	if err != nil {
		return nil, err
	}
	if e.method.tolerance = climbing; r.leans != nil {
		e.Leans = r.leans.Of
	}
	return e, nil
}

func newRun(people *People, it *Items, redundancy float64, o *Options) *run {
	r := &run{people: people, items: it, settings: o.Settings, temper: 1 / redundancy, progress: o.Progress}
	if people.Ties() {
		r.settings.Likelihood = Voting(typicalThreshold)
		for u := range people.Len() {
			for _, p := range people.Pairs(u) {
				if k := people.kinds[p.Kind]; k.Tie {
					r.tied += k.Power * p.Count
				}
			}
		}
	}
	return r
}

func (r *run) evaluated(s infer.Stats) {
	r.evals++
	r.stats = s
}

// climb takes steps until they gain next to nothing, and reports whether they came to that.
func (r *run) climb(ctx context.Context, c *climber, f objective, steps int) (done bool, err error) {
	if err := c.start(ctx, f); err != nil {
		return false, err
	}
	for c.Rounds < steps {
		gain, err := c.step(ctx, f)
		if err != nil {
			return false, err
		}
		if r.progress != nil {
			r.progress(Progress{r.evals, c.F, r.evidence, math.NaN()})
		}
		if gain < closing {
			return true, nil
		}
	}
	return false, nil
}

// climbFrom goes up an objective from a point, in the coordinates of a metric, and reports
// whether there was next to nothing left to gain.
func (r *run) climbFrom(ctx context.Context, base []float64, m *metric, f func(context.Context, []float64) (float64, []float64, error), steps int) (x []float64, value float64, done bool, err error) {
	at := func(y []float64) []float64 {
		x := append([]float64(nil), y...)
		m.solve(blas.Trans, x)
		num.Axpy(1, base, x)
		return x
	}
	flat := make([]float64, len(base))
	for i := range flat {
		flat[i] = 1
	}
	c := &climber{X: make([]float64, len(base)), First: 1}
	done, err = r.climb(ctx, c, func(ctx context.Context, y []float64) (float64, []float64, []float64, error) {
		value, grad, err := f(ctx, at(y))
		if grad != nil {
			m.solve(blas.NoTrans, grad)
		}
		return value, grad, flat, err
	}, steps)
	return at(c.X), c.F, done, err
}
