package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate"
)

// The log evidence of EP, amended, is nearer by half to that by quadrature than as it is: of votes that
// imply one another, of repeated and contradictory ones, and of ties.
func TestAmendedEvidence(t *testing.T) {
	vote := func(a, b int, weight float64) palate.Tally { return palate.Tally{A: a, B: b, Weight: weight} }
	for name, tallies := range map[string][]palate.Tally{
		"implied":   {vote(0, 1, 1), vote(1, 2, 1), vote(0, 2, 1)},
		"repeated":  {vote(0, 1, 4), vote(1, 2, 2), vote(0, 2, 3)},
		"contrary":  {vote(0, 1, 3), vote(1, 0, 1), vote(0, 2, 2)},
		"with ties": {vote(0, 1, 1), {A: 1, B: 2, Weight: 1, Tie: true}, vote(0, 2, 2)},
	} {
		for _, own := range []float64{1, 12, 100} {
			people := mustPeople(t, 3, tallies)
			f, err := newRun(people, blank(3), 1, &Options{}).newTastes(own)
			if err != nil {
				t.Fatal(err)
			}
			tight(f.engine)
			f.set(f.point)
			was, _, err := f.engine.Evaluate(t.Context(), f.prior)
			if err != nil {
				t.Fatal(err)
			}
			more, err := f.engine.amendments(t.Context(), f.prior)
			if err != nil {
				t.Fatal(err)
			}
			want := byQuadrature(f.engine, own)
			if before, after := math.Abs(was-want), math.Abs(was+more[0]-want); after > 0.5*before+1e-4 {
				t.Errorf("%s, own tastes of variance %g: log evidence %.4f, by EP %.4f, amended %.4f", name, own, want, was, was+more[0])
			}
		}
	}
}

// byQuadrature is the log evidence of one person who votes on three items, of independent utilities of
// a variance.
func byQuadrature(e *Engine, own float64) float64 {
	const half = 120
	step := 7 * math.Sqrt(2*own) / half
	var sum float64
	for i := -half; i <= half; i++ {
		for j := -half; j <= half; j++ {
			x, y := step*float64(i), step*float64(j) // of the first over the second, and of that over the third
			lp := -(x*x + x*y + y*y) / (3 * own)
			utility := []float64{x + y, y, 0}
			for _, pair := range e.People.Pairs(0) {
				l, _, _ := e.method.likelihood[pair.Kind].LogProb(utility[pair.Win] - utility[pair.Lose])
				lp += pair.Count * l
			}
			sum += math.Exp(lp)
		}
	}
	return math.Log(sum * step * step / (2 * math.Pi * math.Sqrt(3) * own))
}

// People who rank without noise, and differ in many ways, are told as well by a family as by the one form
// that has no noise to find.
func TestWithoutNoise(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const persons, items, votes = 80, 8, 14
	var was, is float64
	for seed := range uint64(2) {
		rng := rand.New(rand.NewPCG(seed, 12))
		mix := make([]float64, items*items)
		for i := range mix {
			mix[i] = rng.NormFloat64()
		}
		var told, asked []palate.Tally
		for u := range persons {
			f := make([]float64, items)
			for j := range f {
				z := rng.NormFloat64()
				for i := range f {
					f[i] += mix[i*items+j] * z
				}
			}
			var pairs []palate.Tally
			for i := range f {
				f[i] += float64(i) / 2
				for j := range i {
					a, b := i, j
					if f[a] < f[b] {
						a, b = b, a
					}
					pairs = append(pairs, palate.Tally{User: u, A: a, B: b, Weight: 1})
				}
			}
			rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
			told, asked = append(told, pairs[:votes]...), append(asked, pairs[votes:]...)
		}
		people := mustPeople(t, items, told)
		family, err := LearnFamily(t.Context(), people, nil, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		one, engine, err := Learn(t.Context(), people, blank(items), nil, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for sum, f := range map[*float64]*Family{&is: family, &was: Alone(one.LowRank, engine, one.Scale*one.Spread, 0)} {
			loss, err := f.Loss(t.Context(), asked)
			if err != nil {
				t.Fatal(err)
			}
			*sum += loss / 2
		}
	}
	t.Logf("%.4f nats, by one form %.4f", is, was)
	if is > was+0.001 {
		t.Errorf("%.4f nats, by one form %.4f", is, was)
	}
}
