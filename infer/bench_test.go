package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/kernel"
	"palate/likelihood"
)

// duelProblem is preference regression on t duels between fresh points, as a
// prior over the latent differences.
func duelProblem(b testing.TB, t int) (*Problem, *mat.SymDense) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(2*t, 3, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.Float64()
	}
	k := kernel.Gram(kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{0.5}), kernel.Dense(x))
	utility := func(i int) float64 { return math.Sin(4*x.At(i, 0)) + x.At(i, 1)*x.At(i, 2) }
	cov := mat.NewSymDense(t, nil)
	win, lose := make([]int, t), make([]int, t)
	for i := range t {
		win[i], lose[i] = 2*i, 2*i+1
		if utility(2*i) < utility(2*i+1) {
			win[i], lose[i] = 2*i+1, 2*i
		}
	}
	for i := range t {
		for j := i; j < t; j++ {
			cov.SetSym(i, j, k.At(win[i], win[j])-k.At(win[i], lose[j])-k.At(lose[i], win[j])+k.At(lose[i], lose[j]))
		}
	}
	prior, err := gp.Covariance(cov)
	if err != nil {
		b.Fatal(err)
	}
	p := &Problem{Prior: prior, Rows: &gp.Rows{}}
	for i := range t {
		p.Rows.AppendUnit(i)
		p.Likelihood = append(p.Likelihood, likelihood.Probit{Noise: 0.1 * math.Sqrt2})
	}
	return p, cov
}

// BenchmarkEPDuels runs EP to 1e-8 by both schedules, and beside them one sweep
// of EP with a full inverse for every site, the plain way.
func BenchmarkEPDuels(b *testing.B) {
	for _, t := range []int{50, 100, 200, 400} {
		p, cov := duelProblem(b, t)
		for _, s := range schedules[:2] {
			b.Run(fmt.Sprintf("t=%d/%s", t, s.name), func(b *testing.B) {
				for b.Loop() {
					r := run(b, p, Settings{Schedule: s.schedule, Tolerance: 1e-8})
					b.ReportMetric(float64(r.Stats.Sweeps), "sweeps")
					if r.Status != Converged {
						b.Fatal(r.Status)
					}
				}
			})
		}
		if t <= 100 {
			b.Run(fmt.Sprintf("t=%d/one plain sweep", t), func(b *testing.B) {
				for b.Loop() {
					plainSweep(b, cov, 0.02)
				}
			})
		}
	}
}

// plainSweep is one sweep of EP that inverts the t×t precision for each site.
func plainSweep(b *testing.B, cov *mat.SymDense, noise2 float64) {
	t := cov.SymmetricDim()
	sites := make([]gp.Site, t)
	var prior, post mat.Dense
	if err := prior.Inverse(cov); err != nil {
		if _, ok := err.(mat.Condition); !ok {
			b.Fatal(err)
		}
	}
	nu := mat.NewVecDense(t, nil)
	for j := range t {
		prec := mat.DenseCopyOf(&prior)
		for i, s := range sites {
			prec.Set(i, i, prec.At(i, i)+s.Tau)
			nu.SetVec(i, s.Nu)
		}
		if err := post.Inverse(prec); err != nil {
			if _, ok := err.(mat.Condition); !ok {
				b.Fatal(err)
			}
		}
		var mean mat.VecDense
		mean.MulVec(&post, nu)
		m, v, ok := sites[j].Cavity(mean.AtVec(j), post.At(j, j))
		if ok {
			sites[j] = EP{}.Update(likelihood.Probit{Noise: math.Sqrt(noise2)}, Form{Mean: m, Var: v}).Site
		}
		post.Reset()
	}
}

// BenchmarkOnlineVote is one vote among n items, folded in and kept.
func BenchmarkOnlineVote(b *testing.B) {
	for _, n := range []int{200, 1000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			o, err := NewOnline(gp.White(n), 0.5, nil)
			if err != nil {
				b.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(2, 2))
			for b.Loop() {
				i := rng.IntN(n)
				if err := o.Vote(i, (i+1+rng.IntN(n-1))%n, likelihood.Probit{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStochastic is one step on 200 inducing points with batches of 1000,
// from a thousand items to a hundred thousand.
func BenchmarkStochastic(b *testing.B) {
	for _, size := range []struct{ items, votes int }{{1000, 10000}, {10000, 100000}, {100000, 1000000}} {
		rng := rand.New(rand.NewPCG(3, 3))
		x := mat.NewDense(size.items, 10, nil)
		for i := range x.RawMatrix().Data {
			x.RawMatrix().Data[i] = rng.NormFloat64()
		}
		z := mat.NewDense(200, 10, nil)
		for i := range z.RawMatrix().Data {
			z.RawMatrix().Data[i] = rng.NormFloat64()
		}
		k := kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{4})
		prior, err := gp.Inducing(k, kernel.Dense(x), kernel.Dense(z))
		if err != nil {
			b.Fatal(err)
		}
		p := &Problem{Prior: prior, Rows: &gp.Rows{}}
		win := likelihood.Scalar(likelihood.Probit{})
		for range size.votes {
			i := rng.IntN(size.items)
			j := (i + 1 + rng.IntN(size.items-1)) % size.items
			if x.At(i, 0)-x.At(j, 0)+rng.NormFloat64() < 0 {
				i, j = j, i
			}
			p.Rows.AppendPair(i, j)
			p.Likelihood = append(p.Likelihood, win)
		}
		b.Run(fmt.Sprintf("items=%d votes=%d", size.items, size.votes), func(b *testing.B) {
			e, err := newEngine(p, Settings{Rule: VI{}})
			if err != nil {
				b.Fatal(err)
			}
			st, err := newStochastic(Stochastic{Batch: 1000}, e)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := st.step(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
