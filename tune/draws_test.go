package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestChoiceEvidence: the chance that expectation propagation gives a choice, and what it learns
// from it, are those of utilities drawn from the prior with noise on each point.
func TestChoiceEvidence(t *testing.T) {
	s := box(t, 1)
	points := []Point{{0.1}, {0.3}, {0.5}, {0.9}}
	log := &Log{}
	log.Choose(points, 2, "")
	d := s.newData(nil, log.Duels)
	h := make(hyper, lengthsAt+1)
	h[amplitudeAt] = -1
	value, _, err := s.evidence(t.Context(), d, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.posterior(t.Context(), d, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	prior, err := s.posterior(t.Context(), s.newData(nil, nil), h, nil)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(len(points), 1, []float64{0.1, 0.3, 0.5, 0.9})
	mean, cov := prior.of("").joint(x)
	rng := rand.New(rand.NewPCG(1, 2))
	const draws = 100_000
	var came float64
	given := make([]float64, len(points))
	for _, u := range drawJoint(mean, cov, draws, rng) {
		noisy := make([]float64, len(u))
		for i, v := range u {
			noisy[i] = v + math.Sqrt(0.5)*rng.NormFloat64()
		}
		if highest(noisy) == 2 {
			came++
			for i, v := range u {
				given[i] += v
			}
		}
	}
	if got := math.Exp(value); math.Abs(got-came/draws) > 0.01 {
		t.Errorf("a choice of four has the chance %.4f, of draws %.4f", got, came/draws)
	}
	for i, m := range g.of("").means(x) {
		if math.Abs(m-given[i]/came) > 0.03 {
			t.Errorf("point %d is worth %.4f after the choice, by draws %.4f", i, m, given[i]/came)
		}
	}
}

// TestChoices: choices among several points are of the space, all different, and find the top in
// fewer answers than duels need; a space of two points has no choice of three.
func TestChoices(t *testing.T) {
	s := box(t, 3)
	search := NewSearch(s, &Log{Seed: 1})
	for n := range 14 {
		points, err := search.Choice(t.Context(), 4)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(6, uint64(n)))
		worth := make([]float64, len(points))
		for i, x := range points {
			inside(t, "box", s, x)
			worth[i] = liking(s, x) + 0.2*rng.NormFloat64()
			for _, y := range points[:i] {
				if apart(x, y) < 1e-6 {
					t.Errorf("%v is there twice", x)
				}
			}
		}
		search.TellChoice(points, highest(worth), "")
	}
	best, err := search.Best(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if lack := -liking(s, best); lack > 0.2 {
		t.Errorf("%s lacks %.3f of the top after 14 choices", s.Describe(best), lack)
	}
	if n := search.Log.Answers(); n != 14 {
		t.Errorf("%d answers", n)
	}
	search.Undo()
	if n := search.Log.Answers(); n != 13 || len(search.Log.Duels) != 39 {
		t.Errorf("%d answers and %d duels after one was taken back", n, len(search.Log.Duels))
	}
	two := NewSearch(space(t, `{"parameters": [{"name": "milk", "choices": ["oat", "cow"]}]}`), &Log{})
	if _, err := two.Choice(t.Context(), 3); err == nil || !strings.Contains(err.Error(), "3 points that differ were not found") {
		t.Errorf("a choice of three among two: %v", err)
	}
}

// TestBestOf: points that are added one after the other are nearly as good as the best choice
// of as many.
func TestBestOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, k = 12, 4
	f := &field{points: make([]Point, n)}
	for i := range f.points {
		f.points[i] = Point{float64(i)}
	}
	draws := make([][]float64, 200)
	for d := range draws {
		common := rng.NormFloat64()
		for i := range n {
			draws[d] = append(draws[d], 0.1*float64(i)+common*float64(i%3)+rng.NormFloat64())
		}
	}
	worth := func(list []int) (sum float64) {
		for _, u := range draws {
			best := math.Inf(-1)
			for _, i := range list {
				best = max(best, u[i])
			}
			sum += best / float64(len(draws))
		}
		return sum
	}
	var best []int
	var all func(list []int, from, size int)
	all = func(list []int, from, size int) {
		if len(list) == size {
			if best == nil || worth(list) > worth(best) {
				best = slices.Clone(list)
			}
			return
		}
		for i := from; i < n; i++ {
			all(append(list, i), i+1, size)
		}
	}
	all(nil, 0, 2)
	pair := best
	all(nil, 0, k)
	most := worth(best)
	found, err := f.bestOf(t.Context(), draws, pair, k)
	if err != nil || worth(found) < 0.98*most {
		t.Errorf("%v is worth %.3f, and %.3f was to be had, %v", found, worth(found), most, err)
	}
}

// TestTelling: a duel between the two points that may be best tells about the best one, and one
// with a third that is no better for sure tells nothing, however unsure its worth.
func TestTelling(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	f := &field{points: make([]Point, 4)}
	draws := make([][]float64, 400)
	for d := range draws {
		draws[d] = []float64{rng.NormFloat64(), -20 + 5*rng.NormFloat64(), 0.2 + rng.NormFloat64(), -3}
	}
	if i, j, ok := f.telling(draws); !ok || min(i, j) != 0 || max(i, j) != 2 {
		t.Errorf("points %d and %d are asked about, %v", i, j, ok)
	}
	for d := range draws {
		draws[d] = []float64{1, 0, 0, 0}
	}
	if _, _, ok := f.telling(draws); ok {
		t.Error("a duel tells about what is certain")
	}
}

// TestValues: numbers of the past teach as duels do, whatever their units, and the same
// number everywhere says nothing.
func TestValues(t *testing.T) {
	s := box(t, 2)
	after := func(scale, shift float64) (*Search, Comparison) {
		search := NewSearch(s, &Log{Seed: 1})
		rng := rand.New(rand.NewPCG(1, 2))
		for range 25 {
			x := s.Sample(rng)
			search.TellValue(Value{Point: x, Value: shift + scale*(liking(s, x)+0.1*rng.NormFloat64())})
		}
		c, err := search.Compare(t.Context(), Point{0.3, 0.35}, Point{0.9, 0.1})
		if err != nil {
			t.Fatal(err)
		}
		return search, c
	}
	search, c := after(1, 0)
	if c.Better < 0.95 {
		t.Errorf("the top is better than a corner: %+v", c)
	}
	best, err := search.Best(t.Context())
	if err != nil || -liking(s, best) > 0.15 {
		t.Errorf("%v lacks %.3f of the top, %v", best, -liking(s, best), err)
	}
	if _, same := after(2.54, 32); math.Abs(same.Gain.Mean-c.Gain.Mean) > 1e-6*math.Abs(c.Gain.Mean) {
		t.Errorf("in other units %+v, in these %+v", same, c)
	}
	if flat, _ := after(0, 5); s.newData(flat.Log.Values, nil).len() != 0 {
		t.Error("the same number everywhere says something")
	}
}

// TestLogOfAll: a log with duels, choices, numbers and voters is written as it is read, and what
// is taken up from it goes on as what was not interrupted.
func TestLogOfAll(t *testing.T) {
	s := space(t, cup)
	rng := rand.New(rand.NewPCG(1, 2))
	some := func() []Point { return []Point{s.Sample(rng), s.Sample(rng), s.Sample(rng)} }
	search := NewSearch(s, &Log{Seed: 5})
	search.TellValue(Value{Point: s.Sample(rng), Value: 7.25, Voter: "ann"})
	search.TellChoice(some(), 1, "ann")
	search.TellChoice(some(), 2, "bo \"b\"")
	search.Tell(judge(s, Question{s.Sample(rng), s.Sample(rng)}, rng))
	search.TellChoice(some(), -1, "")
	search.TellChoice(some()[:2], 1, "ann")
	if _, err := search.Next(t.Context(), EUBO, 1); err != nil {
		t.Fatal(err)
	}
	search.TellValue(Value{Point: s.Sample(rng), Value: -3})
	search.TellChoice(some(), 0, "ann")
	text := written(t, search)
	log, err := s.ReadLog("log", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	again := NewSearch(s, log)
	if got := written(t, again); got != text {
		t.Errorf("written\n%s\nread\n%s", text, got)
	}
	if log.Answers() != 6 || len(log.Duels) != 10 || len(log.Voters()) != 2 {
		t.Errorf("%d answers, %d duels, voters %q", log.Answers(), len(log.Duels), log.Voters())
	}
	for _, voter := range []string{"", "ann"} {
		search.Voter, again.Voter = voter, voter
		a, err1 := search.Choice(t.Context(), 3)
		b, err2 := again.Choice(t.Context(), 3)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for i := range a {
			if s.Describe(a[i]) != s.Describe(b[i]) {
				t.Errorf("%q: asked %v, taken up %v", voter, a, b)
			}
		}
	}
}
