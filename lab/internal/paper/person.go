package paper

import (
	"math"

	"palate"
	"palate/metric"
)

// person is how a method did on one user's test votes.
type person struct {
	votes   float64
	acc, ce float64 // summed over the votes
}

// of returns the sum of a measure over the votes, NaN where it is not one of votes.
func (p person) of(m Measure) float64 {
	switch m {
	case Acc:
		return p.acc
	case CE:
		return p.ce
	case Bits:
		return p.ce / math.Ln2
	}
	return math.NaN()
}

// byPerson sums test votes up by user, in order of user.
func byPerson(test []palate.Vote, chance, won []float64) []person {
	users := 0
	for _, v := range test {
		users = max(users, v.User+2) // −1, the unknown, comes first
	}
	p, y := make([][]float64, users), make([][]float64, users)
	for k, v := range test {
		p[v.User+1], y[v.User+1] = append(p[v.User+1], chance[k]), append(y[v.User+1], won[k])
	}
	people := make([]person, users)
	for u := range people {
		if n := float64(len(p[u])); n > 0 {
			people[u] = person{n, n * metric.Accuracy(p[u], y[u], nil), n * metric.CrossEntropy(p[u], y[u], nil)}
		}
	}
	return people
}

// errorOverPeople is the standard error of the mean of a measure over all test votes, or of its difference to another
// method on the same votes: votes of one person go together, people are independent. It does not know how much
// the fit itself would differ on another split.
func errorOverPeople(a, b []person, m Measure) float64 {
	var votes, sum, persons float64
	of := func(u int) float64 {
		if b == nil {
			return a[u].of(m)
		}
		return a[u].of(m) - b[u].of(m)
	}
	for u := range a {
		if a[u].votes > 0 {
			votes += a[u].votes
			sum += of(u)
			persons++
		}
	}
	if persons < 2 {
		return math.NaN()
	}
	var se float64
	for u := range a {
		if a[u].votes > 0 {
			d := of(u) - a[u].votes*sum/votes
			se += d * d
		}
	}
	return math.Sqrt(persons/(persons-1)*se) / votes
}
