package paper

import "math/rand/v2"

// sushi is CROWD §6.4: what people think of sushi, from a few pairs of each one's ranking. Split A-1000 is Sushi-A of
// DRAFT.
func sushi() Experiment {
	return Experiment{
		Name:  "sushi",
		About: "personal preferences on the SUSHI data (CROWD table 3)",
		Sets: []Set{
			sushiSet("A-small", 'A', 100, 5, 25, 100),
			sushiSet("A", 'A', 100, 20, 25, 100),
			sushiSet("B", 'B', 5000, 10, 1, 10).but("published"),
			sushiSet("A-1000", 'A', 1000, 15, 5, 25),
		},
		Models: []string{"population", "crowd", "published", "published-u", "GPVU-EP", "GPPL-per-voter", "pooled-GPPL", "majority"},
		Loss:   CE,
		Figures: []Figure{
			{"crowd-figure4-A", "how much of the variance each factor has", "sushi/A", factorVariances("crowd-figure4-A", "Sushi-A", variant{}, variant{noVoters: true})},
			{"crowd-figure4-B", "the same", "sushi/B", factorVariances("crowd-figure4-B", "Sushi-B", variant{noVoters: true})},
		},
		papers: []string{"crowd", "draft"},
	}
}

// but leaves models out unless they are asked for.
func (s Set) but(models ...string) Set {
	s.Skip = append(s.Skip, models...)
	return s
}

// sushiSet takes users people, train and test pairs of each one's ranking of item set A or B.
func sushiSet(split string, items byte, users, train, test, repeats int) Set {
	return Set{Data: "sushi", Split: split, Repeats: repeats, open: func(f Folder) (func(*rand.Rand) (*Split, error), error) {
		a, b, err := LoadSushi(f)
		if err != nil {
			return nil, err
		}
		if items == 'A' {
			b = a
		}
		return func(rng *rand.Rand) (*Split, error) { return b.Split(users, train, test, rng) }, nil
	}}
}
