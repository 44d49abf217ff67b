package infer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/kernel"
	"palate/likelihood"
)

// answerNoise is that of two draws which make the noise of a probit.
const answerNoise = 0.5

// said are answers as rows of comparisons, best first.
type said struct {
	rows   gp.Rows
	answer []int
	lik    []likelihood.Scalar
}

// say adds an answer: the pairs of a ranking that are next to each other, of a choice, of
// a best and a worst, by places in order.
func (s *said) say(kind string, order []int) {
	n := 0
	if len(s.answer) > 0 {
		n = s.answer[len(s.answer)-1] + 1
	}
	add := func(a, b int) {
		s.rows.AppendPair(order[a], order[b])
		s.answer, s.lik = append(s.answer, n), append(s.lik, likelihood.Step{})
	}
	last := len(order) - 1
	for i := 1; i <= last; i++ {
		switch {
		case kind == "ranking":
			add(i-1, i)
		case kind == "choice":
			add(0, i)
		case i < last:
			add(0, i)
			add(i, last)
		}
	}
}

var answerKinds = []string{"ranking", "choice", "best and worst"}

// drawn are answers of a kind of k items, by utilities.
func drawn(rng *rand.Rand, kind string, f []float64, k, n int) *said {
	s := &said{}
	for range n {
		s.say(kind, order(rng, f, rng.Perm(len(f))[:k]))
	}
	return s
}

// order sorts items by a draw of their utilities.
func order(rng *rand.Rand, f []float64, items []int) []int {
	u := map[int]float64{}
	for _, i := range items {
		u[i] = f[i] + math.Sqrt(answerNoise)*rng.NormFloat64()
	}
	slices.SortFunc(items, func(a, b int) int {
		if u[a] > u[b] {
			return -1
		}
		return 1
	})
	return items
}

func (s *said) problem(p *gp.Prior) *Problem {
	return &Problem{Prior: p, Rows: &s.rows, Likelihood: s.lik, Effects: &Effects{Answer: s.answer, Noise: answerNoise}}
}

