package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"palate/explain"
	"palate/internal/draw"
)

// leaningItems is the number of items that are named of each difference between voters.
const leaningItems = 3

const leaningsLegend = "\ndifference  by how much voters with one value like items otherwise than those with another: the deviation over items\nmatters     probability that the feature has anything to do with tastes\nlikes more  items that those with the second value surely like more, and by how much\n"

// leanings is a table of which features of voters go with which tastes.
func (e *Explanation) leanings(o Options) *grid {
	t := &grid{
		head: []string{"feature", "from", "to", "difference", percent(e.Level) + " interval", "matters", "likes more", "likes less"},
		left: []bool{true, true, true, false, false, false, true, true},
	}
	s := o.scale()
	for _, l := range e.Leanings {
		t.rows = append(t.rows, []string{
			label(l.Feature.Name), label(l.From), label(l.To), fixed(s.factor*l.Size.Value, s.decimals), spanned(l.Size, s.factor, s.decimals),
			chance(l.Matters), e.surely(l, 1, s), e.surely(l, -1, s),
		})
		t.ruled = append(t.ruled, len(t.ruled) == 0)
	}
	return t
}

// surely names the items that are surely liked more, or less, the most so first.
func (e *Explanation) surely(l explain.Leaning, sign float64, s scale) string {
	var items []int
	for i, x := range l.More {
		if sign > 0 && x.Lo > 0 || sign < 0 && x.Hi < 0 {
			items = append(items, i)
		}
	}
	slices.SortStableFunc(items, func(a, b int) int { return cmp.Compare(sign*l.More[b].Value, sign*l.More[a].Value) })
	var all []string
	for _, i := range items[:min(leaningItems, len(items))] {
		all = append(all, fmt.Sprintf("%s %s", label(e.ItemID(i)), draw.Signed(s.factor*l.More[i].Value, s.decimals)))
	}
	if all == nil {
		return "–"
	}
	return strings.Join(all, ", ")
}

// leaningRows are lines of CSV, one for every difference and item.
func (e *Explanation) leaningRows(three func(explain.Estimate) []string) [][]string {
	rows := [][]string{{"feature", "from", "to", "item", "more", "lo", "hi", "p_matters"}}
	for _, l := range e.Leanings {
		for i, x := range l.More {
			rows = append(rows, append(append([]string{l.Feature.Name, l.From, l.To, e.ItemID(i)}, three(x)...), fixed(l.Matters, 4)))
		}
	}
	return rows
}

type jsonLeaning struct {
	Feature string            `json:"feature"`
	From    string            `json:"from"`
	To      string            `json:"to"`
	Size    jsonExplained     `json:"difference"`
	Matters *json.Number      `json:"p_matters"`
	Items   []jsonLeaningItem `json:"items"`
}

type jsonLeaningItem struct {
	Item string        `json:"item"`
	More jsonExplained `json:"more"`
}

func (e *Explanation) jsonLeaning(l explain.Leaning, score func(explain.Estimate) jsonExplained) jsonLeaning {
	out := jsonLeaning{Feature: l.Feature.Name, From: l.From, To: l.To, Size: score(l.Size), Matters: number(l.Matters, 4)}
	for i, x := range l.More {
		out.Items = append(out.Items, jsonLeaningItem{e.ItemID(i), score(x)})
	}
	return out
}
