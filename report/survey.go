package report

import (
	"context"
	"fmt"
	"math"

	"palate/internal/draw"
	"palate/model"
	"palate/survey"
)

// SurveyOptions are whom and what charts of a survey are about. The zero value is good.
type SurveyOptions struct {
	Consistent bool  // leave voters out whose answers are no likelier than guesses
	Shelf      []int // items to choose from; nil: the few that reach most
	Anchor     []int // the item whose score is zero; nil: there is none
	Seed       uint64
}

// Survey is what surveys report of the voters of a model.
type Survey struct {
	SurveyOptions
	Model model.Model
	Users []int               // whom charts are about
	Care  []model.Consistency // of every voter; nil of models that do not tell
	all   []survey.Item       // of all items
	reach *survey.Reach
}

// surveySections are the charts of a survey.
func surveySections() []string {
	return []string{"shares", "anchored", "shelf", "portfolios", "consistency"}
}

// surveyCharts make them, in the same order.
func surveyCharts() []func(context.Context, *Survey, Options) (*Chart, error) {
	return []func(context.Context, *Survey, Options) (*Chart, error){Shares, Anchored, Shelf, Portfolios, Consistency}
}

// NewSurvey finds what voters answered with care, and whom charts are about.
func NewSurvey(ctx context.Context, m model.Model, o SurveyOptions) (*Survey, error) {
	if why := NoSurvey(m); why != "" {
		return nil, fmt.Errorf("report: no survey: %s", why)
	}
	s := &Survey{SurveyOptions: o, Model: m}
	p, ok := m.(*model.Population)
	for u := range m.NumUsers() {
		if ok {
			c, err := p.Consistency(ctx, u)
			if err != nil {
				return nil, err
			}
			if s.Care = append(s.Care, c); o.Consistent && !c.Consistent() {
				continue
			}
		}
		s.Users = append(s.Users, u)
	}
	if len(s.Users) == 0 {
		return nil, fmt.Errorf("report: the answers of none of %d voters are likelier than guesses", m.NumUsers())
	}
	return s, ctx.Err()
}

// items are the means over voters of all items.
func (s *Survey) items(ctx context.Context) (all []survey.Item, err error) {
	if s.all == nil {
		s.all, err = s.on(ctx, nil)
	}
	return s.all, err
}

// on are the means over voters of the items of a shelf, by their numbers in the model.
func (s *Survey) on(ctx context.Context, shelf []int) ([]survey.Item, error) {
	voters, err := survey.Voters(ctx, s.Model, s.Users, shelf, &survey.Options{Zero: s.Anchor, Seed: s.Seed})
	if err != nil {
		return nil, err
	}
	all := survey.Total(voters)
	for k := range all {
		if shelf != nil {
			all[k].Item = shelf[all[k].Item]
		}
		if math.IsNaN(all[k].Lo) { // one voter
			all[k].Lo, all[k].Hi, all[k].ScoreLo, all[k].ScoreHi = all[k].Share, all[k].Share, all[k].Score, all[k].Score
		}
	}
	return all, nil
}

// leftOut says how many voters are, after a space, where some are.
func (s *Survey) leftOut(w speech) string {
	if n := s.Model.NumUsers() - len(s.Users); n > 0 {
		return " " + w.Say("chart-left-out", w.Count(n))
	}
	return ""
}

// surveyLevel is that of the intervals of surveys.
const surveyLevel = 0.95

// Shares shows how many of a hundred choices from among all items each would get.
func Shares(ctx context.Context, s *Survey, o Options) (*Chart, error) {
	all, err := s.items(ctx)
	if err != nil {
		return nil, err
	}
	w := in(o.Language)
	c := &Chart{Name: "shares", Title: w.Say("chart-shares"), Head: []string{w.Say("chart-item"), w.Say("chart-share"), w.Say("chart-from"), w.Say("chart-to"), w.Say("chart-score"), w.Say("chart-from"), w.Say("chart-to"), w.Say("chart-sd")}}
	for _, x := range all {
		c.Rows = append(c.Rows, append(s.share(w, x), w.fixed(x.Score, 2), w.fixed(x.ScoreLo, 2), w.fixed(x.ScoreHi, 2), w.fixed(x.ScoreSD, 2)))
	}
	c.Note = w.Say("chart-shares-note", w.Count(len(all)), w.Count(len(s.Users)), w.percent(surveyLevel)) + s.leftOut(w)
	c.Alt = w.Say("chart-shares-alt", w.Count(len(all)), s.shares(w, all))
	s.forest(c, w, s.shareRows(w, all), 100/float64(len(all)))
	return c, nil
}

