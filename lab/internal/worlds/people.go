package worlds

import (
	"math"
	"math/rand/v2"

	"palate/internal/num"
)

// peopleAsked are the questions of worlds of people.
const peopleAsked = 4000

// crowded is a world of people: items, voters and their votes, and what the voters like.
type crowded struct {
	name, about          string
	items, voters, votes int
	of                   one
}

// one draws what all voters have in common over n items, and returns the utilities of
// each.
type one func(n int, rng *rand.Rand) func(voter int) []float64

func scaled(u []float64, by float64) []float64 {
	w := make([]float64, len(u))
	for i := range w {
		w[i] = by * u[i]
	}
	return w
}

func plus(u, v []float64) []float64 {
	w := make([]float64, len(u))
	for i := range w {
		w[i] = u[i] + v[i]
	}
	return w
}

// clusters are voters of so many tastes, each as likely.
func clusters(number int, sd float64) one {
	return func(n int, rng *rand.Rand) func(int) []float64 {
		means := make([][]float64, number)
		for k := range means {
			means[k] = normal(n, sd, rng)
		}
		return func(int) []float64 { return means[rng.IntN(number)] }
	}
}

// shared are voters who depend on utilities u ~ N(0, I).
func shared(of func(u []float64, voter int, rng *rand.Rand) []float64) one {
	return func(n int, rng *rand.Rand) func(int) []float64 {
		u := normal(n, 1, rng)
		return func(voter int) []float64 { return of(u, voter, rng) }
	}
}

// factors are voters with utilities u ~ N(0, I) and weights N(0, sd²) of so many factors
// N(0, I).
func factors(number int, sd float64) one {
	return func(n int, rng *rand.Rand) func(int) []float64 {
		u := normal(n, 1, rng)
		f := make([][]float64, number)
		for k := range f {
			f[k] = normal(n, 1, rng)
		}
		return func(int) []float64 {
			w := u
			for k := range f {
				w = plus(w, scaled(f[k], sd*rng.NormFloat64()))
			}
			return w
		}
	}
}

// and adds tastes N(0, sd²) of each voter's own.
func (of one) and(sd float64) one {
	return func(n int, rng *rand.Rand) func(int) []float64 {
		each := of(n, rng)
		return func(voter int) []float64 { return plus(each(voter), normal(n, sd, rng)) }
	}
}

func sameFor(u []float64, _ int, _ *rand.Rand) []float64 { return u }

func camped(by, share float64) one {
	return shared(func(u []float64, _ int, rng *rand.Rand) []float64 {
		if rng.Float64() < share {
			return scaled(u, by)
		}
		return scaled(u, -by)
	})
}

// People are the worlds that ask what each voter would say: 20 items, 40 voters of 25
// votes unless they say otherwise.
func People() (all []World) {
	for _, w := range []crowded{
		{"same", "all have u ~ N(0, I)", 20, 40, 25, shared(sameFor)},
		{"own", "u and N(0, I) of each", 20, 40, 25, shared(sameFor).and(1)},
		{"3-clusters", "one of three vectors 1.3·N(0, I)", 20, 40, 25, clusters(3, 1.3)},
		{"4-clusters", "150 voters × 30 votes; one of four vectors 1.5·N(0, I)", 20, 150, 30, clusters(4, 1.5)},
		{"camps", "±1.3u, 60 % plus", 20, 40, 25, camped(1.3, 0.6)},
		{"ideal-point", "−.6·‖x_i − y_v‖² in two dimensions, both N(0, I)", 20, 40, 25, func(n int, rng *rand.Rand) func(int) []float64 {
			x, y := normal(n, 1, rng), normal(n, 1, rng)
			return func(int) []float64 {
				w, px, py := make([]float64, n), rng.NormFloat64(), rng.NormFloat64()
				for i := range w {
					w[i] = -0.6 * ((x[i]-px)*(x[i]-px) + (y[i]-py)*(y[i]-py))
				}
				return w
			}
		}},
		{"heavy", "u and .7·t₂ of each", 20, 40, 25, shared(func(u []float64, _ int, rng *rand.Rand) []float64 {
			own := make([]float64, len(u))
			for i := range own {
				own[i] = 0.7 * rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) // half of χ²₂ is Exp(1)
			}
			return plus(u, own)
		})},
		{"2-factors", "u and two factors N(0, I), with weights N(0, I)", 20, 40, 25, factors(2, 1)},
		{"spam", "1.3u; 30 % of the voters toss coins", 20, 40, 25, shared(func(u []float64, voter int, _ *rand.Rand) []float64 {
			if voter < 12 {
				return make([]float64, len(u))
			}
			return scaled(u, 1.3)
		})},
		{"scales", "e^N(0,1)·u", 20, 40, 25, shared(func(u []float64, _ int, rng *rand.Rand) []float64 { return scaled(u, math.Exp(rng.NormFloat64())) })},
		{"two-votes", "600 voters × 2 votes; one of three vectors 1.3·N(0, I)", 20, 600, 2, clusters(3, 1.3)},
		{"minority", "1.2u; six voters −1.2u", 20, 40, 25, shared(func(u []float64, voter int, _ *rand.Rand) []float64 {
			if voter < 6 {
				return scaled(u, -1.2)
			}
			return scaled(u, 1.2)
		})},
	} {
		all = append(all, w.world("people", w.name == "same"))
	}
	return all
}

