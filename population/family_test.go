package population

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate"
)

// tight makes a fit's engines converge as far as they can, so that slopes are exact.
func tight(engines ...*Engine) {
	for _, e := range engines {
		e.method.tolerance, e.method.sweeps = 1e-10, 1000
	}
}

// blank are items of which nothing is known.
func blank(n int) *Items { return NewItems(n, nil, nil, nil) }

// startTastes is a fit at a random point with k columns.
func startTastes(t *testing.T, rng *rand.Rand, k int, it *Items, ties bool) *tastes {
	t.Helper()
	people := mustPeople(t, 6, draw(rng, 12, 6, 10, ties))
	f, err := newRun(people, it, 1.5, &Options{}).newTastes(0.4)
	if err != nil {
		t.Fatal(err)
	}
	tight(f.engine)
	f.k = k
	f.point = f.point[:6]
	for range 6 * k {
		f.point = append(f.point, 0)
	}
	if it.K != nil {
		f.point = append(f.point, 0.3)
	}
	if ties {
		f.point = append(f.point, math.Log(0.4))
	}
	for i := range 6 * (1 + k) {
		f.point[i] = 0.6 * rng.NormFloat64()
	}
	for c := range k {
		f.alpha = append(f.alpha, 2+float64(c))
	}
	return f
}

// startSegments is a mixture at a random point.
func startSegments(t *testing.T, rng *rand.Rand, c int, it *Items, ties bool) *mixture {
	t.Helper()
	people := mustPeople(t, 6, draw(rng, 12, 6, 10, ties))
	centres := make([][]float64, c)
	count := make([]int, c)
	for k := range centres {
		count[k] = k + 2
		for range 6 {
			centres[k] = append(centres[k], rng.NormFloat64())
		}
	}
	share := 0.0
	if it.K != nil {
		share = 0.6
	}
	s, err := newRun(people, it, 1.5, &Options{}).newSegments(centres, count, share, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	tight(s.engine...)
	for k := range s.spread {
		s.spread[k] = 0.7 + 0.3*float64(k)
	}
	return s
}

// slopesAgree compares a gradient with differences of the value.
func slopesAgree(t *testing.T, name string, x []float64, f func(ctx context.Context, x []float64) (float64, []float64, error)) {
	t.Helper()
	_, g, err := f(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	const h = 1e-4
	for i := range x {
		at := func(d float64) float64 {
			y := slices.Clone(x)
			y[i] += d
			v, _, err := f(t.Context(), y)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		if want := (at(h) - at(-h)) / (2 * h); math.Abs(want-g[i]) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("%s: coordinate %d of %d: slope %g, by differences %g", name, i, len(x), g[i], want)
		}
	}
}

func TestFamilySlopes(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 8))
	for _, ties := range []bool{false, true} {
		for _, it := range []*Items{blank(6), NewItems(6, features(rng, 6, 2), nil, rng).Mixed(0.2)} {
			for _, k := range []int{0, 2} {
				f := startTastes(t, rng, k, it, ties)
				slopesAgree(t, "tastes", f.point, f.evaluate)
			}
			s := startSegments(t, rng, 3, it, ties)
			slopesAgree(t, "segments", s.point, s.evaluate)
			c := startReliability(t, rng, it, ties)
			slopesAgree(t, "reliability", c.point, c.evaluate)
		}
	}
}

