package infer

import (
	"context"
	"fmt"
	"slices"

	"palate/gp"
)

// Settings say how to infer and when to stop. The zero value, and nil, run
// damped parallel EP to 1e-8.
type Settings struct {
	Rule     Rule     // nil: EP
	Schedule Schedule // nil: Batch
	// Tolerance is the largest change of a site, in units of the spread of its
	// form, that counts as converged. 0 stands for 1e-8.
	Tolerance float64
	// MaxSweeps bounds the sweeps over all rows. 0 stands for 500.
	MaxSweeps int
	// Start holds sites to start from, as in a Result; nil: none.
	Start []gp.Site
	// Progress, if set, is told after every sweep.
	Progress func(Progress)
}

// Progress describes a run under way.
type Progress struct {
	Sweep  int
	Change float64 // as compared with Settings.Tolerance
}

// Schedule decides which sites are visited when. It is sealed: a schedule works on the
// state of the run, and those there are are Batch, Sequential and Stochastic.
type Schedule interface {
	run(ctx context.Context, e *engine) error
}

// Status says how a run ended.
type Status int

const (
	// Converged means that the last sweep changed less than the tolerance.
	Converged Status = iota
	// SweepLimit means that it did not within Settings.MaxSweeps.
	SweepLimit
	// Stalled means that no step along the update raised the objective.
	Stalled
	// Interrupted means that the context ended during Online.Revisit; the posterior
	// is as far as it got.
	Interrupted
)

var statuses = [...]string{"converged", "sweep limit", "stalled", "interrupted"}

func (s Status) String() string { return statuses[s] }

// MarshalText writes the status as its name.
func (s Status) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (s *Status) UnmarshalText(text []byte) error {
	k := slices.Index(statuses[:], string(text))
	if k < 0 {
		return fmt.Errorf("infer: unknown status %q", text)
	}
	*s = Status(k)
	return nil
}

// Stats counts what a run did.
type Stats struct {
	Sweeps  int     `json:"sweeps"`  // over all rows, or batches of a stochastic run
	Change  float64 `json:"change"`  // of the last sweep
	Step    float64 `json:"step"`    // the damping it ended with
	Skipped int     `json:"skipped"` // updates left out for an improper cavity
	Jitter  float64 `json:"jitter"`  // on the prior covariance, or the most on that of a person
	// Of people who are inferred one by one: those who were not done at the limit of
	// sweeps, and those whose prior covariance needed jitter.
	Unconverged int `json:"unconverged,omitempty"`
	Jittered    int `json:"jittered,omitempty"`
}

// Result is the answer of Run.
type Result struct {
	Posterior *gp.Posterior
	// Sites, one a row, per single observation: a row observed n times has n of
	// them.
	Sites []gp.Site
	// Objective is what Kind says.
	Objective float64
	Kind      ObjectiveKind
	// Scale is the posterior of the inverse scale, where it had a prior.
	Scale  Gamma
	Status Status
	Stats  Stats

	problem *Problem
	rule    Rule
	updates []Update
	forms   []Form
	effects *effects
}

// Run infers the posterior of p. When ctx ends before it is done it returns the
// error of ctx. s may be nil.
func Run(ctx context.Context, p *Problem, s *Settings) (*Result, error) {
	if s == nil {
		s = &Settings{}
	}
	e, err := newEngine(p, *s)
	if err != nil {
		return nil, err
	}
	schedule := s.Schedule
	if schedule == nil {
		schedule = Batch{}
	}
	if err := schedule.run(ctx, e); err != nil {
		return nil, err
	}
	return e.result, nil
}