// Shelf shows what would be chosen if just some items were there.
func Shelf(ctx context.Context, s *Survey, o Options) (*Chart, error) {
	shelf := s.SurveyOptions.Shelf
	if shelf == nil {
		const few = 5
		best, err := s.portfolio(ctx, min(few, s.Model.NumItems()-1))
		if err != nil {
			return nil, err
		}
		shelf = best.Items
	}
	all, err := s.items(ctx)
	if err != nil {
		return nil, err
	}
	some, err := s.on(ctx, shelf)
	if err != nil {
		return nil, err
	}
	w := in(o.Language)
	c := &Chart{Name: "shelf", Title: w.Say("chart-shelf"), Head: []string{w.Say("chart-item"), w.Say("chart-share"), w.Say("chart-from"), w.Say("chart-to"), w.Say("chart-share-of-all")}}
	for _, x := range some {
		for _, y := range all {
			if y.Item == x.Item {
				c.Rows = append(c.Rows, append(s.share(w, x), w.fixed(y.Share, 1)))
			}
		}
	}
	c.Note = w.Say("chart-shelf-note", w.Count(len(some)), w.Count(len(s.Users)), w.percent(surveyLevel)) + s.leftOut(w)
	c.Alt = w.Say("chart-shelf-alt", w.Count(len(some)), s.shares(w, some))
	s.forest(c, w, s.shareRows(w, some), 100/float64(len(some)))
	c.Simulator, err = s.simulator(ctx, shelf)
	return c, err
}

// Anchored shows which items voters like more than the anchor, and how many do; nil without one.
func Anchored(ctx context.Context, s *Survey, o Options) (*Chart, error) {
	if len(s.Anchor) != 1 {
		return nil, nil
	}
	all, err := s.items(ctx)
	if err != nil {
		return nil, err
	}
	w, by, anchor := in(o.Language), o.scale(), label(s.Model.ItemID(s.Anchor[0]))
	c := &Chart{Name: "anchored", Title: w.Say("chart-anchored", anchor), Head: []string{w.Say("chart-item"), w.Say("chart-score"), w.Say("chart-from"), w.Say("chart-to"), w.Say("chart-above")}}
	var rows []forestRow
	var said []string
	for _, x := range byScore(all) {
		if x.Item == s.Anchor[0] {
			continue
		}
		id, ink := s.Model.ItemID(x.Item), draw.Quiet
		switch {
		case x.ScoreLo > 0:
			ink = draw.Accent
		case x.ScoreHi < 0:
			ink = draw.Second
		}
		number := func(x float64) string { return w.fixed(by.factor*x, by.decimals) }
		above := w.Chance(x.Above)
		c.Rows = append(c.Rows, []string{label(id), number(x.Score), number(x.ScoreLo), number(x.ScoreHi), above})
		rows = append(rows, forestRow{legible(id), "", by.factor * x.Score, by.factor * x.ScoreLo, by.factor * x.ScoreHi, above,
			w.Say("chart-anchored-title", label(id), number(x.Score), number(x.ScoreLo), number(x.ScoreHi), above), ink})
		said = append(said, label(id)+" "+number(x.Score))
	}
	c.Note = w.Say("chart-anchored-note", anchor, w.Count(len(s.Users)), w.percent(surveyLevel)) + s.leftOut(w)
	c.Alt = w.Say("chart-anchored-alt", w.Count(len(rows)), anchor, w.list(said, 6))
	s.forest(c, w, rows, 0)
	return c, nil
}

// share are the cells of a share of preference.
func (s *Survey) share(w speech, x survey.Item) []string {
	return []string{label(s.Model.ItemID(x.Item)), w.fixed(x.Share, 1), w.fixed(x.Lo, 1), w.fixed(x.Hi, 1)}
}

// shares says the largest shares.
func (s *Survey) shares(w speech, all []survey.Item) string {
	var said []string
	for _, x := range all {
		said = append(said, label(s.Model.ItemID(x.Item))+" "+w.Percent(x.Share/100))
	}
	return w.list(said, 6)
}

func (s *Survey) shareRows(w speech, all []survey.Item) (rows []forestRow) {
	for _, x := range all {
		id := s.Model.ItemID(x.Item)
		share := func(x float64) string { return w.Say("percent", w.fixed(x, 1)) }
		rows = append(rows, forestRow{legible(id), "", x.Share, x.Lo, x.Hi, share(x.Share), w.Say("chart-shares-title", label(id), share(x.Share), share(x.Lo), share(x.Hi)), draw.Accent})
	}
	return rows
}

// forest draws rows on a scale that begins at 0, of very many the first.
func (s *Survey) forest(c *Chart, w speech, rows []forestRow, usual float64) {
	c.list(w, min(collapsed, len(rows)), len(rows), func(width float64, n int) *draw.Scene {
		out := draw.New(width)
		drawForest(out, w, rows[:n], 0, usual, false)
		return out
	})
}