func exactly(t *testing.T, p *Problem) *Result {
	t.Helper()
	r, err := Run(t.Context(), p, &Settings{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != Converged {
		t.Fatalf("%v after %d sweeps, change %g", r.Status, r.Stats.Sweeps, r.Stats.Change)
	}
	return r
}

// same wants two posteriors of the first n items, and two evidences, to be near.
func same(t *testing.T, what string, got, want *Result, n int, near float64) {
	t.Helper()
	if math.Abs(got.Objective-want.Objective) > near*math.Max(1, math.Abs(want.Objective)) {
		t.Errorf("%s: evidence %.12g, want %.12g", what, got.Objective, want.Objective)
	}
	gf, wf, gc, wc := got.Posterior.Utilities(), want.Posterior.Utilities(), got.Posterior.Covariance(), want.Posterior.Covariance()
	for i := range n {
		if math.Abs(gf[i]-wf[i]) > near {
			t.Errorf("%s: utility %d is %.12g, want %.12g", what, i, gf[i], wf[i])
		}
		for j := range n {
			if math.Abs(gc.At(i, j)-wc.At(i, j)) > near {
				t.Errorf("%s: covariance of %d and %d is %.12g, want %.12g", what, i, j, gc.At(i, j), wc.At(i, j))
			}
		}
	}
}

// An answer about two items is the probit of that pair.
func TestAnswerOfTwoIsAVote(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 6
	s := drawn(rng, "ranking", make([]float64, n), 2, 40)
	votes := s.problem(gp.White(n))
	votes.Effects = nil
	votes.Likelihood = slices.Repeat([]likelihood.Scalar{likelihood.Probit{}}, len(s.answer))
	same(t, "pairs", exactly(t, s.problem(gp.White(n))), exactly(t, votes), n, 1e-10)
}

// Evidence, amended, is near the chance of the answer, the sum of those of all rankings that
// it leaves open: within .03, as wide as utilities are.
func TestAnswerEvidence(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, kind := range answerKinds {
		for k := 3; k <= 5; k++ {
			for _, spread := range []float64{0.3, 1, 2} {
				mean, cov := world(rng, k, spread)
				s := &said{}
				s.say(kind, rng.Perm(k))
				c, err := LogChance(t.Context(), mean, cov, &s.rows, s.lik)
				if err != nil {
					t.Fatal(err)
				}
				got := c.Log + c.Amend
				var p, variance float64
				rankings(k, func(order []int) {
					if s.allows(order) {
						mean, v := inOrder(rng, mean, cov, order, 40_000)
						p, variance = p+mean, variance+v
					}
				})
				sd := math.Sqrt(variance) / p
				if t.Logf("%s of %d, spread %g: %.4f, by EP alone %.4f, sampled %.4f (%.4f)", kind, k, spread, got, c.Log, math.Log(p), sd); !(math.Abs(got-math.Log(p)) <= 0.03) || sd > 0.01 {
					t.Errorf("%s of %d, spread %g: log chance %.4f, want %.4f (%.4f)", kind, k, spread, got, math.Log(p), sd)
				}
			}
		}
	}
}

// The slope of a log chance in the mean is that of differences.
func TestChanceSlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, kind := range answerKinds {
		for _, k := range []int{2, 4, 7} {
			mean, cov := world(rng, k, 1)
			s := &said{}
			s.say(kind, rng.Perm(k))
			if s.rows.Len() == 0 {
				continue // a best and a worst of two
			}
			c, err := LogChance(t.Context(), mean, cov, &s.rows, s.lik)
			if err != nil {
				t.Fatal(err)
			}
			for i := range mean {
				at := func(by float64) float64 {
					m := slices.Clone(mean)
					m[i] += by
					c, err := LogChance(t.Context(), m, cov, &s.rows, s.lik)
					if err != nil {
						t.Fatal(err)
					}
					return c.Log
				}
				const h = 1e-3
				want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
				if math.Abs(c.Slope[i]-want) > 1e-8 {
					t.Errorf("%s of %d: slope %d is %.10g, by differences %.10g", kind, k, i, c.Slope[i], want)
				}
			}
		}
	}
}

// Means and deviations of utilities less their mean are near those of the true posterior, as Gibbs sampling
// finds it: means within 2 % of a deviation; deviations are up to 7 % too narrow, of items
// that nearly always won or lost and whose posterior is skewed, as they are of votes.
func TestAnswerPosterior(t *testing.T) {
	if testing.Short() {
		t.Skip("samples for seconds")
	}
	const n = 6
	for _, c := range []struct {
		kind string
		k, n int
	}{{"ranking", 2, 20}, {"ranking", 4, 8}, {"choice", 4, 24}, {"best and worst", 4, 12}} {
		rng := rand.New(rand.NewPCG(4, 4))
		f := make([]float64, n)
		for i := range f {
			f[i] = rng.NormFloat64()
		}
		s := drawn(rng, c.kind, f, c.k, c.n)
		r := exactly(t, s.problem(gp.White(n)))
		mean, sd := gibbs(rng, s, n, 200_000)
		u, cov := centred(r.Posterior)
		for i := range n {
			own := math.Sqrt(cov.At(i, i))
			off, wide := (u[i]-mean[i])/sd[i], own/sd[i]-1
			if t.Logf("%s of %d: item %d is off by %.3f, its deviation by %.3f", c.kind, c.k, i, off, wide); math.Abs(off) > 0.02 || wide > 0.02 || wide < -0.07 {
				t.Errorf("%s of %d: item %d is %.4f ± %.4f, sampled %.4f ± %.4f", c.kind, c.k, i, u[i], own, mean[i], sd[i])
			}
		}
	}
}

// The order of answers, and of what they say, does not matter.
func TestOrderOfAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 9
	for _, kind := range answerKinds {
		s := drawn(rng, kind, make([]float64, n), 6, 12)
		other := &said{}
		var at []int
		for _, a := range rng.Perm(12) {
			from := len(at)
			for r, b := range s.answer {
				if b == a {
					at = append(at, r)
				}
			}
			rng.Shuffle(len(at)-from, func(i, j int) { at[from+i], at[from+j] = at[from+j], at[from+i] })
		}
		other.rows, other.lik = *s.rows.Select(at), s.lik
		for _, r := range at {
			other.answer = append(other.answer, s.answer[r])
		}
		same(t, kind, exactly(t, other.problem(gp.White(n))), exactly(t, s.problem(gp.White(n))), n, 1e-9)
	}
}