// Without columns the evidence is that of the engine under a population without factors,
// and a mixture of one class says the same of everything.
func TestOneClassIsOwnTastes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	for _, ties := range []bool{false, true} {
		f := startTastes(t, rng, 0, blank(6), ties)
		value, grad, err := f.evaluate(t.Context(), f.point)
		if err != nil {
			t.Fatal(err)
		}
		e := mustEngine(t, f.engine.People, Settings{Likelihood: Voting(f.threshold()), Tolerance: 1e-10, MaxSweeps: 1000})
		want, _, err := e.Evaluate(t.Context(), &LowRank{Items: f.run.items, Scale: f.own, T: f.point[:6]})
		if err != nil {
			t.Fatal(err)
		}
		if got := (value - f.penalty(f.point)) / f.temper; math.Abs(got-want) > 1e-8*math.Abs(want) {
			t.Errorf("evidence %g, of the engine %g", got, want)
		}
		s, err := f.run.newSegments([][]float64{f.point[:6]}, []int{12}, 0, 0.4)
		if err != nil {
			t.Fatal(err)
		}
		tight(s.engine...)
		s.point[7], s.spread[0] = math.Log(f.own), f.spread
		single, slope, err := s.evaluate(t.Context(), s.point)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(single-value) > 1e-8*math.Abs(value) {
			t.Errorf("objective %g, of a mixture of one %g", value, single)
		}
		for i := range 6 {
			if math.Abs(slope[i]-grad[i]) > 1e-7 {
				t.Errorf("item %d: slope %g, of a mixture of one %g", i, grad[i], slope[i])
			}
		}
		if err := f.bend(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := s.bend(t.Context()); err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.score-f.score) > 1e-7*math.Abs(f.score) {
			t.Errorf("score %g, of a mixture of one %g", f.score, s.score)
		}
	}
}

// What classes are called does not matter.
func TestNamesOfClasses(t *testing.T) {
	s := startSegments(t, rand.New(rand.NewPCG(6, 1)), 3, blank(6), false)
	if err := s.bend(t.Context()); err != nil {
		t.Fatal(err)
	}
	value, score := s.value, s.score
	to := []int{2, 0, 1}
	point := slices.Clone(s.point)
	spread := slices.Clone(s.spread)
	for k, j := range to {
		copy(point[j*6:], s.point[k*6:(k+1)*6])
		point[18+j] = s.point[18+k]
		spread[j] = s.spread[k]
	}
	s.point, s.spread = point, spread
	if err := s.bend(t.Context()); err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.value-value) > 1e-7 || math.Abs(s.score-score) > 1e-7 {
		t.Errorf("objective %.9g and score %.9g, by other names %.9g and %.9g", value, score, s.value, s.score)
	}
}

func (m *metric) logDet() (sum float64) {
	for b, n := range m.size {
		for i := range n {
			sum += 2 * math.Log(m.factor[b][i*n+i])
		}
	}
	return sum
}

// The rule by which a and α are learnt stays where it is where the evidence, at given
// factors and curvature and with the little that the rule assumes, is flat.
func TestRelevanceIsStationary(t *testing.T) {
	f := startTastes(t, rand.New(rand.NewPCG(7, 1)), 2, blank(6), false)
	if err := f.bend(t.Context()); err != nil {
		t.Fatal(err)
	}
	for round := 0; f.relearn() > 1e-12; round++ {
		if f.bent = f.told.metric(f); round > 5000 {
			t.Fatal("the rule does not settle")
		}
	}
	evidence := func() float64 {
		e := f.penalty(f.point) - 0.5*f.told.metric(f).logDet() - 0.025*math.Log(f.spread) - 0.025/f.spread
		for _, a := range f.alpha {
			e += 0.05*math.Log(a) - 0.0005*a
		}
		return e
	}
	const h = 1e-5
	for k, at := range []*float64{&f.spread, &f.alpha[0], &f.alpha[1]} {
		x := *at
		*at = x * math.Exp(h)
		up := evidence()
		*at = x * math.Exp(-h)
		down := evidence()
		if *at = x; x <= 1.01*leastAlpha || x >= 0.99*mostAlpha {
			t.Fatalf("%d of three is %g, at its bound", k, x)
		}
		if slope := (up - down) / (2 * h); math.Abs(slope) > 1e-4 {
			t.Errorf("%d of three, %g: the evidence has slope %g", k, x, slope)
		}
	}
}

