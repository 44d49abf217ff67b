package main

import (
	"fmt"
	"io"
	"math"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"palate/internal/cli"
	"palate/model"
)

// fit is the command that writes a model file.
type fit struct {
	settings
	out   string
	quiet bool
}

func newFit() *cobra.Command {
	f := &fit{}
	cmd := &cobra.Command{
		Use:   "fit VOTES... -o MODEL",
		Short: "Fit a model to votes and write it to a file",
		Long: `Fit a model to votes and write it to a file, for "palate rank" and
"palate predict".

The file is a zip of NumPy arrays and model.json. It is written aside, read back
and put into place when it is whole; an interrupted fit leaves what was there
before, and ends with exit code 130.

A long fit of a population keeps its state with --checkpoint and goes on from it
when it is run again. Votes that do not fit in memory stay on disk with --on-disk:
the result is the same to the last bit.`,
		Example: `  palate fit votes.csv -o teas.palate
  palate fit votes.csv --items items.csv -o teas.palate
  palate fit votes.csv --model population -o people.palate
  palate fit stars.csv --model ratings -o stars.palate
  palate fit votes.csv --model population --on-disk /var/tmp -o people.palate`,
		Args: cli.Needs(1, math.MaxInt, "a file of votes"),
		RunE: f.run,
	}
	cmd.Flags().StringVarP(&f.out, "output", "o", "", "`FILE` to write the model to (needed)")
	cmd.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no notes")
	f.settings.flags(cmd, "auto")
	f.learning.flags(cmd)
	return cmd
}

func (f *fit) run(cmd *cobra.Command, args []string) error {
	switch {
	case f.out == "":
		return cli.Usage("say where to write the model: -o MODEL")
	case f.out == "-" && term.IsTerminal(int(os.Stdout.Fd())):
		return cli.Usage("a model is not for a terminal: name a file with -o")
	}
	if err := fitsOnly(cmd); err != nil {
		return err
	}
	options, err := f.options(cmd)
	if err != nil {
		return err
	}
	out, err := create(f.out, append(args, f.tables()...)...)
	if err != nil {
		return err
	}
	defer out.Discard()
	c := &cli.Console{Quiet: f.quiet}
	f.plan(c)
	v, err := votesIn(cmd.Context(), args, &f.settings, c)
	var m model.Model
	if err == nil {
		defer v.close()
		m, err = f.fit(cmd.Context(), v, options, c)
	}
	switch {
	case cmd.Context().Err() != nil:
		return fmt.Errorf("%w: %s was not written", cli.ErrInterrupted, f.out)
	case err != nil:
		return err
	}
	if err := m.Save(cmd.Context(), out); err != nil {
		return err
	}
	if err := out.ReadBack(cmd.Context(), func(r io.ReaderAt, size int64) error {
		_, err := model.Read(r, size)
		return err
	}); err != nil {
		return err
	}
	if err := out.Commit(cmd.Context()); err != nil {
		return err
	}
	if f.out != "-" {
		c.Note("%s: %v", f.out, f.summary(m, v))
	}
	return nil
}
