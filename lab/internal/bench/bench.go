// Package bench measures Palate's standard workloads on the machine at hand:
// the routines of package simd, and above them whole pieces of inference, each
// beside plain gonum and beside the pure-Go twins in the same run.
package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/kernel"
	"palate/likelihood"
)

// workload is a piece of inference: make prepares it, and says what it
// computes.
type workload struct {
	name string
	make func() (flops float64, work func(), err error)
}

// inference are the workloads above package simd.
var inference = []workload{
	{"ep400", duels},
	{"svi500", stochastic},
	{"estep2000", voters},
	{"rank500k", file},
}

// Names returns the workloads, in the order in which they run.
func Names() []string {
	names := routines()
	for _, w := range inference {
		names = append(names, w.name)
	}
	return names
}

// Run measures the named workloads against that peak, and reports each as it is
// done. Nothing else should compute meanwhile.
func Run(ctx context.Context, names []string, peak float64, report func(Measurement)) error {
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		if r, ok := routineNamed(name); ok {
			report(r.measure(name, peak))
			continue
		}
		k := slices.IndexFunc(inference, func(w workload) bool { return w.name == name })
		if k < 0 {
			return fmt.Errorf("bench: no workload %q; there are %v", name, Names())
		}
		flops, work, err := inference[k].make()
		if err != nil {
			return err
		}
		report(whole(name, flops, peak, work))
	}
	return nil
}

func random(rng *rand.Rand, rows, cols int) *mat.Dense {
	x := mat.NewDense(rows, cols, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return x
}

// must turns an error inside a timed function, where nothing but a mistake in
// this package can cause one, into a panic.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// duels is EP to 1e-8 on 400 duels between points that do not recur, site by
// site: rank-one steps on a 400×400 covariance.
func duels() (float64, func(), error) {
	const t = 400
	rng := rand.New(rand.NewPCG(1, 1))
	x := random(rng, 2*t, 3)
	k := kernel.Gram(kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{1}), kernel.Dense(x))
	cov := mat.NewSymDense(t, nil)
	side := func(i int) (win, lose int) { // the better of a smooth utility wins
		win, lose = 2*i, 2*i+1
		if math.Sin(2*x.At(win, 0))+x.At(win, 1) < math.Sin(2*x.At(lose, 0))+x.At(lose, 1) {
			win, lose = lose, win
		}
		return win, lose
	}
	for i := range t {
		for j := i; j < t; j++ {
			a, b := side(i)
			c, d := side(j)
			cov.SetSym(i, j, k.At(a, c)-k.At(a, d)-k.At(b, c)+k.At(b, d))
		}
	}
	prior, err := gp.Covariance(cov)
	if err != nil {
		return 0, nil, err
	}
	p := &infer.Problem{Prior: prior, Rows: gp.Units(t), Likelihood: make([]likelihood.Scalar, t)}
	for i := range t {
		p.Likelihood[i] = likelihood.Probit{Noise: 0.2}
	}
	run := func() *infer.Result {
		return must(infer.Run(context.Background(), p, &infer.Settings{Schedule: infer.Sequential{}}))
	}
	// A visit reads a column and changes a triangle by a rank-one term; the end
	// is one factor and two triangular solves.
	sweeps := float64(run().Stats.Sweeps)
	return sweeps*t*(t*t+4*t) + t*t*t*(1+1.0/3+1), func() { run() }, nil
}

// stochastic is ten steps of 1000 votes on 500 inducing points, and the bound
// of all 10,000 votes at the end.
func stochastic() (float64, func(), error) {
	const items, votes, m, batch, dim, steps = 20000, 10000, 500, 1000, 18, 10
	rng := rand.New(rand.NewPCG(2, 2))
	x := random(rng, items, dim)
	k := kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{5})
	prior, err := gp.Inducing(k, kernel.Dense(x), kernel.Dense(random(rng, m, dim)))
	if err != nil {
		return 0, nil, err
	}
	p := &infer.Problem{Prior: prior, Rows: &gp.Rows{}, Likelihood: make([]likelihood.Scalar, votes)}
	win := likelihood.Scalar(likelihood.Probit{})
	for r := range votes {
		i := rng.IntN(items)
		j := (i + 1 + rng.IntN(items-1)) % items
		if x.At(i, 0)-x.At(j, 0)+rng.NormFloat64() < 0 {
			i, j = j, i
		}
		p.Rows.AppendPair(i, j)
		p.Likelihood[r] = win
	}
	// A vote is seen twice, each time through two triangular solves and the
	// kernel between its items and the inducing points; a step adds a rank-k
	// product and a factor.
	flops := 2.0*votes*(2*m*m+2*m*(3*dim+30)) + steps*(batch*m*m+m*m*m/3)
	return flops, func() {
		must(infer.Run(context.Background(), p, &infer.Settings{Rule: infer.VI{}, Schedule: infer.Stochastic{Batch: batch, Steps: steps}}))
	}, nil
}
