package report

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"palate/explain"
	"palate/model"
)

// Page is what a report in HTML shows.
type Page struct {
	Paper
	Model   model.Model
	User    int // whose board it is; negative: the consensus
	Board   *model.Board
	Options Options
	Held    *Held   // how held-out votes are predicted; nil: they are not, and
	NotHeld NotHeld // why
	// First and Last are the times of the first and of the last vote; zero: not known.
	First, Last time.Time
	// Per, if set, are the boards of categories.
	Per *Breakdown
	// Categories tells that categories of votes stand in the place of voters: nothing is shown of
	// voters then, unless Sections names it.
	Categories bool
	// Survey says what charts of a survey are about. They are shown of a population of voters who
	// answered about several items at once, or where Sections names them.
	Survey SurveyOptions
	// Sections are the charts that are shown, of Sections; nil: all that there is something to
	// show in.
	Sections []string
}

// Sections are the names of the charts that a report may have, in their order on the page.
func Sections() []string {
	return slices.Concat([]string{"course", "leaderboard"}, surveySections(), []string{"dependence", "categories", "matrix", "reliability", "learning", "voters", "factors", "disagreement", "segments", "traits"})
}

// wants reports whether one of some charts is to be shown.
func (p *Page) wants(names ...string) bool {
	return p.Sections == nil || slices.ContainsFunc(names, func(n string) bool { return slices.Contains(p.Sections, n) })
}

// HTML writes a report as one file that asks nothing of a network: facts, charts
// for wide and for narrow screens, light and dark, with the numbers behind them.
func HTML(ctx context.Context, w io.Writer, p *Page) error {
	charts, absent, err := p.charts(ctx)
	if err != nil {
		return err
	}
	words := in(p.Options.Language)
	paper := p.Paper
	if p.User >= 0 {
		paper.Title = words.Say("page-as-likes-it", paper.Title, label(p.Model.UserID(p.User)))
	}
	facts, details := p.facts(words)
	return writePage(ctx, w, page{
		Paper: paper, words: words, headline: headline(words, p.Board, p.Options.fit().coins(p.Board)), groups: words.groups(p.Board), facts: facts, details: details, form: p.Options.fit().Form,
		charts: charts, absent: absent,
	})
}

