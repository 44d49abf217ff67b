package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

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
	// anchor is ITEM=SCORE, and points mean odds of ten to one.
	anchor string
	points float64
}

func (b *boarding) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Float64Var(&b.level, "level", 0.95, "`PROBABILITY` of intervals and tiers")
	f.IntVar(&b.top, "top", 0, "show only the best `K`, with their chance to be among the best K")
	f.StringVar(&b.user, "user", "", "the board of this `VOTER` (of a model that tells voters apart)")
	f.BoolVar(&b.elo, "elo", false, "scores as chess ratings around 1000")
	f.StringVar(&b.anchor, "anchor", "", "`ITEM=SCORE`: all scores as they are where this item has that one")
	f.Float64Var(&b.points, "points", 400, "with --elo, so many `POINTS` mean odds of ten to one")
}

func (b *boarding) check() error {
	switch _, _, err := b.anchored(); {
	case err != nil:
		return err
	case !(b.points > 0) || math.IsInf(b.points, 1):
		return cli.Usage("--points %v is not above 0", b.points)
	case b.points != 400 && !b.elo:
		return cli.Usage("--points has no effect without --elo")
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

// anchored is the item that is to have a known score; none where there is no anchor.
func (b *boarding) anchored() (id string, score float64, err error) {
	if b.anchor == "" {
		return "", 0, nil
	}
	at := strings.LastIndex(b.anchor, "=")
	if at < 1 {
		return "", 0, cli.Usage("--anchor %s: write ITEM=SCORE", b.anchor)
	}
	score, err = strconv.ParseFloat(b.anchor[at+1:], 64)
	if err != nil || math.IsNaN(score) || math.IsInf(score, 0) {
		return "", 0, cli.Usage("--anchor %s: %q is not a number", b.anchor, b.anchor[at+1:])
	}
	return b.anchor[:at], score, nil
}

// show says how to show a board.
func (b *boarding) show(fit *report.Fit, board *model.Board) (report.Options, error) {
	if b.user != "" {
		own := *fit
		own.Personal, fit = true, &own
	}
	o := report.Options{Top: b.top, Elo: b.elo, Points: b.points, Fit: fit}
	id, score, err := b.anchored()
	if id == "" || err != nil {
		return o, err
	}
	if o, err = o.Anchored(board, id, score); err != nil {
		var ids []string
		for _, g := range board.Groups {
			for _, r := range g.Rows {
				ids = append(ids, r.ID)
			}
		}
		return o, fmt.Errorf("--anchor %s: no vote is about this item%s", id, wording.DidYouMean(id, slices.Values(ids)))
	}
	return o, nil
}

// voterOf returns the number of a voter; −1, the consensus, for none.
func voterOf(m model.Model, id string) (int, error) {
	if id == "" {
		return -1, nil
	}
	if m.NumUsers() == 0 {
		return 0, fmt.Errorf("--user %s: a %s model has one board for everybody; fit one with --model population", id, m.Name())
	}
	return mention{"--user", id, true}.in(m)
}
