package paper

import (
	"math"

	"palate/internal/num"
)

// chanceOf is that of an item over another.
type chanceOf func(a, b int) float64

// rating learns votes one after the other.
type rating interface {
	chance(a, b int) float64
	learn(v timedVote)
	next() // a period goes by
}

// elo is the rating of chess, on the logistic scale.
type elo struct {
	r []float64
	k float64
}

func (e *elo) chance(a, b int) float64 { return num.Sigmoid(e.r[a] - e.r[b]) }

func (e *elo) learn(v timedVote) {
	by := e.k * (1 - e.chance(v.Winner, v.Loser))
	e.r[v.Winner] += by
	e.r[v.Loser] -= by
}

func (e *elo) next() {}

// glicko is the rating of Glickman (1999) on the logistic scale: what is not known of an item
// grows by so much a period.
type glicko struct {
	mean, variance []float64
	grow           float64
}

func (g *glicko) chance(a, b int) float64 {
	return num.Sigmoid((g.mean[a] - g.mean[b]) / math.Sqrt(1+3*(g.variance[a]+g.variance[b])/(math.Pi*math.Pi)))
}

func (g *glicko) learn(v timedVote) {
	step := func(i, j int, score float64) (mean, variance float64) {
		damp := 1 / math.Sqrt(1+3*g.variance[j]/(math.Pi*math.Pi))
		e := num.Sigmoid(damp * (g.mean[i] - g.mean[j]))
		variance = 1 / (1/g.variance[i] + damp*damp*e*(1-e))
		return g.mean[i] + variance*damp*(score-e), variance
	}
	w, wv := step(v.Winner, v.Loser, 1)
	l, lv := step(v.Loser, v.Winner, 0)
	g.mean[v.Winner], g.variance[v.Winner], g.mean[v.Loser], g.variance[v.Loser] = w, wv, l, lv
}

func (g *glicko) next() {
	for i := range g.variance {
		g.variance[i] += g.grow
	}
}

// rated learns all votes, and returns the chances and the mean loss of the votes of the second
// half as predicted by those before them.
func rated(r rating, votes []timedVote) (chanceOf, float64) {
	var loss, n float64
	for k, v := range votes {
		if k > 0 && v.Period != votes[k-1].Period {
			r.next()
		}
		if 2*k >= len(votes) {
			loss -= math.Log(r.chance(v.Winner, v.Loser))
			n++
		}
		r.learn(v)
	}
	r.next()
	return r.chance, loss / n
}

// tunedElo is Elo with the step that predicted the training votes best.
func tunedElo(votes []timedVote) chanceOf {
	return bestRated(func(yield func(rating)) {
		for _, k := range []float64{0.03, 0.06, 0.1, 0.15, 0.2, 0.3, 0.45, 0.7} {
			yield(&elo{make([]float64, timeItems), k})
		}
	}, votes)
}

// tunedGlicko is Glicko with the variances that predicted the training votes best.
func tunedGlicko(votes []timedVote) chanceOf {
	return bestRated(func(yield func(rating)) {
		for _, first := range []float64{0.5, 1, 2, 4, 8} {
			for _, grow := range []float64{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4} {
				g := &glicko{make([]float64, timeItems), make([]float64, timeItems), grow}
				for i := range g.variance {
					g.variance[i] = first
				}
				yield(g)
			}
		}
	}, votes)
}

func bestRated(all func(yield func(rating)), votes []timedVote) (best chanceOf) {
	least := math.Inf(1)
	all(func(r rating) {
		if chance, loss := rated(r, votes); loss < least {
			best, least = chance, loss
		}
	})
	return best
}
