package paper

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
)

// SimulationRow is how one model did at one setting.
type SimulationRow struct {
	Set, Model, Vary string
	Value            float64
	True             float64 // true factors, where that is varied too; else NaN
	results          []simResult
	first            *SimulationRow // that of the table's first model at the same setting
}

// SimulationTable holds the rows of one simulation.
type SimulationTable struct {
	simulation
	Repeats int
	Rows    []*SimulationRow
}

// simMeasure is a column of a simulation's table.
type simMeasure struct {
	name     string
	compared bool // between models
	of       func(simResult) float64
}

func simMeasures() []simMeasure {
	return []simMeasure{
		{"noise", false, func(r simResult) float64 { return r.noise }},
		{"tau", true, func(r simResult) float64 { return r.tau }},
		{"recovery", true, func(r simResult) float64 { return r.recovery }},
		{"in_use", false, func(r simResult) float64 { return r.inUse }},
		{"ce", true, func(r simResult) float64 { return r.ce }},
	}
}

// at returns mean and standard error of a measure over the worlds; NaN where it does not apply.
func (r *SimulationRow) at(m simMeasure) (mean, se float64) {
	x := make([]float64, len(r.results))
	for k, v := range r.results {
		x[k] = m.of(v)
	}
	return meanAndError(x)
}

// lead returns by how much the first model's measure is above this one's, and the standard error: every model meets the
// same worlds, so that of a difference is often smaller than those of the two. NaN for the first model itself.
func (r *SimulationRow) lead(m simMeasure) (mean, se float64) {
	if r == r.first {
		return math.NaN(), math.NaN()
	}
	x := make([]float64, len(r.results))
	for k, v := range r.results {
		x[k] = m.of(r.first.results[k]) - m.of(v)
	}
	return meanAndError(x)
}

// reference is Kendall's τ of the authors' own code at the settings of its scripts (20×20 grid, 20 voters, 5 factors, about
// 100 votes), where one was measured.
func (r *SimulationRow) reference() float64 {
	known := map[string]map[string]float64{
		"consensus": {"crowd": 0.611, "pooled-GPPL": 0.587, "GPPL-per-voter": 0.471},
		"personal":  {"crowd": 0.349, "pooled-GPPL": 0.271, "GPPL-per-voter": 0.202},
	}
	if x, ok := known[r.Set][r.Model]; ok {
		return x
	}
	return math.NaN()
}

// MarshalJSON writes the row as one flat object: data, split, model, repeats, what is varied, each measure that applies
// with its standard error and, after "first_above_", how far the first model's is above it, and ref_tau.
func (r *SimulationRow) MarshalJSON() ([]byte, error) {
	var o object
	o.text("data", "simulation")
	o.text("split", r.Set)
	o.text("model", r.Model)
	o.number("repeats", float64(len(r.results)))
	o.number(r.Vary, r.Value)
	o.number("true_factors", r.True)
	for _, m := range simMeasures() {
		mean, se := r.at(m)
		o.number(m.name, mean)
		o.number(m.name+"_se", se)
		if m.compared {
			mean, se = r.lead(m)
			o.number("first_above_"+m.name, mean)
			o.number("first_above_"+m.name+"_se", se)
		}
	}
	o.number("ref_tau", r.reference())
	return o.bytes(), nil
}

// WriteJSON writes the rows, an object a line.
func (t *SimulationTable) WriteJSON(w io.Writer) error { return writeLines(w, t.Rows...) }

