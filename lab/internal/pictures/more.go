package pictures

import (
	"context"
	"fmt"
	"math"
	"strings"

	"palate"
	"palate/explain"
	"palate/feature"
	"palate/judging"
	"palate/model"
	"palate/report"
	"palate/tune"
)

// dependences are those of a feature for every six items, some of which matter.
func (s *scenery) dependences() (all []*explain.Dependence) {
	names := []string{"price", "length of the answer in characters", "year", "share of words that are seldom used"}
	for f := range max(2, len(s.rows())/6) {
		d := &explain.Dependence{Feature: explain.Feature{Name: fmt.Sprintf("%s %d", names[f%4], f+1), Kind: feature.Number}, Matters: 1 / (1 + 0.2*float64(f))}
		size := 1.2 * math.Exp(-float64(f)/4)
		n := 21
		if f%5 == 1 {
			d.Feature.Kind, d.Feature.Categories = feature.Category, []string{"red", "green", "the colour of the sea in spring", "blue"}
			n = len(d.Feature.Categories)
		}
		for k := range n {
			x := 2*float64(k)/float64(n-1) - 1
			at := explain.Setting{Value: 100 * x, Label: fmt.Sprintf("%.0f", 100*x), Weight: 1 / float64(n)}
			if d.Feature.Categories != nil {
				at.Value, at.Label = float64(k), d.Feature.Categories[k]
			}
			y := size * math.Sin(2*x+float64(f))
			d.At, d.Effect = append(d.At, at), append(d.Effect, explain.Estimate{Value: y, Lo: y - 0.2 - 0.3*math.Abs(x), Hi: y + 0.2 + 0.3*math.Abs(x)})
		}
		d.Importance = explain.Estimate{Value: 0.7 * size, Lo: 0.5 * size, Hi: size}
		all = append(all, d)
	}
	return all
}

// segments are two, three or more, whose boards are moved.
func (s *scenery) segments() *report.Segmentation {
	n := s.model.NumItems()
	number := 2 + n/60
	out := &report.Segmentation{Segmentation: &model.Segmentation{Chances: make([]float64, number)}, Model: s.model, Level: 0.95}
	out.Chances[number-1] = 1
	for k := range number {
		seg := model.Segment{Share: 2 * float64(number-k) / float64(number*(number+1)), Score: make([]float64, n), SD: make([]float64, n), More: make([]float64, n), MoreSD: make([]float64, n)}
		for _, r := range s.rows() {
			seg.More[r.Item], seg.MoreSD[r.Item] = 0.6*s.rng.NormFloat64(), 0.3
			seg.Score[r.Item], seg.SD[r.Item] = r.Score+seg.More[r.Item], r.SD
		}
		out.Segments = append(out.Segments, seg)
	}
	out.Member = make([][]float64, s.model.NumUsers())
	for u := range out.Member {
		out.Member[u] = make([]float64, number)
		out.Member[u][u%number] = 1
	}
	return out
}

// surveyed are the charts of a survey of the same voters; surveys are about tens of items, and of
// hundreds portfolios take minutes.
func (s *scenery) surveyed(ctx context.Context) (all []*report.Chart, err error) {
	if s.model.NumItems() > 100 {
		return nil, nil
	}
	m, err := model.FitPopulation(ctx, s.votes, nil)
	if err != nil {
		return nil, err
	}
	about, err := report.NewSurvey(ctx, m, report.SurveyOptions{})
	if err != nil {
		return nil, err
	}
	for _, draw := range []func(context.Context, *report.Survey, report.Options) (*report.Chart, error){report.Shares, report.Portfolios, report.Consistency} {
		c, err := draw(ctx, about, report.Options{})
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// judged are the items with grades, by a judge for every four of them.
func (s *scenery) judged() *report.Judging {
	j := &report.Judging{Judging: &judging.Judging{Votes: float64(12 * len(s.rows())), Reliability: 0.9, JudgeLimit: 1.3, ItemLimit: 1.4}, Posterior: 0.87, Grades: []string{"with distinction", "pass", "fail"}, Chances: make([][]float64, s.model.NumItems())}
	fit := func() judging.Fit {
		infit := math.Exp(0.25 * s.rng.NormFloat64())
		return judging.Fit{Votes: 24, Infit: infit, Outfit: infit * infit, Misfit: infit > 1.3}
	}
	for _, r := range s.rows() {
		j.Items = append(j.Items, judging.Item{Item: r.Item, ID: r.ID, Score: 2 * r.Score, SE: 2 * r.SD, Won: 12, Fit: fit()})
		best, worst := 1/(1+math.Exp(-4*(r.Score-1))), 1/(1+math.Exp(4*(r.Score+1)))
		j.Chances[r.Item] = []float64{best, max(0, 1-best-worst), worst}
	}
	for u := range max(2, len(s.rows())/4) {
		j.Judges = append(j.Judges, judging.Judge{User: u, ID: voterName(u), Fit: fit()})
	}
	return j
}

// search looks for the best point of a space with a parameter for every ten items, by three voters.
func (s *scenery) search(ctx context.Context) (*report.Tuned, error) {
	text := []string{`{"name": "milk", "choices": ["none", "oat", "cow, from the farm next door"]}`}
	for k := range min(8, max(2, s.model.NumItems()/10)) {
		text = append(text, fmt.Sprintf(`{"name": "%s_%d", "from": 0, "to": %d}`, []string{"dose", "temperature_of_the_water"}[k%2], k+1, 10*(k+1)))
	}
	space, err := tune.ReadSpace(ctx, "space.json", strings.NewReader(`{"parameters": [`+strings.Join(text, ",")+`]}`))
	if err != nil {
		return nil, err
	}
	search := tune.NewSearch(space, &tune.Log{})
	for k := range 30 {
		d := tune.Duel{Left: space.Sample(s.rng), Right: space.Sample(s.rng), Answer: palate.Left, Voter: voterName(k % 3)}
		if d.Left[1] < d.Right[1] {
			d.Answer = palate.Right
		}
		search.Tell(d)
	}
	return report.NewTuned(ctx, search)
}
