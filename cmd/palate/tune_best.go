package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/internal/wording"
	"palate/report"
	"palate/tune"
)

// newBest is the subcommand that says where a search stands.
func (t *tuning) newBest() *cobra.Command {
	var asJSON bool
	var against string
	var page paper
	cmd := &cobra.Command{
		Use:   "best SPACE",
		Short: "Say which point is believed to be best, and how sure that is",
		Long: `Say, from the answers there are, which point is believed to be best, where else the best
may be, how it compares with the start of the space (or the first point that was asked
about) or with the point of --against, how much there is left to find, and which
parameters matter.

Utility is in units of the noise of a duel: a point that is 1 better wins 84 % of
duels. The regret is what the best point is expected to lack of the best there is.

Where several voters are named the utility is the mean of theirs, and it says of each
what they like best and how much the best point of all lacks of it to them. With --voter
it is the utility of that person.`,
		Example: `  palate tune best espresso.json
  palate tune best espresso.json --against '{"dose": 20, "grind": "fine"}'
  palate tune best espresso.json --html espresso.html --lang de --json
  palate tune best espresso.json --voter ann`,
		Args: cli.Needs(0, 1, "at most one file of a space"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := page.check(cmd); err != nil {
				return err
			}
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
			if s.Voter = t.voter; t.voter != "" && !slices.Contains(s.Log.Voters(), t.voter) {
				return cli.Usage("--voter: %s has no answer of %s%s", t.duels, t.voter, wording.DidYouMean(t.voter, slices.Values(s.Log.Voters())))
			}
			st, err := s.Standing(cmd.Context(), point)
			if err != nil {
				return err
			}
			var people []tune.Person
			if t.voter == "" {
				if people, err = s.People(cmd.Context(), st.Best); err != nil {
					return err
				}
			}
			if page.html != "" {
				if err := t.report(cmd, s, &page, args); err != nil {
					return err
				}
			}
			if asJSON {
				return writeStanding(os.Stdout, s.Space, st, people)
			}
			showStanding(os.Stdout, s, st, whom)
			showPeople(os.Stdout, s.Space, people)
			return nil
		},
	}
	t.voterFlag(cmd)
	page.flags(cmd)
	f := cmd.Flags()
	f.BoolVar(&asJSON, "json", false, "print JSON")
	f.StringVar(&against, "against", "", "compare with this `POINT`, as JSON")
	return cmd
}

// report writes a page about the search.
func (t *tuning) report(cmd *cobra.Command, s *tune.Search, page *paper, args []string) error {
	if len(s.Log.Duels)+len(s.Log.Values) == 0 {
		return fmt.Errorf("%s: nothing was answered yet, and there is nothing to show", t.duels)
	}
	p, err := page.paper(cmd, args)
	if err != nil {
		return err
	}
	out, err := cli.Create(page.html, append(args, t.duels)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	tuned, err := report.NewTuned(cmd.Context(), s)
	if err != nil {
		return err
	}
	tuned.Language = page.lang
	if page.title == "" {
		p.Title = strings.TrimSuffix(filepath.Base(t.duels), ".duels.jsonl")
	}
	made := slices.Clone(args)
	for _, p := range t.params {
		made = append(made, "--param", "'"+p+"'")
	}
	for _, c := range t.constraints {
		made = append(made, "--constraint", "'"+c+"'")
	}
	if made = append(made, "--duels", t.duels, "--html", page.html); t.voter != "" {
		made = append(made, "--voter", t.voter)
	}
	if cmd.Flags().Changed("lang") {
		made = append(made, "--lang", page.lang)
	}
	p.Made = "palate tune best " + strings.Join(made, " ")
	if err := report.TunedHTML(cmd.Context(), out, p, tuned); err != nil {
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
func writeStanding(w io.Writer, s *tune.Space, st *tune.Standing, people []tune.Person) error {
	type person struct {
		Voter   string          `json:"voter"`
		Answers int             `json:"answers"`
		Best    json.RawMessage `json:"best"`
		Over    tune.Comparison `json:"over_best_of_all"`
		Yields  bool            `json:"yields"`
	}
	out := struct {
		tune.Summary
		People []person `json:"people,omitempty"`
	}{Summary: st.Summary(s)}
	for _, p := range people {
		out.People = append(out.People, person{p.Voter, p.Answers, s.WritePoint(p.Best), p.Over, p.Yields()})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// showStanding writes where a search stands as people read it.
func showStanding(w io.Writer, search *tune.Search, st *tune.Standing, whom string) {
	s, whose := search.Space, ""
	if search.Voter != "" {
		whose = " for " + search.Voter
	} else if n := len(search.Log.Voters()); n > 1 {
		whose = fmt.Sprintf(" for all %d voters", n)
	}
	fmt.Fprintf(w, "Best point%s after %s:\n", whose, answers(search.Log))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "parameter\tvalue\tmay be\timportance\n")
	for _, j := range s.Varying() {
		p := &s.Parameters[j]
		i := st.Importance[j]
		fmt.Fprintf(table, "%s\t%s\t%s\t%.2f (%.2f to %.2f)\n", p.Name, p.Format(st.Best[j], 4), mayBe(p, st, j), i.Mean, i.Lo, i.Hi)
	}
	table.Flush()
	if st.Duels == 0 && len(search.Log.Values) == 0 {
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

// showPeople writes what each of several voters likes.
func showPeople(w io.Writer, s *tune.Space, people []tune.Person) {
	if len(people) == 0 {
		return
	}
	fmt.Fprintln(w)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "voter\tanswers\tlikes best\tmore than the best of all by\n")
	var yield []string
	for _, p := range people {
		g := p.Over.Gain
		fmt.Fprintf(table, "%s\t%d\t%s\t%.2f (%.2f to %.2f), chance %.2f\n", p.Voter, p.Answers, s.Describe(p.Best), g.Mean, g.Lo, g.Hi, p.Over.Better)
		if p.Yields() {
			yield = append(yield, fmt.Sprintf("%s (would win %.0f %% of duels)", p.Voter, 100*p.Over.Wins))
		}
	}
	table.Flush()
	if len(yield) > 0 {
		fmt.Fprintf(w, "The best point of all is a compromise: another is better for %s.\n", strings.Join(yield, ", "))
	} else {
		fmt.Fprintln(w, "Nobody is known to like another point better than the best of all.")
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
