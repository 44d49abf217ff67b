package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/report"
	"palate/tune"
)

// newBest is the subcommand that says where a search stands.
func (t *tuning) newBest() *cobra.Command {
	var asJSON bool
	var against, html string
	cmd := &cobra.Command{
		Use:   "best SPACE",
		Short: "Say which point is believed to be best, and how sure that is",
		Long: `Say, from the answers there are, which point is believed to be best, where else the best
may be, how it compares with the start of the space (or the first point that was asked
about) or with the point of --against, how much there is left to find, and which
parameters matter.

Utility is in units of the noise of a duel: a point that is 1 better wins 84 % of
duels. The regret is what the best point is expected to lack of the best there is.`,
		Example: `  palate tune best espresso.json
  palate tune best espresso.json --against '{"dose": 20, "grind": "fine"}'
  palate tune best espresso.json --html espresso.html --json`,
		Args: cli.Needs(0, 1, "at most one file of a space"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := t.search(cmd, args)
			if err != nil {
				return err
			}
			whom, point := tuneReference(s.Space), tune.Point(nil)
			if against != "" {
				whom = "the given point"
				if point, err = s.Space.ReadPoint([]byte(against)); err != nil {
					return cli.Usage("--against: %w", err)
				}
			}
			st, err := s.Standing(cmd.Context(), point)
			if err != nil {
				return err
			}
			if html != "" {
				if err := t.report(cmd, s, html, args); err != nil {
					return err
				}
			}
			if asJSON {
				return writeStanding(os.Stdout, s.Space, st)
			}
			showStanding(os.Stdout, s.Space, st, whom)
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.StringVar(&html, "html", "", "write a report with charts to `FILE`")
	f.StringVar(&against, "against", "", "compare with this `POINT`, as JSON")
	return cmd
}

// report writes a page about the search.
func (t *tuning) report(cmd *cobra.Command, s *tune.Search, path string, args []string) error {
	if len(s.Log.Duels) == 0 {
		return fmt.Errorf("%s: nothing was answered yet, and there is nothing to show", t.duels)
	}
	out, err := cli.Create(path, append(args, t.duels)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	tuned, err := report.NewTuned(cmd.Context(), s)
	if err != nil {
		return err
	}
	title := strings.TrimSuffix(filepath.Base(t.duels), ".duels.jsonl")
	made := "palate tune best " + strings.Join(append(args, "--duels", t.duels, "--html", path), " ")
	if err := report.TunedHTML(cmd.Context(), out, title, made, tuned); err != nil {
		return err
	}
	return out.Commit(cmd.Context())
}

// tuneReference says what the best point is compared with.
func tuneReference(s *tune.Space) string {
	if s.Start != nil {
		return "the start"
	}
	return "the first point"
}

// writeStanding writes where a search stands as JSON.
func writeStanding(w io.Writer, s *tune.Space, st *tune.Standing) error {
	type parameter struct {
		Name       string             `json:"name"`
		Value      json.RawMessage    `json:"value"`
		Where      *tune.Interval     `json:"where,omitempty"`
		Likely     map[string]float64 `json:"likely,omitempty"`
		Importance tune.Interval      `json:"importance"`
	}
	out := struct {
		Duels      int              `json:"duels"`
		Best       json.RawMessage  `json:"best"`
		Reference  json.RawMessage  `json:"reference,omitempty"`
		Over       *tune.Comparison `json:"over,omitempty"`
		Regret     float64          `json:"regret"`
		Ideal      float64          `json:"ideal_wins"`
		Span       float64          `json:"span"`
		Enough     bool             `json:"enough"`
		Parameters []parameter      `json:"parameters"`
	}{Duels: st.Duels, Best: s.WritePoint(st.Best), Regret: st.Regret, Ideal: st.Ideal, Span: st.Span, Enough: st.Enough}
	if st.Reference != nil {
		out.Reference, out.Over = s.WritePoint(st.Reference), &st.Over
	}
	for _, j := range s.Varying() {
		p := parameter{Name: s.Parameters[j].Name, Value: s.WriteValue(j, st.Best[j]), Importance: st.Importance[j]}
		if st.Likely[j] == nil {
			p.Where = &st.Where[j]
		} else {
			p.Likely = map[string]float64{}
			for k, chance := range st.Likely[j] {
				p.Likely[s.Parameters[j].Words[k]] = chance
			}
		}
		out.Parameters = append(out.Parameters, p)
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// showStanding writes where a search stands as people read it.
func showStanding(w io.Writer, s *tune.Space, st *tune.Standing, whom string) {
	fmt.Fprintf(w, "Best point after %s:\n", count(st.Duels, "duel"))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "parameter\tvalue\tmay be\timportance\n")
	for _, j := range s.Varying() {
		p := &s.Parameters[j]
		i := st.Importance[j]
		fmt.Fprintf(table, "%s\t%s\t%s\t%.2f (%.2f to %.2f)\n", p.Name, p.Format(st.Best[j], 4), mayBe(p, st, j), i.Mean, i.Lo, i.Hi)
	}
	table.Flush()
	if st.Duels == 0 {
		fmt.Fprintln(w, "Nothing was answered yet: this is where the search would begin.")
		return
	}
	o := st.Over
	fmt.Fprintf(w, "Better than %s with chance %.2f, by %+.2f (%+.2f to %+.2f); would win %.0f %% of duels against it.\n", whom, o.Better, o.Gain.Mean, o.Gain.Lo, o.Gain.Hi, 100*o.Wins)
	fmt.Fprintf(w, "Regret left %.2f: the best there is would win %.0f %% of duels against this point.\n", st.Regret, 100*st.Ideal)
	if st.Enough {
		fmt.Fprintln(w, "Further duels will not help much.")
	} else {
		fmt.Fprintln(w, "Further duels should help.")
	}
}

// mayBe says where a parameter of the best there is may be.
func mayBe(p *tune.Parameter, st *tune.Standing, j int) string {
	if st.Likely[j] == nil {
		return p.Format(st.Where[j].Lo, 4) + " to " + p.Format(st.Where[j].Hi, 4)
	}
	var words []string
	for k, chance := range st.Likely[j] {
		if chance >= 0.05 {
			words = append(words, fmt.Sprintf("%s %.0f %%", p.Words[k], 100*chance))
		}
	}
	return strings.Join(words, ", ")
}
