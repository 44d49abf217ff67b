package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"palate"
	"palate/ingest"
)

// Reading is how files of votes are read.
type Reading struct {
	Columns  string // what columns are that have names of their own, as of palate --columns
	MaxPairs int    // as of palate --max-pairs
	Seed     uint64
}

func (r Reading) options() (ingest.Options, error) {
	o := ingest.Options{SkipBad: true, Examples: math.MaxInt, MaxPairs: r.MaxPairs, Seed: r.Seed}
	var err error
	if r.Columns != "" {
		o.Columns, err = ingest.ParseColumns(r.Columns)
	}
	return o, err
}

// Source is what was found in a file.
type Source struct {
	File  string `json:"file"`
	Form  string `json:"form"`
	Rows  int    `json:"rows"`
	Votes int    `json:"votes"`
	Bad   int    `json:"bad,omitempty"` // rows that were left out, see the folder bad
	// Weight of the votes, and what they would weigh if each answer weighed what it tells.
	Cast     float64 `json:"cast"`
	Tempered float64 `json:"tempered"`
}

// most is how many votes a block has.
const most = 1 << 16

// readFn reads files of votes and deals them out.
type readFn struct {
	Sources []string
	Reading Reading
	Shards  int
	Folder  string   // for what was found
	Items   []string // the only ones that votes may name; nil: all
	ByPair  bool     // deal by the pair, not the voter
	Stamp   string
}

func (f *readFn) Setup() error { return checkStamp(f.Stamp) }

// ProcessElement reads a file, emits its votes in blocks by shard, and the names of its items.
func (f *readFn) ProcessElement(ctx context.Context, number int, emit func(int, []byte), names func([]byte)) error {
	path := f.Sources[number]
	opt, err := f.Reading.options()
	if err != nil {
		return failed("--columns: %w", err)
	}
	r, err := openFile(ctx, path)
	if err != nil {
		return failed("%w", err)
	}
	defer r.Close()
	var wanted map[string]bool
	if f.Items != nil {
		wanted = make(map[string]bool, len(f.Items))
		for _, name := range f.Items {
			wanted[name] = true
		}
	}
	b := palate.NewBuilder()
	blocks := make([]*block, f.Shards)
	flush := func(shard int) error {
		data, err := pack(blocks[shard])
		if err == nil {
			emit(shard, data)
			blocks[shard] = nil
		}
		return err
	}
	source := Source{File: path}
	var grouped []palate.Vote
	var strange []*ingest.Error
	opt.Sink = func(palate.Vote) error { return nil }
	var broken error
	opt.Each = func(line int, v palate.Vote) {
		left, right := b.ItemID(v.Left), b.ItemID(v.Right)
		for _, name := range []string{left, right} {
			if wanted != nil && !wanted[name] {
				strange = append(strange, &ingest.Error{File: path, Line: line, Reason: fmt.Sprintf("there is no item %q among the %d known", name, len(f.Items))})
				return
			}
		}
		source.Votes++
		if v.Outcome != palate.Skip {
			if source.Cast += v.Weight; v.Group != 0 {
				grouped = append(grouped, v)
			} else {
				source.Tempered += v.Weight
			}
		}
		user := ""
		if v.User >= 0 {
			user = b.UserID(v.User)
		}
		shard := shardOf(user, f.Shards)
		if v.User < 0 || f.ByPair { // in one order, so that what is said of a pair meets
			shard = int(hash(min(left, right), max(left, right)) % uint64(f.Shards))
		}
		if blocks[shard] == nil {
			blocks[shard] = &block{}
		}
		blocks[shard].add(user, v.User >= 0, left, right, v)
		if len(blocks[shard].User) >= most {
			broken = errors.Join(broken, flush(shard))
		}
	}
	report, err := ingest.Votes(ctx, path, r, b, opt)
	if err != nil || broken != nil {
		return failed("%w", errors.Join(err, broken))
	}
	for shard, x := range blocks {
		if x != nil {
			if err := flush(shard); err != nil {
				return failed("%w", err)
			}
		}
	}
	if len(grouped) > 0 {
		var cast float64
		for _, v := range grouped {
			cast += v.Weight
		}
		source.Tempered += cast / palate.Redundancy(slices.All(grouped))
	}
	var items []string
	for i := range b.NumItems() {
		if name := b.ItemID(i); wanted == nil || wanted[name] {
			items = append(items, name)
		}
	}
	slices.Sort(items)
	data, err := pack(items)
	if err != nil {
		return failed("%w", err)
	}
	names(data)
	source.Form, source.Rows, source.Bad = report.Form, report.Rows, report.Bad+len(strange)
	beam.NewCounter("palate", "votes").Inc(ctx, int64(source.Votes))
	beam.NewCounter("palate", "bad rows").Inc(ctx, int64(source.Bad))
	return f.report(ctx, number, source, append(report.Examples, strange...))
}

