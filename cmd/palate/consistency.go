package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/model"
)

// consistency is the command that prints how consistent voters are.
type consistency struct {
	out   string
	quiet bool
}

func newConsistency() *cobra.Command {
	s := &consistency{}
	cmd := &cobra.Command{
		Use:   "consistency MODEL",
		Short: "Print how well each voter's answers follow from their others",
		Long: `Print the root likelihood (RLH) of each voter of a population: the geometric mean of the
chances of their answers, each predicted from their others and from what other voters are
like. chance is what guessing gets: 1/k for a choice of one of k, 1/(k(k − 1)) for a best
and worst of k. gain is how much likelier the answers are than guesses, in nats in all;
consistent are those with more than none.

Surveys report an RLH of utilities that were fitted to the answer itself, which is higher,
for those who answer at random too.

Columns: user,answers,rlh,chance,gain,consistent.`,
		Example: `  palate consistency snacks.palate
  palate consistency snacks.palate -o voters.csv`,
		Args: cli.Needs(1, 1, "a model"),
		RunE: s.run,
	}
	f := cmd.Flags()
	f.StringVarP(&s.out, "output", "o", "-", "write to this `FILE`")
	f.BoolVarP(&s.quiet, "quiet", "q", false, "no notes")
	return cmd
}

func (s *consistency) run(cmd *cobra.Command, args []string) error {
	c, ctx := &cli.Console{Quiet: s.quiet}, cmd.Context()
	m, err := readModel(ctx, args[0])
	if err != nil {
		return err
	}
	p, ok := m.(*model.Population)
	if !ok {
		return cli.Usage("--model %s does not tell how consistent voters are; a model fitted with --model population does", m.Name())
	}
	rows, not := [][]string{{"user", "answers", "rlh", "chance", "gain", "consistent"}}, 0
	for u := range p.NumUsers() {
		x, err := p.Consistency(ctx, u)
		if err != nil {
			return err
		}
		is := "yes"
		if !x.Consistent() {
			is = "no"
			not++
		}
		rows = append(rows, []string{p.UserID(u), number(x.Answers, 0), number(x.RLH, 4), number(x.Chance, 4), number(x.Gain, 2), is})
	}
	c.Note("the answers of %s of %s voters are no likelier than guesses", strconv.Itoa(not), strconv.Itoa(p.NumUsers()))
	return (&surveyed{out: s.out}).rows(ctx, args[0], rows)
}
