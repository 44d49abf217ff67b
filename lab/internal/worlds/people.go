package worlds

import (
	"math"
	"math/rand/v2"

	"palate/internal/num"
)

// peopleItems are the items of worlds of people, and peopleAsked the questions.
const (
	peopleItems = 20
	peopleAsked = 4000
)

// People are the worlds that ask what each voter would say: 20 items, 40 voters of 25
// votes unless they say otherwise.
func People() (all []World) {
	const n = peopleItems
	scaled := func(u []float64, by float64) []float64 {
		w := make([]float64, n)
		for i := range w {
			w[i] = by * u[i]
		}
		return w
	}
	plus := func(u, v []float64) []float64 {
		w := make([]float64, n)
		for i := range w {
			w[i] = u[i] + v[i]
		}
		return w
	}
	// one draws what all have in common, and returns the utilities of each.
	type one func(rng *rand.Rand) func(voter int) []float64
	clusters := func(number int, sd float64) one {
		return func(rng *rand.Rand) func(int) []float64 {
			means := make([][]float64, number)
			for k := range means {
				means[k] = normal(n, sd, rng)
			}
			return func(int) []float64 { return means[rng.IntN(number)] }
		}
	}
	// shared is a world whose voters depend on utilities u ~ N(0, I).
	shared := func(of func(u []float64, voter int, rng *rand.Rand) []float64) one {
		return func(rng *rand.Rand) func(int) []float64 {
			u := normal(n, 1, rng)
			return func(voter int) []float64 { return of(u, voter, rng) }
		}
	}
	for _, w := range []struct {
		name, about   string
		voters, votes int
		of            one
	}{
		{"same", "all have u ~ N(0, I)", 40, 25, shared(func(u []float64, _ int, _ *rand.Rand) []float64 { return u })},
		{"own", "u and N(0, I) of each", 40, 25, shared(func(u []float64, _ int, rng *rand.Rand) []float64 { return plus(u, normal(n, 1, rng)) })},
		{"3-clusters", "one of three vectors 1.3·N(0, I)", 40, 25, clusters(3, 1.3)},
		{"4-clusters", "150 voters × 30 votes; one of four vectors 1.5·N(0, I)", 150, 30, clusters(4, 1.5)},
		{"camps", "±1.3u, 60 % plus", 40, 25, shared(func(u []float64, _ int, rng *rand.Rand) []float64 {
			if rng.Float64() < 0.6 {
				return scaled(u, 1.3)
			}
			return scaled(u, -1.3)
		})},
		{"ideal-point", "−.6·‖x_i − y_v‖² in two dimensions, both N(0, I)", 40, 25, func(rng *rand.Rand) func(int) []float64 {
			x, y := normal(n, 1, rng), normal(n, 1, rng)
			return func(int) []float64 {
				w, px, py := make([]float64, n), rng.NormFloat64(), rng.NormFloat64()
				for i := range w {
					w[i] = -0.6 * ((x[i]-px)*(x[i]-px) + (y[i]-py)*(y[i]-py))
				}
				return w
			}
		}},
		{"heavy", "u and .7·t₂ of each", 40, 25, shared(func(u []float64, _ int, rng *rand.Rand) []float64 {
			own := make([]float64, n)
			for i := range own {
				own[i] = 0.7 * rng.NormFloat64() / math.Sqrt(rng.ExpFloat64()) // half of χ²₂ is Exp(1)
			}
			return plus(u, own)
		})},
		{"2-factors", "u and two factors N(0, I), with weights N(0, I)", 40, 25, func(rng *rand.Rand) func(int) []float64 {
			u, f, g := normal(n, 1, rng), normal(n, 1, rng), normal(n, 1, rng)
			return func(int) []float64 {
				return plus(u, plus(scaled(f, rng.NormFloat64()), scaled(g, rng.NormFloat64())))
			}
		}},
		{"spam", "1.3u; 30 % of the voters toss coins", 40, 25, shared(func(u []float64, voter int, _ *rand.Rand) []float64 {
			if voter < 12 {
				return make([]float64, n)
			}
			return scaled(u, 1.3)
		})},
		{"scales", "e^N(0,1)·u", 40, 25, shared(func(u []float64, _ int, rng *rand.Rand) []float64 { return scaled(u, math.Exp(rng.NormFloat64())) })},
		{"two-votes", "600 voters × 2 votes; one of three vectors 1.3·N(0, I)", 600, 2, clusters(3, 1.3)},
		{"minority", "1.2u; six voters −1.2u", 40, 25, shared(func(u []float64, voter int, _ *rand.Rand) []float64 {
			if voter < 6 {
				return scaled(u, -1.2)
			}
			return scaled(u, 1.2)
		})},
	} {
		all = append(all, always("people", w.name, w.about, w.name == "same", func(rng *rand.Rand) *Drawn {
			of := w.of(rng)
			utilities := make([][]float64, w.voters)
			var votes []vote
			for k := range utilities {
				utilities[k] = of(k)
				for range w.votes {
					a, b := pair(n, rng)
					votes = append(votes, vote{k, a, b, answer(num.Phi(utilities[k][a]-utilities[k][b]), rng)})
				}
			}
			rng.Shuffle(len(votes), func(i, j int) { votes[i], votes[j] = votes[j], votes[i] })
			d := &Drawn{Votes: cast(n, w.voters, votes)}
			for range peopleAsked {
				q := Question{User: rng.IntN(w.voters)}
				q.Left, q.Right = pair(n, rng)
				q.Chance = num.Phi(utilities[q.User][q.Left] - utilities[q.User][q.Right])
				d.Asked = append(d.Asked, q)
			}
			return d
		}))
	}
	return all
}
