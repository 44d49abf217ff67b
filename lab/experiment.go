package main

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/spf13/pflag"

	"palate/internal/cli"
	"palate/lab/internal/paper"
)

// experiment is what the commands that run one have in common: where results go, and
// in which form.
type experiment struct {
	json    bool
	out     string
	figures string
	kept    string
	cli.Console
}

// flags declares those of results; row says what an object of --json is.
func (x *experiment) flags(f *pflag.FlagSet, row string) {
	f.BoolVar(&x.json, "json", false, "one JSON object a line: "+row)
	f.StringVarP(&x.out, "output", "o", "-", "write to this `FILE`")
	f.StringVar(&x.figures, "figures", "", "also draw figures into this `FOLDER`")
	f.BoolVarP(&x.Quiet, "quiet", "q", false, "no progress")
	f.StringVar(&x.kept, "results", "", "keep what is finished in this `FILE`, and go on from it when it is there")
}

// results opens the file of what is finished; nil when there is none.
func (x *experiment) results() (*paper.Results, error) {
	if x.kept == "" {
		return nil, nil
	}
	return paper.OpenResults(x.kept)
}

// doing shows what is under way.
func (x *experiment) doing(what string) {
	x.Say("%s", what)
}

// showAll shows what an experiment yields, one after the other, with the figures of
// what has some, and then the last of it. After an interrupt or a failure what was
// finished is written; without any, the file is as it was.
func showAll[T comparable](ctx context.Context, x *experiment, all iter.Seq2[T, error], show func(io.Writer, T) error, last func(io.Writer) error) error {
	out, err := cli.Create(x.out)
	if err != nil {
		return err
	}
	defer out.Discard()
	defer x.Clear()
	var none T
	shown := 0
	cut := func(err error) error {
		if ctx.Err() != nil {
			err = cli.ErrInterrupted
		}
		if shown == 0 && err != nil {
			return err
		}
		return errors.Join(err, out.Commit(context.WithoutCancel(ctx)))
	}
	for t, err := range all {
		x.Clear()
		if t != none {
			shown++
			if err := errors.Join(show(out, t), x.draw(t)); err != nil {
				return cut(err)
			}
		}
		if err != nil {
			return cut(err)
		}
	}
	if last != nil {
		if err := last(out); err != nil {
			return cut(err)
		}
	}
	return cut(nil)
}

// draw draws what has figures, if they are wanted.
func (x *experiment) draw(t any) error {
	if d, ok := t.(interface{ Draw(folder string) error }); ok && x.figures != "" {
		return d.Draw(x.figures)
	}
	return nil
}
