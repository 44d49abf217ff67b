package model

import (
	"fmt"

	"palate"
	"palate/kernel"
)

// linkedDims is the most that links between users bring in, as features.
const linkedDims = 10

// userFeatures returns what is known of the users: their features, if asked for,
// and beside them, if links join users, the smoothest directions of these links
// (kernel.Graph.Embed). Linked users are alike in those, so that a linear effect
// of them, whose relevances are learnt, is a prior over users by a graph kernel
// with a learnt spectrum. It returns nil when nothing is known.
func userFeatures(d *palate.Dataset, own bool, links *kernel.Graph) (*palate.Features, error) {
	f := &palate.Features{Rows: d.NumUsers()}
	if own && d.UserFeatures() != nil {
		f = d.UserFeatures()
	}
	if links == nil {
		if f.Cols == 0 {
			return nil, nil
		}
		return f, nil
	}
	if links.Nodes() != d.NumUsers() {
		return nil, fmt.Errorf("model: links between %d nodes, but there are %d users", links.Nodes(), d.NumUsers())
	}
	x := links.Embed(linkedDims)
	if x == nil {
		return nil, fmt.Errorf("model: the links between users join none of them")
	}
	_, dims := x.Dims()
	out := &palate.Features{Names: append([]string(nil), f.Names...), Rows: f.Rows, Cols: f.Cols + dims}
	for k := range dims {
		out.Names = append(out.Names, fmt.Sprintf("links %d", k+1))
	}
	for u := range f.Rows {
		out.Data = append(append(out.Data, f.Row(u)...), x.RawRowView(u)...)
	}
	return out, nil
}
