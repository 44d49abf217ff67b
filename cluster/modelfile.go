package cluster

import (
	"archive/zip"
	"context"
	"io"
	"slices"

	"palate/model"
	"palate/population"
)

// Gather makes a model for one machine of a fit: the file that palate fit writes. The votes and sites of all
// voters are in unnamed files of a folder until close.
func (f *Fit) Gather(ctx context.Context, dir string) (m *model.Population, closing func(), err error) {
	var users []string
	for k := range f.deal.Shards {
		x, err := openShard(ctx, f.deal.folder, k, len(f.deal.Shards), f.deal.Shards[k].Sum, true)
		if err != nil {
			return nil, nil, err
		}
		users = append(users, x.users...)
	}
	slices.Sort(users)
	g, err := population.Gather(dir, len(f.deal.Shards), func(k int) (*population.Engine, []int, error) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		x, e, err := f.open(ctx, k)
		if err != nil {
			return nil, nil, err
		}
		numbers := make([]int, len(x.users))
		for u, name := range x.users {
			numbers[u], _ = slices.BinarySearch(users, name)
		}
		return e, numbers, nil
	}, f.settings())
	if err != nil {
		return nil, nil, err
	}
	return f.model(users, g.Engine), g.Close, nil
}

// Whole reads a model file through, so that one that was not written whole is found out before it is put
// into place. Nothing of it is kept.
func Whole(r io.ReaderAt, size int64) error {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return err
	}
	for _, entry := range z.File {
		in, err := entry.Open()
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, in); err != nil {
			return err
		}
		in.Close()
	}
	return nil
}
