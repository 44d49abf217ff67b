package paper

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"palate"
	"palate/explain"
	"palate/feature"
	"palate/model"
)

// Worlds have so many features, of which the first three have planted effects, items and votes.
const (
	explainedFeatures = 10
	explainedItems    = 80
	explainedVotes    = 800
)

// planted is an effect: what a value of a feature is worth.
type planted func(s explain.Setting) float64

// explainedColumn is a feature in the making: the cell of each item, and its effect.
type explainedColumn struct {
	draw   func(rng *rand.Rand) string
	effect planted
}

// explainingSet are worlds in which features have effects of some kind.
type explainingSet struct {
	name, about string
	voters      int // 0: all vote alike
	columns     func(rng *rand.Rand) []explainedColumn
}

func explainingSets() []explainingSet {
	kinds := []explainingSet{
		{"lines", "three numbers of ten matter, along straight lines", 0, func(rng *rand.Rand) []explainedColumn {
			return numbers(line(rng), line(rng), line(rng))
		}},
		{"shapes", "three numbers of ten matter: along a line, a bump and a curve that levels off", 0, func(rng *rand.Rand) []explainedColumn {
			return numbers(line(rng), bump(rng), level(rng))
		}},
		{"words", "a number, a word of four and a yes or no matter, of ten such features", 0, func(rng *rand.Rand) []explainedColumn {
			return append([]explainedColumn{{number, level(rng)}, {word(4), ofWords(4, rng)}, {yes, ofYes(rng)}},
				explainedColumn{number, nil}, explainedColumn{number, nil}, explainedColumn{number, nil},
				explainedColumn{word(3), nil}, explainedColumn{word(3), nil}, explainedColumn{yes, nil}, explainedColumn{yes, nil})
		}},
	}
	return append(kinds,
		explainingSet{"any", "each world is one of these three kinds, by chance", 0, func(rng *rand.Rand) []explainedColumn {
			return kinds[rng.IntN(len(kinds))].columns(rng)
		}},
		explainingSet{"voters", "as shapes, of 40 voters with tastes of their own, by a population", 40, func(rng *rand.Rand) []explainedColumn {
			return numbers(line(rng), bump(rng), level(rng))
		}})
}

func numbers(effects ...planted) (all []explainedColumn) {
	for _, e := range effects {
		all = append(all, explainedColumn{number, e})
	}
	for len(all) < explainedFeatures {
		all = append(all, explainedColumn{number, nil})
	}
	return all
}

// number is one of a table about something that is measured in tens.
func number(rng *rand.Rand) string { return strconv.FormatFloat(50+10*rng.NormFloat64(), 'f', 3, 64) }

func word(of int) func(*rand.Rand) string {
	return func(rng *rand.Rand) string { return string(rune('a' + rng.IntN(of))) }
}

func yes(rng *rand.Rand) string { return []string{"no", "yes"}[rng.IntN(2)] }

// size is that of an effect, either way.
func size(rng *rand.Rand) float64 {
	s := 0.4 + 0.6*rng.Float64()
	if rng.IntN(2) == 0 {
		return -s
	}
	return s
}

func line(rng *rand.Rand) planted {
	s := size(rng)
	return func(at explain.Setting) float64 { return s * (at.Value - 50) / 10 }
}

func bump(rng *rand.Rand) planted {
	s, centre := 2*size(rng), rng.NormFloat64()/2
	return func(at explain.Setting) float64 {
		x := (at.Value-50)/10 - centre
		return s * math.Exp(-x*x/2)
	}
}

func level(rng *rand.Rand) planted {
	s := 1.2 * size(rng)
	return func(at explain.Setting) float64 { return s * math.Tanh((at.Value-50)/8) }
}

func ofWords(n int, rng *rand.Rand) planted {
	worth := map[string]float64{}
	for k := range n {
		worth[string(rune('a'+k))] = 0.9 * rng.NormFloat64()
	}
	return func(at explain.Setting) float64 { return worth[at.Label] }
}

func ofYes(rng *rand.Rand) planted {
	s := 1.5 * size(rng)
	return func(at explain.Setting) float64 { return s * at.Value }
}

