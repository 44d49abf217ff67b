package population

import (
	"context"
	"fmt"

	"palate"
	"palate/infer"
)

// Evaluator infers everybody under a population, wherever their votes are. Shard does so
// on this machine, on as many goroutines as there are processors; others hand the same
// Query to many shards and add up what each tells (Sum).
type Evaluator interface {
	// Evaluate infers everybody as the query says, each from the sites that the
	// evaluation before left, and returns what their votes tell. Its error is
	// ErrIndefinite where the population makes no sense for somebody.
	Evaluate(ctx context.Context, q Query) (*Statistics, error)
}

// Query is what is asked of everybody.
type Query struct {
	Prior     *LowRank
	Threshold float64 // the margin below which people call a tie; 0: likelihoods stay as they are
	Tolerance float64 // to which everybody is inferred
	Want      Want
}

// Want says which of the Statistics are asked for.
type Want int

const (
	Slopes   Want = iota // the evidence, its derivatives, and the loss of votes held out
	Evidence             // the evidence and that loss alone
	Spectrum             // the whole of ΣW
	Diagonal             // the diagonal of ΣW
)

// Shard is some of the people, or all of them, with what they were inferred to be.
type Shard struct {
	Engine  *Engine
	heldOut *heldOutLoss // nil where no votes are held out
}

// NewShard prepares inference for some people, of whose votes some were held out.
func NewShard(p *People, heldOut []palate.Tally, s Settings) (*Shard, error) {
	if s.Likelihood == nil && p.Ties() {
		s.Likelihood = Voting(typicalThreshold)
	}
	e, err := NewEngine(p, s)
	if err != nil {
		return nil, err
	}
	return &Shard{e, newHeldOutLoss(p, heldOut)}, nil
}

// Evaluate infers the people of the shard.
func (s *Shard) Evaluate(ctx context.Context, q Query) (told *Statistics, err error) {
	e, p := s.Engine, q.Prior
	e.method.tolerance = q.Tolerance
	if q.Threshold > 0 {
		e.setThreshold(q.Threshold)
	}
	var collectors []Collector
	if s.heldOut != nil && (q.Want == Slopes || q.Want == Evidence) {
		s.heldOut.prior, s.heldOut.loss, s.heldOut.of = p, 0, Voting(q.Threshold)
		collectors = append(collectors, s.heldOut)
	}
	told = NewStatistics(q)
	switch q.Want {
	case Slopes:
		edge := &margin{people: e.People, threshold: q.Threshold}
		if q.Threshold > 0 {
			collectors = append(collectors, edge)
		}
		var stats infer.Stats
		told, stats, err = e.statistics(ctx, p, collectors...)
		told.Stats, told.Margin = stats, edge.sum
	case Evidence:
		told.Evidence, told.Stats, err = e.Evaluate(ctx, p, collectors...)
	case Spectrum:
		sums := NewSums(p.Items.N, false)
		told.Evidence, told.Stats, err = e.Evaluate(ctx, p, sums)
		for i := range p.Items.N {
			copy(told.Matrix[i*(i+1)/2:], sums.Info[i*p.Items.N:i*p.Items.N+i+1])
		}
	case Diagonal:
		told.Evidence, told.Stats, err = e.Evaluate(ctx, p, &diagonal{told.Info})
	default:
		return nil, fmt.Errorf("population: nothing known is wanted: %d", q.Want)
	}
	if err != nil {
		return nil, err
	}
	told.Persons = e.People.Len()
	if len(collectors) > 0 && s.heldOut != nil {
		told.Loss, told.Watched = s.heldOut.loss, s.heldOut.weight
	}
	return told, nil
}
