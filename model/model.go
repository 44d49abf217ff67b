package model

import (
	"context"
	"io"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Model is a fitted model that a file can hold: Open reads what Save wrote.
type Model interface {
	Predictor
	// Name returns what kind of model it is.
	Name() string
	// NumUsers returns the number of users that it tells apart, and UserID their
	// identifiers.
	NumUsers() int
	UserID(u int) string
	// Comparable reports whether votes or features connect two items. Where they
	// do not, Prefer knows nothing of the pair.
	Comparable(a, b int) bool
	// Fit returns how the fit went.
	Fit() Fit
	// WithItems returns the model with further items, known only by their
	// features.
	WithItems(ids []string, features *mat.Dense) (Model, error)
	// Reads returns what it has taken in beside votes.
	Reads() Reads
	// Encoders returns the recipes, as JSON, by which tables of items and users
	// became features, nil without.
	Encoders() (items, users []byte)
	// Save writes the model.
	Save(ctx context.Context, w io.Writer) error
}

var (
	_ Model = (*Single)(nil)
	_ Model = (*Population)(nil)
	_ Model = (*Crowd)(nil)
	_ Model = (*Tensor)(nil)
	_ Model = (*Duels)(nil)
	_ Model = (*BradleyTerry)(nil)
	_ Model = (*Glicko)(nil)
)

// Name returns "single".
func (m *Single) Name() string { return "single" }

// NumUsers returns 0: all voters share one utility.
func (m *Single) NumUsers() int { return 0 }

// UserID panics: there are no users.
func (m *Single) UserID(int) string { panic("model: single tells no users apart") }

// WithItems is Extend.
func (m *Single) WithItems(ids []string, features *mat.Dense) (Model, error) {
	return asModel(m.Extend(ids, features))
}

// Encoders returns ItemEncoder.
func (m *Single) Encoders() (items, users []byte) { return m.ItemEncoder, nil }

// Comparable reports whether votes or features connect two items. Where they
// do not, Prefer knows nothing of the pair.
func (m *Single) Comparable(a, b int) bool { return together(m.groups, a, b) }

// WithItems is Extend.
func (m *Population) WithItems(ids []string, features *mat.Dense) (Model, error) {
	return asModel(m.Extend(ids, features))
}

// Encoders returns ItemEncoder and UserEncoder.
func (m *Population) Encoders() (items, users []byte) { return m.ItemEncoder, m.UserEncoder }

// Comparable reports whether votes or features connect two items.
func (m *Population) Comparable(a, b int) bool { return together(m.groups, a, b) }

// Name returns "crowd".
func (m *Crowd) Name() string { return "crowd" }

// WithItems is Extend.
func (m *Crowd) WithItems(ids []string, features *mat.Dense) (Model, error) {
	return asModel(m.Extend(ids, features))
}

// Encoders returns ItemEncoder and UserEncoder.
func (m *Crowd) Encoders() (items, users []byte) { return m.ItemEncoder, m.UserEncoder }

// Comparable reports whether votes or features connect two items.
func (m *Crowd) Comparable(a, b int) bool { return together(m.groups, a, b) }

// asModel keeps a nil model from becoming an interface that is not nil.
func asModel[M Model](m M, err error) (Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// together reports whether two items are in the same group. Groups are sorted.
func together(groups [][]int, a, b int) bool {
	if len(groups) == 1 {
		return true
	}
	for _, g := range groups {
		if _, ok := slices.BinarySearch(g, a); ok {
			_, ok := slices.BinarySearch(g, b)
			return ok
		}
	}
	return false
}