// An answer that was given three times is three answers.
func TestAnswersAreCounted(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const n = 7
	s, all := &said{}, &said{}
	var count []float64
	for a := range 8 {
		o := order(rng, make([]float64, n), rng.Perm(n)[:4])
		s.say("ranking", o)
		for range 1 + a%3 {
			all.say("ranking", o)
		}
		for len(count) < len(s.answer) {
			count = append(count, float64(1+a%3))
		}
	}
	p := s.problem(gp.White(n))
	p.Count = count
	same(t, "counted", exactly(t, p), exactly(t, all.problem(gp.White(n))), n, 1e-9)
}

// nested are answers and votes of groups, some of neither.
func nested(rng *rand.Rand, n int) (s *said, group []int) {
	s = &said{}
	var next int
	for g := range 5 {
		of := g
		if g == 4 {
			of = -1
		}
		for k := range 3 {
			s.say(answerKinds[(g+k)%3], rng.Perm(n)[:4])
		}
		next = s.answer[len(s.answer)-1] + 1
		for range 4 {
			a := rng.IntN(n)
			s.rows.AppendPair(a, (a+1+rng.IntN(n-1))%n)
			s.answer, s.lik = append(s.answer, -1), append(s.lik, likelihood.Probit{})
		}
		s.say("ranking", rng.Perm(n)[:3]) // numbers go on
		for r := len(s.answer) - 2; r < len(s.answer); r++ {
			s.answer[r] = next
		}
		for len(group) < len(s.answer) {
			group = append(group, of)
		}
	}
	return s, group
}

// Answers within groups are those of a prior in which every form is a coordinate, on the
// graph as well as on a prior with a weight an item.
func TestAnswersAreCorrelatedForms(t *testing.T) {
	const n, scale, own = 6, 0.7, 0.6
	s, group := nested(rand.New(rand.NewPCG(7, 7)), n)
	rows := s.rows.Len()
	k := mat.NewSymDense(n+rows, nil)
	var whole gp.Rows
	for r := range rows {
		whole.AppendUnit(n + r)
		index, coef := s.rows.Row(r)
		for i := range n {
			k.SetSym(i, i, 1/scale)
			for a, j := range index {
				if i == j {
					k.SetSym(i, n+r, coef[a]/scale)
				}
			}
		}
		for q := range r + 1 {
			other, sign := s.rows.Row(q)
			var v float64
			for a, i := range index {
				for b, j := range other {
					if i != j {
						continue
					}
					c := 1 / scale
					if group[r] >= 0 && group[r] == group[q] {
						c += own
					}
					if s.answer[r] >= 0 && s.answer[r] == s.answer[q] {
						c += answerNoise
					}
					v += coef[a] * sign[b] * c
				}
			}
			k.SetSym(n+r, n+q, v)
		}
	}
	for i := range n + rows {
		k.SetSym(i, i, k.At(i, i)+1e-10)
	}
	prior, err := gp.Covariance(k)
	if err != nil {
		t.Fatal(err)
	}
	want := exactly(t, &Problem{Prior: prior, Rows: &whole, Likelihood: s.lik})
	for _, c := range []struct {
		name  string
		prior *gp.Prior
		near  float64
	}{{"dense", gp.White(n), 1e-6}, {"graph", gp.White(n).Own(), 1e-4}} {
		p := s.problem(c.prior)
		p.Scale, p.Effects.Group, p.Effects.Own = scale, group, own
		got, err := Run(t.Context(), p, &Settings{Tolerance: 1e-10})
		if err != nil {
			t.Fatal(err)
		}
		same(t, c.name, got, want, n, c.near)
	}
}

