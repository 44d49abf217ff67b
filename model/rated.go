package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
	"palate/internal/num"
	"palate/rating"
)

// Scale says how ratings are meant.
type Scale struct {
	Classes     int  // that more values than so many are read in, about as many ratings in each; 0 stands for 12
	Numbers     bool // with Gaussian noise, in place of classes
	LowerBetter bool // low ratings are for what is good
}

// RatedOptions are the settings of FitRated. The zero value, and nil, learn everything.
type RatedOptions struct {
	Scale    Scale
	Factors  int // of taste, at most; 0: up to 10, as ratings are many
	Seed     uint64
	Progress func(Progress)
}

// Rated is many people who rate items, and may vote between them beside: a consensus and
// factors of taste, with how each of them uses the scale (package rating). Its consensus is
// the mean of people; to prefer as the consensus does is to prefer as a person nothing is
// known of. Utilities are in units of the noise of a vote, which is that of two ratings
// unless there are votes.
type Rated struct {
	Base

	fit       *rating.Fit
	consensus *rating.Consensus
	options   RatedOptions
	total     float64 // votes and ratings
	compared  float64 // votes among them
	ties      float64
	constant  int // people who gave one value to everything
}

// FitRated learns from the ratings and votes of d. When ctx ends before it is done it returns
// the error of ctx.
func FitRated(ctx context.Context, d *palate.Dataset, o *RatedOptions) (*Rated, error) {
	if o == nil {
		o = &RatedOptions{}
	}
	m := &Rated{Base: newBase(d).withUsers(d), options: *o}
	same := constant(d)
	// Items and people are learnt of in the order of their names, in whatever order rows come.
	itemAt, userAt := placesByName(m.ids), placesByName(m.users)
	var rows []rating.Row
	var values []float64
	people := d.NumUsers()
	left := make([]bool, d.NumUsers())
	for _, v := range d.Votes() {
		if v.Outcome == palate.Skip {
			continue
		}
		r := rowOf(v)
		if r.Other < 0 {
			if v.User >= 0 && same[v.User] {
				left[v.User] = true
				continue
			}
			values = append(values, v.Rating)
		} else {
			m.votes[v.Right] += v.Weight
			m.compared += v.Weight
		}
		m.votes[v.Left] += v.Weight
		if m.total += v.Weight; r.Tie {
			m.ties += v.Weight
		}
		if v.User >= 0 {
			r.User = userAt[v.User]
		}
		if r.Item = itemAt[r.Item]; r.Other >= 0 {
			r.Other = itemAt[r.Other]
		}
		rows = append(rows, r)
	}
	rating.Sort(rows)
	for k := range rows {
		if rows[k].User < 0 { // each is somebody else's
			rows[k].User = people
			people++
		}
	}
	for _, is := range left {
		if is {
			m.constant++
		}
	}
	if len(values) == 0 {
		return nil, fmt.Errorf("model: no ratings to learn from: all %d people gave one value to everything", m.constant)
	}
	s, err := o.Scale.of(values)
	if err != nil {
		return nil, err
	}
	work := &rating.Options{Factors: o.Factors, Seed: o.Seed}
	if o.Progress != nil {
		work.Progress = func(round int, objective float64) {
			o.Progress(Progress{Stage: "learning from ratings", Round: round, Objective: objective})
		}
	}
	if m.fit, err = rating.Learn(ctx, len(m.ids), people, rows, s, work); err != nil {
		return nil, err
	}
	if m.consensus, err = m.fit.Consensus(ctx); err != nil {
		return nil, err
	}
	m.fit.Keep(itemAt, userAt)
	m.consensus.Keep(itemAt)
	return m, nil
}

// placesByName returns the place of each identifier when they are sorted.
func placesByName(ids []string) []int {
	sorted := num.Indices(len(ids))
	slices.SortFunc(sorted, func(a, b int) int { return cmp.Compare(ids[a], ids[b]) })
	places := make([]int, len(ids))
	for at, k := range sorted {
		places[k] = at
	}
	return places
}

// rowOf is a vote, or a rating, as package rating has it; a skip is none.
func rowOf(v palate.Vote) rating.Row {
	r := rating.Row{User: v.User, Item: v.Left, Other: v.Right, Weight: v.Weight}
	switch v.Outcome {
	case palate.Rated:
		r.Other, r.Rating = -1, v.Rating
	case palate.Right:
		r.Item, r.Other = v.Right, v.Left
	case palate.Tie:
		r.Tie = true
	}
	return r
}

// constant finds people who rated several items, and all alike: they tell nothing of them.
func constant(d *palate.Dataset) []bool {
	count, first, differ := make([]int, d.NumUsers()), make([]float64, d.NumUsers()), make([]bool, d.NumUsers())
	for _, v := range d.Votes() {
		if v.Outcome != palate.Rated || v.User < 0 {
			continue
		}
		if count[v.User] == 0 {
			first[v.User] = v.Rating
		}
		count[v.User]++
		differ[v.User] = differ[v.User] || v.Rating != first[v.User]
	}
	out := make([]bool, d.NumUsers())
	for u, n := range count {
		out[u] = n > 1 && !differ[u]
	}
	return out
}

