package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/model"
	"palate/report"
)

// demoVotes is a made-up tasting of twelve made-up teas: see demo_test.go.
//
//go:embed demo.csv
var demoVotes string

// demo is the command that shows an example.
type demo struct {
	save string
}

func newDemo() *cobra.Command {
	d := &demo{}
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Rank example votes, and explain the leaderboard",
		Long: `Rank a made-up tasting of teas, explain the leaderboard, and say what to try next.
With --save, write the example's votes to a file to play with.`,
		Example: `  palate demo
  palate demo --save teas.csv`,
		Args: cli.Needs(0, 0, ""),
		RunE: d.run,
	}
	cmd.Flags().StringVar(&d.save, "save", "", "only write the votes to this `FILE`")
	return cmd
}

func (d *demo) run(cmd *cobra.Command, _ []string) error {
	out, err := cli.Create(d.save)
	if err != nil {
		return err
	}
	defer out.Discard()
	text := demoVotes
	if d.save == "" {
		if text, err = d.explain(cmd); err != nil {
			return err
		}
	}
	if _, err := out.Write([]byte(text)); err != nil {
		return err
	}
	return out.Commit(cmd.Context())
}

func (d *demo) explain(cmd *cobra.Command) (string, error) {
	c := &cli.Console{Quiet: true}
	in := &input{Reader: bufio.NewReader(strings.NewReader(demoVotes)), path: "demo.csv"}
	v, err := readVotes(cmd.Context(), []*input{in}, &settings{}, c)
	if err != nil {
		return "", err
	}
	s := settings{model: "auto"}
	o := &model.Settings{}
	m, err := s.fit(cmd.Context(), v, o, c)
	if err != nil {
		return "", err
	}
	board, err := model.NewBoard(cmd.Context(), m, -1, nil)
	if err != nil {
		return "", err
	}
	var t strings.Builder
	fmt.Fprint(&t, demoStart, "\n")
	fmt.Fprintf(&t, "%s\n…\n\n", strings.Join(strings.SplitN(demoVotes, "\n", 5)[:4], "\n"))
	fmt.Fprint(&t, "The leaderboard, as palate rank prints it:\n\n")
	if err := report.Table(&t, board, report.Options{Fit: s.summary(m, v)}); err != nil {
		return "", err
	}
	fmt.Fprintf(&t, "\n%s\n%s", demoColumns, demoNext)
	return t.String(), nil
}

const (
	demoStart = `Twenty people tasted teas in pairs and said which of the two they liked better.
(Teas, people and votes are made up.) The file of votes begins:
`
	demoColumns = `What the columns mean:
  tier      Teas that are not clearly worse than the first of their tier. A tea is
            below the first of every tier before its own, and all of that together is
            true with 95% probability.
  rank      The order of the scores: the best guess, not a certainty (see ranks).
  score     How well liked, compared with the average tea (0). Of two teas whose
            scores differ by 1, the better one wins about 86% of the votes.
  sd        The uncertainty of the score; more votes make it smaller.
  interval  The score lies in here with 95% probability.
  ranks     The rank lies in here with 95% probability.
  best      The chance that this is the best tea of all.
  votes     How many tastings it was in.
`
	demoNext = `Next:
  palate demo --save teas.csv         write these votes to a file
  palate rank teas.csv --csv          the same board for a spreadsheet; --json for a program
  palate rank your-votes.csv          your own votes: columns left,right,winner or winner,loser
  palate fit teas.csv -o teas.palate  keep the model; then palate predict says who would win
  palate --help                       all commands
`
)
