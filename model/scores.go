package model

import (
	"context"
	"math"
	"math/rand/v2"
)

// boardDraws is how many joint draws a board is made of by default, and boardStream
// the stream of its seed.
const (
	boardDraws  = 4000
	boardStream = 0xb0a2d
)

// writeScores writes what the board of the consensus says of every item, for readers
// of the file: score and standard deviation, as of NewBoard with its defaults.
func (a *arrayWriter) writeScores(ctx context.Context, p Predictor) {
	if a.err != nil {
		return
	}
	d, err := p.Draws(ctx, -1, boardDraws, rand.New(rand.NewPCG(0, boardStream)))
	if err != nil {
		a.err = err
		return
	}
	score, sd := boardScores(d, p.Groups(), p.NumItems())
	a.floats("score", score, len(score))
	a.floats("sd", sd, len(sd))
}

// boardScores returns mean and standard deviation, over the draws in which items differ, of every item's
// utility less the mean of its group: what a board calls its score.
func boardScores(d Draws, groups [][]int, items int) (score, sd []float64) {
	d = d.Different()
	score, sd = make([]float64, items), make([]float64, items)
	for _, g := range groups {
		less := make([]float64, len(d.Weight))
		for k, w := range d.Weight {
			f := d.F.RawRowView(k)
			for _, i := range g {
				less[k] += f[i] / float64(len(g))
			}
			for _, i := range g {
				score[i] += w * (f[i] - less[k])
			}
		}
		for k, w := range d.Weight {
			f := d.F.RawRowView(k)
			for _, i := range g {
				sd[i] += w * (f[i] - less[k] - score[i]) * (f[i] - less[k] - score[i])
			}
		}
	}
	for i, v := range sd {
		sd[i] = math.Sqrt(v)
	}
	return score, sd
}
