package paper

import (
	"math"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/kernel"
)

// crowdWorld is a crowd drawn from the whole model of CROWD (7): a consensus t ~ N(0, K/σ), factors v_c ~ N(0, K/s) over
// the items, and weights w_c ~ N(0, K_w) over the voters.
type crowdWorld struct {
	items, voters *mat.Dense // features, a row each
	consensus     []float64
	factors       [][]float64 // by factor and item
	weights       [][]float64 // by factor and voter
}

// worldOptions are the sizes and inverse scales of a world.
type worldOptions struct {
	items, voters, factors int
	sigma, s               float64 // of consensus and factors
}

// side is that of the grid on which items and voters lie, and worldLength the length-scale of both kernels, which CROWD
// does not give: half of the side.
const (
	side        = 10
	worldLength = side / 2
)

func worldKernel() kernel.Kernel {
	return kernel.NewStationary(kernel.Matern32, kernel.SoftAnd, []float64{worldLength, worldLength})
}

// drawWorld draws a world whose items are points of the grid, all different, and whose voters are any points.
func drawWorld(o worldOptions, rng *rand.Rand) (*crowdWorld, error) {
	w := &crowdWorld{items: mat.NewDense(o.items, 2, nil), voters: mat.NewDense(o.voters, 2, nil)}
	for i, k := range rng.Perm(side * side)[:o.items] {
		w.items.SetRow(i, []float64{float64(k / side), float64(k % side)})
	}
	for u := range o.voters {
		w.voters.SetRow(u, []float64{float64(rng.IntN(side)), float64(rng.IntN(side))})
	}
	overItems, err := num.NewCholesky(kernel.Gram(worldKernel(), kernel.Dense(w.items)))
	if err != nil {
		return nil, err
	}
	overVoters, err := num.NewCholesky(kernel.Gram(worldKernel(), kernel.Dense(w.voters)))
	if err != nil {
		return nil, err
	}
	w.consensus = drawProcess(overItems, o.sigma, rng)
	for range o.factors {
		w.factors = append(w.factors, drawProcess(overItems, o.s, rng))
		w.weights = append(w.weights, drawProcess(overVoters, 1, rng))
	}
	return w, nil
}

// drawProcess draws from N(0, K/s).
func drawProcess(chol *num.Cholesky, s float64, rng *rand.Rand) []float64 {
	n, _ := chol.L().Dims()
	white := mat.NewVecDense(n, nil)
	for i := range n {
		white.SetVec(i, rng.NormFloat64()/math.Sqrt(s))
	}
	var f mat.VecDense
	f.MulVec(chol.L(), white)
	return f.RawVector().Data
}

// utility of an item to a voter.
func (w *crowdWorld) utility(voter, item int) float64 {
	f := w.consensus[item]
	for c, v := range w.factors {
		f += w.weights[c][voter] * v[item]
	}
	return f
}

// utilities are those of all items to a voter; for a negative one the consensus.
func (w *crowdWorld) utilities(voter int) []float64 {
	if voter < 0 {
		return w.consensus
	}
	f := make([]float64, len(w.consensus))
	for i := range f {
		f[i] = w.utility(voter, i)
	}
	return f
}

// vote draws one vote of a voter on two of the items.
func (w *crowdWorld) vote(voter int, items []int, rng *rand.Rand) palate.Vote {
	a := rng.IntN(len(items))
	b := (a + 1 + rng.IntN(len(items)-1)) % len(items)
	v := palate.Vote{User: voter, Left: items[a], Right: items[b], Weight: 1}
	if w.utility(voter, v.Left)-w.utility(voter, v.Right)+rng.NormFloat64() < 0 { // Φ(z), CROWD (2)
		v.Outcome = palate.Right
	}
	return v
}

// dataset builds votes with the features of items and voters. Voters without votes are in it, too.
func (w *crowdWorld) dataset(votes []palate.Vote) (*palate.Dataset, error) {
	b := palate.NewBuilder()
	for i := range w.consensus {
		b.Item("item" + strconv.Itoa(i))
	}
	n, _ := w.voters.Dims()
	for u := range n {
		b.User("voter" + strconv.Itoa(u))
	}
	names := []string{"x", "y"}
	b.SetItemFeatures(&palate.Features{Names: names, Rows: len(w.consensus), Cols: 2, Data: w.items.RawMatrix().Data})
	b.SetUserFeatures(&palate.Features{Names: names, Rows: n, Cols: 2, Data: w.voters.RawMatrix().Data})
	for _, v := range votes {
		if err := b.Add(v); err != nil {
			return nil, err
		}
	}
	return b.Build()
}
