package paper

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/crowd"
	"palate/gp"
	"palate/internal/num"
	"palate/kernel"
	"palate/metric"
)

// convargFigures are the experiments that DRAFT lists, and figures 2 and 3 of CROWD, each on the first topic.
func convargFigures() []Figure {
	const set = "convarg/consensus"
	return []Figure{
		{Name: "convarg-inducing", About: "against the number of inducing points (DRAFT experiment 1, CROWD figure 3)", Set: set, draw: drawInducing},
		{Name: "convarg-update", About: "against the size of an update (DRAFT experiment 2)", Set: set, draw: drawUpdates},
		{Name: "convarg-choice", About: "ways to choose inducing points (DRAFT experiment 3)", Set: set, draw: drawChoices},
		{Name: "convarg-size", About: "against the number of votes, with and without SVI (CROWD figure 2a)", Set: set, draw: drawSizes},
		{Name: "convarg-factors", About: "how much of the variance each factor has (CROWD figure 4)", Set: set, draw: factorVariances("convarg-factors", "UKPConvArgCrowdSample", variant{noVoters: true})},
		{Name: "convarg-features", About: "against the number of features, sparse and dense (CROWD figure 2b)", Set: set, draw: drawColumns},
	}
}

// trial is a crowd on a kernel over features, to be fitted and measured.
type trial struct {
	split   *Split
	x       kernel.Points
	z       *kernel.Points // inducing points; nil: each item has a weight of its own
	tallies []palate.Tally
	options crowd.Options
}

// points returns the features of all items.
func (s *Split) points() kernel.Points {
	f := s.Train.ItemFeatures()
	return kernel.Dense(mat.NewDense(f.Rows, f.Cols, slices.Clone(f.Data)))
}

// outcome is what a trial comes to.
type outcome struct{ acc, cpu, peak float64 }

// run fits and predicts. The length-scale is 1.5 times the median distance of items.
func (t *trial) run(ctx context.Context) (outcome, error) {
	meter := startMeter()
	v, err := crowd.NewVotes(t.x.Len(), t.tallies)
	if err != nil {
		return outcome{}, err
	}
	k := kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{1.5 * medianDistance(t.x)})
	var prior *gp.Prior
	if t.z == nil {
		prior, err = gp.Dense(kernel.Sum(k, kernel.Scale(1e-6, kernel.Identity{})), t.x)
	} else {
		prior, err = gp.Inducing(k, t.x, *t.z)
	}
	if err != nil {
		return outcome{}, err
	}
	l, err := crowd.Fit(ctx, v, prior, &t.options)
	if err != nil {
		return outcome{}, err
	}
	if ctx.Err() != nil {
		return outcome{}, ctx.Err()
	}
	chance, won := make([]float64, len(t.split.Test)), make([]float64, len(t.split.Test))
	for k, v := range t.split.Test {
		var rows gp.Rows
		rows.AppendPair(v.Left, v.Right)
		mean, variance := l.Consensus(&rows)
		chance[k] = 0.5 * math.Erfc(-mean/math.Sqrt(2*(1+variance)))
		if v.Outcome == palate.Left {
			won[k] = 1
		}
	}
	var f Figures
	meter.stop(&f)
	return outcome{metric.Accuracy(chance, won, nil), f[CPU], f[Peak]}, nil
}

// medianDistance is that of pairs of points, of some hundred.
func medianDistance(x kernel.Points) float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	some := rng.Perm(x.Len())[:min(x.Len(), 150)]
	// A linear kernel has the inner products.
	g := kernel.Gram(kernel.NewLinear([]float64{1}), x.Subset(some))
	var d []float64
	for i := range some {
		for j := range i {
			d = append(d, math.Sqrt(max(0, g.At(i, i)+g.At(j, j)-2*g.At(i, j))))
		}
	}
	slices.Sort(d)
	if len(d) == 0 || d[len(d)/2] == 0 {
		return 1
	}
	return d[len(d)/2]
}

// own gives inducing points identities that no item has.
func own(z kernel.Points) *kernel.Points {
	ids := make([]int, z.Len())
	for i := range ids {
		ids[i] = -1 - i
	}
	z = z.WithIDs(ids)
	return &z
}

// contender is a model of the paper's figures.
type contender struct {
	name    string
	options crowd.Options
}

