package population

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/likelihood"
)

// rules are all ways of inference, each with a likelihood it can take.
var rules = []struct {
	name     string
	settings Settings
	ties     bool
	exact    bool // the gradient is exact at convergence
	answers  int  // of each person about several items, at most
}{
	{"EP", Settings{}, false, true, 0},
	{"EP, threshold learnt", Settings{}, true, true, 0},
	{"EP by the rule", Settings{Likelihood: Voting(0.3)}, true, true, 0},
	{"EP, logit", Settings{Likelihood: func(Observation) likelihood.Scalar { return likelihood.Logit{} }}, false, true, 0},
	{"VI", Settings{Rule: infer.VI{}}, false, true, 0},
	{"Jaakkola", Settings{Rule: infer.Jaakkola{}, Likelihood: func(Observation) likelihood.Scalar { return likelihood.Logit{} }}, false, true, 0},
	{"Laplace", Settings{Rule: infer.Laplace{}}, false, false, 0},
	{"EP, answers", Settings{}, false, true, 3},
	{"EP, answers with ties, threshold learnt", Settings{}, true, true, 3},
}

// draw makes people with utilities of their own who vote on random pairs, with
// repeated and contradictory votes among them.
func draw(rng *rand.Rand, persons, items, votes int, ties bool) []palate.Tally {
	var out []palate.Tally
	for u := range persons {
		f := make([]float64, items)
		for i := range f {
			f[i] = float64(i)/3 + 2*rng.NormFloat64()
		}
		for range 1 + rng.IntN(votes) {
			a, b := rng.IntN(items), rng.IntN(items-1)
			if b >= a {
				b++
			}
			z := f[a] - f[b] + rng.NormFloat64()
			t := palate.Tally{User: u, A: a, B: b, Weight: float64(1 + rng.IntN(2))}
			if z < 0 {
				t.A, t.B = b, a
			}
			if ties && math.Abs(z) < 0.3 {
				t.Tie = true
				t.A, t.B = min(a, b), max(a, b)
			}
			if !slices.ContainsFunc(out, func(o palate.Tally) bool {
				return o.User == t.User && o.A == t.A && o.B == t.B && o.Tie == t.Tie
			}) {
				out = append(out, t)
			}
		}
	}
	return out
}