// report writes down what was found in a file, and its bad rows.
func (f *readFn) report(ctx context.Context, number int, source Source, bad []*ingest.Error) error {
	if len(bad) > 0 {
		var out bytes.Buffer
		sheet, err := ingest.NewSheet(&out, "csv", []string{"file", "line", "column", "reason"})
		if err != nil {
			return failed("%w", err)
		}
		for _, e := range bad {
			if err := sheet.Row(e.File, int64(e.Line), e.Column, e.Reason); err != nil {
				return failed("%w", err)
			}
		}
		if err := sheet.Close(); err != nil {
			return failed("%w", err)
		}
		if err := writeFile(ctx, badFile(f.Folder, number), out.Bytes()); err != nil {
			return failed("%w", err)
		}
	}
	data, err := json.Marshal(source)
	if err == nil {
		err = writeFile(ctx, sourceFile(f.Folder, number), data)
	}
	return failed("%w", err)
}

func badFile(folder string, number int) string { return fmt.Sprintf("%s/bad/%05d.csv", folder, number) }
func sourceFile(folder string, number int) string {
	return fmt.Sprintf("%s/read/%05d.json", folder, number)
}

// unionFn puts sorted lists of names together.
type unionFn struct{}

func (unionFn) CreateAccumulator() []byte { return nil }

func (unionFn) MergeAccumulators(a, b []byte) ([]byte, error) {
	if len(a) == 0 || len(b) == 0 {
		return slices.Concat(a, b), nil
	}
	var x, y []string
	if err := errors.Join(unpack(a, &x), unpack(b, &y)); err != nil {
		return nil, err
	}
	x = append(x, y...)
	slices.Sort(x)
	return pack(slices.Compact(x))
}

func (u unionFn) AddInput(a, b []byte) ([]byte, error) { return u.MergeAccumulators(a, b) }

// namedFn writes the names of all items to a file, and then emits every shard with no votes yet, so that all are there, and
// none is made before the names are.
type namedFn struct {
	Folder string
	Shards int
}

func (f *namedFn) ProcessElement(ctx context.Context, names []byte, emit func(int, []byte)) error {
	if err := writeFile(ctx, namesFile(f.Folder), names); err != nil {
		return failed("%w", err)
	}
	for k := range f.Shards {
		emit(k, nil)
	}
	return nil
}

func namesFile(folder string) string { return folder + "/read/items" }

func init() {
	beam.RegisterDoFn(&readFn{})
	beam.RegisterDoFn(&unionFn{})
	beam.RegisterDoFn(&namedFn{})
}

// expand lists the files that patterns stand for, each once, in order.
func expand(ctx context.Context, patterns []string) (files []string, err error) {
	for _, pattern := range patterns {
		if pattern, err = absolute(pattern); err != nil {
			return nil, err
		}
		found, err := list(ctx, pattern)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: there is no such file", pattern)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// sources reads what readFn wrote down, and removes it.
func sources(ctx context.Context, folder string, n int) (all []Source, err error) {
	for k := range n {
		data, err := readFile(ctx, sourceFile(folder, k))
		if err != nil {
			return nil, err
		}
		var s Source
		if err := json.Unmarshal(data, &s); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, remove(ctx, folder+"/read/*.json")
}