// both are the two of the paper: pooled has neither factors nor voters' own tastes.
func both() []contender {
	return []contender{{"pooled", pooled()}, {"crowd", crowd.Options{Factors: 3, NoOwn: true, MaxSweeps: 30, ConsensusScale: authorsConsensus()}}}
}

func pooled() crowd.Options { return crowd.Options{Factors: -1, NoOwn: true} }

// stochastic lets a model take batches of voters.
func stochastic(o crowd.Options, batch int, seed uint64) crowd.Options {
	o.Stochastic = &crowd.Stochastic{Batch: batch, Passes: usualPasses, Seed: seed}
	return o
}

// usualBatch and usualPoints are the update size and number of inducing points where they do not vary, and usualPasses
// how often all voters are seen.
const (
	usualPasses = 3
	usualBatch  = 200
	usualPoints = 200
)

// triple is accuracy, time and memory against the same thing.
type triple [3]*chart

func newTriple(name, title, x string) triple {
	var t triple
	for k, y := range []string{"accuracy", "processor seconds", "peak memory, MB"} {
		t[k] = &chart{name: name + "-" + []string{"accuracy", "time", "memory"}[k], title: title, x: x, y: y, logX: true}
	}
	t[0].height = 0.1
	return t
}

// follow measures a curve: a trial for every x.
func (t triple) follow(ctx context.Context, name string, xs []int, at func(x int) (*trial, error)) error {
	var curves [3]*curve
	for k, c := range t {
		curves[k] = c.curve(name)
	}
	for _, x := range xs {
		tr, err := at(x)
		if err != nil {
			return err
		}
		o, err := tr.run(ctx)
		if err != nil {
			return fmt.Errorf("%s at %d: %w", name, x, err)
		}
		for k, y := range []float64{o.acc, o.cpu, o.peak} {
			if !math.IsNaN(y) {
				curves[k].add(float64(x), y)
			}
		}
	}
	return nil
}

func (t triple) pictures() (p []picture) {
	for _, c := range t {
		if len(c.curves[0].points) > 0 { // memory is known on Linux only
			p = append(p, c)
		}
	}
	return p
}

// upTo leaves out what is more than there are.
func upTo(n int, xs ...int) []int {
	return slices.DeleteFunc(xs, func(x int) bool { return x > n })
}

