package report

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"palate/internal/draw"
	"palate/model"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS string
	//go:embed page.js
	pageJS string
)

// Page is what a report in HTML shows.
type Page struct {
	Title   string // what was ranked
	Model   model.Model
	User    int // whose board it is; negative: the consensus
	Board   *model.Board
	Options Options
	Held    *Held  // how held-out votes are predicted; nil: they are not, and
	NotHeld string // why
	Made    string // how to make it again
}

// The widths that charts are drawn for: a desk and a phone.
const (
	deskWidth  = 900
	phoneWidth = 338
)

// HTML writes a report as one file that asks nothing of a network: facts, charts
// for wide and for narrow screens, light and dark, with the numbers behind them.
func HTML(ctx context.Context, w io.Writer, p *Page) error {
	charts, absent, err := p.charts(ctx)
	if err != nil {
		return err
	}
	title := p.Title
	if p.User >= 0 {
		title += ", as " + label(p.Model.UserID(p.User)) + " likes it"
	}
	return writePage(ctx, w, page{
		title: title, headline: headline(p.Board, p.Options.fit().coins()), groups: Groups(p.Board), facts: p.facts(),
		charts: charts, absent: absent, made: p.Made,
	})
}

// page is what every report in HTML is made of.
type page struct {
	title, headline, groups string
	facts                   []fact
	charts                  []*Chart
	absent                  []string // charts that are not there, and why
	made                    string
}

// writePage writes a page as one file.
func writePage(ctx context.Context, w io.Writer, p page) error {
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return err
	}
	style := Style() + pageCSS
	type figure struct {
		*Chart
		Desk, Phone template.HTML
	}
	var figures []figure
	for _, c := range p.charts {
		if err := ctx.Err(); err != nil {
			return err
		}
		figures = append(figures, figure{c, template.HTML(c.SVG(deskWidth)), template.HTML(c.SVG(phoneWidth))})
	}
	var out bytes.Buffer
	err = t.Execute(&out, map[string]any{
		"Title": p.title, "Headline": p.headline, "Groups": p.groups, "Facts": p.facts,
		"Figures": figures, "Absent": p.absent, "Made": p.made,
		"Style": template.CSS(style), "Script": template.JS(pageJS),
		"Policy": fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'", sourceHash(style), sourceHash(pageJS)),
	})
	if err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// sourceHash names a style sheet or a script in a content security policy.
func sourceHash(text string) string {
	h := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(h[:])
}

// charts makes the charts that there is something to show in, and says why
// others are not there.
func (p *Page) charts(ctx context.Context) (charts []*Chart, absent []string, err error) {
	matrix, err := Matrix(ctx, p.Model, p.User, p.Board)
	if err != nil {
		return nil, nil, err
	}
	charts = []*Chart{Leaderboard(p.Board, p.Options), matrix}
	if m, ok := p.Model.(*model.Moving); ok {
		course, err := m.Course(ctx, &model.BoardOptions{Level: p.Board.Level})
		if err != nil {
			return nil, nil, err
		}
		if c := Courses(course, p.Options); c != nil {
			charts = append([]*Chart{c}, charts...)
		}
	}
	if p.Held == nil {
		absent = append(absent, "No reliability and learning curves: "+p.NotHeld+".")
	} else {
		charts = append(charts, Reliability(p.Held))
		if c := Learning(p.Held); c != nil {
			charts = append(charts, c)
		}
	}
	t, err := NewTastes(ctx, p.Model)
	if err != nil {
		return nil, nil, err
	}
	made := 0
	if t != nil {
		for _, c := range []*Chart{Voters(t), Loadings(t), Disagreement(t)} {
			if c != nil {
				charts = append(charts, c)
				made++
			}
		}
	}
	if made == 0 {
		absent = append(absent, "No map of voters and their tastes: "+NoTastes(p.Model)+".")
	}
	traits, err := Traits(ctx, p.Model, p.Board.Level)
	if err != nil {
		return nil, nil, err
	}
	if traits != nil {
		charts = append(charts, traits)
	}
	return charts, absent, nil
}

// NoTastes says why there is nothing to show of the tastes of a model's voters.
func NoTastes(m model.Model) string {
	switch {
	case m.NumUsers() == 0:
		return fmt.Sprintf("a %s model has one utility for all voters; fit --model crowd or population", m.Name())
	case m.NumItems() > tastesItems:
		return fmt.Sprintf("there are more than %d items", tastesItems)
	}
	return "the voters do not differ"
}

// fact is a number with its name.
type fact struct{ Name, Value, More string }

func (p *Page) facts() []fact {
	f := p.Options.fit()
	facts := []fact{{"items", amount(float64(f.Items)), ""}, {"votes", amount(f.Votes), ""}}
	if f.Ties > 0 {
		facts[1].More = count(f.Ties, "tie") + " among them"
	}
	if f.Features > 0 {
		facts[0].More = "with " + count(float64(f.Features), "feature")
	}
	voters := max(f.Voters, p.Model.NumUsers())
	if voters > 0 {
		facts = append(facts, fact{"voters", amount(float64(voters)), ""})
	}
	if n, likely, others := segments(f.Segments); n > 0 {
		facts = append(facts, fact{"segments of voters", amount(float64(n)), likely + others})
	}
	facts = append(facts, fact{"model", f.Model, fmt.Sprintf("%s %s", f.Kind, draw.Signed(f.Objective, 1))})
	for _, e := range f.Effects {
		lo, hi := e.Interval(p.Board.Level)
		name := e.Name
		if e.Property == "" {
			name = "left side"
		}
		facts = append(facts, fact{name, draw.Signed(e.Mean, 2), fmt.Sprintf("%s is worth that to an item, %s to %s; %s", e.Says(), draw.Signed(lo, 2), draw.Signed(hi, 2), e.Apart())})
	}
	if p.Held != nil {
		s := p.Held.score()
		facts = append(facts,
			fact{"winners foreseen", chance(s.Accuracy.Value), "of votes it had not seen"},
			fact{"cross-entropy", fixed(s.CrossEntropy.Value, 3), "nats a vote; a coin has 0.693"})
	}
	return facts
}

// headline says in a sentence or two who leads, and how surely.
func headline(b *model.Board, coins bool) string {
	if len(b.Groups) == 0 || !ranked(b.Groups[0]) {
		return "There is nothing to rank."
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
	var s strings.Builder
	if coins {
		return "So far these votes tell no more of the items than coins would: the order is a guess."
	}
	fmt.Fprintf(&s, "%s leads, and is the best with %s probability. ", label(rows[0].ID), chance(rows[0].PBest))
	switch {
	case tiers == 1:
		s.WriteString("No item is clearly below it yet: all are in one tier.")
	case len(with) == 0:
		fmt.Fprintf(&s, "It is alone in the first of %d tiers.", tiers)
	default:
		fmt.Fprintf(&s, "Not clearly below it: %s. There are %d tiers.", list(with, 3), tiers)
	}
	return s.String()
}