// WriteText writes the table for readers.
func (t *SimulationTable) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %s; %d worlds a setting, standard errors in brackets\n\n", t.name, t.about, t.Repeats)
	var used []simMeasure
	for _, m := range simMeasures() {
		for _, r := range t.Rows {
			if mean, _ := r.at(m); !math.IsNaN(mean) {
				used = append(used, m)
				break
			}
		}
	}
	var grid grid
	head := []string{t.vary}
	if t.lines != nil {
		head = append([]string{"true factors"}, head...)
	}
	head = append(head, "model")
	for _, m := range used {
		head = append(head, m.name)
		if m.compared && len(t.models) > 1 {
			head = append(head, t.models[0]+" above")
		}
	}
	grid.row(head...)
	for _, r := range t.Rows {
		cells := []string{fmt.Sprintf("%g", r.Value)}
		if t.lines != nil {
			cells = append([]string{fmt.Sprintf("%g", r.True)}, cells...)
		}
		cells = append(cells, r.Model)
		for _, m := range used {
			cells = append(cells, meanWithError(r.at(m)))
			if m.compared && len(t.models) > 1 {
				cells = append(cells, meanWithError(r.lead(m)))
			}
		}
		grid.row(cells...)
	}
	grid.write(w)
	t.note(w)
	_, err := fmt.Fprintln(w)
	return err
}

func meanWithError(mean, se float64) string {
	return withError(figure("%.3f", mean), figure("%.3f", se))
}

// note says what was published of the simulation: its figures are drawn, not printed.
func (t *SimulationTable) note(w io.Writer) {
	switch t.name {
	case "single":
		fmt.Fprint(w, "\nCROWD: τ above .5 with more than a third of the votes wrong.\n")
	case "consensus", "personal":
		fmt.Fprint(w, "\nThe authors' code, at the settings of its own scripts:")
		for k, r := range t.Rows[:len(t.models)] {
			if k > 0 {
				fmt.Fprint(w, ",")
			}
			fmt.Fprintf(w, " %s τ %.3f", r.Model, r.reference())
		}
		fmt.Fprint(w, ".\n")
	case "factors":
		fmt.Fprint(w, "\nCROWD: above .4 everywhere; but so is noise (random), many factors of which are matched with few, and draws from\n"+
			"the prior of the weights (prior), which know where voters stand and no vote. Which axes are the true ones no vote\n"+
			"can tell: turned are 25 random directions in the space that the weights span, learnt and true.\n")
	}
}

// Draw draws the panel into a folder, which it makes if need be: τ against noise, or recovery against votes, a chart for
// every number of true factors.
func (t *SimulationTable) Draw(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	all := simMeasures()
	noise, tau, recovery := all[0], all[1], all[2]
	switch t.name {
	case "factors":
		for _, n := range t.lines {
			c := &chart{name: fmt.Sprintf("simulation-factors-%g", n), title: fmt.Sprintf("Factors found again: %g true, %d worlds a setting", n, t.Repeats), x: "votes", y: "correlation with the true weights", logX: true}
			rows := slices.DeleteFunc(slices.Clone(t.Rows), func(r *SimulationRow) bool { return r.True != n })
			t.draw(c, rows, func(r *SimulationRow) float64 { return r.Value }, recovery)
			if err := c.save(dir); err != nil {
				return err
			}
		}
		return nil
	case "newcomers":
		return nil // one setting: a table says it all
	}
	c := &chart{name: "simulation-" + t.name, title: t.name + ": " + fmt.Sprintf("%d worlds a setting", t.Repeats), x: "share of votes against the truth", y: "Kendall's τ, items not compared"}
	t.draw(c, t.Rows, func(r *SimulationRow) float64 {
		x, _ := r.at(noise)
		return x
	}, tau)
	return c.save(dir)
}

// draw adds a curve a model.
func (t *SimulationTable) draw(c *chart, rows []*SimulationRow, along func(*SimulationRow) float64, y simMeasure) {
	// With few worlds noise need not grow with what is varied.
	rows = slices.SortedStableFunc(slices.Values(rows), func(a, b *SimulationRow) int { return cmp.Compare(along(a), along(b)) })
	for _, model := range t.models {
		k := c.curve(model)
		k.dashed = model == "random" || model == "prior"
		for _, r := range rows {
			if r.Model != model {
				continue
			}
			mean, se := r.at(y)
			if math.IsNaN(se) {
				se = 0
			}
			k.add(along(r), mean)
			k.lo, k.hi = append(k.lo, mean-2*se), append(k.hi, mean+2*se)
		}
	}
}
