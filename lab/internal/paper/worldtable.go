package paper

import (
	"fmt"
	"io"
	"math"
	"os"
)

// WorldTable holds how models did in the worlds of one kind.
type WorldTable struct {
	Set     string
	Repeats int
	Rows    []*WorldRow
}

// WorldRow is how one model did in one world.
type WorldRow struct {
	World, About, Model string
	results             []worldResult
}

// worldMeasure is a column of a table.
type worldMeasure struct{ name, head, about string }

func worldMeasures() []worldMeasure {
	return []worldMeasure{
		{"coverage", "coverage", "share of the items whose 95 % interval holds the target"},
		{"width", "width", "mean width of these intervals"},
		{"false_tiers", "false tiers", "share of the boards with an item not below the first of a tier above its own"},
		{"false_pairs", "any pair", "the same of all items of the tiers above"},
		{"several", "several", "share of the boards with more than one tier"},
		{"true_claims", "true claims", "mean number of items with tiers above whose first item is in truth above them, a tier each"},
		{"plain_claims", "plain claims", "the same of tiers that begin where an item is below the first of the one before with 95 %"},
		{"true_next", "of next", "true claims by the first item of the next tier above alone"},
		{"plain_next", "plain next", "plain claims by the first item of the next tier above alone"},
		{"tau_said", "τ said", "expected Kendall τ of the board with the truth, by the model's draws"},
		{"tau", "τ", "Kendall's τ of the board with the truth"},
		{"top_one", "best", "share of the boards whose first item is the best"},
		{"top_ten", "ten best", "share of the ten best items among the first ten"},
		{"tau_over", "said − τ", "mean of the difference"},
		{"overclaim", "overclaim", "stated chance of a pair's favourite less its true chance"},
		{"excess", "excess", "cross-entropy above that of the true chances, in nats a pair"},
		{"excess_above", "over first", "the same less that of the first model, in the same drawing"},
		{"calibration", "calibration", "expected error of stated chances against true ones, of favourites, in ten bins"},
		{"announced", "announced", "cross-entropy that auto announces, in nats a vote"},
		{"gets", "gets", "that of new answers, ties apart"},
		{"over", "over", "the former less the latter"},
		{"over_errors", "in errors", "the same in standard errors that auto says"},
		{"moved", "moved", "by how much the weight of a model in a choice moves when votes are shuffled and renamed"},
		{"took_single", "single", "mean weight of this model in the choices"},
		{"took_population", "population", "the same"},
		{"took_crowd", "crowd", "the same"},
		{"cpu", "CPU s", "seconds of a processor for fit and board, of many items"},
		{"peak", "peak MB", "memory at the peak of both"},
		{"regret", "regret", "what the point that is held to be best lacks of the top, in deviations of the function"},
		{"log_regret", "log regret", "its logarithm"},
		{"above_first", "above first", "the same less that of the first model, in the same search"},
		{"differences", "differences", "share of the 90 % intervals of the difference between two points drawn at random that hold it"},
		{"start_said", "start said", "stated chance of the better one of the best point and the first that was asked about"},
		{"start", "start", "share of the searches in which it is"},
		{"question", "CPU ms", "milliseconds of a processor for a question, the median of a search"},
		{"found", "found", "share of the drawings in whose votes palate check finds that an assumption of models fails"},
		{"found_tastes", "tastes", "the same, that voters do not differ"},
		{"found_repeats", "repeats", "that answers given again are answers of their own"},
		{"found_sides", "sides", "that sides do not matter"},
		{"found_drift", "drift", "that utilities stay"},
		{"found_circles", "circles", "that items have an order"},
	}
}

// WorldMeasuresAbout says what the columns are, a line each.
func WorldMeasuresAbout() (lines []string) {
	for _, m := range worldMeasures() {
		lines = append(lines, fmt.Sprintf("  %-12s %s", m.head, m.about))
	}
	return lines
}

// at returns mean and standard error of a measure over the drawings; NaN where it does not apply.
func (r *WorldRow) at(m worldMeasure) (mean, se float64) {
	var x []float64
	for _, result := range r.results {
		if v, ok := result[m.name]; ok {
			x = append(x, v)
		}
	}
	return meanAndError(x)
}

// MarshalJSON writes the row as one flat object: world, model, repeats, and each measure that applies with its standard
// error.
func (r *WorldRow) MarshalJSON() ([]byte, error) {
	var o object
	o.text("world", r.World)
	o.text("model", r.Model)
	o.number("repeats", float64(len(r.results)))
	for _, m := range worldMeasures() {
		mean, se := r.at(m)
		o.number(m.name, mean)
		o.number(m.name+"_se", se)
	}
	return o.bytes(), nil
}

// used are the measures that apply to some row.
func (t *WorldTable) used() (used []worldMeasure) {
	for _, m := range worldMeasures() {
		for _, r := range t.Rows {
			if mean, _ := r.at(m); !math.IsNaN(mean) {
				used = append(used, m)
				break
			}
		}
	}
	return used
}

// WriteJSON writes the rows, an object a line.
func (t *WorldTable) WriteJSON(w io.Writer) error { return writeLines(w, t.Rows...) }

// WriteText writes the table for readers.
func (t *WorldTable) WriteText(w io.Writer) error {
	fmt.Fprintf(w, "%s: %d drawings of each world, standard errors in brackets\n\n", t.Set, t.Repeats)
	used := t.used()
	head := []string{"world", "model"}
	for _, m := range used {
		head = append(head, m.head)
	}
	var grid grid
	grid.row(head...)
	for _, r := range t.Rows {
		cells := []string{r.World, r.Model}
		for _, m := range used {
			cells = append(cells, meanWithError(r.at(m)))
		}
		grid.row(cells...)
	}
	grid.write(w)
	_, err := fmt.Fprintln(w)
	return err
}

// Draw draws every measure into a folder, which it makes if need be: the worlds by number along the axis, a curve a
// model.
func (t *WorldTable) Draw(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, m := range t.used() {
		c := &chart{name: "worlds-" + t.Set + "-" + m.name, title: fmt.Sprintf("%s: %s, %d drawings of each world", t.Set, m.head, t.Repeats), x: "world, in the order of the table", y: m.head}
		curves := map[string]*curve{}
		var world float64
		for k, r := range t.Rows {
			if k == 0 || r.World != t.Rows[k-1].World {
				world++
			}
			if curves[r.Model] == nil {
				curves[r.Model] = c.curve(r.Model)
			}
			mean, se := r.at(m)
			if math.IsNaN(se) {
				se = 0
			}
			k := curves[r.Model]
			k.add(world, mean)
			k.lo, k.hi = append(k.lo, mean-2*se), append(k.hi, mean+2*se)
		}
		if err := c.save(dir); err != nil {
			return err
		}
	}
	return nil
}
