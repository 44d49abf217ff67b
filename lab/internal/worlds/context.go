package worlds

import (
	"math"
	"math/rand/v2"

	"palate"
	"palate/internal/num"
)

// contexts are votes on answers, in which more counts than who gave them: their length, of
// which some items have more on the whole, their style, and the language, in one of which
// the left answer has a bonus. The target is at equal length and style.
func contexts() (all []World) {
	for _, c := range []struct {
		name, about string
		context     contextual
	}{
		{"length", "an sd more of length is worth .5; items differ in it", contextual{length: 0.5, told: true}},
		{"length-untold", "as length, but nobody says how long answers are", contextual{length: 0.5}},
		{"style", "length; lists .5, tables −.5; left .6 in one language", contextual{length: 0.5, style: 0.5, bonus: 0.6, told: true}},
		{"voters", "length as before; 20 voters of taste .7", contextual{length: 0.5, voters: 20, taste: 0.7, told: true}},
		{"none", "length, style and language are told, and bear on nothing", contextual{told: true}},
	} {
		all = append(all, always("context", c.name, "15 items, 300 votes; "+c.about, c.context == contextual{told: true}, c.context.draw))
	}
	return all
}

// contextual is what properties of votes are worth.
type contextual struct {
	length, style, bonus float64
	voters               int
	taste                float64
	told                 bool
}

func (c contextual) draw(rng *rand.Rand) *Drawn {
	const n, m = 15, 300
	u, usual := normal(n, 1, rng), normal(n, 1, rng)
	own := make([][]float64, max(1, c.voters))
	for k := range own {
		own[k] = normal(n, c.taste, rng)
	}
	worth := []float64{0, c.style, -c.style} // of prose, lists and tables
	length := palate.Property{Name: "length"}
	style := palate.Property{Name: "style", Levels: []string{"prose", "list", "table"}}
	language := palate.Property{Name: "language", Levels: []string{"de", "en"}}
	votes := make([]vote, m)
	for k := range votes {
		a, b := pair(n, rng)
		x, y := usual[a]+rng.NormFloat64(), usual[b]+rng.NormFloat64()
		s, t := rng.IntN(3), rng.IntN(3)
		de := float64(rng.IntN(2))
		length.Left, length.Right = append(length.Left, x), append(length.Right, y)
		style.Left, style.Right = append(style.Left, float64(s)), append(style.Right, float64(t))
		language.Left = append(language.Left, 1-de)
		user, voter := -1, 0
		if c.voters > 0 {
			user = rng.IntN(c.voters)
			voter = user
		}
		lead := u[a] + own[voter][a] - u[b] - own[voter][b] + c.length*(x-y) + worth[s] - worth[t] + c.bonus*de
		votes[k] = vote{user, a, b, answer(num.Phi(lead), rng)}
	}
	d := cast(n, c.voters, votes)
	if c.told {
		d = d.WithProperties([]palate.Property{length, style, language})
	}
	for i := range u {
		u[i] /= math.Sqrt(1 + 2*c.taste*c.taste)
	}
	drawn := &Drawn{Votes: d, Target: u, Chance: probit(u)}
	if c.bonus != 0 { // a side is a matter of chance
		drawn.Chance = func(a, b int) float64 {
			even := num.Phi(u[a] - u[b])
			return even/2 + (num.Phi(u[a]-u[b]+c.bonus)+num.Phi(u[a]-u[b]-c.bonus))/4
		}
	}
	return drawn
}