func features(rng *rand.Rand, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

func mustPeople(t *testing.T, items int, tallies []palate.Tally, answers ...palate.Answer) *People {
	t.Helper()
	p, err := NewPeople(items, tallies, answers...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustEngine(t *testing.T, p *People, s Settings) *Engine {
	t.Helper()
	e, err := NewEngine(p, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// example returns a population and people to infer in it.
func example(t *testing.T, seed uint64, items, persons, votes int, ties bool) (*LowRank, *People) {
	rng := rand.New(rand.NewPCG(seed, 9))
	it := NewItems(items, features(rng, items, 3), nil, rng)
	p := &LowRank{Items: it, Scale: 5, Share: 0.4, D: 3, A: make([]float64, items*3), T: make([]float64, items)}
	for i := range p.A {
		p.A[i] = 0.7 * rng.NormFloat64()
	}
	for i := range p.T {
		p.T[i] = rng.NormFloat64()
	}
	return p, mustPeople(t, items, draw(rng, persons, items, votes, ties))
}

// The gradient of the objective equals finite differences in every parameter.
func TestGradient(t *testing.T) {
	for _, r := range rules {
		if !r.exact {
			continue
		}
		for _, big := range []int{8, 30} { // loops, and blocked routines
			t.Run(fmt.Sprintf("%s, %d items", r.name, big), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(4, 4))
				people := mustPeople(t, big, draw(rng, 6, big, 4*big, r.ties), drawAnswers(rng, 6, big, r.answers, r.ties)...)
				s := r.settings
				s.Tolerance, s.MaxSweeps = 1e-11, 3000
				learnt := s.Likelihood == nil && r.ties
				if learnt {
					s.Likelihood = Voting(1)
				}
				shard, err := NewShard(people, nil, s)
				if err != nil {
					t.Fatal(err)
				}
				f := 2
				x := make([]float64, people.Len()*f)
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				l := newLearner(shard, NewItems(big, features(rng, big, 3), nil, rng), x, f, learnt, &Options{Rank: 3, Settings: s})
				p := l.start(rng)
				for i := range p {
					p[i] += 0.3 * rng.NormFloat64()
				}
				p[6*big] = 0.5 // scales at which differences are accurate
				_, g, _, err := l.evaluate(context.Background(), p)
				if err != nil {
					t.Fatal(err)
				}
				check := []int{0, 1, big, big + 1, 2 * big, 4*big - 1, 4 * big, 5 * big, 6 * big, 6*big + 1, len(p) - 1}
				for _, i := range check {
					const h = 1e-4
					at := func(d float64) float64 {
						q := slices.Clone(p)
						q[i] += d
						v, _, _, err := l.evaluate(context.Background(), q)
						if err != nil {
							t.Fatal(err)
						}
						return v
					}
					want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
					if math.Abs(g[i]-want) > 1e-6*(1+math.Abs(want)) {
						t.Errorf("parameter %d: %.10g, differences %.10g", i, g[i], want)
					}
				}
			})
		}
	}
}

// Item space equals pair space: s = Bᵀe and W = BᵀEB of COLLAB (7), (10), and
// evidence and marginals are those of the general engine.
func TestPairSpace(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			prior, people := example(t, 2, 9, 5, 30, r.ties)
			if r.answers > 0 {
				rng := rand.New(rand.NewPCG(5, 9))
				people = mustPeople(t, 9, draw(rng, 5, 9, 3, r.ties), drawAnswers(rng, 5, 9, r.answers, r.ties)...)
			}
			s := r.settings
			if r.ties {
				s.Likelihood = Voting(0.2)
			}
			s.Tolerance, s.MaxSweeps = 1e-12, 5000
			e := mustEngine(t, people, s)
			if _, st, err := e.Evaluate(context.Background(), prior); err != nil || st.Unconverged > 0 {
				t.Fatal(err, st)
			}
			for u := range people.Len() {
				q, err := e.Posterior(prior, u)
				if err != nil {
					t.Fatal(err)
				}
				items := people.Items(u)
				m := len(items)
				v := people.votes(u)
				n := len(v.win)
				lo := people.pairStart[u]
				b := mat.NewDense(n, m, nil)
				cov := mat.NewSymDense(m, nil)
				for i, a := range items {
					for j, c := range items {
						cov.SetSym(i, j, prior.Cov(int(a), int(c)))
					}
				}
				var rows gp.Rows
				count, shift := make([]float64, n), make([]float64, n)
				lik := make([]likelihood.Scalar, n)
				inner := mat.NewDense(n, n, nil)
				target := mat.NewVecDense(n, nil)
				for p := range n {
					i, j := int(v.win[p]), int(v.lose[p])
					b.Set(p, i, 1)
					b.Set(p, j, -1)
					rows.AppendPair(i, j)
					count[p] = 1
					if v.count != nil {
						count[p] = v.count[p]
					}
					var k uint8
					if v.kind != nil {
						k = v.kind[p]
					}
					lik[p] = e.method.likelihood[k]
					shift[p] = prior.Mean(u, int(items[i])) - prior.Mean(u, int(items[j]))
					tau, nu := count[p]*e.Tau[lo+p], count[p]*e.Nu[lo+p]
					inner.Set(p, p, 1/tau)
					target.SetVec(p, nu/tau-shift[p])
				}
				var bs, bsb, ee, be, w mat.Dense
				bs.Mul(b, cov)
				bsb.Mul(&bs, b.T())
				effects := &infer.Effects{Noise: drawnNoise}
				counted := false // copies of an answer draw each their own
				for p := range n {
					effects.Answer = append(effects.Answer, int(v.answerOf(p))-1)
					counted = counted || v.answerOf(p) > 0 && count[p] > 1
					for q := range n {
						if v.answerOf(p) > 0 && v.answerOf(p) == v.answerOf(q) {
							for i := range m {
								bsb.Set(p, q, bsb.At(p, q)+drawnNoise*b.At(p, i)*b.At(q, i))
							}
						}
					}
				}
				inner.Add(inner, &bsb)
				if err := ee.Inverse(inner); err != nil {
					t.Fatal(err)
				}
				be.Mul(b.T(), &ee)
				w.Mul(&be, b)
				var pull mat.VecDense
				pull.MulVec(&be, target)
				for i := range m {
					if counted {
						break
					}
					if d := math.Abs(pull.AtVec(i) - q.pull[i]); d > 1e-9 {
						t.Errorf("person %d: pull of item %d is off by %.2g", u, i, d)
					}
					for j := range i + 1 {
						if d := math.Abs(w.At(i, j) - q.info[i*m+j]); d > 1e-9 {
							t.Errorf("person %d: W_%d,%d is off by %.2g", u, i, j, d)
						}
					}
				}
				// The general engine knows no prior mean: shift the likelihoods instead.
				for p := range lik {
					lik[p] = shifted{lik[p], shift[p]}
				}
				gpPrior, err := gp.Covariance(cov)
				if err != nil {
					t.Fatal(err)
				}
				rule := e.method.rule
				if r.answers == 0 {
					effects = nil
				}
				res, err := infer.Run(context.Background(), &infer.Problem{Prior: gpPrior, Rows: &rows, Likelihood: lik, Count: count, Effects: effects},
					&infer.Settings{Rule: rule, Tolerance: 1e-11, MaxSweeps: 5000})
				if err != nil {
					t.Fatal(err)
				}
				if d := math.Abs(res.Objective - q.LogEvidence); d > 1e-8 {
					t.Errorf("person %d: evidence %.12g, in general %.12g", u, q.LogEvidence, res.Objective)
				}
			}
		})
	}
}

// shifted is a likelihood of z + by.
type shifted struct {
	of likelihood.Scalar
	by float64
}

