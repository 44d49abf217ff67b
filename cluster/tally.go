package cluster

import (
	"context"
	"fmt"
	"io"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"

	"palate"
	"palate/ingest"
)

// Tally counts equal votes of all voters together, and writes a file of votes with weights: at most three rows for every
// two items on either side, however many votes there are. The folder is for what happens meanwhile, and for bad rows.
func Tally(ctx context.Context, r Runner, votes []string, o Reading, parts int, folder, format string, w io.Writer) ([]Source, error) {
	files, err := expand(ctx, votes)
	if err != nil {
		return nil, err
	}
	if folder, err = absolute(folder); err != nil {
		return nil, err
	}
	if err := remove(ctx, folder+"/read/*"); err != nil { // of a run that broke off
		return nil, err
	}
	err = r.run(ctx, "tally", func(s beam.Scope) {
		read := &readFn{Sources: files, Reading: o, Shards: parts, Folder: folder, ByPair: true, Stamp: stamp()}
		blocks, _ := beam.ParDo2(s, read, numbers(s, len(files)))
		writing(s, &countFn{Folder: folder, Stamp: stamp()}, beam.CombinePerKey(s, &tallyFn{}, blocks))
	})
	if err != nil {
		return nil, err
	}
	counts, err := list(ctx, folder+"/read/*.counts") // a part without votes has none
	if err != nil {
		return nil, err
	}
	all := newCounted()
	for _, path := range counts {
		data, err := readFile(ctx, path)
		if err != nil {
			return nil, err
		}
		var x bale
		if err := unpack(data, &x); err != nil {
			return nil, err
		}
		all.add(x.Votes, x.Times)
	}
	found, err := sources(ctx, folder, len(files))
	if err != nil {
		return nil, err
	}
	if len(all.rows) == 0 {
		return nil, fmt.Errorf("%s: there is no vote, or all are skipped", files[0])
	}
	b := all.names
	for _, v := range all.votes() {
		if err := b.Add(v); err != nil {
			return nil, err
		}
	}
	d, err := b.Build()
	if err != nil {
		return nil, err
	}
	if err := remove(ctx, folder+"/read/*"); err != nil {
		return nil, err
	}
	return found, ingest.Write(ctx, w, d, ingest.WriteOptions{Format: format})
}

func countFile(folder string, k int) string { return fmt.Sprintf("%s/read/%05d.counts", folder, k) }

// counted is equal votes, each with how many there are of it: what is there many times takes one row. Votes that weigh
// differently are rows of their own, so that weights are added up in one order in the end.
type counted struct {
	names *palate.Builder
	rows  map[palate.Vote]int64 // by names
}

func newCounted() counted { return counted{palate.NewBuilder(), map[palate.Vote]int64{}} }

// add takes votes in, whoever cast them, with how many there are of each; nil: one.
func (c counted) add(b *block, times []int64) {
	for k, v := range b.addTo(c.names, nil) {
		if v.User = -1; v.Outcome == palate.Skip {
			continue
		}
		n := int64(1)
		if times != nil {
			n = times[k]
		}
		c.rows[v] += n
	}
}

// votes sorts names, and returns a vote for all that are equal but for their weights, in order.
func (c counted) votes() (out []palate.Vote) {
	items, _ := c.names.SortNames()
	rows := make([]palate.Vote, 0, len(c.rows))
	times := make(map[palate.Vote]int64, len(c.rows))
	for v, n := range c.rows {
		v.Left, v.Right = int(items[v.Left]), int(items[v.Right])
		rows, times[v] = append(rows, v), n
	}
	inOrder(rows)
	for _, v := range rows {
		w := v.Weight * float64(times[v])
		if v.Weight = 1; len(out) > 0 {
			last := &out[len(out)-1]
			like := *last
			if like.Weight = 1; like == v {
				last.Weight += w
				continue
			}
		}
		v.Weight = w
		out = append(out, v)
	}
	return out
}

// bale is what counted is on the way.
type bale struct {
	Votes *block
	Times []int64
}

func (c counted) bale() bale {
	out := bale{Votes: &block{}}
	for v, n := range c.rows {
		out.Votes.add("", false, c.names.ItemID(v.Left), c.names.ItemID(v.Right), v)
		out.Times = append(out.Times, n)
	}
	return out
}

func encodeCounted(c counted) ([]byte, error) { return pack(c.bale()) }

func decodeCounted(data []byte) (counted, error) {
	c, b := newCounted(), bale{}
	err := unpack(data, &b)
	if err == nil {
		c.add(b.Votes, b.Times)
	}
	return c, err
}

// tallyFn counts votes: on a worker as they are read, so that no more is sent than there are rows.
type tallyFn struct{}

func (tallyFn) CreateAccumulator() counted { return newCounted() }

func (tallyFn) AddInput(c counted, data []byte) (counted, error) {
	var b block
	err := unpack(data, &b)
	if err == nil {
		c.add(&b, nil)
	}
	return c, failed("%w", err)
}

func (tallyFn) MergeAccumulators(a, b counted) counted {
	x := b.bale()
	a.add(x.Votes, x.Times)
	return a
}

// countFn writes down the counts of a part.
type countFn struct {
	Folder string
	Stamp  string
}

func (f *countFn) Setup() error { return checkStamp(f.Stamp) }

func (f *countFn) ProcessElement(ctx context.Context, k int, c counted) (int, error) {
	data, err := encodeCounted(c)
	if err == nil {
		err = writeFile(ctx, countFile(f.Folder, k), data)
	}
	return k, failed("%w", err)
}

func init() {
	beam.RegisterCoder(reflect.TypeFor[counted](), encodeCounted, decodeCounted)
	beam.RegisterType(reflect.TypeFor[counted]())
	beam.RegisterDoFn(&tallyFn{})
	beam.RegisterDoFn(&countFn{})
}
