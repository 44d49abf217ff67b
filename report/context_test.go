package report

import (
	"context"
	"io"
	"testing"

	"palate/internal/heed"
	"palate/tune"
)

// TestContexts: what looks at many pairs or voters stops when its context ends.
func TestContexts(t *testing.T) {
	board := examples()["plain"].board
	search := searches(t)["mixed"]
	tuned := must(NewTuned(t.Context(), search))
	heed.Law(t, map[string]func(context.Context) error{
		"Matrix": func(ctx context.Context) error { _, err := Matrix(ctx, fake{10, 0}, -1, board, Options{}); return err },
		"WriteMatrix": func(ctx context.Context) error {
			return WriteMatrix(ctx, io.Discard, fake{10, 0}, -1, board, Options{})
		},
		"NewTastes": func(ctx context.Context) error { _, err := NewTastes(ctx, fake{12, 30}); return err },
		"NewSegmentation": func(ctx context.Context) error {
			_, err := NewSegmentation(ctx, divided{fake{4, 9}, 2}, 0.95, 1, 1)
			return err
		},
		"NewTuned": func(ctx context.Context) error {
			_, err := NewTuned(ctx, tune.NewSearch(search.Space, search.Log))
			return err
		},
		"TunedHTML": func(ctx context.Context) error { return TunedHTML(ctx, io.Discard, Paper{Title: "a page"}, tuned) },
		"Traits": func(ctx context.Context) error {
			_, err := Traits(ctx, mannered{fake{10, 20}}, 0.95, Options{})
			return err
		},
		"ComparedHTML": func(ctx context.Context) error {
			return ComparedHTML(ctx, io.Discard, Paper{Title: "a page"}, nil, compared(), Options{})
		},
		"HTML": func(ctx context.Context) error {
			return HTML(ctx, io.Discard, &Page{Paper: Paper{Title: "a page"}, Model: fake{10, 20}, User: -1, Board: board})
		},
	})
}
