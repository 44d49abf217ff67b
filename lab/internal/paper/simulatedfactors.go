package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"palate"
	"palate/internal/num"
	"palate/kernel"
	"palate/model"
)

// runFactors asks how far the weights of voters are found again: by the axes of the model; by as many random directions
// in the space that they span, and in that of the true weights, which nobody can know better; by draws from the prior of
// the weights, and by noise, neither of which knows a vote.
func runFactors(ctx context.Context, t *trialWorld) ([]simResult, error) {
	const voters, learnt = 25, 25
	w, err := drawWorld(worldOptions{100, voters, int(t.line), 1, 0.2}, t.rng)
	if err != nil {
		return nil, err
	}
	var votes []palate.Vote
	all := t.rng.Perm(100)
	for range int(t.value) {
		votes = append(votes, w.vote(t.rng.IntN(voters), all, t.rng))
	}
	d, err := w.dataset(votes)
	if err != nil {
		return nil, err
	}
	m, err := model.FitCrowd(ctx, d, &model.CrowdOptions{Seed: t.rng.Uint64(), Tastes: model.FactorTastes, Smoothness: model.Smooth, Factors: learnt, KeepFactors: true, ConsensusScale: authorsConsensus()})
	if err != nil {
		return nil, err
	}
	overVoters, err := num.NewCholesky(kernel.Gram(worldKernel(), kernel.Dense(w.voters)))
	if err != nil {
		return nil, err
	}
	var weights, sized, prior, noise [][]float64
	inUse := 0.0
	for _, f := range m.Factors() {
		weights, sized = append(weights, f.Weights), append(sized, scaled(stat.StdDev(f.Items, nil), f.Weights))
		if f.InUse() {
			inUse++
		}
	}
	for range learnt {
		prior, noise = append(prior, drawProcess(overVoters, 1, t.rng)), append(noise, normals(voters, t.rng))
	}
	var out []simResult
	for _, found := range [][][]float64{weights, turned(sized, learnt, t.rng), turned(w.weights, learnt, t.rng), prior, noise} {
		r := nothing()
		r.recovery = matched(w.weights, found)
		out = append(out, r)
	}
	out[0].inUse = inUse
	return out, nil
}

// turned returns so many random directions in the space of some weights. Votes see weights and factors only in their
// product, and with equal scales both priors are the same for any rotation: no votes tell the true axes from others.
func turned(weights [][]float64, n int, rng *rand.Rand) [][]float64 {
	out := make([][]float64, n)
	for k := range out {
		out[k] = make([]float64, len(weights[0]))
		for c, x := range normals(len(weights), rng) {
			for u, w := range weights[c] {
				out[k][u] += x * w
			}
		}
	}
	return out
}

func scaled(x float64, v []float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = x * v[i]
	}
	return out
}

func normals(n int, rng *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// matched is the mean correlation, in size, of the true factors with those found, matched greedily: the pair that goes
// together best first. A factor's sign is arbitrary. One without a match counts as nothing.
func matched(truth, found [][]float64) (mean float64) {
	type pair struct {
		i, j int
		r    float64
	}
	var pairs []pair
	for i, x := range truth {
		for j, y := range found {
			if r := math.Abs(stat.Correlation(x, y, nil)); r > 0 && r <= 1+1e-9 { // a factor of no size has none
				pairs = append(pairs, pair{i, j, r})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		switch {
		case a.r > b.r:
			return -1
		case a.r < b.r:
			return 1
		}
		return 0
	})
	left, right := make([]bool, len(truth)), make([]bool, len(found))
	for _, p := range pairs {
		if !left[p.i] && !right[p.j] {
			left[p.i], right[p.j] = true, true
			mean += p.r / float64(len(truth))
		}
	}
	return mean
}
