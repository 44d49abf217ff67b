package population

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"palate"
	"palate/likelihood"
)

// Votes may have as many weights as there are votes, each a real number; a person
// in the fit and the same one folded in weigh them alike.
func TestAnyWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const items = 12
	tallies := draw(rng, 60, items, 40, true)
	if len(tallies) < 600 {
		t.Fatalf("only %d votes", len(tallies))
	}
	for k := range tallies {
		tallies[k].Weight = math.Exp(rng.NormFloat64() - 1)
	}
	people := mustPeople(t, items, tallies)
	for u := range people.Len() {
		v := people.votes(u)
		var got, want float64
		for p, c := range v.count {
			got += c * people.kinds[v.kind[p]].Power
		}
		for _, x := range tallies {
			if x.User == people.Owner(u) {
				want += x.Weight
			}
		}
		if math.Abs(got-want) > 1e-12*want {
			t.Errorf("person %d: votes weigh %v, want %v", u, got, want)
		}
	}
	l, engine, err := Learn(context.Background(), people, NewItems(items, nil, nil, rng), nil, 0, &Options{Rank: 2})
	if err != nil {
		t.Fatal(err)
	}
	for u := range 3 {
		inside, err := engine.Posterior(l, u)
		if err != nil {
			t.Fatal(err)
		}
		var own []palate.Tally
		for _, x := range tallies {
			if x.User == people.Owner(u) {
				own = append(own, x)
			}
		}
		folded, err := FoldIn(l, own, nil, Settings{Likelihood: Voting(l.Threshold), Tolerance: final})
		if err != nil {
			t.Fatal(err)
		}
		for i := range items - 1 {
			m, v := inside.Difference(i, i+1)
			fm, fv := folded.Difference(i, i+1)
			if math.Abs(m-fm) > 1e-3*math.Sqrt(v) || math.Abs(v-fv) > 1e-3*v {
				t.Errorf("person %d, items %d and %d: N(%v, %v) in the fit, N(%v, %v) folded in", u, i, i+1, m, v, fm, fv)
			}
		}
	}
}

// A vote that weighs less than one says what the likelihood to that power says; one
// that weighs more says something between the whole numbers of votes around it.
func TestWeightIsPower(t *testing.T) {
	prior := &LowRank{Items: NewItems(2, nil, nil, nil), Scale: 1, A: []float64{}, T: make([]float64, 2)}
	infer := func(w float64) (mean, variance float64) {
		q, err := FoldIn(prior, []palate.Tally{{A: 0, B: 1, Weight: w}}, nil, Settings{Tolerance: 1e-9})
		if err != nil {
			t.Fatal(err)
		}
		return q.Difference(0, 1)
	}
	for _, w := range []float64{1e-4, 0.01, 0.07, 0.2, 0.3, 0.7, 1} {
		m, v := infer(w)
		var sum, mean, square float64 // the difference is N(0, 2) beforehand
		for z := -15.0; z < 15; z += 0.001 {
			lp, _, _ := likelihood.Probit{}.LogProb(z)
			p := math.Exp(w*lp - z*z/4)
			sum, mean, square = sum+p, mean+p*z, square+p*z*z
		}
		mean /= sum
		square = square/sum - mean*mean
		if math.Abs(m-mean) > 0.01*math.Sqrt(square) || math.Abs(v-square) > 0.01*square {
			t.Errorf("weight %v: N(%v, %v), want N(%v, %v)", w, m, v, mean, square)
		}
	}
	for _, w := range []float64{1.5, 2.7, 6.3} {
		m, v := infer(w)
		lessMean, moreVar := infer(math.Floor(w))
		moreMean, lessVar := infer(math.Ceil(w))
		if !(lessMean < m && m < moreMean && lessVar < v && v < moreVar) {
			t.Errorf("weight %v: N(%v, %v) is not between those of whole weights", w, m, v)
		}
	}
}
