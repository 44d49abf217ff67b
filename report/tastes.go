package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/draw"
	"palate/model"
)

// Tastes are the ways in which voters depart from the consensus.
type Tastes struct {
	Voters []string // those looked at
	Items  []string
	Of     int // how many voters there are
	// Departure is how much more than the consensus a voter (row) likes an item
	// (column), each voter's less its mean over comparable items: the consensus of the
	// voters looked at, their mean, which is in units of their own votes as they are.
	Departure *mat.Dense
	Factors   []Factor // largest first
	// Learnt tells that the factors are those of a crowd model; otherwise they are
	// the principal components of the departures.
	Learnt bool
	// Segments are those that voters likely come in, and Segment which of them each voter is
	// likeliest of; nil where they do not.
	Segments *Segmentation
	Segment  []int
	// Language is that of charts, of Languages; empty: English.
	Language string
}

// Factor is a direction in which voters differ.
type Factor struct {
	Share float64 // of the variance of departures, or of what a crowd's factors explain
	// Loading is how much more a voter with weight 1 likes each item than the
	// consensus does; the largest in size is positive.
	Loading []float64
	Weight  []float64 // of every voter, with mean square 1
}

// The number of voters looked at, and the number of items up to which.
const (
	tastesVoters = 500
	tastesItems  = 5000
)

// NewTastes looks at the voters of a model; nil when it does not tell them
// apart. It fails only when ctx ends.
func NewTastes(ctx context.Context, m model.Model) (*Tastes, error) {
	if m.NumUsers() < 2 || m.NumItems() < 2 || m.NumItems() > tastesItems {
		return nil, nil
	}
	t := &Tastes{Of: m.NumUsers()}
	for i := range m.NumItems() {
		t.Items = append(t.Items, m.ItemID(i))
	}
	n := min(t.Of, tastesVoters)
	t.Departure = mat.NewDense(n, len(t.Items), nil)
	users := make([]int, n)
	for k := range users {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		users[k] = k * t.Of / n // evenly among all
		t.Voters = append(t.Voters, m.UserID(users[k]))
		t.Departure.SetRow(k, means(m, users[k]))
	}
	for i := range t.Items {
		consensus := mat.Sum(t.Departure.ColView(i)) / float64(n)
		for k := range n {
			t.Departure.Set(k, i, t.Departure.At(k, i)-consensus)
		}
	}
	if c, ok := m.(*model.Crowd); !ok || !t.learnt(c, users) {
		t.components()
	}
	return t, t.divide(ctx, m, users)
}

// divide notes which segments voters likely come in.
func (t *Tastes) divide(ctx context.Context, m model.Model, users []int) error {
	const level = 0.95 // that a segment is named at
	s, err := NewSegmentation(ctx, m, level, 0, 0)
	if err != nil || s == nil || !s.likely() {
		return err
	}
	t.Segments = s
	for _, u := range users {
		k, _ := s.Of(u)
		t.Segment = append(t.Segment, k)
	}
	return nil
}

// ink is the colour of a voter on a map.
func (t *Tastes) ink(voter int) draw.Ink {
	if t.Segment == nil || t.Segment[voter] < 0 {
		return draw.Accent
	}
	return draw.Kind(t.Segment[voter])
}

// segmentOf names the segment of a voter, after a comma.
func (t *Tastes) segmentOf(voter int) string {
	if t.Segment == nil || t.Segment[voter] < 0 {
		return ""
	}
	w := in(t.Language)
	return w.Say("comma") + t.Segments.name(w, t.Segment[voter])
}

// segmentsTall is the height of what nameSegments writes.
func (t *Tastes) segmentsTall(width float64) float64 {
	s := draw.New(width)
	t.nameSegments(s)
	return s.Height
}

