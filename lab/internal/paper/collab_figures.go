package paper

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/lab/internal/collab"
	"palate/model"
	"palate/population"
)

const (
	lossLabel = "loss of a test pair, bits"
	noGain    = 1e-300 // runs all iterations
)

// collabFigures are figures 1 to 4 and table 4 of COLLAB, with the times of table 6 in the table of figure 2, and what
// evaluations of made-up sets cost.
// Where the paper has MovieLens 10M, MovieLens 100K stands in.
func collabFigures() []Figure {
	return []Figure{
		{"collab-figure1a", "loss against time, with and without a GP", "sushi/B", figure1a},
		{"collab-figure1b", "loss against the length-scale", "sushi/B", figure1b},
		{"collab-figure2", "loss against passes, for caps on pairs a person", "movielens-100k/paper", figure2},
		{"collab-table4", "loss against factors and length-scale", "movielens-100k/paper", table4},
		{"collab-figure3", "item biases and factors by genre", "movielens-100k/paper", figure3},
		{"collab-scaling-10m", "cost against people, as many items and pairs as MovieLens 10M", "simulated/10m-size", costAgainstPeople("collab-scaling-10m")},
		{"collab-scaling-200k", "cost against people, 50 votes each", "simulated/200k-people", costAgainstPeople("collab-scaling-200k")},
		{"collab-figure4", "how sure the model is of a new person, against votes", "movielens-100k/paper", figure4},
	}
}

// lossOf fits a member of the family and returns its test loss and the seconds it took.
func lossOf(ctx context.Context, t Task, s *Split, family string, o collab.Options) (bits, cpu float64, err error) {
	m := Method{Name: family, Fit: func(ctx context.Context, t Task) (Predictor, error) { return learnFamily(ctx, t, family, o) }}
	f, err := fit(ctx, m, t)
	if err != nil {
		return 0, 0, err
	}
	trial, err := f.measure(m, s)
	return trial.Figures[Bits], trial.Figures[CPU], err
}

func figure1a(ctx context.Context, t Task, s *Split) ([]picture, error) {
	c := &chart{name: "collab-figure1a", title: "COLLAB figure 1a: Sushi-B, D = 10", x: "processor seconds", y: lossLabel}
	for _, family := range []string{"GPVU-Jaakkola", "VU-Jaakkola"} {
		k := c.curve(family)
		for n := 1; n <= 64; n *= 2 {
			bits, cpu, err := lossOf(ctx, t, s, family, collab.Options{Iterations: n, Gain: noGain})
			if err != nil {
				return nil, err
			}
			k.add(cpu, bits)
		}
	}
	return []picture{c}, nil
}

func figure1b(ctx context.Context, t Task, s *Split) ([]picture, error) {
	c := &chart{name: "collab-figure1b", title: "COLLAB figure 1b: Sushi-B, D = 10", x: "log ψ", y: lossLabel}
	gpvu, vu := c.curve("GPVU-Jaakkola"), c.curve("VU-Jaakkola")
	vu.dashed = true
	without, cpu, err := lossOf(ctx, t, s, vu.name, collab.Options{})
	if err != nil {
		return nil, err
	}
	for _, psi := range []float64{-2, -1, 0, 1, 2} {
		bits, seconds, err := lossOf(ctx, t, s, gpvu.name, collab.Options{LogPsi: &psi})
		if err != nil {
			return nil, err
		}
		gpvu.add(psi, bits)
		gpvu.cpu = append(gpvu.cpu, seconds)
		vu.add(psi, without)
		vu.cpu = append(vu.cpu, cpu)
	}
	return []picture{c}, nil
}

