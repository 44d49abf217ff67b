package worlds

import (
	"fmt"
	"math"
	"math/rand/v2"

	"palate"
	"palate/internal/num"
)

// coins are fair, whatever the items.
func coins() (all []World) {
	for _, n := range []int{20, 50} {
		for _, m := range []int{25, 60, 100, 200, 400, 1000} {
			all = append(all, always("coin", fmt.Sprintf("n%d-m%d", n, m), fmt.Sprintf("%d items, %d votes, every answer a fair coin", n, m), true, func(rng *rand.Rand) *Drawn {
				return plain(make([]float64, n), m, rng)
			}))
		}
	}
	return all
}

// scales are utilities of one standard deviation, or of one that is drawn.
func scales() (all []World) {
	fixed := func(s float64) func(*rand.Rand) float64 { return func(*rand.Rand) float64 { return s } }
	for _, s := range []struct {
		name, about string
		sd          func(rng *rand.Rand) float64
	}{
		{"s0.15", "an sd of .15", fixed(0.15)},
		{"s0.3", "an sd of .3", fixed(0.3)},
		{"s1", "an sd of 1", fixed(1)},
		{"s3", "an sd of 3", fixed(3)},
		{"drawn", "an sd drawn from Exp(1)", func(rng *rand.Rand) float64 { return rng.ExpFloat64() }},
		{"prior", "an sd drawn from the prior that single has where items differ", func(rng *rand.Rand) float64 {
			noise := math.Pow(1-rng.Float64(), 8.0/5) // its part in the variance of a comparison
			return math.Sqrt((1/noise - 1) / 2)
		}},
	} {
		for _, m := range []int{25, 60, 100, 200, 400} {
			all = append(all, always("scale", fmt.Sprintf("%s-m%d", s.name, m), fmt.Sprintf("20 items of %s, %d votes", s.about, m), true, func(rng *rand.Rand) *Drawn {
				return plain(normal(20, s.sd(rng), rng), m, rng)
			}))
		}
	}
	return all
}

// plain draws m votes on random pairs by utilities that all share.
func plain(u []float64, m int, rng *rand.Rand) *Drawn {
	votes := make([]vote, m)
	for k := range votes {
		a, b := pair(len(u), rng)
		votes[k] = vote{-1, a, b, answer(num.Phi(u[a]-u[b]), rng)}
	}
	return &Drawn{Votes: cast(len(u), 0, votes), Target: u, Chance: probit(u)}
}

func unbalanced() []World {
	return []World{always("unbalanced", "", "sd .7: ten items with one vote each, ten with about 200", true, func(rng *rand.Rand) *Drawn {
		const n, few, m = 20, 10, 1000
		u := normal(n, 0.7, rng)
		var votes []vote
		for k := range few + m {
			a, b := pair(n-few, rng)
			a, b = a+few, b+few
			if k < few { // one of the seldom seen meets one of the others
				a = k
			}
			if rng.IntN(2) == 1 {
				a, b = b, a
			}
			votes = append(votes, vote{-1, a, b, answer(num.Phi(u[a]-u[b]), rng)})
		}
		rng.Shuffle(len(votes), func(i, j int) { votes[i], votes[j] = votes[j], votes[i] })
		return &Drawn{Votes: cast(n, 0, votes), Target: u, Chance: probit(u)}
	})}
}

// sides give the left item a bonus. Where sides are fixed, the item with the lower number
// is always left.
func sides() (all []World) {
	for _, s := range []struct {
		name, about string
		bonus       float64
		fixed       bool
	}{
		{"random", "left has a bonus of .5; sides at random", 0.5, false},
		{"fixed", "left has a bonus of .5; the lower number is always left", 0.5, true},
		{"two-thirds", "left has a bonus of .714 and 66 % of the wins; sides at random", 0.714, false},
		{"no-bonus", "left has no bonus; the lower number is always left", 0, true},
	} {
		all = append(all, always("sides", s.name, "15 items, 300 votes; "+s.about, s.bonus == 0, func(rng *rand.Rand) *Drawn {
			const n, m = 15, 300
			u := normal(n, 1, rng)
			votes := make([]vote, m)
			for k := range votes {
				a, b := pair(n, rng)
				if s.fixed {
					a, b = min(a, b), max(a, b)
				}
				votes[k] = vote{-1, a, b, answer(num.Phi(u[a]-u[b]+s.bonus), rng)}
			}
			d := &Drawn{Votes: cast(n, 0, votes), Target: u, Chance: probit(u)}
			if !s.fixed { // somebody new has the bonus, too, on either side
				d.Chance = func(a, b int) float64 {
					return (num.Phi(u[a]-u[b]+s.bonus) + num.Phi(u[a]-u[b]-s.bonus)) / 2
				}
				d.Target = Nearest(n, d.Chance)
			}
			return d
		}))
	}
	return all
}

