package model

import (
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/gp"
	"palate/infer"
)

// Dependence is how votes of one voter hang together: the votes of
// five people are not as many people's. A voter's utilities are those of the model and
// a taste of the voter's own, w_i = f_i + g_i with g_i ~ N(0, Taste²), and where a voter
// meets a pair again a part of the noise of the first answer is that of the next. Both
// are integrated out; what is left is about people like these voters. Scores are in
// units of the noise of a new voter's vote, tastes included.
type Dependence struct {
	// Taste is the deviation of voters' own tastes in units of the noise of a vote, 0
	// where they are pooled.
	Taste float64
	// Repeat is the share of a vote's noise, by its variance, that is the same when the
	// voter meets the pair again.
	Repeat float64
}

// Dependence returns how votes of one voter hang together; zero where they are pooled.
func (m *Single) Dependence() Dependence { return m.dependence }

// String says whom the model is about.
func (v Dependence) String() string { return v.about("people like its voters") }

func (v Dependence) about(whom string) string {
	if v.Repeat > 0 {
		return fmt.Sprintf("about %s (own tastes %.2f, repeating %.2f)", whom, v.Taste, v.Repeat)
	}
	return fmt.Sprintf("about %s (own tastes %.2f)", whom, v.Taste)
}

// unit is by how much utilities are to be multiplied to be in units of the noise of a
// new voter's vote.
func (v Dependence) unit() float64 { return 1 / math.Sqrt(1+2*v.Taste*v.Taste) }

// The prior of Taste: pooled with some probability, else an exponential of mean 1; and
// of Repeat, on some values.
const pooledShare = 0.2

var repeats = []struct{ at, share float64 }{{0, 0.3}, {0.5, 0.3}, {0.85, 0.2}, {0.97, 0.1}, {0.995, 0.1}}

// logTastePrior is the log density of the logarithm of Taste², and its slope.
func logTastePrior(logOwn float64) (lp, slope float64) {
	taste := math.Exp(0.5 * logOwn)
	return math.Log(1-pooledShare) + 0.5*logOwn - math.Ln2 - taste, 0.5 - 0.5*taste
}

// Voters are told apart by dense blocks where a sweep takes no more than so many
// multiplications, a fit some seconds. With more it is done along the graph of
// comparisons where items are independent and votes are no more than so many, and else
// votes are pooled. Along the graph hyper-parameters are the likeliest ones. With so many
// votes an item that is as good as what integrates them out: of 300 items and 30 voters sds
// are 0.83, 0.98 and 1.00 of those by dense blocks at 1, 2 and 4 votes an item, in a tenth
// of the time.
const (
	voterWork  = 5e8
	voterVotes = 100_000
	knownVotes = 4
)

// tellsVoters reports whether votes of one voter are to be told from those of others:
// where there are several, some with more than one vote, and it can be done; and whether
// by dense blocks. Where answers about several items are one each, one such is not several.
func (m *Single) tellsVoters(d *palate.Dataset, whole bool) (tell, dense bool) {
	_, ep := m.rule().(infer.EP)
	o := &m.options
	if o.Pooled || !ep || o.Schedule != nil || o.Likelihood != Probit || o.Inducing > 0 || len(d.Units()) == 0 {
		return false, false
	}
	votes, last := make([]float64, 1+slices.Max(d.Units())), make([]int, 1+slices.Max(d.Units()))
	several := false
	for k, v := range d.Votes() {
		if u := d.Units()[k]; u >= 0 && v.Outcome != palate.Skip {
			several = several || votes[u] > 0 && (!whole || v.Group == 0 || v.Group != last[u])
			votes[u]++
			last[u] = v.Group
		}
	}
	work, voters := math.Pow(float64(d.NumItems()), 3), 0
	for _, n := range votes {
		if n > 0 {
			voters++
		}
		work += 4 * math.Pow(math.Min(2*n, float64(d.NumItems())), 3)
	}
	known := d.NumItems() > graphLearning && d.NumVotes() >= knownVotes*d.NumItems()
	dense = work < voterWork && d.NumItems() <= scaleWeights && !known
	if d.ItemFeatures() != nil && o.DenseLimit > 0 && d.NumItems() > o.DenseLimit { // inducing points
		return false, false
	}
	graph := d.NumVotes() <= voterVotes && d.ItemFeatures() == nil && (o.Links == nil || o.alongLinks(d.NumItems(), nil))
	return several && voters > 1 && (dense || graph), dense
}

// repeated reports whether a voter met a pair again.
func (o *observations) repeated() bool {
	type meeting struct{ group, a, b int }
	seen := map[meeting]bool{}
	for r, g := range o.group {
		if g < 0 || o.inAnswer(r) {
			continue
		}
		index, _ := o.rows.Row(r)
		at := meeting{g, min(index[0], index[1]), max(index[0], index[1])}
		if seen[at] || o.count[r] > 1 {
			return true
		}
		seen[at] = true
	}
	return false
}

// ownPosterior is the posterior of items with parts of their own at an inverse scale, in
// units of a new voter's vote, that sites leave.
func (m *Single) ownPosterior(p *gp.Prior, scale float64, v voting, sites []gp.Site, kind infer.ObjectiveKind) (*gp.Posterior, error) {
	unit := m.dependence.unit()
	q, err := infer.PosteriorOf(m.problem(p, scale*unit*unit, v, m.dependence.Taste), sites, kind)
	if err != nil {
		return nil, err
	}
	if q, err = rescaled(q, unit); err == nil {
		q.Scale = scale // to the bit
	}
	return q, err
}

// rescaled returns a posterior with all utilities multiplied by c.
func rescaled(q *gp.Posterior, c float64) (*gp.Posterior, error) {
	if c == 1 {
		return q, nil
	}
	if q.Prior.Owned() {
		return q.Scaled(c), nil
	}
	ev := q.Evidence().Clone()
	for i := range ev.Lin {
		ev.Lin[i] /= c
	}
	ev.Quad.ScaleSym(1/(c*c), ev.Quad)
	return gp.NewPosterior(q.Prior, q.Scale/(c*c), ev)
}

// gatherSites makes one site a row of those of each of its votes, where they are one
// observation.
func (m *Single) gatherSites() {
	for r, c := range m.obs.count {
		if s := &m.result.Sites[r]; m.voting.together(m.obs, r) {
			s.Tau, s.Nu = c*s.Tau, c*s.Nu
		}
	}
}

// repetitive reports whether half of the votes or more are on pairs that their voters met
// before.
func repetitive(d *palate.Dataset) bool {
	type meeting struct{ user, a, b int }
	seen, votes, again := map[meeting]bool{}, 0, 0
	for _, v := range d.Votes() {
		if v.User < 0 || v.Outcome == palate.Skip {
			continue
		}
		at := meeting{v.User, min(v.Left, v.Right), max(v.Left, v.Right)}
		if votes++; seen[at] {
			again++
		}
		seen[at] = true
	}
	return 2*again >= votes && again > 0
}
