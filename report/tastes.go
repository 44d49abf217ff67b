package report

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/model"
)

// Tastes are the ways in which voters depart from the consensus.
type Tastes struct {
	Voters []string // those looked at
	Items  []string
	Of     int // how many voters there are
	// Departure is how much more than the consensus a voter (row) likes an item
	// (column), each voter's less its mean over comparable items.
	Departure *mat.Dense
	Factors   []Factor // largest first
}

// Factor is a direction in which voters differ, a principal component of their
// departures.
type Factor struct {
	Share float64 // of the variance of all departures
	// Loading is how much more a voter with weight 1 likes each item than the
	// consensus does; the largest in size is positive.
	Loading []float64
	Weight  []float64 // of every voter, with mean square 1
}

// tastesMost is the number of voters, and of items, looked at.
const tastesMost = 2000

// NewTastes looks at the voters of a model; nil when it does not tell them
// apart.
func NewTastes(m model.Model) *Tastes {
	if m.NumUsers() < 2 || m.NumItems() < 2 || m.NumItems() > tastesMost {
		return nil
	}
	t := &Tastes{Of: m.NumUsers()}
	consensus := means(m, -1)
	for i := range m.NumItems() {
		t.Items = append(t.Items, m.ItemID(i))
	}
	n := min(t.Of, tastesMost)
	t.Departure = mat.NewDense(n, len(t.Items), nil)
	for k := range n {
		u := k * t.Of / n // evenly among all
		t.Voters = append(t.Voters, m.UserID(u))
		for i, x := range means(m, u) {
			t.Departure.Set(k, i, x-consensus[i])
		}
	}
	t.components()
	return t
}

// means returns the mean utility of every item less that of its group.
func means(m model.Model, user int) []float64 {
	f := make([]float64, m.NumItems())
	for i := range f {
		f[i], _ = m.Utility(user, i)
	}
	for _, g := range m.Groups() {
		var mean float64
		for _, i := range g {
			mean += f[i] / float64(len(g))
		}
		for _, i := range g {
			f[i] -= mean
		}
	}
	return f
}

// negligible is the share of the variance below which a factor is none.
const negligible = 1e-6

// components finds the factors.
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
		size := func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) }
		sign := 1.0
		if slices.MaxFunc(f.Loading, size) < 0 {
			sign = -1
		}
		for i := range f.Loading {
			f.Loading[i] *= sign * s / root
		}
		for u := range f.Weight {
			f.Weight[u] *= sign * root
		}
		t.Factors = append(t.Factors, f)
	}
}

// extremes returns the items that a factor raises most and lowers most, at most
// n of each.
func (f *Factor) extremes(n int) (most, least []int) {
	order := make([]int, len(f.Loading))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(f.Loading[b], f.Loading[a]) })
	n = min(n, len(order)/2)
	most = slices.Clone(order[:n])
	least = slices.Clone(order[len(order)-n:])
	slices.Reverse(least)
	return most, least
}