func drawInducing(ctx context.Context, t Task, s *Split) ([]picture, error) {
	out := newTriple("convarg-inducing", "inducing points, update size 200", "inducing points")
	x, tallies := s.points(), s.Train.Tallies(true)
	for _, m := range both() {
		err := out.follow(ctx, m.name, upTo(x.Len(), 10, 25, 50, 100, 200, 400), func(points int) (*trial, error) {
			z := kernel.KMeans(x, points, kernel.KMeansOptions{}, rand.New(rand.NewPCG(t.Seed, 1)))
			return &trial{s, x, own(kernel.Dense(z)), tallies, stochastic(m.options, usualBatch, t.Seed)}, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out.pictures(), nil
}

func drawUpdates(ctx context.Context, t Task, s *Split) ([]picture, error) {
	out := newTriple("convarg-update", "update size, 200 inducing points", "voters in an update")
	x, tallies := s.points(), s.Train.Tallies(true)
	z := own(kernel.Dense(kernel.KMeans(x, min(usualPoints, x.Len()), kernel.KMeansOptions{}, rand.New(rand.NewPCG(t.Seed, 1)))))
	for _, m := range both() {
		err := out.follow(ctx, m.name, upTo(s.Train.NumUsers(), 25, 50, 100, 200, 400, 800), func(batch int) (*trial, error) {
			return &trial{s, x, z, tallies, stochastic(m.options, batch, t.Seed)}, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out.pictures(), nil
}

// choices are ways to choose m inducing points.
func choices() []struct {
	name string
	of   func(x kernel.Points, m int, rng *rand.Rand) kernel.Points
} {
	kmeans := func(rounds int) func(kernel.Points, int, *rand.Rand) kernel.Points {
		return func(x kernel.Points, m int, rng *rand.Rand) kernel.Points {
			return kernel.Dense(kernel.KMeans(x, m, kernel.KMeansOptions{Iterations: rounds}, rng))
		}
	}
	return []struct {
		name string
		of   func(x kernel.Points, m int, rng *rand.Rand) kernel.Points
	}{
		{"k-means++", kmeans(0)},
		{"k-means++, one round", kmeans(1)},
		{"items at random", func(x kernel.Points, m int, rng *rand.Rand) kernel.Points { return x.Subset(rng.Perm(x.Len())[:m]) }},
		{"first items", func(x kernel.Points, m int, _ *rand.Rand) kernel.Points {
			first := num.Indices(m)
			return x.Subset(first)
		}},
	}
}

func drawChoices(ctx context.Context, t Task, s *Split) ([]picture, error) {
	out := newTriple("convarg-choice", "ways to choose inducing points, pooled model", "inducing points")
	x, tallies := s.points(), s.Train.Tallies(true)
	for _, c := range choices() {
		err := out.follow(ctx, c.name, upTo(x.Len(), 10, 25, 50, 100, 200), func(m int) (*trial, error) {
			z := c.of(x, m, rand.New(rand.NewPCG(t.Seed, 1)))
			return &trial{s, x, own(z), tallies, stochastic(pooled(), usualBatch, t.Seed)}, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out.pictures(), nil
}

func drawSizes(ctx context.Context, t Task, s *Split) ([]picture, error) {
	out := newTriple("convarg-size", "votes, 200 inducing points; no SVI: none, whole sweeps", "votes to learn from")
	x, tallies := s.points(), s.Train.Tallies(true)
	perm := rand.New(rand.NewPCG(t.Seed, 2)).Perm(len(tallies))
	z := own(kernel.Dense(kernel.KMeans(x, min(usualPoints, x.Len()), kernel.KMeansOptions{}, rand.New(rand.NewPCG(t.Seed, 1)))))
	for _, m := range both() {
		for _, svi := range []bool{true, false} {
			name, most := m.name, len(tallies)
			if !svi {
				name += ", no SVI"
				if m.options.Factors > 0 { // minutes beyond
					most = min(most, 4000)
				}
			}
			err := out.follow(ctx, name, upTo(most, 125, 250, 500, 1000, 2000, 4000, 8000, 16000), func(n int) (*trial, error) {
				var some []palate.Tally
				for _, k := range perm[:n] {
					some = append(some, tallies[k])
				}
				if svi {
					return &trial{s, x, z, some, stochastic(m.options, usualBatch, t.Seed)}, nil
				}
				return &trial{s, x, nil, some, m.options}, nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return out.pictures(), nil
}

func drawColumns(ctx context.Context, t Task, s *Split) ([]picture, error) {
	out := newTriple("convarg-features", "columns of words and runs of characters, 200 inducing points, pooled model", "features")
	tallies := s.Train.Tallies(true)
	for _, c := range []struct {
		name   string
		sparse bool
		most   int
	}{{"sparse", true, 100000}, {"dense", false, 3000}} { // dense, 30,000 take minutes
		err := out.follow(ctx, c.name, upTo(c.most, 30, 300, 3000, 30000, 100000), func(columns int) (*trial, error) {
			csr, err := hashed(s.texts, columns)
			if err != nil {
				return nil, err
			}
			x := kernel.Sparse(csr)
			if !c.sparse {
				x = kernel.Dense(csr.Dense())
			}
			z := x.Subset(rand.New(rand.NewPCG(t.Seed, 1)).Perm(x.Len())[:min(usualPoints, x.Len())])
			return &trial{s, x, own(z), tallies, stochastic(pooled(), usualBatch, t.Seed)}, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out.pictures(), nil
}

// hashed counts words and runs of three and four characters of texts, spread over columns by a hash of each; a text
// has length 1.
func hashed(texts []string, columns int) (*kernel.CSR, error) {
	ptr, index, data := []int{0}, []int(nil), []float64(nil)
	for _, text := range texts {
		count := map[int]float64{}
		add := func(s string) {
			h := fnv.New64a()
			h.Write([]byte(s))
			count[int(h.Sum64()%uint64(columns))]++
		}
		text = strings.ToLower(text)
		for _, w := range strings.Fields(text) {
			add(w)
		}
		r := []rune(text)
		for n := 3; n <= 4; n++ {
			for i := 0; i+n <= len(r); i++ {
				add(string(r[i : i+n]))
			}
		}
		var row []int
		var norm float64
		for c, x := range count {
			row = append(row, c)
			norm += (1 + math.Log(x)) * (1 + math.Log(x))
		}
		slices.Sort(row)
		for _, c := range row {
			index, data = append(index, c), append(data, (1+math.Log(count[c]))/math.Sqrt(norm))
		}
		ptr = append(ptr, len(index))
	}
	return kernel.MakeCSR(len(texts), columns, ptr, index, data)
}
