package cluster

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"palate/population"
)

// An evaluation is one pipeline: every shard is an element, and what the shards of a bundle tell is added up as far as
// they are neighbours and cut into pieces, each added up by a key of its own, some neighbours at a time, until
// one sum is left.
//
//	numbers of shards ─▶ inferFn ─▶ by piece and neighbours ─▶ addFn ─▶ … ─▶ toldFn
//
// So no record is larger than a piece, however many items there are, and no worker holds more than neighbours do. The query is
// a file beside the sites, which a worker reads once. As a side input it would keep one processor busy as long as
// shards are inferred: prism asks over and over whether a stage with side inputs is ready for more.

const (
	pieceSize  = 1 << 15 // numbers of a piece
	neighbours = 32      // that are added up at a time
	mostHeld   = 8       // statistics that a bundle holds
)

// told is a piece of what some shards tell.
type told struct {
	piece int
	sum   *population.Sum
}

func encodeTold(t told) ([]byte, error) {
	b, err := t.sum.MarshalBinary()
	return binary.LittleEndian.AppendUint64(b, uint64(t.piece)), err
}

func decodeTold(b []byte) (told, error) {
	n := len(b) - 8
	if n < 0 {
		return told{}, fmt.Errorf("%d bytes are no piece of statistics", len(b))
	}
	t := told{int(binary.LittleEndian.Uint64(b[n:])), &population.Sum{}}
	return t, t.sum.UnmarshalBinary(b[:n])
}

// toldKey is the key of a piece of neighbours.
func toldKey(piece, group int) int { return piece<<32 | group }

// addFn adds up a piece of neighbours, to the same bits in any order, and hands it on to their neighbours; at the
// Last all are under one key.
type addFn struct{ Last bool }

func (f *addFn) ProcessElement(key int, next func(*told) bool, emit func(int, told)) error {
	piece, group := key>>32, key&(1<<32-1)
	all := told{piece, &population.Sum{}}
	for t := (told{}); next(&t); {
		if err := all.sum.Merge(t.sum); err != nil {
			return failed("%w", err)
		}
	}
	to := 0
	if !f.Last {
		to = toldKey(piece, group/neighbours)
	}
	emit(to, all)
	return nil
}

// added adds up what so many shards tell.
func added(s beam.Scope, says beam.PCollection, shards int) beam.PCollection {
	for {
		shards = (shards + neighbours - 1) / neighbours
		says = beam.ParDo(s, &addFn{Last: shards == 1}, beam.GroupByKey(s, says))
		if shards == 1 {
			return beam.GroupByKey(s, says)
		}
	}
}

// inferFn infers the voters of a shard.
type inferFn struct {
	Deal, Fit  string
	Sums       []string // of the shards
	Query      string   // checksum of what is asked
	Evaluation int      // whose sites are written; those of the one before are read
	Workers    int
	Stamp      string

	query *population.Query
	held  *population.Sum // what shards of the bundle tell
}

func (f *inferFn) Setup() error { return checkStamp(f.Stamp) }

// StartBundle reads the query.
func (f *inferFn) StartBundle(ctx context.Context, _ func(int, told)) error {
	if f.held = (&population.Sum{}); f.query != nil {
		return nil
	}
	q, err := readQuery(ctx, queryFile(f.Fit, f.Evaluation), f.Query)
	if err == nil {
		f.query = &q
	}
	return failed("%w", err)
}

func (f *inferFn) ProcessElement(ctx context.Context, k int, emit func(int, told)) error {
	x, err := openShard(ctx, f.Deal, k, len(f.Sums), f.Sums[k], false)
	if err != nil {
		return failed("%w", err)
	}
	s, err := population.NewShard(x.people, x.heldOut, population.Settings{Workers: f.Workers})
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
	if err := f.held.Add(k, says); err != nil {
		return failed("shard %d: %w", k, err)
	}
	if f.held.Held() < mostHeld {
		return nil
	}
	return f.FinishBundle(ctx, emit)
}

// FinishBundle hands on what shards tell.
func (f *inferFn) FinishBundle(_ context.Context, emit func(int, told)) error {
	all := f.held
	f.held = &population.Sum{}
	return failed("%w", all.Pieces(pieceSize, func(first, piece int, sum *population.Sum) error {
		emit(toldKey(piece, first/neighbours), told{piece, sum})
		return nil
	}))
}

// toldFn writes down what all shards tell.
type toldFn struct {
	Path   string
	Shards int
	Query  string // checksum
}

func (f *toldFn) ProcessElement(ctx context.Context, _ int, next func(*told) bool) (int, error) {
	pieces := map[int]*population.Statistics{}
	for t := (told{}); next(&t); {
		total, err := t.sum.Total(f.Shards)
		if err != nil {
			return f.Shards, failed("%w", err)
		}
		pieces[t.piece] = total
	}
	inOrder := make([]*population.Statistics, len(pieces))
	for n := range inOrder {
		if inOrder[n] = pieces[n]; inOrder[n] == nil {
			return f.Shards, failed("of what shards tell piece %d is missing", n)
		}
	}
	all := population.Joined(inOrder)
	body, err := all.MarshalBinary()
	if err != nil {
		return f.Shards, failed("%w", err)
	}
	data, err := seal(toldKind, toldHead{format, f.Query, sum(body)}, body)
	if err == nil {
		err = writeFile(ctx, f.Path, data)
	}
	return f.Shards, failed("%w", err)
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
	beam.RegisterDoFn(&inferFn{})
	beam.RegisterDoFn(&addFn{})
	beam.RegisterDoFn(&toldFn{})
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
			writing(s, &toldFn{e.toldFile(), len(e.deal.Shards), sum(data)}, added(s, says, len(e.deal.Shards)))
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