// The derivatives of the evidence of answers in scale, kernel and the variance of voters'
// tastes are those of differences.
func TestAnswerGradients(t *testing.T) {
	const n = 6
	s, group := nested(rand.New(rand.NewPCG(8, 8)), n)
	x := mat.NewDense(n, 1, []float64{0, 0.3, 1, 1.2, 2, 2.9})
	at := func(scale, own, length float64) *Result {
		prior, err := gp.Dense(kernel.Sum(kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{length}), kernel.Identity{}), kernel.Dense(x))
		if err != nil {
			t.Fatal(err)
		}
		p := s.problem(prior)
		p.Scale, p.Effects.Group, p.Effects.Own = scale, group, own
		return exactly(t, p)
	}
	r := at(0.8, 0.5, 0.7)
	sens, p := r.Sensitivity(), r.Posterior.Prior
	const h = 1e-4
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"scale", -p.LogScale(sens, nil), (at(0.8*math.Exp(h), 0.5, 0.7).Objective - at(0.8*math.Exp(-h), 0.5, 0.7).Objective) / (2 * h)},
		{"own", r.OwnSlope(), (at(0.8, 0.5+h, 0.7).Objective - at(0.8, 0.5-h, 0.7).Objective) / (2 * h)},
		{"length", p.KernelGrad(sens, &s.rows)[0], (at(0.8, 0.5, 0.7*math.Exp(h)).Objective - at(0.8, 0.5, 0.7*math.Exp(-h)).Objective) / (2 * h)},
	} {
		if math.Abs(c.got-c.want) > 1e-6*(1+math.Abs(c.want)) {
			t.Errorf("%s: slope %v, by differences %v", c.name, c.got, c.want)
		}
	}
}

// Long answers and those that contradict each other settle, at every scale.
func TestAnswersSettle(t *testing.T) {
	for _, scale := range []float64{1e-3, 1, 1e3} {
		for _, c := range []struct{ items, k, n int }{{60, 50, 6}, {10, 10, 40}} {
			for _, kind := range answerKinds {
				for _, contrary := range []bool{false, true} {
					rng := rand.New(rand.NewPCG(9, 9))
					s := &said{}
					for a := range c.n {
						o := rng.Perm(c.items)[:c.k]
						if slices.Sort(o); contrary && a%2 == 1 {
							slices.Reverse(o)
						}
						s.say(kind, o)
					}
					p := s.problem(gp.White(c.items))
					p.Scale = scale
					r, err := Run(t.Context(), p, &Settings{Tolerance: 1e-6})
					if name := fmt.Sprintf("%s of %d, scale %g, contrary %v", kind, c.k, scale, contrary); err != nil || r.Status != Converged || r.Stats.Skipped > 0 || math.IsNaN(r.Objective) {
						t.Errorf("%s: %v, %v, %+v, evidence %v", name, err, r.Status, r.Stats, r.Objective)
					}
				}
			}
		}
	}
}

// Of items that are all alike every answer of a kind has the same chance, from which evidence,
// amended, is off by .01 at most, and by .05 for 30 items.
func TestChancesOfAlikeItems(t *testing.T) {
	for k, within := range map[int]float64{3: 0.01, 6: 0.01, 12: 0.01, 30: 0.05} {
		cov := mat.NewSymDense(k, nil)
		order := make([]int, k)
		for i := range k {
			cov.SetSym(i, i, answerNoise)
			order[i] = i
		}
		all, _ := math.Lgamma(float64(k + 1))
		for kind, want := range map[string]float64{"ranking": -all, "choice": -math.Log(float64(k)), "best and worst": -math.Log(float64(k * (k - 1)))} {
			s := &said{}
			s.say(kind, order)
			c, err := LogChance(t.Context(), make([]float64, k), cov, &s.rows, s.lik)
			if err != nil {
				t.Fatal(err)
			}
			if t.Logf("%s of %d: %.4f, by EP alone %.4f, want %.4f", kind, k, c.Log+c.Amend, c.Log, want); !(math.Abs(c.Log+c.Amend-want) <= within) {
				t.Errorf("%s of %d: log chance %.4f, want %.4f", kind, k, c.Log+c.Amend, want)
			}
		}
	}
}
