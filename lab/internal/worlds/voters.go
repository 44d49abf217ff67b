package worlds

import (
	"math"
	"math/rand/v2"

	"palate"
	"palate/internal/num"
)

// tastes are voters with a consensus u ~ N(0, consensus²) of 12 items, and of each the
// utilities u + taste·N(0, 1).
type tastes struct {
	name, about      string
	votes            []int // of each voter
	consensus, taste float64
	remembers        bool // who meets a pair again repeats the answer
	again            int  // how often each answer is given; 0 stands for 1
	clean            bool
}

const voterItems = 12

// each is so many voters of so many votes.
func each(voters, votes int) []int {
	all := make([]int, voters)
	for k := range all {
		all[k] = votes
	}
	return all
}

func voters() (all []World) {
	for _, t := range []tastes{
		{name: "100x6", about: "100 voters × 6 votes, taste 1", votes: each(100, 6), consensus: 1, taste: 1},
		{name: "20x30-taste.5", about: "20 voters × 30 votes, taste .5", votes: each(20, 30), consensus: 1, taste: 0.5},
		{name: "20x30-taste1", about: "20 voters × 30 votes, taste 1", votes: each(20, 30), consensus: 1, taste: 1},
		{name: "20x30-taste2", about: "20 voters × 30 votes, taste 2", votes: each(20, 30), consensus: 1, taste: 2},
		{name: "5x200", about: "5 voters × 200 votes, taste 1", votes: each(5, 200), consensus: 1, taste: 1},
		{name: "5x200-remembered", about: "5 voters × 200 votes, taste 1; who meets a pair again repeats the answer", votes: each(5, 200), consensus: 1, taste: 1, remembers: true},
		{name: "10x12-repeated", about: "10 voters of one taste, each of 12 answers given five times", votes: each(10, 12), consensus: 1, again: 5},
		{name: "alike", about: "20 voters × 30 votes, no taste", votes: each(20, 30), consensus: 1, clean: true},
		{name: "coin", about: "20 voters × 30 votes, every answer a fair coin", votes: each(20, 30), clean: true},
		{name: "no-consensus", about: "20 voters × 30 votes, taste 1, and no consensus", votes: each(20, 30), taste: 1},
		{name: "one-voice", about: "one voter × 400 votes and 19 × 10, taste 1", votes: append([]int{400}, each(19, 10)...), consensus: 1, taste: 1},
	} {
		all = append(all, always("voters", t.name, t.about, t.clean, t.draw))
	}
	return append(all, always("voters", "camps", "20 voters × 30 votes: 65 of 100 people have the utilities u, the others −u", false, camps))
}

// draw has the target u/√(1 + 2·taste²): a new voter's taste is noise of the vote, too.
func (t tastes) draw(rng *rand.Rand) *Drawn {
	u := normal(voterItems, t.consensus, rng)
	var votes []vote
	for k, m := range t.votes {
		w := normal(voterItems, t.taste, rng)
		for i := range w {
			w[i] += u[i]
		}
		said := map[[2]int]palate.Outcome{} // of a pair, the lesser item on the left
		for range m {
			a, b := pair(voterItems, rng)
			key := [2]int{min(a, b), max(a, b)}
			o, met := said[key]
			if a > b {
				o = o.Swap()
			}
			if !met || !t.remembers {
				o = answer(num.Phi(w[a]-w[b]), rng)
			}
			votes = append(votes, vote{k, a, b, o})
			for range t.again - 1 {
				v := vote{k, a, b, o}
				if rng.IntN(2) == 1 {
					v = vote{k, b, a, o.Swap()}
				}
				votes = append(votes, v)
			}
			if a > b {
				o = o.Swap()
			}
			said[key] = o
		}
	}
	rng.Shuffle(len(votes), func(i, j int) { votes[i], votes[j] = votes[j], votes[i] })
	target := make([]float64, voterItems)
	for i, x := range u {
		target[i] = x / math.Sqrt(1+2*t.taste*t.taste)
	}
	return &Drawn{Votes: cast(voterItems, len(t.votes), votes), Target: target, Chance: probit(target)}
}

// camps has two camps of opposed tastes.
func camps(rng *rand.Rand) *Drawn {
	const voters, each, share = 20, 30, 0.65
	u := normal(voterItems, 1, rng)
	var votes []vote
	for k := range voters {
		sign := 1.0
		if rng.Float64() >= share {
			sign = -1
		}
		for range each {
			a, b := pair(voterItems, rng)
			votes = append(votes, vote{k, a, b, answer(num.Phi(sign*(u[a]-u[b])), rng)})
		}
	}
	rng.Shuffle(len(votes), func(i, j int) { votes[i], votes[j] = votes[j], votes[i] })
	chance := func(a, b int) float64 { return share*num.Phi(u[a]-u[b]) + (1-share)*num.Phi(u[b]-u[a]) }
	return &Drawn{Votes: cast(voterItems, voters, votes), Target: Nearest(voterItems, chance), Chance: chance}
}
