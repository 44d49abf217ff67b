package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"palate/internal/cli"
	"palate/internal/wording"
	"palate/model"
	"palate/report"
)

// boarding are the flags of what a leaderboard shows.
type boarding struct {
	level float64
	top   int
	user  string
	elo   bool
}

func (b *boarding) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Float64Var(&b.level, "level", 0.95, "`PROBABILITY` of intervals and tiers")
	f.IntVar(&b.top, "top", 0, "show only the best `K`, with their chance to be among the best K")
	f.StringVar(&b.user, "user", "", "the board of this `VOTER` (of a model that tells voters apart)")
	f.BoolVar(&b.elo, "elo", false, "scores as chess ratings around 1000")
}

func (b *boarding) check() error {
	switch {
	case !(b.level > 0 && b.level < 1):
		return cli.Usage("--level %v is not between 0 and 1", b.level)
	case b.top < 0:
		return cli.Usage("--top %d is negative", b.top)
	}
	return nil
}

// board ranks the items of a model, for the voter that it returns or, if
// negative, for the consensus.
func (b *boarding) board(ctx context.Context, m model.Model, seed uint64) (user int, _ *model.Board, err error) {
	if user, err = voterOf(m, b.user); err != nil {
		return 0, nil, err
	}
	board, err := model.NewBoard(ctx, m, user, &model.BoardOptions{Level: b.level, Top: b.top, Seed: seed})
	return user, board, err
}

// show says how to show the board.
func (b *boarding) show(fit *report.Fit) report.Options {
	return report.Options{Top: b.top, Elo: b.elo, Fit: fit}
}

// voterOf returns the number of a voter; −1, the consensus, for none.
func voterOf(m model.Model, id string) (int, error) {
	if id == "" {
		return -1, nil
	}
	if m.NumUsers() == 0 {
		return 0, fmt.Errorf("--user %s: a %s model has one board for everybody; fit one with --model population", id, m.Name())
	}
	names := namesOf(m)
	u, ok := names.User(id)
	if !ok {
		return 0, fmt.Errorf("--user %s: no vote is by this voter%s", id, wording.DidYouMean(id, slices.Values(names.userIDs)))
	}
	return u, nil
}
