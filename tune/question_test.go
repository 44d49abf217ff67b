package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate"
)

// twoHills is a utility with a broad hill in one corner of a box and a narrow one, a little
// higher, in the opposite one.
func twoHills(x Point) float64 {
	var low, high float64
	for _, v := range x {
		low += (v - 0.2) * (v - 0.2)
		high += (v - 0.8) * (v - 0.8)
	}
	return 4*math.Exp(-3*low) + 5*math.Exp(-12*high)
}

// TestQuestionPromises: the pair that is asked promises nearly as much over the best point so
// far as the best of many more climbs from anywhere, also when most answers are of one place.
func TestQuestionPromises(t *testing.T) {
	if testing.Short() {
		t.Skip("many climbs")
	}
	const many = 16
	for _, d := range []int{2, 3, 6} {
		var asked, most float64
		for seed := range uint64(3) {
			s := box(t, d)
			rng := rand.New(rand.NewPCG(seed, 1))
			search := NewSearch(s, &Log{Seed: seed})
			for k := range 20 {
				q := Question{s.Sample(rng), s.Sample(rng)}
				if k > 6 { // all about the lower hill
					for j := range d {
						q.Left[j], q.Right[j] = 0.2+0.2*(q.Left[j]-0.5), 0.2+0.2*(q.Right[j]-0.5)
					}
				}
				a := Duel{Left: q.Left, Right: q.Right}
				if twoHills(q.Left)+rng.NormFloat64() < twoHills(q.Right) {
					a.Answer = palate.Right
				}
				search.Tell(a)
			}
			list, err := search.Next(t.Context(), EUBO, 1)
			if err != nil {
				t.Fatal(err)
			}
			b, err := search.Belief(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			top, err := search.Best(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			base := b.mean([][]float64{s.Features(top)}, nil)
			asked += b.better([][]float64{s.Features(list[0].Left), s.Features(list[0].Right)}, nil) - base
			best := 0.0
			c := climber{s, b.better, climbSteps}
			for k := range many {
				from := []Point{top, s.Sample(rng)}
				if k%2 == 0 {
					from[0] = s.Sample(rng)
				}
				best = max(best, c.climb(from).value-base)
			}
			most += best
		}
		if asked < 0.9*most {
			t.Errorf("%d parameters: questions promise %.3f, and %.3f was to be had", d, asked, most)
		}
	}
}

// TestStartsDiffer: the points that fill the space are no nearer between seeds that follow
// each other than between points drawn at random.
func TestStartsDiffer(t *testing.T) {
	s := box(t, 2)
	var shown []Point
	for seed := range uint64(100) {
		list, err := NewSearch(s, &Log{Seed: seed + 1}).Next(t.Context(), EUBO, 1)
		if err != nil {
			t.Fatal(err)
		}
		shown = append(shown, list[0].Left)
	}
	var next, any float64
	rng := rand.New(rand.NewPCG(1, 2))
	for k, x := range shown[1:] {
		next += math.Sqrt(distance(x, shown[k])) / 99
	}
	const pairs = 10_000
	for range pairs {
		any += math.Sqrt(distance(s.Sample(rng), s.Sample(rng))) / pairs
	}
	if math.Abs(next-any) > 0.1 {
		t.Errorf("starts of seeds that follow each other are %.3f apart, random points %.3f", next, any)
	}
	for cell := range 4 { // every quarter of the square has its share
		n := 0
		for _, x := range shown {
			if (x[0] > 0.5) == (cell&1 == 1) && (x[1] > 0.5) == (cell&2 == 2) {
				n++
			}
		}
		if n < 12 || n > 38 { // 25 with a deviation of 4.3
			t.Errorf("%d of 100 starts are in a quarter of the space", n)
		}
	}
}
