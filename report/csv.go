package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"palate/model"
)

// columns of CSV and JSON that are always there.
func columns() []string {
	return []string{"rank", "item", "score", "sd", "lo", "hi", "rank_lo", "rank_hi", "p_best", "tier", "votes"}
}

// CSV writes a board as comma-separated values.
func CSV(w io.Writer, b *model.Board, o Options) error {
	out := csv.NewWriter(w)
	head := columns()
	several := len(b.Groups) > 1
	if o.Top > 0 {
		head = append(head, "p_top")
	}
	if several {
		head = append(head, "group")
	}
	coins := b.Coins >= leastCoins
	if coins {
		head = append(head, "coins")
	}
	if o.Moves != nil {
		head = append(head, moveColumns()...)
	}
	if err := out.Write(head); err != nil {
		return err
	}
	s := o.scale()
	for k, g := range b.Groups {
		for _, r := range o.shown(g) {
			cells := []string{"", r.ID, "", "", "", "", "", "", "", "", amount(r.Votes)}
			top := ""
			if ranked(g) {
				number := func(x float64) string { return fixed(x, s.decimals+1) }
				cells = []string{
					strconv.Itoa(r.Rank), r.ID,
					number(s.at(r.Score)), number(s.factor * r.SD), number(s.at(r.Lo)), number(s.at(r.Hi)),
					strconv.Itoa(r.RankLo), strconv.Itoa(r.RankHi), fixed(r.PBest, 3), strconv.Itoa(r.Tier), amount(r.Votes),
				}
				top = fixed(r.PTop, 3)
			}
			if o.Top > 0 {
				cells = append(cells, top)
			}
			if several {
				cells = append(cells, strconv.Itoa(k+1))
			}
			if coins {
				cells = append(cells, fixed(b.Coins, 3))
			}
			if o.Moves != nil {
				cells = append(cells, moveCells(o.Moves, r.Item, s)...)
			}
			if err := out.Write(cells); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}