// charts makes the charts that there is something to show in, and says why
// others are not there.
func (p *Page) charts(ctx context.Context) (charts []*Chart, absent []string, err error) {
	w := in(p.Options.Language)
	add := func(all ...*Chart) (made int) {
		for _, c := range all {
			if c != nil && p.wants(c.Name) {
				charts = append(charts, c)
				made++
			}
		}
		return made
	}
	if m, ok := p.Model.(*model.Moving); ok && p.wants("course") {
		course, err := m.Trajectories(ctx, &model.BoardOptions{Level: p.Board.Level})
		if err != nil {
			return nil, nil, err
		}
		add(Trajectories(course, p.Options))
	}
	add(Leaderboard(p.Board, p.Options))
	if p.surveyed() && p.wants(surveySections()...) {
		if why := w.noSurvey(p.Model); why != "" {
			absent = append(absent, w.Say("page-no-survey", why))
		} else {
			s, err := NewSurvey(ctx, p.Model, p.Survey)
			if err != nil {
				return nil, nil, err
			}
			for k, chart := range surveyCharts() {
				if p.wants(surveySections()[k]) {
					c, err := chart(ctx, s, p.Options)
					if err != nil {
						return nil, nil, err
					}
					add(c)
				}
			}
		}
	}
	if p.wants("dependence") {
		features, err := p.dependence(ctx)
		if err != nil {
			return nil, nil, err
		}
		add(features)
	}
	if p.Per != nil {
		add(Categories(p.Per, p.Options))
	}
	if p.wants("matrix") {
		all := p.Options
		all.Top = 0
		matrix, err := Matrix(ctx, p.Model, p.User, p.Board, all)
		if err != nil {
			return nil, nil, err
		}
		add(matrix)
	}
	if p.wants("reliability", "learning") {
		if p.Held == nil {
			absent = append(absent, w.Say("page-not-held", w.notHeld(p.NotHeld, p.Options.fit().Votes)))
		} else {
			p.Held.Language = p.Options.Language
			add(Reliability(p.Held), Learning(p.Held))
		}
	}
	if p.Categories && p.Sections == nil {
		return charts, absent, nil
	}
	if p.wants("voters", "factors", "disagreement") {
		t, err := NewTastes(ctx, p.Model)
		if err != nil {
			return nil, nil, err
		}
		made := 0
		if t != nil {
			t.Language = p.Options.Language
			made = add(Voters(t), Loadings(t), Disagreement(t))
		}
		if made == 0 {
			absent = append(absent, w.Say("page-no-tastes", w.noTastes(p.Model)))
		}
	}
	if p.wants("segments") {
		groups, err := NewSegmentation(ctx, p.Model, p.Board.Level, 0, 0)
		if err == nil && groups != nil && groups.likely() { // then it is worth while to look for them again
			if groups, err = NewSegmentation(ctx, p.Model, p.Board.Level, Resamples, 0); err == nil {
				add(Segments(groups, p.Options))
			}
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if p.wants("traits") {
		traits, err := Traits(ctx, p.Model, p.Board.Level, p.Options)
		if err != nil {
			return nil, nil, err
		}
		add(traits)
	}
	return charts, absent, nil
}

// surveyed reports whether charts of a survey are shown, where they are wanted.
func (p *Page) surveyed() bool {
	people, ok := p.Model.(*model.Population)
	return p.User < 0 && (p.Sections != nil || ok && people.Surveyed() && NoSurvey(people) == "")
}

// dependence is the chart of features of a consensus that learns from them, where it takes no longer
// than the other charts; else nil.
func (p *Page) dependence(ctx context.Context) (*Chart, error) {
	const items, most = 200, 20
	if p.User >= 0 || !p.Model.Reads().Has(model.ItemFeatures) || p.Model.NumItems() > items {
		return nil, nil
	}
	m, features, err := explain.Of(p.Model)
	if err != nil || len(features) > most {
		return nil, nil // nothing to explain by
	}
	all, err := explain.Dependences(ctx, m, features, &explain.Options{Level: p.Board.Level})
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, nil
	}
	return Dependence(all, p.Board.Level, p.Options), nil
}

// fact is a number with its name.
type fact struct{ Name, Value, More string }

// facts are those on the cards, in plain words, and the details of how they were found.
func (p *Page) facts(w speech) (facts, details []fact) {
	f := p.Options.fit()
	facts = []fact{{w.Say("fact-items"), w.Count(f.Items), ""}, {w.Say("fact-votes"), w.amount(f.Votes), ""}}
	if f.Ties > 0 {
		facts[1].More = w.Say("fact-ties", w.amount(f.Ties))
	}
	if f.Features > 0 {
		facts[0].More = w.Say("fact-features", f.Features)
	}
	if voters := max(f.Voters, p.Model.NumUsers()); voters > 0 {
		name := w.Say("fact-voters")
		if len(f.Per) > 0 {
			name = w.Say("fact-categories", strings.Join(f.Per, ", "))
		}
		facts = append(facts, fact{name, w.Count(voters), ""})
	}
	if !p.First.IsZero() {
		first, last := w.Date(p.First), w.Date(p.Last)
		value := first
		if last != first {
			value = first + " – " + last
		}
		facts = append(facts, fact{w.Say("fact-dates"), value, ""})
	}
	if n, chances := segments(f.Segments); n > 0 && len(f.Per) == 0 {
		facts = append(facts, fact{w.Say("fact-segments"), w.Count(n), w.Say("fact-segments-more", w.Chance(chances[0].p)) + w.otherSegments(chances)})
	}
	if p.Board.Coins >= leastCoins {
		facts = append(facts, fact{w.Say("fact-coins"), w.Chance(p.Board.Coins), w.Say("fact-coins-more")})
	}
	if p.Held != nil {
		s := p.Held.score()
		facts = append(facts, fact{w.Say("fact-foreseen"), w.Chance(s.Accuracy.Value), w.Say("fact-foreseen-more")})
		details = append(details, fact{w.Say("chart-cross-entropy"), w.fixed(s.CrossEntropy.Value, 3), w.Say("detail-cross-entropy", w.fixed(0.693147, 3))})
	}
	how := fact{w.Say("detail-model"), f.Model, fmt.Sprint(f.Likelihood)}
	if f.Rule != "" {
		how.More += ", " + f.Rule
	}
	details = append([]fact{how, {w.objective(f.Kind), w.fixed(f.Objective, 1), w.Say("detail-evidence")}}, details...)
	for _, e := range f.Effects {
		lo, hi := e.Interval(p.Board.Level)
		name := e.Name
		if e.Property == "" {
			name = w.Say("detail-left-side")
		}
		details = append(details, fact{name, w.fixed(e.Mean, 2), w.effect(e, w.span(lo, hi, 2))})
	}
	return facts, details
}

// objective names a kind of objective.
func (s speech) objective(kind string) string {
	key := map[string]string{
		"EP log evidence": "objective-ep", "lower bound of the log evidence": "objective-bound", "Laplace log evidence": "objective-laplace",
		"log score of votes as foreseen": "objective-score",
	}[kind]
	if key == "" {
		return kind
	}
	return s.Say(key)
}

// headline says in a sentence or two who leads, and how surely.
func headline(w speech, b *model.Board, coins bool) string {
	if len(b.Groups) == 0 || !ranked(b.Groups[0]) {
		return w.Say("page-nothing-to-rank")
	}
	if coins {
		return w.Say("page-coins")
	}
	rows := b.Groups[0].Rows
	var with []string
	tiers := 1
	for _, r := range rows[1:] {
		tiers = max(tiers, r.Tier)
		if r.Tier == 1 {
			with = append(with, label(r.ID))
		}
	}
	leads := w.Say("page-leads", label(rows[0].ID), w.Chance(rows[0].PBest))
	switch {
	case tiers == 1:
		return leads + " " + w.Say("page-one-tier")
	case len(with) == 0:
		return leads + " " + w.Say("page-alone", w.Count(tiers))
	}
	return leads + " " + w.Say("page-not-clearly-below", w.list(with, 3), w.Count(tiers))
}
