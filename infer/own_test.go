package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/kernel"
	"palate/likelihood"
)

// ownKernel has parts that features explain and parts that are an item's own.
var ownKernel = kernel.Sum(
	kernel.Scale(0.7, kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{1, 1.5})),
	kernel.Scale(0.4, kernel.Identity{}))

// owned returns n items seen through m inducing points with own parts, and the
// same items with a weight each. Where m is n the points are the items.
func owned(t testing.TB, k kernel.Kernel, n, m int) (own, dense *gp.Prior) {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 1))
	x := mat.NewDense(n, 2, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	z := kernel.Dense(x.Slice(0, m, 0, 2).(*mat.Dense)).WithIDs(slices.Repeat([]int{kernel.Nobody}, m))
	p, err := gp.Inducing(k, kernel.Dense(x), z)
	if err != nil {
		t.Fatal(err)
	}
	if dense, err = gp.Dense(k, kernel.Dense(x)); err != nil {
		t.Fatal(err)
	}
	return p.Own(), dense
}

// chain compares items so that no loop closes, each pair twice; ring closes one, and
// more.
func chain(n int) *gp.Rows {
	var rows gp.Rows
	for i := 1; i < n; i++ {
		rows.AppendPair(i/3, i)
		rows.AppendPair(i, i/3)
	}
	return &rows
}

func ring(n int) *gp.Rows {
	rows := chain(n)
	for i := range n {
		rows.AppendPair(i, (i+5)%n)
	}
	return rows
}

// With a point an item, own parts are the dense prior. Under a Gaussian likelihood
// means, draws and joint covariances are its own exactly; variances of forms and the
// evidence are where comparisons close no loop, and the evidence is below else.
func TestOwnIsDense(t *testing.T) {
	const n, s = 14, 0.6
	own, dense := owned(t, ownKernel, n, n)
	for name, rows := range map[string]*gp.Rows{"chain": chain(n), "ring": ring(n)} {
		rng := rand.New(rand.NewPCG(4, 4))
		p := &Problem{Rows: rows, Scale: s}
		for range rows.Len() {
			p.Likelihood = append(p.Likelihood, likelihood.Gaussian{Y: rng.NormFloat64(), Sd: 0.5 + rng.Float64()})
		}
		p.Prior = dense
		want := run(t, p, Settings{Tolerance: 1e-12})
		_, wantVar := want.Posterior.Forms(rows)
		p.Prior = own
		for _, r := range rules {
			for _, sch := range schedules {
				schedule, tol := sch.schedule, 1e-7
				if st, ok := schedule.(Stochastic); ok {
					st.Batch, st.Steps = 7, 2000
					schedule = st
				}
				got := run(t, p, Settings{Rule: r.rule, Schedule: schedule, Tolerance: 1e-11})
				label := name + " " + r.name + " " + sch.name
				samePosterior(t, label, got.Posterior, want.Posterior, tol)
				if got.Kind == LowerBound {
					if got.Objective > want.Objective+1e-9 {
						t.Errorf("%s: bound %.9g above the evidence %.9g", label, got.Objective, want.Objective)
					}
					continue
				}
				_, v := got.Posterior.Forms(rows)
				for k := range v {
					within := 1e-7
					if name == "ring" {
						within = 0.15 // loops of four items
					}
					near(t, label+" variance", v[k]/wantVar[k], 1, within)
				}
				if name == "chain" {
					near(t, label+" evidence", got.Objective, want.Objective, 1e-7)
				} else if d := want.Objective - got.Objective; d < 0 || d > 0.1 {
					t.Errorf("%s: evidence %.6g, exact %.6g", label, got.Objective, want.Objective)
				}
			}
		}
	}
}

