package model

import (
	"archive/zip"
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"palate/internal/npy"
)

// ExportOptions are the settings of Export; nil means the defaults.
type ExportOptions struct {
	Draws  int // joint draws; 0 stands for as many as a board is made of
	Seed   uint64
	Tastes bool // also the scores that every user gives to every item
}

// Export writes what a model says of its items to user, or to the consensus when user is
// negative, as a zip of NumPy arrays that are not packed:
//
//	items   names of the n items
//	votes   votes each took part in (n)
//	group   the group of comparable items that each is in, 0 the largest (n)
//	score   and sd, those of the board: of the draws below in which items differ, each less the mean of its group (n)
//	draws   joint draws of all utilities, a row each
//	weight  of each draw; they sum to one
//	alike   1 where items do not differ in a draw, and votes are coins; not there where they always do
//	users   names of the u users, and
//	tastes  the mean score that each gives to each item (u × n), when these are wanted
//
// It fails when ctx ends or w does.
func Export(ctx context.Context, w io.Writer, m Model, user int, o *ExportOptions) error {
	opt := *cmp.Or(o, &ExportOptions{})
	opt.Draws = cmp.Or(opt.Draws, boardDraws)
	d, err := m.Draws(ctx, user, opt.Draws, rand.New(rand.NewPCG(opt.Seed, boardStream)))
	if err != nil {
		return err
	}
	n := m.NumItems()
	z := zip.NewWriter(heedful{ctx, w})
	a := &arrayWriter{z: z, unpacked: true}
	a.names("items", n, m.ItemID)
	a.floats("votes", m.Votes(), n)
	group := make([]int64, n)
	for g, items := range m.Groups() {
		for _, i := range items {
			group[i] = int64(g)
		}
	}
	writeArray(a, "group", group, n)
	score, sd := boardScores(d, m.Groups(), n)
	a.floats("score", score, n)
	a.floats("sd", sd, n)
	a.matrix("draws", d.F)
	a.floats("weight", d.Weight, len(d.Weight))
	if d.Alike != nil {
		writeFunc(a, "alike", func(k int) uint8 {
			if d.Alike[k] {
				return 1
			}
			return 0
		}, len(d.Alike))
	}
	if opt.Tastes {
		a.tastes(ctx, m)
	}
	if a.err != nil {
		return fmt.Errorf("model: export: %w", a.err)
	}
	return z.Close()
}

// names writes n names.
func (a *arrayWriter) names(entry string, n int, name func(k int) string) {
	all := make([]string, n)
	for k := range all {
		all[k] = name(k)
	}
	a.entry(entry, []int{n}, func(w io.Writer) error { return npy.WriteStrings(w, all) })
}

// tastes writes the score that each user gives to each item.
func (a *arrayWriter) tastes(ctx context.Context, m Model) {
	n := m.NumItems()
	a.names("users", m.NumUsers(), m.UserID)
	scores := make([]float64, n)
	at := func(k int) float64 {
		if k%n == 0 && a.err == nil {
			a.err = scoresTo(ctx, scores, m, k/n)
		}
		return scores[k%n]
	}
	writeFunc(a, "tastes", at, m.NumUsers(), n)
}

// scoresTo sets dst to the means of the utilities that user gives to all items, each less
// the mean of its group. It fails only when ctx ends.
func scoresTo(ctx context.Context, dst []float64, p Predictor, user int) error {
	if q, ok := p.(interface{ meansTo(dst []float64, user int) }); ok {
		q.meansTo(dst, user)
	} else {
		for i := range dst {
			if err := ctx.Err(); err != nil {
				return err
			}
			dst[i], _ = p.Utility(user, i)
		}
	}
	for _, group := range p.Groups() {
		var centre float64
		for _, i := range group {
			centre += dst[i] / float64(len(group))
		}
		for _, i := range group {
			dst[i] -= centre
		}
	}
	return ctx.Err()
}
