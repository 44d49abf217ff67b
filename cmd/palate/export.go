package main

import (
	"bufio"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"palate/internal/cli"
	"palate/model"
)

// export is the command that writes a model as arrays.
type export struct {
	user   string
	draws  int
	tastes bool
	out    string
	seed   uint64
}

func newExport() *cobra.Command {
	e := &export{}
	cmd := &cobra.Command{
		Use:   "export MODEL -o FILE",
		Short: "Write scores and joint draws as NumPy arrays",
		Long: `Write what a model says of its items as a zip of NumPy arrays (.npz), for notebooks and
other programs:

  items   names of the n items
  votes   votes each took part in (n)
  group   the group of comparable items that each is in, 0 the largest (n)
  score   and sd, those of the board (n)
  draws   joint draws of the utilities of all items, a row each
  weight  of each draw; they sum to one
  users   names of the u voters, and
  tastes  the mean score each gives to each item (u × n), with --tastes

Draws are those that boards are made of: the weighted mean and standard deviation of
draws, each less the mean of its group, are score and sd. numpy.load reads the file; in
Python, the package palate does that for you.`,
		Example: `  palate export teas.palate -o teas.npz
  palate export tastes.palate --user Noor --draws 1000 -o noor.npz
  palate export tastes.palate --tastes -o tastes.npz`,
		Args: cli.Needs(1, 1, "a model"),
		RunE: e.run,
	}
	f := cmd.Flags()
	f.StringVarP(&e.out, "output", "o", "", "`FILE` to write the arrays to (needed)")
	f.StringVar(&e.user, "user", "", "`NAME` of a voter; without, what is known of everybody")
	f.IntVar(&e.draws, "draws", 4000, "`NUMBER` of joint draws; of many items there may be fewer")
	f.BoolVar(&e.tastes, "tastes", false, "also the scores that every voter gives to every item")
	f.Uint64Var(&e.seed, "seed", 0, "`SEED` of the draws")
	return cmd
}

func (e *export) run(cmd *cobra.Command, args []string) error {
	switch {
	case e.out == "":
		return cli.Usage("say where to write the arrays: -o FILE")
	case e.out == "-" && term.IsTerminal(int(os.Stdout.Fd())):
		return cli.Usage("arrays are not for a terminal: name a file with -o")
	case e.draws < 1:
		return cli.Usage("--draws %d: at least one", e.draws)
	}
	out, err := cli.Create(e.out, args[0])
	if err != nil {
		return err
	}
	defer out.Discard()
	ctx := cmd.Context()
	m, err := readModel(ctx, args[0])
	if err != nil {
		return err
	}
	user, err := voterOf(m, e.user)
	if err != nil {
		return err
	}
	if e.tastes && m.NumUsers() == 0 {
		return cli.Usage("--tastes: a %s model has one board for everybody; fit one with --model population", m.Name())
	}
	w := bufio.NewWriterSize(out, 1<<16)
	if err := model.Export(ctx, w, m, user, &model.ExportOptions{Draws: e.draws, Seed: e.seed, Tastes: e.tastes}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Commit(ctx)
}
