package infer

import (
	"context"
	"errors"
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

// Under a Gaussian likelihood every rule and schedule gives the closed form,
// and batch runs the exact evidence.
func TestConjugate(t *testing.T) {
	const n, P, s = 6, 14, 0.7
	prior := correlated(t, n, 3)
	rng := rand.New(rand.NewPCG(4, 4))
	p := &Problem{Prior: prior, Rows: &gp.Rows{}, Scale: s}
	b := mat.NewDense(P, n, nil)
	y := mat.NewVecDense(P, nil)
	noise := mat.NewDiagDense(P, nil)
	for r := range P {
		if r%3 == 0 { // a rating
			i := rng.IntN(n)
			p.Rows.AppendUnit(i)
			b.Set(r, i, 1)
		} else {
			i := rng.IntN(n)
			j := (i + 1 + rng.IntN(n-1)) % n
			p.Rows.AppendPair(i, j)
			b.Set(r, i, 1)
			b.Set(r, j, -1)
		}
		g := likelihood.Gaussian{Y: rng.NormFloat64(), Sd: 0.3 + rng.Float64()}
		p.Likelihood = append(p.Likelihood, g)
		y.SetVec(r, g.Y)
		noise.SetDiag(r, g.Sd*g.Sd)
	}
	// f | y ~ N(K Bᵀ G⁻¹ y, K − K Bᵀ G⁻¹ B K), G = B K Bᵀ + noise.
	var k, kb, g, gi, gain, mean, cov mat.Dense
	k.Mul(prior.Features(), prior.Features().T())
	k.Scale(1/s, &k)
	kb.Mul(&k, b.T())
	g.Mul(b, &kb)
	g.Add(&g, noise)
	if err := gi.Inverse(&g); err != nil {
		t.Fatal(err)
	}
	gain.Mul(&kb, &gi)
	cov.Mul(&gain, kb.T())
	cov.Sub(&k, &cov)
	mean.Mul(&gain, y)
	logDet, _ := mat.LogDet(&g)
	evidence := -0.5*mat.Inner(y, &gi, y) - 0.5*logDet - 0.5*P*math.Log(2*math.Pi)

	for _, r := range rules {
		for _, sch := range schedules {
			schedule, tol := sch.schedule, 1e-9
			if st, ok := schedule.(Stochastic); ok {
				// With all rows in every batch there is no noise, only the memory
				// of the start, Π(1−ρ_i) → 0 fast for a small forgetting rate.
				st.Batch, st.Forget, st.Steps = P, 0.51, 1500
				schedule = st
			}
			got := run(t, p, Settings{Rule: r.rule, Schedule: schedule, Tolerance: 1e-12})
			name := r.name + " " + sch.name
			gc := got.Posterior.Covariance()
			for i, m := range got.Posterior.Utilities() {
				near(t, name+" mean", m, mean.At(i, 0), tol)
				for j := range n {
					near(t, name+" covariance", gc.At(i, j), cov.At(i, j), tol)
				}
			}
			near(t, name+" objective", got.Objective, evidence, 1e-8)
		}
	}
}

// Sequential and Stochastic end where Batch does, for every rule.
func TestSchedulesAgree(t *testing.T) {
	for _, r := range rules {
		p := votes(correlated(t, 5, 7), 0.8, 20, r.win, 8)
		want := run(t, p, Settings{Rule: r.rule, Tolerance: 1e-11})
		if want.Status != Converged {
			t.Errorf("%s: batch ended: %v after %d sweeps", r.name, want.Status, want.Stats.Sweeps)
		}
		for _, s := range schedules {
			got := run(t, p, Settings{Rule: r.rule, Schedule: s.schedule, Tolerance: 1e-9})
			samePosterior(t, r.name+" "+s.name, got.Posterior, want.Posterior, s.tol)
		}
	}
}

// Votes added one at a time, then revisited, end at the batch posterior, and
// rank-one steps do not drift.
func TestOnlineThenRevisitsIsBatch(t *testing.T) {
	for _, r := range rules {
		prior := correlated(t, 6, 11)
		p := votes(prior, 1.3, 25, r.win, 12)
		want := run(t, p, Settings{Rule: r.rule, Tolerance: 1e-11})
		o, err := NewOnline(prior, 1.3, r.rule)
		if err != nil {
			t.Fatal(err)
		}
		for k := range p.Rows.Len() {
			index, _ := p.Rows.Row(k)
			if err := o.Vote(index[0], index[1], r.win); err != nil {
				t.Fatal(err)
			}
		}
		if st := o.Revisit(t.Context(), 1e-10, 1000); st != Converged {
			t.Errorf("%s: revisits ended: %v", r.name, st)
		}
		got, err := o.Result()
		if err != nil {
			t.Fatal(err)
		}
		samePosterior(t, r.name, got.Posterior, want.Posterior, 1e-7)
		near(t, r.name+" objective", got.Objective, want.Objective, 1e-8)
		for i, m := range o.State().Mean {
			near(t, r.name+" drift", m, got.Posterior.Utilities()[i], 1e-7)
		}
	}
}

// Revisits in turn keep the posterior near that of the batch.
func TestOnlineRevisits(t *testing.T) {
	prior := correlated(t, 6, 11)
	p := votes(prior, 0.2, 60, likelihood.Probit{}, 12)
	want := run(t, p, Settings{Tolerance: 1e-10}).Posterior.Utilities()
	off := func(revisits int) (s float64) {
		o, err := NewOnline(prior, 0.2, nil)
		if err != nil {
			t.Fatal(err)
		}
		o.Revisits = revisits
		for k := range p.Rows.Len() {
			index, _ := p.Rows.Row(k)
			if err := o.Vote(index[0], index[1], likelihood.Probit{}); err != nil {
				t.Fatal(err)
			}
		}
		for i, m := range o.State().Mean {
			s = math.Max(s, math.Abs(m-want[i]))
		}
		return s
	}
	if none, some, all := off(0), off(5), off(60); some > 0.5*none || all > 0.1*none {
		t.Errorf("off the batch by %.3g, with 5 revisits a vote by %.3g, with all by %.3g", none, some, all)
	}
}

// One online vote is exact: the tilted moments of the prior.
func TestOnlineFirstVoteIsExact(t *testing.T) {
	prior := correlated(t, 4, 5)
	o, err := NewOnline(prior, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Vote(2, 0, likelihood.Probit{}); err != nil {
		t.Fatal(err)
	}
	// LINK (20)–(21), corrected: m = k·h/r, K − [h(z+h)/(1+s)]kkᵀ at z = 0.
	var k mat.Dense
	k.Mul(prior.Features(), prior.Features().T())
	k.Scale(0.5, &k)
	h := math.Sqrt(2 / math.Pi)
	s := k.At(2, 2) + k.At(0, 0) - 2*k.At(0, 2)
	for i := range 4 {
		ki := k.At(i, 2) - k.At(i, 0)
		near(t, "mean", o.State().Mean[i], ki*h/math.Sqrt(1+s), 1e-12)
		for j := range 4 {
			kj := k.At(j, 2) - k.At(j, 0)
			near(t, "covariance", o.State().Cov.At(i, j), k.At(i, j)-h*h/(1+s)*ki*kj, 1e-12)
		}
	}
}

// Bounds never fall, with and without q(s) and own parts.
func TestLowerBoundNeverFalls(t *testing.T) {
	own, _ := owned(t, ownKernel, 15, 6)
	for _, r := range rules {
		if _, free := r.rule.(Linearised); free || r.rule.Kind() != LowerBound {
			continue
		}
		for what, prior := range map[string]*gp.Prior{"weights": correlated(t, 8, 21), "own parts": own} {
			for _, scale := range []*Gamma{nil, {Shape: 2, Rate: 2}} {
				p := votes(prior, 0.2, 60, r.win, 22)
				p.ScalePrior = scale
				last := math.Inf(-1)
				for sweeps := 1; sweeps <= 25; sweeps++ {
					got := run(t, p, Settings{Rule: r.rule, MaxSweeps: sweeps})
					if got.Objective < last-1e-9 {
						t.Errorf("%s, %s (scale %v): bound fell from %.12g to %.12g at sweep %d", r.name, what, scale, last, got.Objective, sweeps)
					}
					last = got.Objective
				}
			}
		}
	}
}

// Two votes for a row are the row counted twice.
func TestCountsAreCopies(t *testing.T) {
	for _, r := range rules {
		for _, s := range schedules[:2] {
			prior := correlated(t, 4, 31)
			one := votes(prior, 1, 6, r.win, 32)
			many := &Problem{Prior: prior, Rows: &gp.Rows{}}
			for k := range one.Rows.Len() {
				c := 1 + k%3
				one.Count = append(one.Count, float64(c))
				for range c {
					many.Rows.Append(one.Rows.Row(k))
					many.Likelihood = append(many.Likelihood, r.win)
				}
			}
			a := run(t, one, Settings{Rule: r.rule, Schedule: s.schedule, Tolerance: 1e-11})
			b := run(t, many, Settings{Rule: r.rule, Schedule: s.schedule, Tolerance: 1e-11})
			samePosterior(t, r.name+" "+s.name, a.Posterior, b.Posterior, 1e-8)
			near(t, r.name+" "+s.name+" objective", a.Objective, b.Objective, 1e-8)
		}
	}
}

// Turning every vote around negates the utilities; renaming items renames them.
func TestSymmetries(t *testing.T) {
	for _, r := range rules {
		prior := correlated(t, 5, 41)
		p := votes(prior, 1, 15, r.win, 42)
		perm := []int{3, 0, 4, 1, 2}
		flipped := &Problem{Prior: prior, Rows: &gp.Rows{}, Likelihood: p.Likelihood}
		renamed := &Problem{Rows: &gp.Rows{}, Likelihood: p.Likelihood}
		var k mat.Dense
		k.Mul(prior.Features(), prior.Features().T())
		kp := mat.NewSymDense(5, nil)
		for i := range 5 {
			for j := i; j < 5; j++ {
				kp.SetSym(perm[i], perm[j], k.At(i, j))
			}
		}
		var err error
		if renamed.Prior, err = gp.Covariance(kp); err != nil {
			t.Fatal(err)
		}
		for i := range p.Rows.Len() {
			ix, _ := p.Rows.Row(i)
			flipped.Rows.AppendPair(ix[1], ix[0])
			renamed.Rows.AppendPair(perm[ix[0]], perm[ix[1]])
		}
		base := run(t, p, Settings{Rule: r.rule})
		neg := run(t, flipped, Settings{Rule: r.rule})
		ren := run(t, renamed, Settings{Rule: r.rule})
		for i, m := range base.Posterior.Utilities() {
			near(t, r.name+" swap", neg.Posterior.Utilities()[i], -m, 1e-7)
			near(t, r.name+" rename", ren.Posterior.Utilities()[perm[i]], m, 1e-7)
		}
	}
}

// Evidence of parts adds to that of the whole.
func TestShardsSum(t *testing.T) {
	prior := correlated(t, 6, 51)
	p := votes(prior, 1, 40, likelihood.Probit{}, 52)
	r := run(t, p, Settings{})
	whole := prior.Evidence(p.Rows, r.Sites, nil)
	sum := gp.NewEvidence(prior.Dim())
	for lo := 0; lo < 40; lo += 7 {
		var rows []int
		for k := lo; k < min(lo+7, 40); k++ {
			rows = append(rows, k)
		}
		part := prior.Evidence(p.Rows.Select(rows), r.Sites[rows[0]:rows[len(rows)-1]+1], nil)
		for i := range sum.Lin {
			sum.Lin[i] += part.Lin[i]
		}
		sum.Quad.AddSym(sum.Quad, part.Quad)
	}
	q, err := gp.NewPosterior(prior, 1, sum)
	if err != nil {
		t.Fatal(err)
	}
	w, err := gp.NewPosterior(prior, 1, whole)
	if err != nil {
		t.Fatal(err)
	}
	samePosterior(t, "shards", q, w, 1e-12)
}

// The number of processors changes no bit.
func TestSameBitsOnAnyNumberOfProcessors(t *testing.T) {
	for _, s := range schedules {
		p := votes(correlated(t, 30, 61), 1, 900, likelihood.Probit{}, 62)
		var first *Result
		for _, procs := range []int{1, 2, 5} {
			old := runtime.GOMAXPROCS(procs)
			r := run(t, p, Settings{Schedule: s.schedule, MaxSweeps: 20})
			runtime.GOMAXPROCS(old)
			if first == nil {
				first = r
				continue
			}
			if !slices.Equal(r.Posterior.Utilities(), first.Posterior.Utilities()) || r.Objective != first.Objective {
				t.Errorf("%s: another result with %d processors", s.name, procs)
			}
		}
	}
}

// With Q = Φ(1−Φ) at the mean the linearised update ends at the Laplace mode;
// with the published Q it does not.
func TestLinearisedAndLaplace(t *testing.T) {
	p := votes(correlated(t, 5, 71), 0.5, 20, likelihood.Probit{}, 72)
	mode := run(t, p, Settings{Rule: Laplace{}, Tolerance: 1e-11})
	at := run(t, p, Settings{Rule: Linearised{Noise: MeanNoise}, Tolerance: 1e-11})
	pub := run(t, p, Settings{Rule: Linearised{}, Tolerance: 1e-11})
	var away float64
	for i, m := range mode.Posterior.Utilities() {
		near(t, "mode", at.Posterior.Utilities()[i], m, 1e-8)
		away = math.Max(away, math.Abs(pub.Posterior.Utilities()[i]-m))
	}
	if away < 1e-3 {
		t.Errorf("the published update ends at the mode too (%.2g away)", away)
	}
}

// A damped parallel run converges on redundant votes, where undamped EP cycles.
func TestRedundantVotesConverge(t *testing.T) {
	for _, scale := range []float64{1, 0.04, 0.01} {
		p := votes(gp.White(6), scale, 600, likelihood.Probit{}, 81)
		r := run(t, p, Settings{})
		if r.Status != Converged || r.Stats.Skipped > 0 {
			t.Errorf("scale %g: %v after %d sweeps, change %.2g, %d skipped", scale, r.Status, r.Stats.Sweeps, r.Stats.Change, r.Stats.Skipped)
		}
	}
}

func TestInterruption(t *testing.T) {
	p := votes(gp.White(6), 1, 60, likelihood.Probit{}, 91)
	for _, s := range schedules {
		ctx, cancel := context.WithCancel(t.Context())
		sweeps := 0
		_, err := Run(ctx, p, &Settings{Schedule: s.schedule, Progress: func(Progress) {
			if sweeps++; sweeps == 2 {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) || sweeps != 2 {
			t.Errorf("%s: %v after %d sweeps", s.name, err, sweeps)
		}
	}
}

// inducing is a prior of three items on two inducing points.
func inducing(t *testing.T) *gp.Prior {
	t.Helper()
	x := kernel.Dense(mat.NewDense(3, 1, []float64{0, 1, 2}))
	z := kernel.Dense(mat.NewDense(2, 1, []float64{0.3, 1.4}))
	p, err := gp.Inducing(kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{1}), x, z)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Problem
		s    Settings
	}{
		{"Jaakkola with probit", Problem{}, Settings{Rule: Jaakkola{}}},
		{"scale posterior under EP", Problem{ScalePrior: &Gamma{1, 1}}, Settings{}},
		{"scale posterior in sequence", Problem{ScalePrior: &Gamma{1, 1}}, Settings{Rule: VI{}, Schedule: Sequential{}}},
		{"scale posterior on inducing points", Problem{ScalePrior: &Gamma{1, 1}, Prior: inducing(t)}, Settings{Rule: VI{}}},
		{"negative scale", Problem{Scale: -1}, Settings{}},
		{"count below one", Problem{Count: []float64{0.5, 1, 1}}, Settings{}},
		{"step under VI", Problem{Likelihood: []likelihood.Scalar{likelihood.Step{}, likelihood.Step{}, likelihood.Step{}}}, Settings{Rule: VI{}}},
	} {
		base := votes(gp.White(3), 1, 3, likelihood.Probit{}, 1)
		c.p.Rows = base.Rows
		if c.p.Prior == nil {
			c.p.Prior = base.Prior
		}
		if c.p.Likelihood == nil {
			c.p.Likelihood = base.Likelihood
		}
		if _, err := Run(t.Context(), &c.p, &c.s); err == nil {
			t.Errorf("%s: no error", c.name)
		}
	}
}

// Looking at a batch several times a step, as Algorithm 1 does, ends at the
// same place.
func TestInnerLooks(t *testing.T) {
	for _, r := range rules {
		p := votes(correlated(t, 5, 7), 0.8, 20, r.win, 8)
		want := run(t, p, Settings{Rule: r.rule, Tolerance: 1e-11})
		got := run(t, p, Settings{Rule: r.rule, Schedule: Stochastic{Batch: 10, Steps: 8000, Inner: 3}, Tolerance: 1e-9})
		samePosterior(t, r.name, got.Posterior, want.Posterior, 0.02)
	}
}
