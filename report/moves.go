package report

import (
	"encoding/json"

	"palate/model"
)

// moved says whether an item rose or fell, and with what probability.
func moved(m model.Move) string {
	if m.Rose < 0.5 {
		return "fell " + chance(1-m.Rose)
	}
	return "rose " + chance(m.Rose)
}

// moveColumns are those of CSV that tell what moved.
func moveColumns() []string { return []string{"since", "change", "change_lo", "change_hi", "p_rose"} }

// moveCells are their cells for an item.
func moveCells(all *model.Moves, item int, s scale) []string {
	m := all.Of[item]
	number := func(x float64) string { return fixed(s.factor*x, s.decimals+1) }
	return []string{all.Since, number(m.By), number(m.Lo), number(m.Hi), fixed(m.Rose, 3)}
}

// jsonMoved is what JSON has of a move.
type jsonMoved struct {
	By   *json.Number `json:"change"`
	Lo   *json.Number `json:"lo"`
	Hi   *json.Number `json:"hi"`
	Rose *json.Number `json:"p_rose"`
}

func moveJSON(all *model.Moves, item int, s scale) *jsonMoved {
	m := all.Of[item]
	score := func(x float64) *json.Number { return number(s.factor*x, s.decimals+1) }
	return &jsonMoved{score(m.By), score(m.Lo), score(m.Hi), number(m.Rose, 3)}
}
