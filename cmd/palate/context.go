package main

import (
	"fmt"
	"slices"
	"strings"

	"palate"
	"palate/ingest"
	"palate/internal/cli"
	"palate/model"
)

// inContext is a model that may know what properties of votes are worth.
type inContext interface {
	Effects() []model.Effect
	PreferIn(properties []palate.Property, k int, shown bool, user, left, right int) float64
}

// contextOf are the properties of a model whose worth differs between the two items of a
// vote.
func contextOf(m model.Model) (all contexts) {
	in, ok := m.(inContext)
	if !ok {
		return nil
	}
	for _, e := range in.Effects() {
		if e.Property == "" || e.OfVote || len(e.Columns) != 2 || slices.ContainsFunc(all, func(c ingest.Context) bool { return c.Name == e.Property }) {
			continue
		}
		all = append(all, ingest.Context{Name: e.Property, Columns: e.Columns, Words: e.Level != "", Numbers: e.Level == ""})
	}
	return all
}

// propertiesOf returns the properties that pairs have in the columns that were kept of
// them; nil where they have none.
func propertiesOf(r ingest.Report, asked contexts, c *cli.Console) ([]palate.Property, error) {
	var without []string
	kept := r.Kept
	for _, one := range asked {
		if kept[0] == nil || kept[1] == nil {
			kept[0], kept[1] = nil, nil
			without = append(without, one.Name)
		}
		kept = kept[2:]
	}
	if len(without) > 0 {
		c.Note("the pairs lack columns of the fit: chances are at equal %s", strings.Join(without, " and "))
	}
	if len(without) == len(asked) {
		return nil, nil
	}
	p, err := ingest.NewProperties(asked)
	if err == nil {
		err = p.Add(r, r.Kept)
	}
	if err != nil {
		return nil, err
	}
	all, bad, err := p.All()
	if err != nil {
		return nil, err
	}
	for k := range r.Lines {
		if bad[k] != nil {
			return nil, fmt.Errorf("%w: mend it, or leave the cell empty", bad[k])
		}
	}
	return all, nil
}