func (s shifted) LogProb(z float64) (lp, d1, d2 float64) { return s.of.LogProb(z + s.by) }
func (s shifted) Tilt(m, v float64) likelihood.Tilted    { return likelihood.Tilt(s.of, m+s.by, v) }
func (s shifted) Expect(m, v float64) (e, d1, d2 float64) {
	return likelihood.Expect(s.of, m+s.by, v)
}
func (s shifted) Bound(m, v float64) (term, tau, nu float64) {
	term, tau, nu = s.of.(likelihood.Bounder).Bound(m+s.by, v)
	return term, tau, nu - tau*s.by
}

// One person inferred alone, from nothing, equals the person inside a fit.
func TestFoldIn(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 9))
			prior, _ := example(t, 3, 12, 1, 1, false)
			tallies := draw(rng, 8, 12, 25, r.ties)
			answers := drawAnswers(rng, 8, 12, r.answers, r.ties)
			people := mustPeople(t, 12, tallies, answers...)
			s := r.settings
			if r.ties {
				s.Likelihood = Voting(0.2)
			}
			s.Tolerance, s.MaxSweeps = 1e-11, 3000
			e := mustEngine(t, people, s)
			if _, _, err := e.Evaluate(context.Background(), prior); err != nil {
				t.Fatal(err)
			}
			for u := range people.Len() {
				var own []palate.Tally
				for _, x := range tallies {
					if x.User == people.Owner(u) {
						own = append(own, x)
					}
				}
				var said []palate.Answer
				for _, a := range answers {
					if a.User == people.Owner(u) {
						said = append(said, a)
					}
				}
				alone, err := FoldIn(prior, own, nil, s, said...)
				if err != nil {
					t.Fatal(err)
				}
				inside, err := e.Posterior(prior, u)
				if err != nil {
					t.Fatal(err)
				}
				for i := range 12 {
					for j := range i {
						m, v := alone.Difference(i, j)
						m2, v2 := inside.Difference(i, j)
						if math.Abs(m-m2) > 1e-8 || math.Abs(v-v2) > 1e-8 {
							t.Fatalf("person %d: items %d, %d: %g ± %g alone, %g ± %g inside", u, i, j, m, v, m2, v2)
						}
					}
				}
				if math.Abs(alone.LogEvidence-e.LogEvidence()[u]) > 1e-8 {
					t.Errorf("person %d: evidence %g alone, %g inside", u, alone.LogEvidence, e.LogEvidence()[u])
				}
			}
		})
	}
}

// The number of goroutines does not change a bit.
func TestWorkers(t *testing.T) {
	fit := func(workers int) (*Learnt, *Engine) {
		rng := rand.New(rand.NewPCG(5, 5))
		people := mustPeople(t, 25, draw(rng, 40, 25, 60, false))
		l, e, err := Learn(context.Background(), people, NewItems(25, features(rng, 25, 4), nil, rng), nil, 0,
			&Options{Settings: Settings{Workers: workers}, Rank: 4, MaxSteps: 15})
		if err != nil {
			t.Fatal(err)
		}
		return l, e
	}
	one, e1 := fit(1)
	two, e2 := fit(2)
	if one.Objective != two.Objective || !slices.Equal(one.T, two.T) || !slices.Equal(one.A, two.A) || !slices.Equal(e1.Tau, e2.Tau) {
		t.Errorf("objective %v with one goroutine, %v with two", one.Objective, two.Objective)
	}
}

// A run that was put aside and resumed ends where it would have anyway.
func TestResume(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	people := mustPeople(t, 12, draw(rng, 30, 12, 20, false))
	it := NewItems(12, features(rng, 12, 4), nil, rng)
	for _, stop := range []int{1, 7, 12} { // some in the second round
		steps := 0
		var kept *Checkpoint
		o := Options{Rank: 3, Checkpoint: func(c *Checkpoint) error {
			if steps++; steps == stop {
				d := *c
				d.Climb.X, d.Climb.G, d.Climb.H = slices.Clone(c.Climb.X), slices.Clone(c.Climb.G), slices.Clone(c.Climb.H)
				d.Climb.Steps, d.Climb.Bends = slices.Clone(c.Climb.Steps), slices.Clone(c.Climb.Bends)
				d.Tau, d.Nu = slices.Clone(c.Tau), slices.Clone(c.Nu)
				kept = &d
			}
			return nil
		}}
		whole, _, err := Learn(context.Background(), people, it, nil, 0, &o)
		if err != nil {
			t.Fatal(err)
		}
		if kept == nil {
			t.Fatalf("only %d steps", steps)
		}
		o.Checkpoint, o.Resume = nil, kept
		rest, _, err := Learn(context.Background(), people, it, nil, 0, &o)
		if err != nil {
			t.Fatal(err)
		}
		if whole.Objective != rest.Objective || !slices.Equal(whole.A, rest.A) || !slices.Equal(whole.T, rest.T) {
			t.Errorf("stopped after %d steps: objective %v, uninterrupted %v", stop, rest.Objective, whole.Objective)
		}
	}
}