// Explaining holds what is said of features to planted effects, with a table for every kind of worlds.
func Explaining() Study[*ExplainingTable] {
	return studyOf(explainingSets(), 100, explainingSet.table)
}

func (s explainingSet) described() (name, about string) { return s.name, s.about }

func (s explainingSet) table(ctx context.Context, o StudyOptions) (*ExplainingTable, error) {
	all, err := drawings(o, "explaining", s.name, "explain", func(rng *rand.Rand) (*explainingResult, error) { return s.draw(ctx, rng) })
	if err != nil {
		return nil, err
	}
	t := &ExplainingTable{Set: s.name, Worlds: o.Repeats}
	for _, r := range all {
		t.add(r)
	}
	return t, nil
}

// draw makes a world, fits a model to its votes and holds what is said of its features to the truth.
func (s explainingSet) draw(ctx context.Context, rng *rand.Rand) (*explainingResult, error) {
	columns := s.columns(rng)
	var table strings.Builder
	table.WriteString("id")
	for j := range columns {
		fmt.Fprintf(&table, ",f%d", j)
	}
	effects, f := map[string]planted{}, make([]float64, explainedItems)
	for j, c := range columns {
		if effects["f"+strconv.Itoa(j)] = c.effect; c.effect == nil {
			effects["f"+strconv.Itoa(j)] = func(explain.Setting) float64 { return 0 }
		}
	}
	for i := range f {
		fmt.Fprintf(&table, "\n%d", i)
		for j, c := range columns {
			cell := c.draw(rng)
			table.WriteString("," + cell)
			f[i] += effects["f"+strconv.Itoa(j)](settingOf(cell))
		}
		f[i] += 0.3 * rng.NormFloat64()
	}
	b := palate.NewBuilder()
	for i := range f {
		b.Item(strconv.Itoa(i))
	}
	if err := explainedVotesOf(b, f, s.voters, rng); err != nil {
		return nil, err
	}
	encoder, err := feature.Items(ctx, "items.csv", strings.NewReader(table.String()), b, feature.Options{})
	if err != nil {
		return nil, err
	}
	d, err := b.Build()
	if err != nil {
		return nil, err
	}
	kind := "single"
	if s.voters > 0 {
		kind = "population"
	}
	entry, err := model.Find(kind)
	if err != nil {
		return nil, err
	}
	m, err := entry.Fit(ctx, d, &model.Settings{})
	if err != nil {
		return nil, err
	}
	of, err := model.AsFeatured(m)
	if err != nil {
		return nil, err
	}
	features := explain.Features(encoder)
	all, err := explain.Dependences(ctx, of, features, nil)
	if err != nil {
		return nil, err
	}
	r := &explainingResult{}
	for _, d := range all {
		r.note(d, effects[d.Feature.Name], columns[int(d.Feature.Name[1]-'0')].effect != nil)
	}
	for item := range 3 {
		changes, err := explain.Better(ctx, of, features, item, nil)
		if err != nil {
			return nil, err
		}
		if len(changes) > 0 {
			c := changes[0]
			truth := effects[c.Feature.Name](c.To) - effects[c.Feature.Name](settingOf(c.From))
			r.Changes++
			r.ChangesCovered += one(covers(c.Gain, truth))
			r.ChangesTrue += one(truth > 0)
		}
	}
	return r, nil
}

// settingOf is a cell of the table as effects see it.
func settingOf(cell string) explain.Setting {
	s := explain.Setting{Label: cell}
	if s.Value, _ = strconv.ParseFloat(cell, 64); cell == "yes" {
		s.Value = 1
	}
	return s
}

// explainedVotesOf draws votes by voters who depart from the utilities, if there are any.
func explainedVotesOf(b *palate.Builder, f []float64, voters int, rng *rand.Rand) error {
	if voters == 0 {
		return comparedVotes(b, "", f, explainedVotes, rng)
	}
	for u := range voters {
		g := make([]float64, len(f))
		for i := range g {
			g[i] = f[i] + 0.7*rng.NormFloat64()
		}
		if err := comparedVotes(b, "v"+strconv.Itoa(u), g, 2*explainedVotes/voters, rng); err != nil {
			return err
		}
	}
	return nil
}

