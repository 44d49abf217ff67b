package report

import (
	"context"
	"io"
	"testing"

	"palate/internal/heed"
	"palate/model"
	"palate/tune"
)

// TestContexts: what looks at many pairs or voters stops when its context ends.
func TestContexts(t *testing.T) {
	board := examples()["plain"].board
	search := searches(t)["mixed"]
	tuned := must(NewTuned(t.Context(), search))
	people := asked{fake{5, 4}, fake{}}
	survey := func(chart func(context.Context, *Survey, Options) (*Chart, error)) func(context.Context) error {
		return func(ctx context.Context) error {
			s := must(NewSurvey(t.Context(), people, SurveyOptions{Anchor: []int{1}}))
			s.Care = make([]model.Consistency, 4)
			_, err := chart(ctx, s, Options{})
			return err
		}
	}
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
		"NewSurvey":   func(ctx context.Context) error { _, err := NewSurvey(ctx, people, SurveyOptions{}); return err },
		"Shares":      survey(Shares),
		"Anchored":    survey(Anchored),
		"Shelf":       survey(Shelf),
		"Portfolios":  survey(Portfolios),
		"Consistency": survey(Consistency),
		"NewTuned": func(ctx context.Context) error {
			_, err := NewTuned(ctx, tune.NewSearch(search.Space, search.Log))
			return err
		},
		"TunedHTML": func(ctx context.Context) error { return TunedHTML(ctx, io.Discard, Paper{Title: "a page"}, tuned) },
		"Traits": func(ctx context.Context) error {
			_, err := Traits(ctx, mannered{fake{10, 20}}, 0.95, Options{})
			return err
		},
		"JudgingHTML": func(ctx context.Context) error {
			return JudgingHTML(ctx, io.Discard, Paper{Title: "a page"}, judged(5), Options{})
		},
		"ComparedHTML": func(ctx context.Context) error {
			return ComparedHTML(ctx, io.Discard, Paper{Title: "a page"}, nil, compared(), Options{})
		},
		"HTML": func(ctx context.Context) error {
			return HTML(ctx, io.Discard, &Page{Paper: Paper{Title: "a page"}, Model: fake{10, 20}, User: -1, Board: board})
		},
	})
}