// The curvature of factors, whole or an item at a time, is the sum that it says.
func TestCurvatureOfFactors(t *testing.T) {
	f := startTastes(t, rand.New(rand.NewPCG(8, 1)), 2, blank(6), false)
	const n, k = 6, 2
	_, v, _ := f.split(f.point)
	f.set(f.point)
	c := newCurvature(n, k, v)
	blocks := newCurvature(n, k, v)
	blocks.whole, blocks.h = false, make([]float64, n*k*k)
	if _, _, err := f.engine.Evaluate(t.Context(), f.prior, c, blocks); err != nil {
		t.Fatal(err)
	}
	var h [n * k][n * k]float64
	for u := range f.engine.People.Len() {
		q, err := f.engine.Posterior(f.prior, u)
		if err != nil {
			t.Fatal(err)
		}
		var w [n][n]float64
		m := len(q.items)
		for i, a := range q.items {
			for j, b := range q.items {
				w[a][b] = q.info[max(i, j)*m+min(i, j)]
			}
		}
		var wv [n][k]float64
		var z [k][k]float64
		for i := range n {
			for j := range n {
				for d := range k {
					wv[i][d] += w[i][j] * v[j*k+d]
				}
			}
		}
		for i := range n {
			for d := range k {
				for e := range k {
					z[d][e] += v[i*k+d] * wv[i][e]
				}
			}
		}
		for i := range n {
			for j := range n {
				for d := range k {
					for e := range k {
						h[i*k+d][j*k+e] += w[i][j]*z[d][e] + wv[i][e]*wv[j][d]
					}
				}
			}
		}
	}
	for a := range n * k {
		for b := range a + 1 {
			if got := c.h[a*n*k+b]; math.Abs(got-h[a][b]) > 1e-6*(1+math.Abs(got)) {
				t.Errorf("curvature %d, %d: %g, want %g", a, b, got, h[a][b])
			}
			if i := a / k; i == b/k {
				if got := blocks.h[i*k*k+(a%k)*k+b%k]; math.Abs(got-h[a][b]) > 1e-6*(1+math.Abs(got)) {
					t.Errorf("curvature %d, %d of a block: %g, want %g", a, b, got, h[a][b])
				}
			}
		}
	}
}

// camps are people of so many tastes, each shared by as many.
func camps(rng *rand.Rand, number, persons, items, votes int) []palate.Tally {
	tastes := make([][]float64, number)
	for k := range tastes {
		for range items {
			tastes[k] = append(tastes[k], 2*rng.NormFloat64())
		}
	}
	var out []palate.Tally
	for u := range persons {
		seen := map[[2]int]bool{}
		for len(seen) < votes {
			a, b := rng.IntN(items), rng.IntN(items)
			if a == b || seen[[2]int{a, b}] || seen[[2]int{b, a}] {
				continue
			}
			if f := tastes[u%number]; f[a]-f[b]+rng.NormFloat64() < 0 {
				a, b = b, a
			}
			seen[[2]int{a, b}] = true
			out = append(out, palate.Tally{User: u, A: a, B: b, Weight: 1})
		}
	}
	return out
}