// explainingResult is how often what was said of one world was so: of features with an effect, and of the others.
type explainingResult struct {
	Features, Found, Importances, Contrasts, Covered, Slopes, SlopesCovered [2]float64
	Changes, ChangesCovered, ChangesTrue                                    float64
}

func one(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func covers(e explain.Estimate, truth float64) bool { return e.Lo <= truth && truth <= e.Hi }

// note compares what is said of a feature with its effect: the importance, the linear effect, and differences between
// settings that are well apart.
func (r *explainingResult) note(d *explain.Dependence, effect planted, matters bool) {
	k := 1
	if matters {
		k = 0
	}
	var weighted []int
	var mean, square, slope, centre float64
	for i, s := range d.At {
		if s.Weight > 0 {
			weighted = append(weighted, i)
		}
		mean += s.Weight * effect(s)
		centre += s.Weight * s.Value
	}
	for _, s := range d.At {
		square += s.Weight * (effect(s) - mean) * (effect(s) - mean)
		slope += s.Weight * (s.Value - centre) * effect(s)
	}
	r.Features[k]++
	r.Found[k] += one(d.Matter())
	r.Importances[k] += one(covers(d.Importance, math.Sqrt(square)))
	if d.Slope != nil {
		r.Slopes[k]++
		r.SlopesCovered[k] += one(covers(*d.Slope, slope/d.Deviation))
	}
	n := len(weighted)
	ends := []int{weighted[n/10], weighted[n/2], weighted[n-1-n/10]}
	for a, i := range ends {
		for _, j := range ends[:a] {
			if i != j {
				r.Contrasts[k]++
				r.Covered[k] += one(covers(d.Contrast(i, j), effect(d.At[i])-effect(d.At[j])))
			}
		}
	}
}

// ExplainingTable is how often what was said of features was so: of those with a planted effect first, then of the others.
type ExplainingTable struct {
	Set    string `json:"set"`
	Worlds int    `json:"worlds"`
	explainingResult
}

func (t *ExplainingTable) add(r *explainingResult) {
	for k := range 2 {
		for _, x := range []struct{ to, from *[2]float64 }{
			{&t.Features, &r.Features}, {&t.Found, &r.Found}, {&t.Importances, &r.Importances}, {&t.Contrasts, &r.Contrasts},
			{&t.Covered, &r.Covered}, {&t.Slopes, &r.Slopes}, {&t.SlopesCovered, &r.SlopesCovered},
		} {
			x.to[k] += x.from[k]
		}
	}
	t.Changes += r.Changes
	t.ChangesCovered += r.ChangesCovered
	t.ChangesTrue += r.ChangesTrue
}

// WriteText writes the table for people.
func (t *ExplainingTable) WriteText(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s, %d worlds: shares of 95%% intervals that hold the truth\n", t.Set, t.Worlds)
	share := func(a, b float64) string {
		if b == 0 {
			return "–"
		}
		return fmt.Sprintf("%.3f", a/b)
	}
	for k, what := range []string{"with an effect", "without"} {
		fmt.Fprintf(&s, "  features %-15s %4.0f, found %s; importance %s, contrasts %s (of %.0f), linear effect %s\n", what, t.Features[k],
			share(t.Found[k], t.Features[k]), share(t.Importances[k], t.Features[k]), share(t.Covered[k], t.Contrasts[k]), t.Contrasts[k], share(t.SlopesCovered[k], t.Slopes[k]))
	}
	fmt.Fprintf(&s, "  all features: importance %s, contrasts %s\n", share(t.Importances[0]+t.Importances[1], t.Features[0]+t.Features[1]), share(t.Covered[0]+t.Covered[1], t.Contrasts[0]+t.Contrasts[1]))
	fmt.Fprintf(&s, "  the change that would make an item better: %s better indeed (of %.0f), its gain %s\n\n", share(t.ChangesTrue, t.Changes), t.Changes, share(t.ChangesCovered, t.Changes))
	_, err := io.WriteString(w, s.String())
	return err
}
