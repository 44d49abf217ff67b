package main

import (
	"github.com/spf13/cobra"

	"palate"
	"palate/ingest"
	"palate/kernel"
)

// linkFiles is the flag of links between items.
type linkFiles struct {
	links string
}

func (l *linkFiles) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&l.links, "links", "", "`FILE` of links between items: from,to and an optional weight; what is linked is alike")
}

// edges reads links between the items of b; with newItems they may name items
// that nothing else names.
func (l *linkFiles) edges(b *palate.Builder, newItems, skipBad bool, c *console) ([]kernel.Edge, error) {
	if l.links == "" {
		return nil, nil
	}
	in, err := open(l.links)
	if err != nil {
		return nil, err
	}
	defer in.close()
	links, report, err := ingest.ItemLinks(in.path, in, itemNames(b, newItems), ingest.Options{SkipBad: skipBad})
	if err != nil {
		return nil, advised(err, report, skipBad, "mend the row")
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
	n := names{items: make(map[string]int, b.NumItems())}
	for i := range b.NumItems() {
		n.items[b.ItemID(i)] = i
	}
	return n
}

// adding takes in items that it does not know.
type adding struct{ b *palate.Builder }

func (a adding) Item(id string) (int, bool) { return a.b.Item(id), true }
func (a adding) User(string) (int, bool)    { return 0, false }
