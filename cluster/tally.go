package cluster

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

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
	err = r.run(ctx, "tally", func(s beam.Scope) {
		read := &readFn{Sources: files, Reading: o, Shards: parts, Folder: folder, ByPair: true, Stamp: stamp()}
		blocks, _ := beam.ParDo2(s, read, numbers(s, len(files)))
		some := beam.ParDo(s, &emptyFn{}, numbers(s, parts))
		beam.ParDo0(s, &countFn{Folder: folder, Stamp: stamp()}, beam.GroupByKey(s, beam.Flatten(s, beam.ParDo(s, &lessFn{}, blocks), some)))
	})
	if err != nil {
		return nil, err
	}
	b := palate.NewBuilder()
	var all []palate.Vote
	for k := range parts {
		data, err := readFile(ctx, countFile(folder, k))
		if err != nil {
			return nil, err
		}
		var x block
		if err := unpack(data, &x); err != nil {
			return nil, err
		}
		all = x.addTo(b, all)
	}
	found, err := sources(ctx, folder, len(files))
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: there is no vote, or all are skipped", files[0])
	}
	items, _ := b.SortNames()
	for k, v := range all {
		all[k].Left, all[k].Right = int(items[v.Left]), int(items[v.Right])
	}
	inOrder(all)
	for _, v := range all {
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

// counted adds up the weights of equal votes, whoever cast them.
func counted(blocks ...*block) *block {
	b := palate.NewBuilder()
	var all []palate.Vote
	for _, x := range blocks {
		all = x.addTo(b, all)
	}
	for k := range all {
		all[k].User = -1
	}
	inOrder(all)
	out := &block{}
	for k, v := range all {
		if v.Outcome == palate.Skip {
			continue
		}
		if w := v.Weight; k > 0 && len(out.Weight) > 0 {
			before := all[k-1]
			before.Weight = w
			if before == v {
				out.Weight[len(out.Weight)-1] += w
				continue
			}
		}
		out.add("", false, b.ItemID(v.Left), b.ItemID(v.Right), v)
	}
	return out
}

// lessFn counts the votes of one block, so that less is sent.
type lessFn struct{}

func (lessFn) ProcessElement(k int, data []byte, emit func(int, []byte)) error {
	var x block
	err := unpack(data, &x)
	if err == nil {
		data, err = pack(counted(&x))
	}
	if err == nil {
		emit(k, data)
	}
	return failed("%w", err)
}

// countFn counts the votes about some of the pairs.
type countFn struct {
	Folder string
	Stamp  string
}

func (f *countFn) Setup() error { return checkStamp(f.Stamp) }

func (f *countFn) ProcessElement(ctx context.Context, k int, next func(*[]byte) bool) error {
	var parts [][]byte
	for data := []byte(nil); next(&data); {
		if len(data) > 0 {
			parts = append(parts, bytes.Clone(data))
		}
	}
	slices.SortFunc(parts, bytes.Compare)
	var blocks []*block
	for _, data := range parts {
		x := &block{}
		if err := unpack(data, x); err != nil {
			return failed("%w", err)
		}
		blocks = append(blocks, x)
	}
	data, err := pack(counted(blocks...))
	if err == nil {
		err = writeFile(ctx, countFile(f.Folder, k), data)
	}
	return failed("%w", err)
}

func init() {
	register.DoFn3x1[int, []byte, func(int, []byte), error](&lessFn{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&countFn{})
}
