package crowd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
)

// What a vote adds to the bound is below the expectation of its log probability
// under q, which is found by drawing from q.
func TestBoundsAVote(t *testing.T) {
	const c, draws = 2, 40000
	rng := rand.New(rand.NewPCG(2, 2))
	tightest := math.Inf(1)
	for range 60 {
		v := mustVotes(t, 2, []palate.Tally{{User: 0, A: 0, B: 1, Weight: 1}})
		e := newEngine(v, gp.White(2), &Options{Factors: c, NoOwn: true}).blank()
		e.setThreshold(0)
		w, cov := e.weights(0)
		sd := make([]float64, c)
		for k := range e.a {
			e.a[k], e.s[k] = 3*rng.NormFloat64(), 2*rng.ExpFloat64()
		}
		for i := range w {
			w[i], sd[i] = 2*rng.NormFloat64(), rng.ExpFloat64()
			cov[i*c+i] = sd[i] * sd[i]
		}
		after := make([]float64, c)
		e.priorPrecisions(0, after)
		bound := e.evaluate()
		for i := range w {
			bound -= 0.5 * (after[i] - 1) * (w[i]*w[i] + cov[i*c+i])
		}
		var sum, square float64
		for range draws {
			z := e.a[0] + math.Sqrt(e.s[0])*rng.NormFloat64()
			for i := range w {
				z += (w[i] + sd[i]*rng.NormFloat64()) * (e.a[i+1] + math.Sqrt(e.s[i+1])*rng.NormFloat64())
			}
			lp := num.LogPhi(z)
			sum += lp / draws
			square += lp * lp / draws
		}
		se := math.Sqrt((square - sum*sum) / draws)
		if !(bound <= sum+4*se) {
			t.Errorf("bound %.5f, expectation %.5f ± %.5f", bound, sum, se)
		}
		tightest = min(tightest, (sum-bound)/math.Max(1, math.Abs(sum)))
	}
	if tightest > 0.1 {
		t.Errorf("never closer to the expectation than a share of %.3f", tightest)
	}
}

// The bound is below the evidence, which is found by importance sampling: on toys
// the prior is a fair proposal. Margin and shares of classes are those learnt.
func TestBoundsTheEvidence(t *testing.T) {
	const items, voters, votes, draws = 4, 3, 3, 10000
	g := infer.Gamma{Shape: 3, Rate: 3}
	each(t, func(t *testing.T, w way, prior func(*mat.Dense) *gp.Prior) {
		tallies, o := w.world(1, voters, items, votes)
		o.Tolerance, o.ConsensusScale, o.FactorScale, o.OwnScale = 1e-8, g, infer.Gamma{Shape: 3, Rate: 0.3}, g
		o.Factors = min(o.Factors, 1)
		if o.About != nil {
			o.About.Relevance = g
		}
		if o.Stochastic != nil {
			o.Stochastic = &Stochastic{Batch: 2, Passes: 20}
		}
		v := mustVotes(t, items, tallies)
		l := mustFit(t, v, prior(features(items)), &o)
		model := l.generative(v, &o)
		rng := rand.New(rand.NewPCG(1, 7))
		logW := make([]float64, draws)
		for k := range logW {
			logW[k] = model.weigh(rng)
		}
		evidence := num.LogSumExp(logW) - math.Log(draws)
		var square float64
		for _, x := range logW {
			square += math.Exp(2*(x-evidence)) / draws
		}
		se := math.Sqrt((square - 1) / draws)
		bound := l.Trace[len(l.Trace)-1]
		if !(bound < evidence+3*se) || evidence-bound > 6 {
			t.Errorf("bound %.4f, evidence %.4f ± %.4f", bound, evidence, se)
		}
	})
}

// generative is the model that a bound is of, with the votes.
type generative struct {
	*Learnt
	votes *Votes
	about *mat.Dense   // features of the voters; nil without
	rest  mat.TriDense // root of the covariance that inducing points leave to the consensus
}

func (l *Learnt) generative(v *Votes, o *Options) *generative {
	g := &generative{Learnt: l, votes: v}
	if o.About != nil {
		g.about = o.About.of(v)
	}
	cov := mat.NewSymDense(v.items, nil)
	for i := range v.items {
		cov.SetSym(i, i, 1e-9)
		if r := l.prior.Residuals(gp.Units(v.items)); r != nil && l.common == nil {
			for j := range i {
				cov.SetSym(i, j, 0.5*(r[i]+r[j]-l.prior.Residuals(pair(i, j))[0])/l.scale[0].Mean())
			}
			cov.SetSym(i, i, 1e-9+r[i]/l.scale[0].Mean())
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(cov) {
		panic("a residual that is no covariance")
	}
	chol.LTo(&g.rest)
	return g
}

// weigh draws everything from the prior and returns the log probability of the
// votes.
func (g *generative) weigh(rng *rand.Rand) (sum float64) {
	normals := func(n int, sd float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = sd * rng.NormFloat64()
		}
		return out
	}
	spread := func(g infer.Gamma) float64 { // shape 3: three exponentials
		return 1 / math.Sqrt((rng.ExpFloat64()+rng.ExpFloat64()+rng.ExpFloat64())/g.Rate)
	}
	phi, n := g.prior.Features(), g.votes.items
	times := func(a mat.Matrix, e []float64) []float64 {
		out := mat.NewVecDense(n, nil)
		out.MulVec(a, mat.NewVecDense(len(e), e))
		return out.RawVector().Data
	}
	var t []float64
	if k := g.common; k != nil {
		var e []float64
		for b := range k.ends {
			e = append(e, normals(int(k.size(b)), spread(k.prior[b]))...)
		}
		t = normals(n, spread(k.prior[len(k.ends)]))
		for i, x := range times(phi, e) {
			t[i] += x
		}
	} else {
		t = times(phi, normals(g.prior.Dim(), spread(g.scalePrior[0])))
		for i, x := range times(&g.rest, normals(n, 1)) {
			t[i] += x
		}
	}
	var factors [][]float64
	for c := range g.c {
		factors = append(factors, times(phi, normals(g.prior.Dim(), spread(g.scalePrior[c+1]))))
	}
	own := 0.0
	if g.own {
		own = spread(g.ownPrior)
	}
	var lead [][]float64 // by feature, then factor
	if l := g.leaning; l != nil {
		relevance := make([]float64, len(l.relevance))
		for k := range relevance {
			relevance[k] = spread(l.prior)
		}
		for _, k := range l.groups {
			lead = append(lead, normals(g.c, relevance[k]))
		}
	}
	classes := g.Classes(-1)
	told := make([]float64, len(classes))
	for u := range g.votes.Voters() {
		w, taste := normals(g.c, 1), normals(n, own)
		for k, b := range lead {
			for c, x := range b {
				w[c] += x * g.about.At(u, k)
			}
		}
		for k, c := range classes {
			told[k] = math.Log(c.Share)
		}
		for p := g.votes.start[u]; p < g.votes.start[u+1]; p++ {
			index, _ := g.votes.rows.Row(int(g.votes.row[p]))
			a, b := index[0], index[1]
			z := t[a] - t[b] + taste[a] - taste[b]
			for c, f := range factors {
				z += w[c] * (f[a] - f[b])
			}
			for k := range classes {
				lp, _, _ := g.lik[int(g.votes.kind[p])*len(classes)+k].LogProb(z)
				told[k] += g.votes.count[p] * lp
			}
		}
		sum += num.LogSumExp(told)
	}
	return sum
}