// Votes, not Gaussian: how far own parts with a point an item are from the dense
// model. EP stays within .02 deviations of its means, 3 % of its deviations and .4 nats;
// VI, whose items are apart given the weights, within .06, 10 % and 3 nats below.
func TestOwnNearDense(t *testing.T) {
	const n = 40
	own, dense := owned(t, ownKernel, n, n)
	for _, votesEach := range []int{1, 3, 10} {
		p := votes(dense, 0.3, votesEach*n, likelihood.Probit{}, 5)
		for _, c := range []struct {
			rule            Rule
			mean, sd, below float64
		}{{EP{}, 0.02, 0.03, 0.4}, {VI{}, 0.06, 0.1, 3}, {Laplace{}, 1e-6, 0.03, 0.4}} {
			p.Prior = dense
			want := run(t, p, Settings{Rule: c.rule})
			p.Prior = own
			got := run(t, p, Settings{Rule: c.rule})
			m, v := want.Posterior.Forms(gp.Units(n))
			gm, gv := got.Posterior.Forms(gp.Units(n))
			label := fmt.Sprintf("%T, %d votes", c.rule, p.Rows.Len())
			for i := range m {
				near(t, label+" mean", (gm[i]-m[i])/math.Sqrt(v[i]), 0, c.mean)
				near(t, label+" deviation", math.Sqrt(gv[i]/v[i]), 1, c.sd)
			}
			if d := want.Objective - got.Objective; d < -1e-9 || d > c.below {
				t.Errorf("%s: objective %.6g, dense %.6g", label, got.Objective, want.Objective)
			}
		}
	}
}

// The gradient in the kernel's parameters, the variance of own parts among them, and
// in the scale is that of the converged objective, with fewer points than items.
func TestOwnGradientIsFiniteDifference(t *testing.T) {
	const n, m, logS, h = 12, 5, -0.3, 1e-4
	first, _ := owned(t, ownKernel, n, m)
	base := votes(first, 1, 40, nil, 4)
	for _, r := range rules {
		if !r.grad {
			continue
		}
		for i := range base.Likelihood {
			base.Likelihood[i] = r.win
		}
		at := func(theta []float64, logS float64) (*Problem, *Result) {
			p := *base
			p.Prior, _ = owned(t, ownKernel.With(theta), n, m)
			p.Scale = math.Exp(logS)
			return &p, run(t, &p, Settings{Rule: r.rule, Tolerance: 1e-11})
		}
		theta := ownKernel.Params()
		p, res := at(theta, logS)
		sens := res.Sensitivity()
		for j, g := range p.Prior.KernelGrad(sens, p.Rows) {
			up, down := slices.Clone(theta), slices.Clone(theta)
			up[j] += h
			down[j] -= h
			_, a := at(up, logS)
			_, b := at(down, logS)
			near(t, r.name+": "+ownKernel.ParamNames()[j], g, (a.Objective-b.Objective)/(2*h), 1e-5)
		}
		_, a := at(theta, logS+h)
		_, b := at(theta, logS-h)
		near(t, r.name+": scale", -p.Prior.LogScale(sens, nil), (a.Objective-b.Objective)/(2*h), 1e-5)
	}
}

// Schedules end where Batch does, as far as their rule's variances agree: those of a
// stochastic step see only the row's own loop. The number of processors changes no bit.
func TestOwnSchedulesAgree(t *testing.T) {
	own, _ := owned(t, ownKernel, 30, 10)
	p := votes(own, 0.4, 150, likelihood.Probit{}, 8)
	for _, c := range []struct {
		rule Rule
		tol  float64
	}{{EP{}, 0.02}, {VI{}, 0.02}, {Laplace{}, 1e-4}} {
		want := run(t, p, Settings{Rule: c.rule}).Posterior.Utilities()
		for _, s := range []Schedule{Sequential{}, Stochastic{Batch: 20, Steps: 500}} {
			var first *Result
			for _, procs := range []int{1, 2, 5} {
				old := runtime.GOMAXPROCS(procs)
				r := run(t, p, Settings{Rule: c.rule, Schedule: s})
				runtime.GOMAXPROCS(old)
				if first == nil {
					first = r
				} else if !slices.Equal(r.Posterior.Utilities(), first.Posterior.Utilities()) || r.Objective != first.Objective {
					t.Errorf("%T %T: another result with %d processors", c.rule, s, procs)
				}
			}
			for i, m := range first.Posterior.Utilities() {
				near(t, fmt.Sprintf("%T %T", c.rule, s), m, want[i], c.tol)
			}
		}
	}
}