func drifts() []World {
	return []World{always("drift", "", "15 items, 600 votes; utilities move by N(0, 1), and the target is their end", false, func(rng *rand.Rand) *Drawn {
		const n, m = 15, 600
		from, by := normal(n, 1, rng), normal(n, 1, rng)
		end := make([]float64, n)
		for i := range end {
			end[i] = from[i] + by[i]
		}
		votes := make([]vote, m)
		for k := range votes {
			a, b := pair(n, rng)
			votes[k] = vote{-1, a, b, answer(num.Phi(from[a]-from[b]+(by[a]-by[b])*float64(k)/m), rng)}
		}
		return &Drawn{Votes: cast(n, 0, votes), Target: end, Chance: probit(end)}
	})}
}

// cycles are chances that come from no utilities.
func cycles() []World {
	draw := func(n, m int, chance func(a, b int) float64, rng *rand.Rand) *Drawn {
		votes := make([]vote, m)
		for k := range votes {
			a, b := pair(n, rng)
			votes[k] = vote{-1, a, b, answer(chance(a, b), rng)}
		}
		return &Drawn{Votes: cast(n, 0, votes), Target: Nearest(n, chance), Chance: chance}
	}
	return []World{
		always("cycles", "wheel", "15 items, 400 votes; a beats b by .5·N + 1.5·sin(θ_a − θ_b)", false, func(rng *rand.Rand) *Drawn {
			u, angle := normal(15, 0.5, rng), make([]float64, 15)
			for i := range angle {
				angle[i] = 2 * math.Pi * rng.Float64()
			}
			return draw(15, 400, func(a, b int) float64 { return num.Phi(u[a] - u[b] + 1.5*math.Sin(angle[a]-angle[b])) }, rng)
		}),
		always("cycles", "three", "three items, 600 votes; each beats the next with .9", false, func(rng *rand.Rand) *Drawn {
			return draw(3, 600, func(a, b int) float64 {
				if b == (a+1)%3 {
					return 0.9
				}
				return 0.1
			}, rng)
		}),
	}
}

// ties are those of Davidson (1970), where a tie has ν√(πₐπ_b) to πₐ and π_b, and those of
// voters who call one below a margin.
func ties() (all []World) {
	const n, m = 15, 300
	for _, x := range []struct {
		share int
		nu    float64
	}{{5, 0.12}, {50, 3.2}} {
		all = append(all, always("ties", fmt.Sprintf("davidson-%d", x.share), fmt.Sprintf("15 items of sd 1.7, 300 votes; Davidson's ties, %d %%", x.share), true, func(rng *rand.Rand) *Drawn {
			u := normal(n, 1.7, rng)
			votes := make([]vote, m)
			for k := range votes {
				a, b := pair(n, rng)
				left, right := math.Exp((u[a]-u[b])/2), math.Exp((u[b]-u[a])/2)
				v := vote{-1, a, b, palate.Tie}
				switch x := rng.Float64() * (left + right + x.nu); {
				case x < left:
					v.outcome = palate.Left
				case x < left+right:
					v.outcome = palate.Right
				}
				votes[k] = v
			}
			target, _ := NearestTied(n, func(a, b int) (win, tie float64) {
				left, right := math.Exp((u[a]-u[b])/2), math.Exp((u[b]-u[a])/2)
				return left / (left + right + x.nu), x.nu / (left + right + x.nu)
			})
			return &Drawn{Votes: cast(n, 0, votes), Target: target, Chance: func(a, b int) float64 { return num.Sigmoid(u[a] - u[b]) }}
		}))
	}
	for _, x := range []struct {
		share  int
		margin float64
	}{{5, 0.09}, {50, 1.05}} {
		all = append(all, always("ties", fmt.Sprintf("margin-%d", x.share), fmt.Sprintf("15 items of sd 1, 300 votes; ties below a margin, %d %%", x.share), true, func(rng *rand.Rand) *Drawn {
			u := normal(n, 1, rng)
			votes := make([]vote, m)
			for k := range votes {
				a, b := pair(n, rng)
				v := vote{-1, a, b, palate.Tie}
				switch z := u[a] - u[b] + rng.NormFloat64(); {
				case z > x.margin:
					v.outcome = palate.Left
				case z < -x.margin:
					v.outcome = palate.Right
				}
				votes[k] = v
			}
			return &Drawn{Votes: cast(n, 0, votes), Target: u, Chance: func(a, b int) float64 {
				left, right := num.Phi(u[a]-u[b]-x.margin), num.Phi(u[b]-u[a]-x.margin)
				return left / (left + right)
			}}
		}))
	}
	return all
}
