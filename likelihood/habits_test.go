package likelihood

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate/internal/num"
)

// Habits that votes were drawn with are found, margins around 1 and with the common one
// made up for, and no step makes what is climbed fall.
func TestHabitsAreFound(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	const voters, votes = 40, 200
	truth := make([]Habit, voters)
	z := make([][votes]float64, voters)
	tied := make([][votes]bool, voters)
	ties, all := make([]float64, voters), make([]float64, voters)
	common := 0.5
	for u := range truth {
		truth[u] = Habit{math.Exp(0.6 * rng.NormFloat64()), 0.3 * rng.Float64()}
		for k := range votes {
			z[u][k] = rng.NormFloat64()
			tied[u][k] = rng.Float64() < truth[u].Lapse || math.Abs(z[u][k]+rng.NormFloat64()) < common*truth[u].Margin
			if tied[u][k] {
				ties[u]++
			}
		}
		all[u] = votes
	}
	h := NewHabits(ties, all)
	at := 0.3
	logProb := func(u int, x Habit) (sum float64) {
		tie, win := Lapse{Tie{Threshold: at * x.Margin}, x.Lapse, true}, Lapse{Probit{Offset: at * x.Margin}, x.Lapse, false}
		for k, y := range z[u] {
			if tied[u][k] {
				sum += Tilt(tie, y, 0).LogZ
			} else {
				a, b := Tilt(win, y, 0).LogZ, Tilt(win, -y, 0).LogZ
				sum += num.LogSumExp([]float64{a, b})
			}
		}
		return sum
	}
	for round := range 20 {
		for u, x := range h.Of {
			if round > 1 {
				break
			}
			f := func(x Habit) float64 { return logProb(u, x) }
			if next, _ := h.step(x, f); f(next)+h.logPrior(next) < f(x)+h.logPrior(x) {
				t.Fatalf("voter %d: a step from %+v to %+v goes down", u, x, next)
			}
		}
		by, change := h.Renew(logProb)
		if at *= by; change < 1e-3 {
			break
		}
	}
	var centre, margin, lapse float64
	for u, x := range h.Of {
		centre += math.Log(x.Margin)
		margin += math.Abs(math.Log(at * x.Margin / (common * truth[u].Margin)))
		lapse += math.Abs(x.Lapse - truth[u].Lapse)
	}
	if math.Abs(centre) > 1e-9 {
		t.Errorf("logarithms of margins sum to %g", centre)
	}
	if margin /= voters; margin > 0.3 {
		t.Errorf("margins are off by %.2f in the mean", margin)
	}
	if lapse /= voters; lapse > 0.08 {
		t.Errorf("lapses are off by %.2f in the mean", lapse)
	}
	if math.Abs(h.Spread-0.6) > 0.2 || math.Abs(h.Lapse-0.15) > 0.05 {
		t.Errorf("spread %.2f, drawn with .6, and lapse %.2f, drawn with a mean of .15", h.Spread, h.Lapse)
	}
}
