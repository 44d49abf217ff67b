package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"palate/feature"
	"palate/internal/cli"
	"palate/model"
)

// factors is the command that says by what voters differ.
type factors struct {
	top           int
	all           bool
	items, voters bool
	json          bool
	out           string
}

func newFactors() *cobra.Command {
	f := &factors{}
	cmd := &cobra.Command{
		Use:   "factors MODEL",
		Short: "Say by what voters differ: the factors of a crowd model",
		Long: `Describe the factors of taste of a model that "palate fit --model crowd" wrote.

A voter likes an item as the consensus does, plus weight times loading, summed over
factors. A factor's share is that of all that factors explain; below 5% it is not
in use, and shown only with --all. The items at both ends, and the features of
items that go with it, say what a factor is about.

With --items a CSV of every item's loadings, with --voters one of every voter's
weights: a map of who is like whom.`,
		Example: `  palate factors tastes.palate
  palate factors tastes.palate --voters -o map.csv`,
		Args: cli.Needs(1, 1, "a model"),
		RunE: f.run,
	}
	flags := cmd.Flags()
	flags.IntVar(&f.top, "top", 3, "name `K` items at either end")
	flags.BoolVar(&f.all, "all", false, "show factors that are not in use, too")
	flags.BoolVar(&f.items, "items", false, "print the loadings of all items as CSV")
	flags.BoolVar(&f.voters, "voters", false, "print the weights of all voters as CSV")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a factor")
	flags.StringVarP(&f.out, "output", "o", "-", "write to this `FILE`")
	return cmd
}

func (f *factors) run(cmd *cobra.Command, args []string) error {
	chosen := 0
	for _, b := range []bool{f.items, f.voters, f.json} {
		if b {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return cli.Usage("--items, --voters and --json exclude each other")
	case f.top < 1:
		return cli.Usage("--top %d is not positive", f.top)
	}
	out, err := cli.Create(f.out, args[0])
	if err != nil {
		return err
	}
	defer out.Discard()
	any, err := readModel(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	m, ok := any.(*model.Crowd)
	if !ok {
		hint := "fit one with --model crowd"
		if any.NumUsers() > 0 {
			hint += ", or draw what voters differ about with palate plot factors"
		}
		return fmt.Errorf("%s: a %s model has no factors of its own; %s", args[0], any.Name(), hint)
	}
	all := m.Factors()
	shown := all[:0:0]
	for _, x := range all {
		if f.all || x.InUse() {
			shown = append(shown, x)
		}
	}
	write := f.table
	switch {
	case f.json:
		write = f.lines
	case f.items:
		write = func(w io.Writer, m *model.Crowd, shown []model.CrowdFactor) error {
			return columns(w, "item", m.NumItems(), m.ItemID, shown, func(x model.CrowdFactor) []float64 { return x.Items })
		}
	case f.voters:
		write = func(w io.Writer, m *model.Crowd, shown []model.CrowdFactor) error {
			return columns(w, "user", m.NumUsers(), m.UserID, shown, func(x model.CrowdFactor) []float64 { return x.Weights })
		}
	}
	if err := write(out, m, shown); err != nil {
		return err
	}
	return out.Commit(cmd.Context())
}

// describe names the items at both ends of a factor, and the features of items
// that go with it.
func (f *factors) describe(m *model.Crowd, x model.CrowdFactor, features []string) (most, least, with []string) {
	top, bottom := x.Top(f.top)
	for _, i := range top {
		most = append(most, m.ItemID(i))
	}
	for _, i := range bottom {
		least = append(least, m.ItemID(i))
	}
	for k, c := range m.ItemFeatures(x) {
		if k == f.top || c.Correlation == 0 {
			break
		}
		name := strconv.Itoa(c.Feature)
		if c.Feature < len(features) {
			name = features[c.Feature]
		}
		with = append(with, fmt.Sprintf("%s %+.2f", name, c.Correlation))
	}
	return most, least, with
}

// featureNames are those of the items' features.
func featureNames(m *model.Crowd) []string {
	recipe, _ := m.Encoders()
	var e feature.Encoder
	if recipe == nil || json.Unmarshal(recipe, &e) != nil {
		return nil
	}
	return e.Names()
}

func (f *factors) table(w io.Writer, m *model.Crowd, shown []model.CrowdFactor) error {
	fmt.Fprintf(w, "%d voters; of %d factors by which they may differ %d in use\n", m.NumUsers(), len(m.Factors()), inUse(m.Factors()))
	if len(shown) == 0 {
		return nil
	}
	names := featureNames(m)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	head := "\nfactor\tshare\tlikes most\tlikes least"
	if names != nil {
		head += "\tgoes with"
	}
	fmt.Fprintln(t, head)
	for k, x := range shown {
		most, least, with := f.describe(m, x, names)
		fmt.Fprintf(t, "%d\t%.0f%%\t%s\t%s", k+1, 100*x.Share, strings.Join(most, ", "), strings.Join(least, ", "))
		if names != nil {
			fmt.Fprintf(t, "\t%s", strings.Join(with, ", "))
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}

func inUse(all []model.CrowdFactor) (n int) {
	for _, x := range all {
		if x.InUse() {
			n++
		}
	}
	return n
}

func (f *factors) lines(w io.Writer, m *model.Crowd, shown []model.CrowdFactor) error {
	names := featureNames(m)
	lines := json.NewEncoder(w)
	for k, x := range shown {
		most, least, with := f.describe(m, x, names)
		err := lines.Encode(struct {
			Factor  int       `json:"factor"`
			Share   float64   `json:"share"`
			InUse   bool      `json:"in_use"`
			Most    []string  `json:"most"`
			Least   []string  `json:"least"`
			With    []string  `json:"goes_with,omitempty"`
			Items   []float64 `json:"items"`
			Weights []float64 `json:"weights"`
		}{k + 1, x.Share, x.InUse(), most, least, with, x.Items, x.Weights})
		if err != nil {
			return err
		}
	}
	return nil
}

// columns writes a row for everyone, a column for every factor.
func columns(w io.Writer, what string, n int, id func(int) string, shown []model.CrowdFactor, of func(model.CrowdFactor) []float64) error {
	c := csv.NewWriter(w)
	head := []string{what}
	for k := range shown {
		head = append(head, fmt.Sprintf("factor%d", k+1))
	}
	c.Write(head)
	for i := range n {
		row := []string{id(i)}
		for _, x := range shown {
			row = append(row, strconv.FormatFloat(of(x)[i], 'f', 6, 64))
		}
		c.Write(row)
	}
	c.Flush()
	return c.Error()
}
