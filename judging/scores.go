package judging

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/model"
)

// Scores are joint draws of the scores of all items: about the mean of the items of a group,
// as on boards, or on the scale of anchors (Equate).
type Scores struct {
	ids    []string
	number map[string]int
	group  []int // the largest of items that votes connect
	draws  *mat.Dense
	weight []float64
	rng    *rand.Rand
}

// DrawScores draws what a model knows of everybody's scores. It fails only when ctx ends.
func DrawScores(ctx context.Context, p model.Predictor, seed uint64) (*Scores, error) {
	const draws, stream = 4000, 0x67
	s := &Scores{number: map[string]int{}, group: p.Groups()[0], rng: rand.New(rand.NewPCG(seed, stream))}
	for i := range p.NumItems() {
		s.ids = append(s.ids, p.ItemID(i))
		s.number[p.ItemID(i)] = i
	}
	d, err := p.Draws(ctx, -1, draws, s.rng)
	if err != nil {
		return nil, err
	}
	d = d.Different() // as on boards
	s.draws, s.weight = d.F, d.Weight
	for k := range s.weight {
		f := s.draws.RawRowView(k)
		for _, items := range p.Groups() {
			var mean float64
			for _, i := range items {
				mean += f[i] / float64(len(items))
			}
			for _, i := range items {
				f[i] -= mean
			}
		}
	}
	return s, ctx.Err()
}

// Score returns mean and deviation of the score of an item.
func (s *Scores) Score(item int) (mean, sd float64) {
	for k, w := range s.weight {
		mean += w * s.draws.At(k, item)
	}
	var square float64
	for k, w := range s.weight {
		x := s.draws.At(k, item) - mean
		square += w * x * x
	}
	return mean, math.Sqrt(square)
}

// Grades returns the chances of every item to have each of the grades: where its score is by
// joint draws, which those of items at boundaries are of, too.
func (s *Scores) Grades(grades []Boundary) (chances [][]float64, err error) {
	at := make([]int, len(grades))
	for k, g := range grades {
		if at[k] = -1; g.Item != "" {
			i, ok := s.number[g.Item]
			if !ok {
				return nil, fmt.Errorf("judging: grade %s: no item is called %q", g.Grade, g.Item)
			}
			at[k] = i
		}
	}
	chances = make([][]float64, len(s.ids))
	for i := range chances {
		chances[i] = make([]float64, len(grades))
	}
	for k, w := range s.weight {
		f := s.draws.RawRowView(k)
		for i := range chances {
			g := 0
			for g < len(grades)-1 {
				least := grades[g].Score
				if at[g] >= 0 {
					least = f[at[g]]
				}
				if f[i] >= least {
					break
				}
				g++
			}
			chances[i][g] += w
		}
	}
	return chances, nil
}
