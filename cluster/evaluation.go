package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"palate/population"
)

// An evaluation is one pipeline: every shard is an element, and what shards tell is combined.
//
//	numbers of shards ─▶ inferFn ─▶ sumFn ─▶ toldFn
//
// The query is a file beside the sites, which a worker reads once. As a side input it would keep one processor
// busy as long as shards are inferred: prism asks over and over whether a stage with side inputs is ready for more.

// told is what some shards tell.
type told struct{ sum *population.Sum }

func encodeTold(t told) ([]byte, error) { return t.sum.MarshalBinary() }

func decodeTold(b []byte) (told, error) {
	t := told{&population.Sum{}}
	return t, t.sum.UnmarshalBinary(b)
}

// sumFn adds up what shards tell, to the same bits in any order and grouping.
type sumFn struct{}

func (sumFn) CreateAccumulator() told { return told{&population.Sum{}} }

func (sumFn) MergeAccumulators(a, b told) (told, error) { return a, failed("%w", a.sum.Merge(b.sum)) }

func (f sumFn) AddInput(a, b told) (told, error) { return f.MergeAccumulators(a, b) }

// inferFn infers the voters of a shard.
type inferFn struct {
	Deal, Fit  string
	Sums       []string // of the shards
	Query      string   // checksum of what is asked
	Evaluation int      // whose sites are written; those of the one before are read
	Workers    int
	Stamp      string

	query *population.Query
}

func (f *inferFn) Setup() error { return checkStamp(f.Stamp) }

// StartBundle reads the query.
func (f *inferFn) StartBundle(ctx context.Context, _ func(told)) error {
	if f.query != nil {
		return nil
	}
	q, err := readQuery(ctx, queryFile(f.Fit, f.Evaluation), f.Query)
	if err == nil {
		f.query = &q
	}
	return failed("%w", err)
}

func (f *inferFn) ProcessElement(ctx context.Context, k int, emit func(told)) error {
	x, err := openShard(ctx, f.Deal, k, len(f.Sums), f.Sums[k], false)
	if err != nil {
		return failed("%w", err)
	}
	s, err := population.NewShard(x.people, x.aside, population.Settings{Workers: f.Workers})
	if err != nil {
		return failed("shard %d: %w", k, err)
	}
	if err := readSites(ctx, f.Fit, f.Evaluation-1, k, x.sum, s.Engine); err != nil {
		return failed("%w", err)
	}
	says, err := s.Evaluate(ctx, *f.query)
	if errors.Is(err, population.ErrIndefinite) {
		says = population.NewStatistics(*f.query)
		says.Indefinite = 1
	} else if err != nil {
		return failed("shard %d: %w", k, err)
	}
	if err := writeSites(ctx, f.Fit, f.Evaluation, k, x.sum, s.Engine); err != nil {
		return failed("shard %d: %w", k, err)
	}
	beam.NewCounter("palate", "shards").Inc(ctx, 1)
	beam.NewCounter("palate", "voters").Inc(ctx, int64(says.Persons))
	beam.NewCounter("palate", "sweeps").Inc(ctx, int64(says.Stats.Sweeps))
	t := told{&population.Sum{}}
	if err := t.sum.Add(k, says); err != nil {
		return failed("shard %d: %w", k, err)
	}
	emit(t)
	return nil
}

// toldFn writes down what all shards tell.
type toldFn struct {
	Path   string
	Shards int
	Query  string // checksum
}

func (f *toldFn) ProcessElement(ctx context.Context, t told) error {
	all, err := t.sum.Total(f.Shards)
	if err != nil {
		return failed("%w", err)
	}
	body, err := all.MarshalBinary()
	if err != nil {
		return failed("%w", err)
	}
	data, err := seal(toldKind, toldHead{format, f.Query, sum(body)}, body)
	if err == nil {
		err = writeFile(ctx, f.Path, data)
	}
	return failed("%w", err)
}

const toldKind = "pal.told"

type toldHead struct {
	Format int    `json:"format"`
	Query  string `json:"query"` // checksum of what was asked
	Sum    string `json:"sum"`
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[told](), encodeTold, decodeTold)
	beam.RegisterType(reflect.TypeFor[told]())
	register.DoFn3x1[context.Context, int, func(told), error](&inferFn{})
	register.DoFn2x1[context.Context, told, error](&toldFn{})
	register.Combiner1[told](&sumFn{})
	register.Emitter1[told]()
}

// evaluator asks the shards of a deal by pipelines. What was asked and told is kept in a folder: a driver
// that begins again asks the same, and is told again what was told before.
type evaluator struct {
	deal   *Deal
	fit    string
	runner Runner
	asked  int // evaluations so far
	said   func(evaluation int, again bool, s *population.Statistics)
}

func (e *evaluator) toldFile() string { return fmt.Sprintf("%s/told-%05d", e.fit, e.asked) }

// Evaluate asks all shards.
func (e *evaluator) Evaluate(ctx context.Context, q population.Query) (*population.Statistics, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.asked++
	data, err := queryBytes(q)
	if err != nil {
		return nil, err
	}
	again, err := exists(ctx, e.toldFile())
	if err != nil {
		return nil, err
	}
	if !again {
		if err := writeFile(ctx, queryFile(e.fit, e.asked), data); err != nil {
			return nil, err
		}
		err := e.runner.run(ctx, fmt.Sprintf("evaluation-%d", e.asked), func(s beam.Scope) {
			infer := &inferFn{Deal: e.deal.folder, Fit: e.fit, Sums: e.deal.sums(), Query: sum(data), Evaluation: e.asked, Workers: e.runner.Workers, Stamp: stamp()}
			says := beam.ParDo(s, infer, numbers(s, len(e.deal.Shards)))
			beam.ParDo0(s, &toldFn{e.toldFile(), len(e.deal.Shards), sum(data)}, beam.Combine(s, &sumFn{}, says))
		})
		if err != nil {
			return nil, err
		}
		// Sites are read by the next evaluation alone, and queries by none.
		for _, old := range []string{fmt.Sprintf("%s/sites-%05d-*", e.fit, e.asked-1), queryFile(e.fit, e.asked-1)} {
			if err := remove(ctx, old); err != nil {
				return nil, err
			}
		}
	}
	says, err := e.told(ctx, sum(data))
	if err != nil {
		return nil, err
	}
	if e.said != nil {
		e.said(e.asked, again, says)
	}
	if says.Indefinite > 0 {
		return nil, fmt.Errorf("in %d of %d shards: %w", says.Indefinite, len(e.deal.Shards), population.ErrIndefinite)
	}
	return says, nil
}

// told reads what was told of a query.
func (e *evaluator) told(ctx context.Context, query string) (*population.Statistics, error) {
	data, err := readFile(ctx, e.toldFile())
	if err != nil {
		return nil, err
	}
	var h toldHead
	body, err := unseal(toldKind, data, &h)
	says := &population.Statistics{}
	switch {
	case err != nil:
	case h.Format != format || h.Query != query:
		err = errors.New("it answers another question: the folder is of another fit")
	case h.Sum != sum(body):
		err = errors.New("the checksum does not match: the file is damaged")
	default:
		err = says.UnmarshalBinary(body)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; remove %s to begin afresh", e.toldFile(), err, e.fit)
	}
	return says, nil
}

// compact is JSON on one line.
func compact(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
