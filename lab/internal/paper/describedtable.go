package paper

import (
	"fmt"
	"io"
	"math"
)

// FeatureTable holds how models did in worlds of items with features.
type FeatureTable struct {
	Repeats int
	Rows    []*FeatureRow
}

// FeatureRow is how one model did in one world.
type FeatureRow struct {
	World, Model string
	results      []describedResult
}

// describedMeasure is a figure of a result.
type describedMeasure struct {
	name, head string
	of         func(describedResult) float64
}

func describedMeasures() []describedMeasure {
	return []describedMeasure{
		{"known", "known items", func(r describedResult) float64 { return r.Known }},
		{"new", "new items", func(r describedResult) float64 { return r.New }},
		{"cpu", "CPU s", func(r describedResult) float64 { return r.CPU }},
	}
}

// at returns mean and standard error of a measure, less that of another row, drawing by drawing; nil: of the row itself.
func (r *FeatureRow) at(m describedMeasure, less *FeatureRow) (mean, se float64) {
	x := make([]float64, len(r.results))
	for k := range x {
		if x[k] = m.of(r.results[k]); less != nil {
			x[k] -= m.of(less.results[k])
		}
	}
	return meanAndError(x)
}

// best is the row of the least mean in a row's world.
func (t *FeatureTable) best(m describedMeasure, world string) (best *FeatureRow) {
	least := math.Inf(1)
	for _, r := range t.Rows {
		if mean, _ := r.at(m, nil); r.World == world && mean < least {
			best, least = r, mean
		}
	}
	return best
}

// MarshalJSON writes the row as one flat object: world, model, repeats, and each measure with its standard error.
func (r *FeatureRow) MarshalJSON() ([]byte, error) {
	var o object
	o.text("world", r.World)
	o.text("model", r.Model)
	o.number("repeats", float64(len(r.results)))
	for _, m := range describedMeasures() {
		mean, se := r.at(m, nil)
		o.number(m.name, mean)
		o.number(m.name+"_se", se)
	}
	return o.bytes(), nil
}

// WriteJSON writes the rows, an object a line.
func (t *FeatureTable) WriteJSON(w io.Writer) error { return writeLines(w, t.Rows...) }

// WriteText writes the table for readers: each world, then the means over all of them.
func (t *FeatureTable) WriteText(w io.Writer) error {
	measures := describedMeasures()
	fmt.Fprintf(w, "%d drawings of each world: cross-entropy above that of the true chances, in nats a pair; behind it,\nby how much more it is than that of the best model there, with its paired standard error\n\n", t.Repeats)
	var grid grid
	grid.row("world", "model", measures[0].head, "", measures[1].head, "", measures[2].head)
	type sum struct {
		name    string
		cells   float64
		regret  [2]float64
		cpu     float64
		outside int
	}
	var sums []*sum
	for _, r := range t.Rows {
		var s *sum
		for _, x := range sums {
			if x.name == r.Model {
				s = x
			}
		}
		if s == nil {
			s = &sum{name: r.Model}
			sums = append(sums, s)
		}
		s.cells++
		cells := []string{r.World, r.Model}
		for k, m := range measures[:2] {
			mean, _ := r.at(m, nil)
			more, se := 0.0, 0.0
			if best := t.best(m, r.World); best != r {
				more, se = r.at(m, best)
			}
			s.regret[k] += more
			if more > describedNear && !(more <= 2*se) {
				s.outside++
			}
			cells = append(cells, figure("%.4f", mean), withError(figure("%+.4f", more), figure("%.4f", se)))
		}
		cpu, _ := r.at(measures[2], nil)
		s.cpu += cpu
		grid.row(append(cells, figure("%.2f", cpu))...)
	}
	grid.write(w)
	fmt.Fprintf(w, "\nmeans over the worlds, and in how many places a model is more than %.3f nats and two paired\nerrors above the best\n\n", describedNear)
	grid = nil
	grid.row("model", "known, above the best", "new, above the best", "places", "CPU s")
	for _, s := range sums {
		grid.row(s.name, figure("%.4f", s.regret[0]/s.cells), figure("%.4f", s.regret[1]/s.cells), fmt.Sprintf("%d of %.0f", s.outside, 2*s.cells), figure("%.2f", s.cpu/s.cells))
	}
	grid.write(w)
	_, err := fmt.Fprintln(w)
	return err
}

// describedNear is a difference in nats that does not matter.
const describedNear = 0.005