// nameSegments writes below a map which colour is which segment.
func (t *Tastes) nameSegments(s *draw.Scene) {
	if t.Segments == nil {
		return
	}
	x := 0.0
	y := s.Height + 12
	for k, text := range t.Segments.names(in(t.Language), s.Width-14, 11, false) {
		if w := draw.TextWidth(text, 11, false) + 14; x > 0 && x+w > s.Width {
			x, y = 0, y+17
		}
		s.Add(draw.Disc{X: x + 5, Y: y - 4, R: 4.5, Fill: draw.Kind(k)}, draw.Label{X: x + 14, Y: y, Text: text, Size: 11})
		x += draw.TextWidth(text, 11, false) + 30
	}
	s.Height = y + 6
}

// learnt takes the factors of a crowd that are in use; false when these are
// too few for a map.
func (t *Tastes) learnt(m *model.Crowd, users []int) bool {
	var all []Factor
	for _, c := range m.Factors() {
		if !c.InUse() {
			continue
		}
		f := Factor{Share: c.Share, Loading: slices.Clone(c.Items)}
		centre(f.Loading, m.Groups())
		var square float64
		for _, u := range users {
			f.Weight = append(f.Weight, c.Weights[u])
			square += c.Weights[u] * c.Weights[u] / float64(len(users))
		}
		if square == 0 {
			continue
		}
		f.scale(math.Sqrt(square))
		all = append(all, f)
	}
	if len(all) < 2 {
		return false
	}
	t.Factors, t.Learnt = all, true
	return true
}

// scale makes weights smaller and loadings larger, and points the factor to its
// largest loading.
func (f *Factor) scale(by float64) {
	size := func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) }
	if slices.MaxFunc(f.Loading, size) < 0 {
		by = -by
	}
	for i := range f.Loading {
		f.Loading[i] *= by
	}
	for u := range f.Weight {
		f.Weight[u] /= by
	}
}

// means returns the mean utility of every item less that of its group.
func means(m model.Model, user int) []float64 {
	f := make([]float64, m.NumItems())
	for i := range f {
		f[i], _ = m.Utility(user, i)
	}
	centre(f, m.Groups())
	return f
}

// centre takes from every number the mean of its group.
func centre(f []float64, groups [][]int) {
	for _, g := range groups {
		var mean float64
		for _, i := range g {
			mean += f[i] / float64(len(g))
		}
		for _, i := range g {
			f[i] -= mean
		}
	}
}

// negligible is the share of the variance below which a factor is none.
const negligible = 1e-6

// components finds the principal components of the departures.
func (t *Tastes) components() {
	var svd mat.SVD
	if !svd.Factorize(t.Departure, mat.SVDThin) {
		return
	}
	values := svd.Values(nil)
	var total float64
	for _, s := range values {
		total += s * s
	}
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	root := math.Sqrt(float64(len(t.Voters)))
	for k, s := range values {
		if !(s*s > negligible*total) {
			break
		}
		f := Factor{Share: s * s / total, Loading: mat.Col(nil, k, &right), Weight: mat.Col(nil, k, &left)}
		for i := range f.Loading {
			f.Loading[i] *= s
		}
		f.scale(1 / root)
		t.Factors = append(t.Factors, f)
	}
}

// about says in a few words what the factors are.
func (t *Tastes) about() string {
	if t.Learnt {
		return in(t.Language).Say("chart-factors-learnt")
	}
	return in(t.Language).Say("chart-factors-found")
}

// extremes returns the items that a factor raises most, and those that it lowers most, at most
// n of each; none that it raises are among the lowered, nor the other way.
func (f *Factor) extremes(n int) (most, least []int) {
	order := make([]int, len(f.Loading))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.Loading[b], f.Loading[a]) })
	raised := slices.IndexFunc(order, func(i int) bool { return f.Loading[i] <= 0 })
	if raised < 0 {
		raised = len(order)
	}
	lowered := slices.Clone(order[raised:])
	slices.Reverse(lowered)
	return order[:min(n, raised)], lowered[:min(n, len(lowered))]
}
