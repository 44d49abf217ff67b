package main

import (
	"context"

	"github.com/spf13/cobra"

	"palate/compare"
	"palate/internal/cli"
	"palate/model"
	"palate/report"
)

// ofBoards compares two boards.
func (c *comparing) ofBoards(cmd *cobra.Command, args []string, o *model.Settings, claims []compare.Claim, console *cli.Console) (findings, []verdict, error) {
	if len(c.of) > 0 {
		return nil, nil, cli.Usage("--of is about one board, and there are two")
	}
	r := &report.Change{First: titleOf(args[:1]), Second: titleOf(args[1:]), Still: -1}
	var err error
	if r.Change, r.Still, err = c.change(cmd, args, o, console); err != nil {
		return nil, nil, err
	}
	var held []verdict
	for _, claim := range claims {
		chance, err := r.ChanceOf(claim)
		if err != nil {
			return nil, nil, err
		}
		held = append(held, verdict{claim, chance})
	}
	return r, held, nil
}

// change finds what moved, with the probability that nothing did, if it is known, else −1.
func (c *comparing) change(cmd *cobra.Command, args []string, o *model.Settings, console *cli.Console) (*compare.Change, float64, error) {
	ctx, opt := cmd.Context(), &compare.Options{Level: c.level, Seed: c.seed}
	if c.user == "" && !cmd.Flags().Changed("model") && c.items == "" && c.links == "" {
		twins, err := c.twins(ctx, args, o, console)
		if err != nil {
			return nil, 0, err
		}
		if twins != nil {
			change, err := twins.Moves(ctx, opt)
			return change, twins.Still(), err
		}
	}
	var side [2]*source
	var user [2]int
	for k, path := range args {
		s := c.settings // what one board decides is not for the other
		s.perVoter = c.user != ""
		own := *o
		var err error
		if side[k], err = s.source(cmd, []string{path}, &own, console); err != nil {
			return nil, 0, err
		}
		if user[k], err = voterOf(side[k].model, c.user); err != nil {
			return nil, 0, err
		}
	}
	console.Note("the boards are taken to know nothing of each other: what few votes on one of them leave open may look like a move")
	change, err := compare.Boards(ctx, side[0].model, side[1].model, user[0], user[1], opt)
	return change, -1, err
}

// twins fits the votes of two files together; nil where one of them is a model, or votes
// describe their items.
func (c *comparing) twins(ctx context.Context, args []string, o *model.Settings, console *cli.Console) (*compare.Twins, error) {
	var files []*input
	for _, path := range args {
		in, err := open(ctx, path)
		if err != nil {
			return nil, err
		}
		defer in.close()
		if in.isModel() {
			return nil, nil
		}
		files = append(files, in)
	}
	v, err := readVotes(ctx, files, &c.settings, console)
	if err != nil {
		return nil, err
	}
	if v.data.ItemFeatures() != nil {
		return nil, nil
	}
	second := make([]bool, v.data.NumVotes())
	for k := range second {
		second[k] = v.file[k] == 1
	}
	console.Step("fitting both boards", "fitting both boards")
	defer console.Clear()
	return compare.FitTwins(ctx, v.data, second, &model.Options{
		Likelihood: o.Likelihood, Pooled: o.Pooled, ScalePrior: o.ScalePrior, Seed: o.Seed,
	})
}
