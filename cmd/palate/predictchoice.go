package main

import (
	"context"
	"encoding/csv"
	"slices"
	"strconv"

	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
)

// writeChoice prints how likely each of the items of --choose is to be named best and worst.
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
	f, err := model.Foretell(ctx, m, user, items)
	if err != nil {
		return err
	}
	best, err := f.Choice(ctx)
	if err != nil {
		return err
	}
	both, err := f.BestWorst(ctx)
	if err != nil {
		return err
	}
	w := csv.NewWriter(out)
	rows := [][]string{{"item", "p_best", "p_worst"}}
	for j, item := range items {
		var worst float64
		for i := range both {
			worst += both[i][j]
		}
		rows = append(rows, []string{m.ItemID(item), strconv.FormatFloat(best[j], 'f', 6, 64), strconv.FormatFloat(worst, 'f', 6, 64)})
	}
	if err := w.WriteAll(rows); err != nil {
		return err
	}
	return out.Commit(ctx)
}
