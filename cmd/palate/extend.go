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
func extend(m model.Model, items string, c *console) (model.Model, error) {
	in, err := open(items)
	if err != nil {
		return nil, err
	}
	defer in.close()
	t, err := ingest.ReadTable(in.path, in)
	if err != nil {
		return nil, err
	}
	recipe, _ := m.Encoders()
	if recipe == nil {
		return nil, fmt.Errorf("%s: the model was fitted without item features, so it cannot place new items; fit it with --items", in.name())
	}
	var e ingest.Encoder
	if err := json.Unmarshal(recipe, &e); err != nil {
		return nil, fmt.Errorf("the model's recipe for features is damaged: %w", err)
	}
	f, err := e.Encode(t)
	if err != nil {
		return nil, err
	}
	known := namesOf(m)
	var ids []string
	var rows []float64
	for i, id := range t.IDs {
		if _, ok := known.Item(id); !ok {
			ids, rows = append(ids, id), append(rows, f.Row(i)...)
		}
	}
	if n := len(t.IDs) - len(ids); n > 0 {
		c.note("%s: %d of %d items were in the fit already and stay as they are", in.name(), n, len(t.IDs))
	}
	if len(ids) == 0 {
		return m, nil
	}
	return m.WithItems(ids, mat.NewDense(len(ids), f.Cols, rows))
}

// names finds the items and the users of a model.
type names struct{ items, users map[string]int }

func namesOf(m model.Model) names {
	n := names{make(map[string]int, m.NumItems()), make(map[string]int, m.NumUsers())}
	for i := range m.NumItems() {
		n.items[m.ItemID(i)] = i
	}
	for u := range m.NumUsers() {
		n.users[m.UserID(u)] = u
	}
	return n
}

func (n names) Item(id string) (int, bool) { i, ok := n.items[id]; return i, ok }
func (n names) User(id string) (int, bool) { u, ok := n.users[id]; return u, ok }