// figure2 caps the pairs a person in an iteration of learning; predictions use all of them, which the paper's do not
// seem to. A pass is as many pairs as there are in all.
func figure2(ctx context.Context, t Task, s *Split) ([]picture, error) {
	c := &chart{name: "collab-figure2", title: "COLLAB figure 2: MovieLens 100K, GPVU-EP, D = 30", x: "passes over the data", y: lossLabel, logX: true}
	each := make([]int, s.Train.NumUsers())
	for _, v := range s.Train.Votes() {
		each[v.User]++
	}
	psi := 0.0 // ψ = 1
	for _, limit := range []int{25, 100, 400, 900} {
		used := 0
		for _, n := range each {
			used += min(n, limit)
		}
		k := c.curve(fmt.Sprintf("at most %d a person, %d in all", limit, used))
		for n := 5; n <= 80; n *= 2 {
			bits, cpu, err := lossOf(ctx, t, s, "GPVU-EP", collab.Options{Rank: 30, LogPsi: &psi, Jitter: 1, Cap: limit, Iterations: n})
			if err != nil {
				return nil, err
			}
			k.add(float64(n)*float64(used)/float64(s.Train.NumVotes()), bits)
			k.cpu = append(k.cpu, cpu)
		}
	}
	return []picture{c}, nil
}

func table4(ctx context.Context, t Task, s *Split) ([]picture, error) {
	const limit, iterations = 400, 40
	o := collab.Options{Jitter: 1, Cap: limit, Iterations: iterations}
	papers, err := collaborative().Papers()
	if err != nil {
		return nil, err
	}
	rank := &chart{name: "collab-table4-factors", title: "COLLAB table 4: MovieLens 100K, GPVU-EP, log ψ = 0", x: "factors D", y: lossLabel}
	length := &chart{name: "collab-table4-length", title: "COLLAB table 4: MovieLens 100K, GPVU-EP, D = 30", x: "log ψ", y: lossLabel}
	for _, c := range []*chart{rank, length} {
		ours, theirs := c.curve("ours"), c.curve("published")
		theirs.dashed = true
		values, table := []float64{5, 10, 20, 30, 50}, "4 left"
		if c == length {
			values, table = []float64{-2, -1, 0, 1, 2}, "4 right"
		}
		for _, x := range values {
			d, psi := int(x), 0.0
			setting := fmt.Sprintf("D = %d, log ψ = 0", d)
			if c == length {
				d, psi = 30, x
				setting = strings.ReplaceAll(fmt.Sprintf("D = 30, log ψ = %g", x), "-", "−")
			}
			o.Rank, o.LogPsi = d, &psi
			bits, cpu, err := lossOf(ctx, t, s, "GPVU-EP", o)
			if err != nil {
				return nil, err
			}
			ours.add(x, bits)
			ours.cpu = append(ours.cpu, cpu)
			for _, f := range printed(papers, "movielens-100k", "paper") {
				if f.Table == table && f.Setting == setting {
					theirs.add(x, *f.Bits)
				}
			}
		}
	}
	return []picture{rank, length}, nil
}

// figure3 shows μ and the five largest factors over the movies that are of one of five genres alone.
func figure3(ctx context.Context, t Task, _ *Split) ([]picture, error) {
	const shown = 5
	genres := []string{"Action", "Comedy", "Drama", "Thriller", "Horror"}
	f := t.Train.ItemFeatures()
	of, err := pure(f, genres)
	if err != nil {
		return nil, err
	}
	people, err := population.NewPeople(f.Rows, t.Train.Tallies(true))
	if err != nil {
		return nil, err
	}
	family, err := collab.Find("GPVU-EP")
	if err != nil {
		return nil, err
	}
	psi := 1.0
	fit, err := collab.Learn(ctx, family, people, mat.NewDense(f.Rows, f.Cols, f.Data),
		collab.Options{Rank: 30, LogPsi: &psi, Jitter: 1, Mean: true, Iterations: 40, Seed: t.Seed})
	if err != nil {
		return nil, err
	}
	columns := [][]float64{fit.T}
	for d := range fit.Rank {
		v := make([]float64, f.Rows)
		for i := range v {
			v[i] = fit.Factor[i*fit.Rank+d]
		}
		columns = append(columns, v)
	}
	slices.SortStableFunc(columns[1:], func(a, b []float64) int { return cmp.Compare(floats.Norm(b, 2), floats.Norm(a, 2)) })
	columns = columns[:min(len(columns), 1+shown)]
	h := &heat{name: "collab-figure3", title: "COLLAB figure 3: μ and the largest factors of MovieLens 100K", groups: genres}
	for k := range columns {
		h.rows = append(h.rows, fmt.Sprintf("factor %d", k))
	}
	h.rows[0] = "μ"
	h.cells = make([][]float64, len(columns))
	for _, items := range of {
		h.sizes = append(h.sizes, len(items))
		for _, i := range items {
			h.columns = append(h.columns, t.Train.ItemID(i))
			for r, c := range columns {
				h.cells[r] = append(h.cells[r], c[i])
			}
		}
	}
	return []picture{h}, nil
}