// A family finds out how many tastes there are, whom of its people has which, and where a
// new person belongs; nothing of that hangs on the number of goroutines.
func TestFamilyOfCamps(t *testing.T) {
	tallies := camps(rand.New(rand.NewPCG(1, 2)), 3, 30, 8, 14)
	people := mustPeople(t, 8, tallies)
	f, err := LearnFamily(t.Context(), people, nil, 1, &Options{Settings: Settings{Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	chance := f.Segments()
	if len(chance) < 3 || chance[2] != slices.Max(chance) {
		t.Errorf("numbers of segments have the chances %.2f, want three", chance)
	}
	var sum float64
	for _, p := range chance {
		sum += p
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("chances of numbers of segments sum to %g", sum)
	}
	again, err := LearnFamily(t.Context(), people, nil, 1, &Options{Settings: Settings{Workers: 7}})
	if err != nil {
		t.Fatal(err)
	}
	for u := range people.Len() {
		a, err := f.Posterior(u)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := again.Posterior(u)
		var own []palate.Tally
		for _, t := range tallies {
			if t.User == people.Owner(u) {
				own = append(own, t)
			}
		}
		c, err := f.FoldIn(own, nil, func(m *Member) Settings { return Settings{Tolerance: 1e-7, MaxSweeps: 500} })
		if err != nil {
			t.Fatal(err)
		}
		for i := range 8 {
			for j := range i {
				p := a.Prefer(i, j)
				if q := b.Prefer(i, j); p != q {
					t.Fatalf("person %d, items %d and %d: %v, with seven goroutines %v", u, i, j, p, q)
				}
				if q := c.Prefer(i, j); math.Abs(p-q) > 1e-3 {
					t.Errorf("person %d, items %d and %d: %.5f, folded in %.5f", u, i, j, p, q)
				}
			}
		}
	}
}

// The consensus has the moments that its draws have, and shares of segments are part of
// what is not known of it.
func TestConsensusOfFamily(t *testing.T) {
	people := mustPeople(t, 6, camps(rand.New(rand.NewPCG(1, 3)), 2, 24, 6, 10))
	f, err := LearnFamily(t.Context(), people, nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := f.Consensus(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	const n = 40000
	x, err := c.Draws(t.Context(), n, rand.New(rand.NewPCG(3, 3)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 6 {
		for j := range i + 1 {
			var mean, cov float64
			for k := range n {
				mean += x.At(k, i) / n
				cov += (x.At(k, i) - c.Mean[i]) * (x.At(k, j) - c.Mean[j]) / n
			}
			sd := math.Sqrt(c.Cov(i, i))
			if math.Abs(mean-c.Mean[i]) > 5*sd/math.Sqrt(n) {
				t.Errorf("item %d: mean %g, of draws %g", i, c.Mean[i], mean)
			}
			if want := c.Cov(i, j); math.Abs(cov-want) > 0.05*sd*math.Sqrt(c.Cov(j, j)) {
				t.Errorf("items %d and %d: covariance %g, of draws %g", i, j, want, cov)
			}
		}
	}
	m := f.Members[slices.IndexFunc(f.Members, func(m *Member) bool { return len(m.Classes) == 2 })]
	two, err := m.consensus(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	a, b := m.Classes[0], m.Classes[1]
	for i := range 6 {
		apart := a.Prior.Mean(-1, i) - b.Prior.Mean(-1, i)
		if least := a.Share * b.Share * apart * apart / (24 - 1); two.Cov(i, i) < least {
			t.Errorf("item %d: variance %g, of the shares alone %g", i, two.Cov(i, i), least)
		}
	}
}

// LearnFamily heeds its context, at whatever evaluation it ends.
func TestFamilyStops(t *testing.T) {
	people := mustPeople(t, 6, camps(rand.New(rand.NewPCG(1, 3)), 2, 24, 6, 10))
	for stop := range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		steps := 0
		_, err := LearnFamily(ctx, people, nil, 1, &Options{Progress: func(Progress) {
			if steps++; steps > stop {
				cancel()
			}
		}})
		cancel()
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d steps: %v", stop, err)
		}
	}
}

// Nobody is a family, too.
func TestFamilyOfNobody(t *testing.T) {
	people, err := NewPeople(3, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := LearnFamily(t.Context(), people, nil, 1, nil); err != nil || len(f.NewVoter()) == 0 {
		t.Fatalf("%v, %v", f, err)
	}
}

// Clusters are found whatever the order of the points, also where there are fewer than
// asked for.
func TestClusters(t *testing.T) {
	chain := func(points [][]float64, c int) (centres [][]float64, count []int) {
		centres = means(points, make([]int, len(points)), points[:1])
		for len(centres) < c {
			centres, count = clusters(points, centres)
		}
		return centres, count
	}
	for _, c := range []int{3, 8} {
		rng := rand.New(rand.NewPCG(2, 2))
		var points [][]float64
		for u := range 20 * c {
			at := make([]float64, c)
			at[u%c] = 5
			for i := range at {
				at[i] += 0.3 * rng.NormFloat64()
			}
			points = append(points, at)
		}
		centres, count := chain(points, c)
		for k, n := range count {
			if n != 20 || slices.Max(centres[k]) < 4.5 {
				t.Errorf("of %d clusters one of %d at %.2f", c, n, centres[k])
			}
		}
		rng.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
		moved, _ := chain(points, c)
		for _, c := range centres {
			if !slices.ContainsFunc(moved, func(d []float64) bool { return distance(c, d) < 1e-18 }) {
				t.Errorf("in another order there is no centre %.2f", c)
			}
		}
	}
	same := [][]float64{{1, 2}, {1, 2}, {1, 2}}
	if centres, count := chain(same, 2); len(centres) != 2 || count[0]+count[1] != 3 {
		t.Errorf("three equal points: centres %v of %v", centres, count)
	}
}
