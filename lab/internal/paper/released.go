package paper

import (
	"context"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/lab/internal/collab"
	"palate/likelihood"
	"palate/population"
)

// released are members of COLLAB's family with the habits of the code that its authors released, some of which the
// paper does not mention: learning starts at Σ = I and ends when the loss of the *test* pairs no longer changes,
// VU's M-step has a ridge of .1, and the probability of a pair is Φ(m/√(1+v)) also where the likelihood is the
// logistic. As in the paper at most 400 pairs a person are looked at, drawn anew in every iteration; predictions are
// those of the last one. The code's sign mistake in VU's M-step is left out.
func released() (all []Method) {
	for _, name := range []string{"GPVU-EP", "GPVU-Jaakkola", "VU-Jaakkola", "NPCA-EP"} {
		all = append(all, Method{Name: name + "-released", Lacks: Ties | Consensus, About: name + " with the habits of its authors' code, among them to stop on the test loss", Fit: fitReleased(name)})
	}
	return all
}

// fitReleased has 5 factors on the small set, where the released script has them, and else those of fitFamily.
func fitReleased(name string) func(context.Context, Task) (Predictor, error) {
	return func(ctx context.Context, t Task) (Predictor, error) {
		family, err := collab.Find(name)
		if err != nil {
			return nil, err
		}
		people, err := population.NewPeople(t.Train.NumItems(), t.Train.Tallies(true))
		if err != nil {
			return nil, err
		}
		o := collab.Options{Wide: true, Ridge: 0.1, Gain: noGain, Cap: 400, Seed: t.Seed}
		switch {
		case strings.HasPrefix(t.Data, "movielens"):
			psi := 1.0
			o.Rank, o.LogPsi, o.Jitter = 30, &psi, 1
		case t.Train.NumItems() <= 10:
			o.Rank = 5
		}
		var last *collab.Predictor
		loss := math.Inf(1)
		o.Watch = func(e *population.Engine, prior *population.Full) bool {
			if last, err = collab.NewPredictor(e, prior, likelihood.Probit{}); err != nil {
				return true
			}
			before := loss
			loss = testLoss(last, t.Test)
			return math.Abs(loss-before) < 1e-4
		}
		var features *mat.Dense
		if f := t.Train.ItemFeatures(); f != nil {
			features = mat.NewDense(f.Rows, f.Cols, f.Data)
		}
		if _, failed := collab.Learn(ctx, family, people, features, o); failed != nil {
			return nil, failed
		}
		return last, err
	}
}

// testLoss is the loss of a test pair, in bits.
func testLoss(p Predictor, test []palate.Vote) (bits float64) {
	for _, v := range test {
		if v.Outcome == palate.Right {
			v = v.Swap()
		}
		bits -= math.Log2(p.Prefer(v.User, v.Left, v.Right)) / float64(len(test))
	}
	return bits
}
