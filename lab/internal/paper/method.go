package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"palate"
	"palate/evaluate"
)

// Predictor is what an experiment asks of a fitted model.
type Predictor = evaluate.Predictor

// Method is a named way to learn from votes.
type Method struct {
	Name    string
	Aliases []string
	About   string
	// Yardstick marks what a model has to beat; it is not compared with the best published figures.
	Yardstick bool
	// Lacks is what the method cannot do; it is refused on sets that ask for it.
	Lacks Ask
	// Fit learns from the votes. When ctx ends before it is done, what it returns is not used.
	Fit func(ctx context.Context, t Task) (Predictor, error)
	// See, if set, is how the method looks at what the fit of method Of returns, which is its own Fit too: where both
	// are run on a split they share one fit, and both report its cost.
	Of  string
	See func(Predictor) Predictor

	key string // its name in the table of methods, by whatever name it was asked for
}

// Task is what a method is given.
type Task struct {
	Data  string // name of the data set, on which the papers' own methods have settings of their own
	Train *palate.Dataset
	// Beside is Train with features learnt from items to predict, too; nil where that makes no difference.
	Beside *palate.Dataset
	Seed   uint64
	// Test is what will be predicted. Only what repeats the published code that looked at it does so, too.
	Test []palate.Vote
}

// Methods lists every method.
func Methods() []Method {
	return slices.Concat(baselines(), singles(), crowds(), publishedCrowds(), populations(), released())
}

// methods finds the methods with these names, in this order. A method keeps the name by which it was asked for.
func methods(names []string) ([]Method, error) {
	var found []Method
	all := Methods()
	for _, name := range names {
		k := slices.IndexFunc(all, func(m Method) bool { return m.is(name) })
		if k < 0 {
			var known []string
			for _, m := range all {
				known = append(known, m.Name)
			}
			return nil, fmt.Errorf("paper: no model %q; there are %s", name, strings.Join(known, ", "))
		}
		m := all[k]
		m.key = m.Name
		if slices.ContainsFunc(found, func(o Method) bool { return o.is(m.Name) }) {
			return nil, fmt.Errorf("paper: model %s is asked for twice", m.Name)
		}
		for _, alias := range m.Aliases {
			if strings.EqualFold(alias, name) {
				m.Aliases = append(slices.Clone(m.Aliases), m.Name)
				m.Name = alias
			}
		}
		found = append(found, m)
	}
	return found, nil
}

// is reports whether the method goes by this name.
func (m Method) is(name string) bool {
	return strings.EqualFold(m.Name, name) || slices.ContainsFunc(m.Aliases, func(a string) bool { return strings.EqualFold(a, name) })
}
