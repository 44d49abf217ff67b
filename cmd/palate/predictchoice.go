package main

import (
	"context"
	"encoding/csv"
	"slices"
	"strconv"
	"strings"

	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
)

// writeChoice prints how likely what --as says of the items of --choose is.
func (p *predict) writeChoice(ctx context.Context, out *cli.Output, m model.Model) error {
	items, err := itemsOf(m, "choose", p.choose, false)
	if err != nil {
		return err
	}
	names := namesOf(m)
	user := -1
	if p.user != "" {
		var ok bool
		if user, ok = names.User(p.user); !ok {
			return cli.Usage("--user: %s is not a voter of the model%s", wording.Quote(p.user), wording.DidYouMean(p.user, slices.Values(names.userIDs)))
		}
	}
	f, err := model.PredictAnswers(ctx, m, user, items)
	if err != nil {
		return err
	}
	rows, err := answerChances(ctx, m, f, items, p.as)
	if err != nil {
		return err
	}
	w := csv.NewWriter(out)
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return out.Commit(ctx)
}

// answerChances are the chances of what is said of items, as rows below a header.
func answerChances(ctx context.Context, m model.Model, f *model.AnswerPrediction, items []int, as string) (rows [][]string, err error) {
	text := func(p float64) string { return strconv.FormatFloat(p, 'f', 6, 64) }
	if as == "ranking" {
		p, err := f.Ranking(ctx)
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, i := range items {
			ids = append(ids, m.ItemID(i))
		}
		return [][]string{{"ranking", "p"}, {strings.Join(ids, ">"), text(p)}}, nil
	}
	both, err := f.BestWorst(ctx)
	if err != nil {
		return nil, err
	}
	if as == "best-worst" {
		rows = [][]string{{"best", "worst", "p"}}
		for i, best := range items {
			for j, worst := range items {
				if i != j {
					rows = append(rows, []string{m.ItemID(best), m.ItemID(worst), text(both[i][j])})
				}
			}
		}
		return rows, nil
	}
	best, err := f.Choice(ctx)
	if err != nil {
		return nil, err
	}
	rows = [][]string{{"item", "p_best", "p_worst"}}
	for j, item := range items {
		var worst float64
		for i := range both {
			worst += both[i][j]
		}
		rows = append(rows, []string{m.ItemID(item), text(best[j]), text(worst)})
	}
	return rows, nil
}
