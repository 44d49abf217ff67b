package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"palate"
	"palate/ingest"
	"palate/internal/cli"
	"palate/kernel"
)

// linkFiles are the flags of links between items.
type linkFiles struct {
	links, linkKernel string
}

// spreads are what --link-kernel may say.
func spreads() (all []choice[kernel.Spread]) {
	for _, s := range []kernel.Spread{kernel.Diffusion, kernel.Laplacian, kernel.Normalised} {
		all = append(all, choice[kernel.Spread]{s.String(), s})
	}
	return all
}

func (l *linkFiles) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&l.links, "links", "", "`FILE` of links between items: from,to and an optional weight; what is linked is alike")
	f.StringVar(&l.linkKernel, "link-kernel", kernel.Diffusion.String(), "`KERNEL` over links: diffusion, laplacian (regularised, as LINK has it), normalised (the same of the normalised Laplacian); of more than 5,000 items only laplacian")
	completes(cmd, "link-kernel", wordsOf(spreads())...)
}

// spread is what --link-kernel says.
func (l *linkFiles) spread() (kernel.Spread, error) {
	return choose("link-kernel", l.linkKernel, spreads())
}

// edges reads links between the items of b; with newItems they may name items
// that nothing else names.
func (l *linkFiles) edges(ctx context.Context, b *palate.Builder, newItems, skipBad bool, c *cli.Console) ([]kernel.Edge, error) {
	if l.links == "" {
		return nil, nil
	}
	return readLinks(ctx, l.links, itemNames(b, newItems), skipBad, c)
}

// voterEdges reads links between the voters of b.
func (s *settings) voterEdges(ctx context.Context, b *palate.Builder, c *cli.Console) ([]kernel.Edge, error) {
	if s.userLinks == "" {
		return nil, nil
	}
	n := newNames()
	for u := range b.NumUsers() {
		n.addUser(b.UserID(u))
	}
	return edgesOf(ctx, s.userLinks, ingest.UserLinks, n, s.skipBad, "mend the row (--users names voters without votes)", c)
}

// readLinks reads links between known items.
func readLinks(ctx context.Context, path string, known ingest.Names, skipBad bool, c *cli.Console) ([]kernel.Edge, error) {
	return edgesOf(ctx, path, ingest.ItemLinks, known, skipBad, "mend the row (--new-items takes in unknown items)", c)
}

// edgesOf reads a file of links.
func edgesOf(ctx context.Context, path string, read func(context.Context, string, io.Reader, ingest.Names, ingest.Options) ([]ingest.Link, ingest.Report, error), known ingest.Names, skipBad bool, advice string, c *cli.Console) ([]kernel.Edge, error) {
	in, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.close()
	links, report, err := read(ctx, in.path, in, known, ingest.Options{SkipBad: skipBad})
	if err != nil {
		return nil, advised(err, report, skipBad, advice)
	}
	noteBad(c, report)
	edges := make([]kernel.Edge, len(links))
	for k, l := range links {
		edges[k] = kernel.Edge{From: l.From, To: l.To, Weight: l.Weight}
	}
	return edges, nil
}

// itemNames knows the items of a builder, and with add any other.
func itemNames(b *palate.Builder, add bool) ingest.Names {
	if add {
		return adding{b}
	}
	n := newNames()
	for i := range b.NumItems() {
		n.addItem(b.ItemID(i))
	}
	return n
}

// adding takes in items that it does not know.
type adding struct{ *palate.Builder }

func (a adding) Item(id string) (int, bool) { return a.Builder.Item(id), true }
func (a adding) User(string) (int, bool)    { return 0, false }
