package likelihood

import (
	"math"
	"slices"

	"palate/internal/num"
)

// Habit is how a voter calls ties: within a margin of which Margin is the voter's factor,
// and a share Lapse of the time whatever the two are.
type Habit struct {
	Margin, Lapse float64
}

// Habits are those of many voters. Logarithms of factors are N(0, Spread²) and lapses have a
// Beta distribution of mean Lapse that is worth lapseVotes votes; both are learnt, as are
// the habits, at their mode.
type Habits struct {
	Of            []Habit
	Spread, Lapse float64
}

// What is expected of lapses and of the spread before there are votes: a lapse is worth so
// many votes of each voter, and their mean and the spread are worth so many voters.
const (
	lapseVotes    = 4
	typicalLapse  = 0.05
	typicalSpread = 0.5
	priorVoters   = 2
)

// Bounds of a habit.
const (
	leastLapse, mostLapse = 1e-4, 0.95
	mostMargin            = 30 // times the common one, or a part of it
)

// NewHabits begins with the margins that the voters' shares of ties suggest: they differ
// by those of a Gaussian that have so much within them.
func NewHabits(ties, votes []float64) *Habits {
	h := &Habits{Of: make([]Habit, len(votes)), Spread: typicalSpread, Lapse: typicalLapse}
	var all, tied float64
	for u, n := range votes {
		all += n
		tied += ties[u]
	}
	mean := (tied + 1) / (all + 2)
	var centre float64
	for u, n := range votes {
		share := (ties[u] + lapseVotes*mean) / (n + lapseVotes)
		margin := math.Log(num.Quantile(0.5 + 0.5*share))
		h.Of[u] = Habit{margin, typicalLapse}
		centre += margin / float64(len(votes))
	}
	for u := range h.Of {
		h.Of[u].Margin = math.Exp(h.Of[u].Margin - centre)
	}
	return h
}

// Clone returns a copy; nil for nil.
func (h *Habits) Clone() *Habits {
	if h == nil {
		return nil
	}
	c := *h
	c.Of = slices.Clone(h.Of)
	return &c
}

// LogPrior is that of the habits, up to a constant.
func (h *Habits) LogPrior() (sum float64) {
	for _, x := range h.Of {
		sum += h.logPrior(x) - math.Log(h.Spread)
	}
	return sum
}

// logPrior is the log density of the logarithm of a margin and the logit of a lapse.
func (h *Habits) logPrior(x Habit) float64 {
	l := math.Log(x.Margin) / h.Spread
	return -0.5*l*l + lapseVotes*(h.Lapse*math.Log(x.Lapse)+(1-h.Lapse)*math.Log1p(-x.Lapse))
}

// Renew takes a step of Newton's method for every voter, given the log probability of the
// voter's votes at a habit, then sets what they have in common to what their habits say.
// Margins are kept around 1: the common one is to be multiplied by what Renew returns. It
// also returns by how much a habit changed most, in the logarithm of a margin, or in a lapse.
func (h *Habits) Renew(logProb func(voter int, at Habit) float64) (common, change float64) {
	n := len(h.Of)
	moved, known := make([]float64, n), make([]float64, n)
	num.Parallel(n, 1, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			x, bend := h.step(h.Of[u], func(at Habit) float64 { return logProb(u, at) })
			moved[u] = max(math.Abs(math.Log(x.Margin/h.Of[u].Margin)), math.Abs(x.Lapse-h.Of[u].Lapse))
			h.Of[u], known[u] = x, bend
		}
	})
	var centre, lapse float64
	for u, x := range h.Of {
		change = max(change, moved[u])
		centre += math.Log(x.Margin) / float64(n)
		lapse += x.Lapse
	}
	square := priorVoters * typicalSpread * typicalSpread
	for u, x := range h.Of {
		l := math.Log(x.Margin) - centre
		square += l*l + 1/known[u]
		h.Of[u].Margin = math.Exp(l)
	}
	h.Spread = math.Sqrt(square / (float64(n) + priorVoters))
	h.Lapse = (lapse + priorVoters*typicalLapse) / (float64(n) + priorVoters)
	return math.Exp(centre), change
}

// habitStep is the longest step in a logarithm or a logit, and habitGap that of the differences.
const (
	habitStep = 1.0
	habitGap  = 0.02
)

// step returns a habit that is no less likely, and how sharply its density falls along the
// logarithm of the margin.
func (h *Habits) step(from Habit, logProb func(Habit) float64) (Habit, float64) {
	x, y := math.Log(from.Margin), math.Log(from.Lapse/(1-from.Lapse))
	at := func(dx, dy float64) (Habit, float64) {
		to := Habit{math.Exp(x + dx), 1 / (1 + math.Exp(-y-dy))}
		to.Margin = min(max(to.Margin, 1/float64(mostMargin)), mostMargin)
		to.Lapse = min(max(to.Lapse, leastLapse), mostLapse)
		return to, logProb(to) + h.logPrior(to)
	}
	const d = habitGap
	_, here := at(0, 0)
	_, right := at(d, 0)
	_, left := at(-d, 0)
	_, up := at(0, d)
	_, down := at(0, -d)
	_, both := at(d, d)
	gx, gy := (right-left)/(2*d), (up-down)/(2*d)
	bx, by := (2*here-right-left)/(d*d), (2*here-up-down)/(d*d)
	cross := (right + up - both - here) / (d * d)
	floor := 0.5 / (h.Spread * h.Spread)
	bend := max(bx, floor)
	bx, by = bend, max(by, 0.1)
	if cross*cross > 0.8*bx*by {
		cross = 0
	}
	det := bx*by - cross*cross
	dx, dy := (by*gx-cross*gy)/det, (bx*gy-cross*gx)/det
	if longest := max(math.Abs(dx), math.Abs(dy)); longest > habitStep {
		dx, dy = dx*habitStep/longest, dy*habitStep/longest
	}
	for range 4 {
		if to, value := at(dx, dy); value >= here {
			return to, bend
		}
		dx, dy = dx/4, dy/4
	}
	return from, bend
}
