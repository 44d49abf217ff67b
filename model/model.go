package model

import (
	"context"
	"io"

	"gonum.org/v1/gonum/mat"
)

// Model is a fitted model of some kind in the Catalogue. A file can hold it: Open reads
// what Save wrote.
type Model interface {
	Predictor
	// Name returns what kind of model it is.
	Name() string
	// NumUsers returns the number of users that it tells apart, and UserID their
	// identifiers.
	NumUsers() int
	UserID(u int) string
	// Item and User return the number of an identifier, or an error where there is no
	// such item or voter.
	Item(id string) (int, error)
	User(id string) (int, error)
	// Comparable reports whether votes or features connect two items. Where they
	// do not, Prefer knows nothing of the pair.
	Comparable(a, b int) bool
	// Fit returns how the fit went.
	Fit() Fit
	// Extend returns the model with further items, known only by their features: one
	// row an item, as wide as those of the fit.
	Extend(ids []string, features *mat.Dense) (Model, error)
	// Reads returns what it has taken in beside votes.
	Reads() Reads
	// Encoders returns the recipes, as JSON, by which tables of items and users
	// became features, nil without.
	Encoders() (items, users []byte)
	// Save writes the model, for Read.
	Save(ctx context.Context, w io.Writer) error
}

var (
	_ Model = (*Single)(nil)
	_ Model = (*Population)(nil)
	_ Model = (*Crowd)(nil)
	_ Model = (*Tensor)(nil)
	_ Model = (*Duels)(nil)
	_ Model = (*PlackettLuce)(nil)
	_ Model = (*Glicko)(nil)
	_ Model = (*Average)(nil)
	_ Model = (*Moving)(nil)
	_ Model = (*Rated)(nil)
)

// asModel keeps a nil model from becoming an interface that is not nil.
func asModel[M Model](m M, err error) (Model, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}
