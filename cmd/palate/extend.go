package main

import (
	"encoding/json"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/ingest"
	"palate/model"
)

// extend adds to a model those items of a table that it does not know, as its
// own items were encoded.
func extend(m *model.Single, items string, c *console) (*model.Single, error) {
	in, err := open(items)
	if err != nil {
		return nil, err
	}
	defer in.close()
	t, err := ingest.ReadTable(in.path, in)
	if err != nil {
		return nil, err
	}
	if m.ItemEncoder == nil {
		return nil, fmt.Errorf("%s: the model was fitted without item features, so it cannot place new items; fit it with --items", in.name())
	}
	var e ingest.Encoder
	if err := json.Unmarshal(m.ItemEncoder, &e); err != nil {
		return nil, fmt.Errorf("the model's recipe for features is damaged: %w", err)
	}
	f, err := e.Encode(t)
	if err != nil {
		return nil, err
	}
	known := itemsOf(m)
	var ids []string
	var rows []float64
	for i, id := range t.IDs {
		if _, ok := known[id]; !ok {
			ids, rows = append(ids, id), append(rows, f.Row(i)...)
		}
	}
	if n := len(t.IDs) - len(ids); n > 0 {
		c.note("%s: %d of %d items were in the fit already and stay as they are", in.name(), n, len(t.IDs))
	}
	if len(ids) == 0 {
		return m, nil
	}
	return m.Extend(ids, mat.NewDense(len(ids), f.Cols, rows))
}

// names finds the items of a model; users it knows none.
type names map[string]int

func itemsOf(m *model.Single) names {
	n := make(names, m.NumItems())
	for i := range m.NumItems() {
		n[m.ItemID(i)] = i
	}
	return n
}

func (n names) Item(id string) (int, bool) { i, ok := n[id]; return i, ok }
func (n names) User(string) (int, bool)    { return 0, false }