// Name returns "ratings".
func (m *Rated) Name() string { return "ratings" }

// Reads returns what the model was fitted to.
func (m *Rated) Reads() Reads { return took(m.Name(), 0) }

// Fit returns how the fit went.
func (m *Rated) Fit() Fit {
	f := Fit{
		Objective: m.fit.Evidence, Kind: infer.LogEvidence.String(), Scale: 1 / m.fit.Prior, Threshold: m.unit() * m.fit.Margin,
		Votes: m.total, Ties: m.ties, Form: m.form(),
	}
	f.Stats.Sweeps, f.Stats.Skipped = m.fit.Rounds, m.fit.Skipped
	if !m.fit.Converged {
		f.Status = infer.SweepLimit
	}
	return f
}

// form says what was found of people.
func (m *Rated) form() string {
	factors := fmt.Sprintf("%d factors", m.fit.Factors)
	switch m.fit.Factors {
	case 0:
		factors = "no factors"
	case 1:
		factors = "one factor"
	}
	return fmt.Sprintf("%s of taste, offsets %.2f, spreads %.2f", factors, m.unit()*math.Sqrt(m.fit.Offset), m.fit.Spread)
}

// Remarks are on people whose ratings were left out.
func (m *Rated) Remarks() []string {
	if m.constant == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d people gave one value to all that they rated, which tells nothing of it: their ratings were left out", m.constant, len(m.users))}
}

// Called is what it was fitted to: ratings, or answers where there are votes among them.
func (m *Rated) Called() string {
	if m.compared > 0 {
		return "answer"
	}
	return "rating"
}

// unit is what utilities are multiplied by to be in units of the noise of a vote.
func (m *Rated) unit() float64 { return 1 / m.fit.Vote }

// person is what is known of a user.
func (m *Rated) person(user int) *rating.Person {
	if user < 0 || user >= len(m.users) {
		return m.fit.NewPerson()
	}
	return m.fit.Person(user)
}

// Prefer returns the probability that user votes for left rather than right, ties apart; for a
// negative user that of a person nothing is known of. Of ratings see Higher.
func (m *Rated) Prefer(user, left, right int) float64 { return m.person(user).Prefer(left, right) }

// Utility returns mean and variance of an item's utility to user; for a negative user those of
// the consensus.
func (m *Rated) Utility(user, item int) (mean, variance float64) {
	mean, variance = m.consensus.Mean[item], m.consensus.Var[item]
	if user >= 0 {
		mean, variance = m.person(user).Utility(item)
	}
	return m.unit() * mean, m.unit() * m.unit() * variance
}

// Draws returns joint draws of the utilities of all items.
func (m *Rated) Draws(ctx context.Context, user, n int, rng *rand.Rand) (Draws, error) {
	if user >= 0 {
		return personDraws(ctx, m.person(user), m.unit(), len(m.ids), n, rng)
	}
	c := m.consensus
	if c.Cov == nil {
		apart := independent{make([]float64, len(m.ids)), make([]float64, len(m.ids))}
		for i := range m.ids {
			apart.mean[i], apart.variance[i] = m.Utility(-1, i)
		}
		return apart.Draws(ctx, -1, n, rng)
	}
	root, err := num.NewCholesky(mat.NewSymDense(len(m.ids), c.Cov))
	if err != nil {
		return Draws{}, fmt.Errorf("model: the consensus of ratings: %w", err)
	}
	l := root.L()
	f, white := mat.NewDense(n, len(m.ids), nil), make([]float64, len(m.ids))
	for k := range n {
		if err := ctx.Err(); err != nil {
			return Draws{}, err
		}
		for i := range white {
			white[i] = rng.NormFloat64()
		}
		row := f.RawRowView(k)
		for i := range row {
			row[i] = m.unit() * (c.Mean[i] + num.Dot(l.RawTriangular().Data[i*len(row):i*len(row)+i+1], white))
		}
	}
	return evenDraws(f, nil)
}

// personDraws are those of one person, in units of a vote.
func personDraws(ctx context.Context, p *rating.Person, unit float64, items, n int, rng *rand.Rand) (Draws, error) {
	f := mat.NewDense(n, items, nil)
	for k := range n {
		if err := ctx.Err(); err != nil {
			return Draws{}, err
		}
		row := f.RawRowView(k)
		p.Draw(row, rng)
		for i := range row {
			row[i] *= unit
		}
	}
	return evenDraws(f, nil)
}

// Extend fails: items are known by ratings and votes alone.
func (m *Rated) Extend([]string, *mat.Dense) (Model, error) {
	return nil, fmt.Errorf("model: the model has no item features, so it cannot say anything of new items")
}
