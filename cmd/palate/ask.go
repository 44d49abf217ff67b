package main

import (
	"fmt"
	"math"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"palate/internal/cli"
)

// ask is the command that asks a person in the terminal.
type ask struct {
	asking
	linkFiles
	items string
	out   string
	user  string
	most  int
	stops bool // when the goal is settled, without being told to
	board int
	seed  uint64
	quiet bool
}

func newAsk() *cobra.Command {
	a := &ask{}
	cmd := &cobra.Command{
		Use:   "ask [VOTES...] -o ANSWERS",
		Short: "Ask you, one pair after the other, and learn from each answer",
		Long: `Show one pair after the other, take a key, and learn from each answer at once: every
answer moves all items that are linked or have similar features. The next pair is
the one whose answer would teach most.

Keys: 1 or ← for the left item, 2 or → for the right one, t for a tie, s to skip,
u to take the last answer back, q to quit. Where input is not a terminal, keys are
read from it, spaces and line ends apart.

Answers are saved after every key to ANSWERS, a file of votes. When the file is
there already, asking goes on where it stopped. Items are those of --items, and of
votes that are given as a start.

Texts of items are shown with every pair: those of a column body, text or title of
--items, or of one named text: and something. They are side by side where the
terminal is wide enough, else one above the other.

The first line says how sure the model is of the goal, and when you can stop: at 0.95,
or at the --until that you give, where asking then ends by itself. A surprising answer
can make it less sure again.`,
		Example: `  palate ask --items teas.txt -o mine.csv
  palate ask votes.csv --links links.csv --goal top-3 -o mine.csv
  palate ask --items teas.txt --until 0.9 -o mine.csv`,
		Args: cli.Needs(0, math.MaxInt, ""),
		RunE: a.run,
	}
	f := cmd.Flags()
	f.StringVarP(&a.out, "output", "o", "", "`FILE` of your answers, new or to go on with (needed)")
	f.StringVar(&a.items, "items", "", "`FILE` of items: id, a text to show and feature columns, or a .txt with an item a line")
	a.linkFiles.flags(cmd)
	a.asking.flags(cmd)
	f.StringVar(&a.user, "user", "", "`NAME` to save with the answers")
	f.IntVar(&a.most, "most", 0, "stop after so `MANY` answers")
	f.IntVar(&a.board, "board", 10, "show the best `K` items")
	f.Uint64Var(&a.seed, "seed", 0, "`SEED` of all randomness")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no notes")
	return cmd
}

func (a *ask) run(cmd *cobra.Command, args []string) error {
	switch {
	case a.out == "" || a.out == "-":
		return cli.Usage("say where to save the answers: -o FILE")
	case len(args) == 0 && a.items == "":
		return cli.Usage("there is nothing to ask about: give --items FILE, or a file of votes")
	case a.most < 0 || a.board < 0:
		return cli.Usage("--most and --board are not below 0")
	}
	a.stops = cmd.Flags().Changed("until")
	for _, path := range append(args, a.items, a.links) {
		if path == "-" {
			return cli.Usage("standard input is for your answers: name a file")
		}
	}
	options, err := a.asking.options()
	if err != nil {
		return err
	}
	c := &cli.Console{Quiet: a.quiet}
	s, err := a.interview(cmd.Context(), args, c)
	if err != nil {
		return err
	}
	s.options = options
	out, err := cli.Create(a.out, append(args, a.items, a.links)...) // to find out now what would fail later
	if err != nil {
		return err
	}
	out.Discard()
	keys, restore, err := keyboard()
	if err != nil {
		return err
	}
	defer restore()
	screen := term.IsTerminal(int(os.Stdout.Fd()))
	why, err := a.talk(cmd.Context(), s, keys, screen)
	restore()
	if err != nil {
		return err
	}
	if screen {
		fmt.Print(clearScreen)
	}
	s.show(os.Stdout, a.board)
	c.Note("%s", ended(why, len(s.answers), count(len(s.answers), "answer"), a.out))
	return nil
}

// ended is what is said in the end: why, and where n answers are, which are called what.
func ended(why string, n int, what, file string) string {
	switch n {
	case 0:
		return why + "; there are no answers"
	case 1:
		return fmt.Sprintf("%s; %s is in %s", why, what, file)
	}
	return fmt.Sprintf("%s; %s are in %s", why, what, file)
}