// PeopleOfSizes are further worlds that ask what each voter would say, of other sizes and
// with tastes of other kinds.
func PeopleOfSizes() (all []World) {
	for _, w := range []crowded{
		{"same-12x10", "12 items, 12 voters × 10 votes; all have u ~ N(0, I)", 12, 12, 10, shared(sameFor)},
		{"own-12x60", "8 items, 12 voters × 60 votes; u and .7·N(0, I) of each", 8, 12, 60, shared(sameFor).and(0.7)},
		{"own-50-items", "50 items, 40 voters × 25 votes; u and N(0, I) of each", 50, 40, 25, shared(sameFor).and(1)},
		{"clusters-200x6", "8 items, 200 voters × 6 votes; one of three vectors 1.3·N(0, I)", 8, 200, 6, clusters(3, 1.3)},
		{"8-clusters", "20 items, 150 voters × 30 votes; one of eight vectors 1.5·N(0, I)", 20, 150, 30, clusters(8, 1.5)},
		{"clusters-own", "20 items, 60 voters × 30 votes; one of three 1.3·N(0, I), and .5·N(0, I) of each", 20, 60, 30, clusters(3, 1.3).and(0.5)},
		{"5-factors", "20 items, 80 voters × 40 votes; u and five factors N(0, I), with weights .6·N(0, I)", 20, 80, 40, factors(5, 0.6)},
		{"factors-600x2", "30 items, 600 voters × 2 votes; u and two factors N(0, I), with weights N(0, I)", 30, 600, 2, factors(2, 1)},
		{"camps-own-300x10", "30 items, 300 voters × 10 votes; ±1.2u, 70 % plus, and .5·N(0, I) of each", 30, 300, 10, camped(1.2, 0.7).and(0.5)},
	} {
		all = append(all, w.world("people-sizes", w.name == "same-12x10"))
	}
	return all
}

// Categories are worlds in which a few categories of votes, such as languages, stand in the
// place of voters, of 15 items each.
func Categories() (all []World) {
	apart := func(sd float64) one {
		return shared(func(u []float64, _ int, rng *rand.Rand) []float64 {
			return plus(scaled(u, math.Sqrt(1-sd*sd)), normal(len(u), sd, rng))
		})
	}
	for _, w := range []crowded{
		{"equal-few", "3 categories × 60 votes; all have u ~ N(0, I)", 15, 3, 60, shared(sameFor)},
		{"equal", "6 categories × 300 votes; all have u ~ N(0, I)", 15, 6, 300, shared(sameFor)},
		{"moderate-few", "3 categories × 60 votes; .87u and .5·N(0, I) of each", 15, 3, 60, apart(0.5)},
		{"moderate", "6 categories × 300 votes; .87u and .5·N(0, I) of each", 15, 6, 300, apart(0.5)},
		{"unrelated-few", "3 categories × 60 votes; N(0, I) of each", 15, 3, 60, apart(1)},
		{"unrelated", "6 categories × 300 votes; N(0, I) of each", 15, 6, 300, apart(1)},
	} {
		all = append(all, w.world("people-categories", w.name == "equal"))
	}
	return all
}

// world draws voters, their votes, and questions to them.
func (w crowded) world(set string, clean bool) World {
	world := always(set, w.name, w.about, clean, func(rng *rand.Rand) *Drawn {
		of := w.of(w.items, rng)
		utilities := make([][]float64, w.voters)
		var votes []vote
		for k := range utilities {
			utilities[k] = of(k)
			for range w.votes {
				a, b := pair(w.items, rng)
				votes = append(votes, vote{k, a, b, answer(num.Phi(utilities[k][a]-utilities[k][b]), rng)})
			}
		}
		rng.Shuffle(len(votes), func(i, j int) { votes[i], votes[j] = votes[j], votes[i] })
		d := &Drawn{Votes: cast(w.items, w.voters, votes)}
		for range peopleAsked {
			q := Question{User: rng.IntN(w.voters)}
			q.Left, q.Right = pair(w.items, rng)
			q.Chance = num.Phi(utilities[q.User][q.Left] - utilities[q.User][q.Right])
			d.Asked = append(d.Asked, q)
		}
		return d
	})
	world.Personal = true
	return world
}