// figure4 makes up people who prefer every comedy, or every action movie, to anything of the two other genres, and
// shows what the model thinks of pairs they have not voted on after few and many votes. A movie of several of the
// three genres is left out.
func figure4(ctx context.Context, t Task, s *Split) ([]picture, error) {
	const test, repeats = 100, 10
	genres := []string{"Comedy", "Action", "Drama"}
	of, err := pure(s.Train.ItemFeatures(), genres)
	if err != nil {
		return nil, err
	}
	m, err := model.FitPopulation(ctx, t.Train, &model.PopulationOptions{Seed: t.Seed})
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(t.Seed, 4))
	pick := func(list []int) int { return list[rng.IntN(len(list))] }
	pair := func(winner, loser []int) palate.Vote {
		return palate.Vote{Left: pick(winner), Right: pick(loser), Weight: 1}
	}
	var charts []picture
	for liked := range 2 {
		other, drama := of[1-liked], of[2]
		rest := slices.Concat(other, drama)
		c := &chart{name: "collab-figure4-" + genres[liked], title: fmt.Sprintf("COLLAB figure 4: “I like %s”", genres[liked]), x: "votes of the new person", y: "probability of a test pair"}
		kinds := []struct {
			name          string
			winner, loser []int
		}{
			{genres[liked] + " > others", of[liked], rest},
			{genres[2] + " > " + genres[1-liked], drama, other},
		}
		for _, kind := range kinds {
			k := c.curve(kind.name)
			for _, votes := range []int{0, 1, 2, 5, 10, 20, 50} {
				var chance []float64
				for range repeats {
					var train []palate.Vote
					for range votes {
						train = append(train, pair(of[liked], rest))
					}
					p, err := m.FoldIn(train, nil)
					if err != nil {
						return nil, err
					}
					for range test {
						v := pair(kind.winner, kind.loser)
						chance = append(chance, p.Prefer(v.Left, v.Right))
					}
				}
				slices.Sort(chance)
				k.add(float64(votes), chance[len(chance)/2])
				k.lo = append(k.lo, chance[len(chance)/10])
				k.hi = append(k.hi, chance[len(chance)*9/10])
			}
		}
		charts = append(charts, c)
	}
	return charts, nil
}

// pure returns, for each genre, the items of it that are of none of the others.
func pure(f *palate.Features, genres []string) ([][]int, error) {
	of := make([][]int, len(genres))
	for i := range f.Rows {
		only, n := 0, 0
		for g, name := range genres {
			c := slices.Index(f.Names, name)
			if c >= 0 && f.At(i, c) == 1 {
				only = g
				n++
			}
		}
		if n == 1 {
			of[only] = append(of[only], i)
		}
	}
	for g, items := range of {
		if len(items) == 0 {
			return nil, fmt.Errorf("no movie is of genre %s alone", genres[g])
		}
	}
	return of, nil
}
