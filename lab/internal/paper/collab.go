package paper

import "math/rand/v2"

// collaborative is COLLAB §5: the population family on SUSHI and MovieLens. The paper's way to split MovieLens hides pairs,
// not items; the honest one hides items. Made-up sets of the size of MovieLens 10M, and with more people, are run only
// when asked for. Sushi-A is small because some methods grow with the cube of all pairs.
func collaborative() Experiment {
	return Experiment{
		Name:  "collab",
		About: "collaborative preferences on SUSHI and MovieLens (COLLAB tables 2, 3 and 5)",
		Sets: []Set{
			sushiSet("A-200", 'A', 200, 3, 1, 20),
			sushiSet("A-200-2", 'A', 200, 2, 1, 20).asked().noting("as A-200 with 2 training pairs a person, as many as the authors' released code leaves"),
			sushiSet("A-200-4", 'A', 200, 4, 1, 20).asked().noting("as A-200 with 4 training pairs a person"),
			sushiSet("A-200-5", 'A', 200, 5, 1, 20).asked().noting("as A-200 with 5 training pairs a person: COLLAB's table 2 looks as if it had had so many"),
			sushiSet("B", 'B', 5000, 10, 1, 5).without("GPfull-Laplace"),
			movieSet("movielens-100k", "paper", LoadMovieLens100K, (*Ratings).PaperSplit, 5).noting(transitive),
			movieSet("movielens-100k", "honest", LoadMovieLens100K, (*Ratings).HonestSplit, 10),
			movieSet("movielens-1m", "paper", LoadMovieLens1M, (*Ratings).PaperSplit, 1).noting(transitive),
			movieSet("movielens-1m", "honest", LoadMovieLens1M, (*Ratings).HonestSplit, 1),
			scaleSet("10m-size", crowdSize{people: 45600, items: 9500, features: 10}),
			scaleSet("200k-people", crowdSize{people: 200000, items: 2000, votes: 50}),
		},
		Models:  []string{"population", "population-mean", "GPVU-EP-mean", "GPVU-EP", "GPVU-Jaakkola", "VU-Jaakkola", "NPCA-EP", "GPitem-EP", "GPitem-Laplace", "GPfull-Laplace", "pooled-GPPL", "majority"},
		Loss:    Bits,
		Figures: collabFigures(),
		papers:  []string{"collab"},
	}
}

// transitive is what the paper's split of MovieLens tests.
const transitive = "mostly tests transitivity: both films of a test pair are in other pairs of the same person; the paper learns from at most 400 pairs a person, models here from all but those called released"

// scaleSet is a made-up set that is there for its size.
func scaleSet(split string, c crowdSize) Set {
	return Set{Data: "simulated", Split: split, Repeats: 1, Models: []string{"population", "population-mean"}, Large: true, open: func(Folder) (func(*rand.Rand) (*Split, error), error) {
		return c.split, nil
	}}
}

func movieSet(data, split string, load func(Folder) (*Ratings, error), draw func(*Ratings, *rand.Rand) (*Split, error), repeats int) Set {
	return Set{Data: data, Split: split, Repeats: repeats, Skip: []string{"GPPL-per-voter", "VU-Jaakkola", "GPfull-Laplace"}, open: func(f Folder) (func(*rand.Rand) (*Split, error), error) {
		r, err := load(f)
		if err != nil {
			return nil, err
		}
		return func(rng *rand.Rand) (*Split, error) { return draw(r, rng) }, nil
	}}
}
