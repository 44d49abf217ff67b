package model

import (
	"math"

	"palate"
	"palate/internal/num"
	"palate/rating"
)

// RatingMeans predicts ratings by means, drawn towards that of all by as much as ratings differ beside what means do,
// with Gaussian noise: what models of ratings are measured against.
type RatingMeans struct {
	scale        *rating.Scale
	grand, sd    float64
	item, person []float64 // differences from grand
	shares       []float64 // of the classes, where means are not told apart
}

// NewRatingMeans finds the means of items, and by how much those of people are higher; or, where neither is to be
// told apart, how often each rating is given.
func NewRatingMeans(d *palate.Dataset, o Scale, apart bool) (*RatingMeans, error) {
	var values []float64
	for _, v := range d.Votes() {
		if v.Outcome == palate.Rated {
			values = append(values, v.Rating)
		}
	}
	s, err := o.of(values)
	if err != nil {
		return nil, err
	}
	m := &RatingMeans{scale: s, item: make([]float64, d.NumItems()), person: make([]float64, d.NumUsers())}
	for _, y := range values {
		m.grand += y / float64(len(values))
	}
	if !apart {
		m.shares = make([]float64, len(s.Values))
		for _, y := range values {
			m.sd += (y - m.grand) * (y - m.grand) / float64(len(values))
			if !s.Numbers() {
				m.shares[s.Class(y)] += 1 / float64(len(values))
			}
		}
		m.sd = math.Sqrt(m.sd)
		return m, nil
	}
	const rounds = 5
	for range rounds {
		m.learn(d, m.item, func(v palate.Vote) (int, float64) { return v.Left, v.Rating - m.grand - m.of(v.User) })
		m.learn(d, m.person, func(v palate.Vote) (int, float64) { return v.User, v.Rating - m.grand - m.item[v.Left] })
	}
	for _, v := range d.Votes() {
		if v.Outcome == palate.Rated {
			off := v.Rating - m.grand - m.item[v.Left] - m.of(v.User)
			m.sd += off * off / float64(len(values))
		}
	}
	m.sd = math.Sqrt(m.sd)
	return m, nil
}

// of makes a scale of the ratings that were given.
func (o Scale) of(values []float64) (*rating.Scale, error) {
	if o.Numbers {
		return rating.NewNumbers(values, o.LowerBetter)
	}
	return rating.NewScale(values, o.Classes, o.LowerBetter)
}

// learn sets means of what is left, shrunk by the method of moments.
func (m *RatingMeans) learn(d *palate.Dataset, mean []float64, left func(palate.Vote) (int, float64)) {
	n, sum, square := make([]float64, len(mean)), make([]float64, len(mean)), 0.0
	total := 0.0
	for _, v := range d.Votes() {
		if v.Outcome != palate.Rated {
			continue
		}
		if at, y := left(v); at >= 0 {
			n[at]++
			sum[at] += y
			square += y * y
			total++
		}
	}
	within, between, groups := square, 0.0, 0.0
	for k, c := range n {
		if c > 0 {
			within -= sum[k] * sum[k] / c
			between += sum[k] * sum[k] / c
			groups++
		}
	}
	within /= max(total-groups, 1)
	between = max((between-groups*within)/max(total, 1), 1e-3*within)
	for k, c := range n {
		mean[k] = sum[k] / (c + within/between)
	}
}

// of is by how much somebody's ratings are higher.
func (m *RatingMeans) of(user int) float64 {
	if user < 0 {
		return 0
	}
	return m.person[user]
}

// Rating returns what a user would rate an item.
func (m *RatingMeans) Rating(user, item int) RatingPrediction {
	f := RatingPrediction{Mean: m.grand + m.item[item] + m.of(user), SD: m.sd, Values: m.scale.Values}
	for k := range f.Values {
		f.Chances = append(f.Chances, m.chance(f.Mean, k))
	}
	return f
}

// chance is that of a class.
func (m *RatingMeans) chance(mean float64, class int) float64 {
	if m.shares != nil {
		return m.shares[class]
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	if class > 0 {
		lo = m.scale.Edges[class-1]
	}
	if class < len(m.scale.Edges) {
		hi = m.scale.Edges[class]
	}
	if m.scale.Reversed {
		mean = -mean
	}
	return max(num.Phi((hi-mean)/m.sd)-num.Phi((lo-mean)/m.sd), leastChance)
}

// leastChance keeps the loss of what a Gaussian rules out finite.
const leastChance = 1e-6

// LogRating returns the log probability of a rating; of numbers, the log density.
func (m *RatingMeans) LogRating(user, item int, rating float64) float64 {
	f := m.grand + m.item[item] + m.of(user)
	if m.scale.Numbers() {
		z := (rating - f) / m.sd
		return -0.5*z*z - math.Log(m.sd) - 0.5*math.Log(2*math.Pi)
	}
	return math.Log(m.chance(f, m.scale.Class(rating)))
}

// LowerBetter reports whether low ratings are for what is good.
func (m *RatingMeans) LowerBetter() bool { return m.scale.Reversed }

// Prefer returns the probability that user rates left better than right.
func (m *RatingMeans) Prefer(_, left, right int) float64 {
	lead := m.item[left] - m.item[right]
	if m.scale.Reversed {
		lead = -lead
	}
	return num.Phi(lead / (math.Sqrt2 * m.sd))
}

// Higher returns the probability that user rates left better than right, where they differ: of
// classes by the chances of each.
func (m *RatingMeans) Higher(user, left, right int) float64 {
	if m.scale.Numbers() || m.scale.Grouped {
		return m.Prefer(user, left, right)
	}
	a, b := m.Rating(user, left).Chances, m.Rating(user, right).Chances
	var up, down float64
	for k, p := range a {
		for l, q := range b {
			switch {
			case k > l:
				up += p * q
			case k < l:
				down += p * q
			}
		}
	}
	return up / (up + down)
}

// Utility returns the mean of an item, in units of the noise of two ratings.
func (m *RatingMeans) Utility(_, item int) (mean, variance float64) {
	mean = m.item[item] / (math.Sqrt2 * m.sd)
	if m.scale.Reversed {
		mean = -mean
	}
	return mean, 0
}
