package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
	"palate/likelihood"
)

// linkKernel is ω₁²K_a + ω₂²K_r + θI of LINK (6), over a ring with some chords.
func linkKernel(t testing.TB, n int) (kernel.Kernel, kernel.Points) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(n, 3, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	var edges []kernel.Edge
	for i := range n {
		edges = append(edges, kernel.Edge{From: i, To: (i + 1) % n, Weight: 1})
		if j := rng.IntN(n); j != i {
			edges = append(edges, kernel.Edge{From: i, To: j, Weight: 0.5})
		}
	}
	g, err := kernel.NewGraph(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return kernel.Sum(
		kernel.Scale(2, kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{1.2})),
		kernel.NewLinks(g, kernel.Laplacian, 0.5, 2),
		kernel.Scale(0.5, kernel.Identity{})), kernel.Dense(x)
}

func numbered(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = fmt.Sprint("item", i)
	}
	return ids
}

func newLinked(t testing.TB, n int, o *LinkedOptions) *Linked {
	t.Helper()
	k, x := linkKernel(t, n)
	m, err := NewLinked(numbered(n), k, x, o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// someVotes are votes between random items by a made-up utility.
func someVotes(n, count int, seed uint64) []palate.Vote {
	rng := rand.New(rand.NewPCG(seed, 3))
	f := make([]float64, n)
	for i := range f {
		f[i] = 2 * rng.NormFloat64()
	}
	votes := make([]palate.Vote, count)
	for k := range votes {
		v := palate.Vote{User: -1, Left: rng.IntN(n), Weight: 1}
		v.Right = (v.Left + 1 + rng.IntN(n-1)) % n
		if f[v.Left]-f[v.Right]+rng.NormFloat64() < 0 {
			v.Outcome = palate.Right
		}
		votes[k] = v
	}
	return votes
}

func observeAll(t testing.TB, m interface{ Observe(palate.Vote) error }, votes []palate.Vote) {
	t.Helper()
	for _, v := range votes {
		if err := m.Observe(v); err != nil {
			t.Fatal(err)
		}
	}
}

// One vote gives the moments of prior times likelihood: by quadrature over the
// difference, given which all utilities are linear; and by the formulas of LINK
// (22)–(24) as corrected, m += k·h/r, K −= h(z+h)/(1+s)·kkᵀ.
func TestStepIsTiltedMoments(t *testing.T) {
	const n = 12
	m := newLinked(t, n, nil)
	observeAll(t, m, someVotes(n, 15, 1)) // any state will do as the prior of the next vote
	for _, v := range someVotes(n, 8, 2) {
		win, lose := v.Left, v.Right
		if v.Outcome == palate.Right {
			win, lose = lose, win
		}
		s := m.online.State()
		mean, cov := append([]float64(nil), s.Mean...), mat.DenseCopyOf(s.Cov)
		k := make([]float64, n)
		for i := range k {
			k[i] = cov.At(i, win) - cov.At(i, lose)
		}
		d, vd := mean[win]-mean[lose], k[win]-k[lose]
		// Tilted moments of the difference: x ~ N(d, vd) weighed by Φ(x).
		var z, z1, z2 float64
		x, w := num.GaussHermite(100)
		for q := range x {
			at := d + math.Sqrt(vd)*x[q]
			p := w[q] * num.Phi(at)
			z, z1, z2 = z+p, z1+p*at, z2+p*at*at
		}
		td, tv := z1/z, z2/z-(z1/z)*(z1/z)
		logPhi, h, rest := num.Probit(d / math.Sqrt(1+vd))
		near(t, "log Z", logPhi, math.Log(z), 1e-10)
		if err := m.Observe(v); err != nil {
			t.Fatal(err)
		}
		s = m.online.State()
		for i := range n {
			near(t, "mean by quadrature", s.Mean[i], mean[i]+k[i]/vd*(td-d), 1e-8)
			near(t, "mean by formula", s.Mean[i], mean[i]+k[i]*h/math.Sqrt(1+vd), 1e-12)
			for j := range n {
				near(t, "covariance by quadrature", s.Cov.At(i, j), cov.At(i, j)+k[i]*k[j]/(vd*vd)*(tv-vd), 1e-8)
				near(t, "covariance by formula", s.Cov.At(i, j), cov.At(i, j)-(1-rest)/(1+vd)*k[i]*k[j], 1e-12)
			}
		}
	}
}

// Votes one at a time, then revisited, end where batch EP ends.
func TestRevisitsAreBatch(t *testing.T) {
	const n = 25
	votes := someVotes(n, 80, 3)
	m := newLinked(t, n, nil)
	observeAll(t, m, votes)
	gap := func(q *gp.Posterior) (worst float64) {
		for i, f := range q.Utilities() {
			mean, _ := m.Utility(-1, i)
			worst = math.Max(worst, math.Abs(f-mean))
		}
		return worst
	}
	k, x := linkKernel(t, n)
	prior, err := gp.Dense(k, x)
	if err != nil {
		t.Fatal(err)
	}
	p := &infer.Problem{Prior: prior, Rows: &gp.Rows{}}
	for _, v := range votes {
		if v.Outcome == palate.Right {
			v.Left, v.Right = v.Right, v.Left
		}
		p.Rows.AppendPair(v.Left, v.Right)
		p.Likelihood = append(p.Likelihood, likelihood.Probit{})
	}
	r, err := infer.Run(t.Context(), p, &infer.Settings{Tolerance: 1e-11})
	if err != nil {
		t.Fatal(err)
	}
	before := gap(r.Posterior)
	if status := m.Revisit(t.Context(), 1e-11, 500); status != infer.Converged {
		t.Fatalf("revisits ended with %v", status)
	}
	if after := gap(r.Posterior); after > 1e-8 || before < 1e-4 {
		t.Errorf("means differ from batch EP by %.3g before revisits, %.3g after", before, after)
	}
	online, err := m.online.Result()
	if err != nil {
		t.Fatal(err)
	}
	near(t, "log evidence", online.Objective, r.Objective, 1e-8)
	// The order of votes no longer matters.
	back := newLinked(t, n, nil)
	for k := range votes {
		observeAll(t, back, votes[len(votes)-1-k:len(votes)-k])
	}
	back.Revisit(t.Context(), 1e-11, 500)
	for i := range n {
		a, va := m.Utility(-1, i)
		b, vb := back.Utility(-1, i)
		near(t, "mean, votes backwards", b, a, 1e-8)
		near(t, "variance, votes backwards", vb, va, 1e-8)
	}
}

// After 10,000 rank-one steps the state is still what its sites say.
func TestNoDrift(t *testing.T) {
	const n = 30
	m := newLinked(t, n, nil)
	observeAll(t, m, someVotes(n, 10000, 4))
	s := m.online.State()
	r, err := m.online.Result()
	if err != nil {
		t.Fatal(err)
	}
	var rows gp.Rows
	for i := range n {
		rows.AppendUnit(i)
		rows.AppendPair(i, (i+1)%n)
	}
	mean, v := r.Posterior.Forms(&rows)
	for i := range n {
		j := (i + 1) % n
		near(t, "mean", s.Mean[i], mean[2*i], 1e-10)
		near(t, "variance", s.Cov.At(i, i), v[2*i], 1e-10)
		near(t, "variance of a difference", s.Cov.At(i, i)+s.Cov.At(j, j)-2*s.Cov.At(i, j), v[2*i+1], 1e-10)
	}
}

// Exchanging left and right, and turning the outcome round, changes nothing.
func TestLinkedSwap(t *testing.T) {
	const n = 10
	votes := someVotes(n, 30, 5)
	votes[3].Outcome, votes[4].Outcome, votes[5].Weight, votes[6].Weight = palate.Tie, palate.Skip, 3, 0.4
	swapped := make([]palate.Vote, len(votes))
	for k, v := range votes {
		v.Left, v.Right = v.Right, v.Left
		switch v.Outcome {
		case palate.Left:
			v.Outcome = palate.Right
		case palate.Right:
			v.Outcome = palate.Left
		}
		swapped[k] = v
	}
	a, b := newLinked(t, n, &LinkedOptions{Threshold: 0.4}), newLinked(t, n, &LinkedOptions{Threshold: 0.4})
	observeAll(t, a, votes)
	observeAll(t, b, swapped)
	for i := range n {
		ma, va := a.Utility(-1, i)
		mb, vb := b.Utility(-1, i)
		near(t, "mean", mb, ma, 1e-12)
		near(t, "variance", vb, va, 1e-12)
	}
	near(t, "chances of both sides", a.Prefer(-1, 2, 5)+a.Prefer(-1, 5, 2), 1, 1e-12)
}

// Draws and covariances are those of the state.
func TestLinkedDraws(t *testing.T) {
	const n = 6
	m := newLinked(t, n, nil)
	observeAll(t, m, someVotes(n, 12, 6))
	const draws = 40000
	d := drawsOf(t, m, -1, draws, rand.New(rand.NewPCG(1, 1)))
	all := []int{0, 1, 2, 3, 4, 5}
	for i := range n {
		c := make([]float64, n)
		m.CovarianceTo(c, -1, i, all)
		mi, vi := m.Utility(-1, i)
		near(t, "own covariance", c[i], vi, 0)
		for j := range n {
			mj, _ := m.Utility(-1, j)
			var s float64
			for k := range draws {
				s += d.Weight[k] * (d.F.At(k, i) - mi) * (d.F.At(k, j) - mj)
			}
			near(t, "covariance of draws", s, c[j], 0.05)
		}
	}
}

func TestLinkedRefuses(t *testing.T) {
	k, x := linkKernel(t, 5)
	if _, err := NewLinked(numbered(1), nil, kernel.Indexed(1), nil); err == nil {
		t.Error("one item")
	}
	if _, err := NewLinked(numbered(5), k, x, &LinkedOptions{Scale: -1}); err == nil {
		t.Error("a negative scale")
	}
	m := newLinked(t, 5, nil)
	for _, v := range []palate.Vote{{Left: 0, Right: 0, Weight: 1}, {Left: 0, Right: 5, Weight: 1}, {Left: -1, Right: 1, Weight: 1}, {Left: 0, Right: 1}, {Left: 0, Right: 1, Weight: math.NaN()}, {Left: 0, Right: 1, Weight: 1, Outcome: palate.Tie}} {
		if err := m.Observe(v); err == nil {
			t.Errorf("took %+v", v)
		}
	}
}

// The diagonal step is the full one where there are no covariances: on the
// first votes of items that are independent.
func TestGlickoIsDiagonal(t *testing.T) {
	const n = 8
	white, err := NewLinked(numbered(n), kernel.Scale(3, kernel.Identity{}), kernel.Indexed(n), nil)
	if err != nil {
		t.Fatal(err)
	}
	m, err := NewGlicko(numbered(n), 3, Diagonal)
	if err != nil {
		t.Fatal(err)
	}
	votes := []palate.Vote{{Left: 0, Right: 1, Weight: 1}, {Left: 2, Right: 3, Weight: 1, Outcome: palate.Right}}
	observeAll(t, white, votes)
	observeAll(t, m, votes)
	for i := range n {
		ma, va := white.Utility(-1, i)
		mb, vb := m.Utility(-1, i)
		near(t, "mean", mb, ma, 1e-12)
		near(t, "variance", vb, va, 1e-12)
	}
	// Items that no vote names do not move.
	if mean, v := m.Utility(-1, 7); mean != 0 || v != 3 {
		t.Errorf("an item without votes is at %v, %v", mean, v)
	}
}

// Glickman's example of one period (Glickman 1999, §4): a player rated 1500 with
// deviation 200 who beats one rated 1400 with deviation 30.
func TestGlickmanExample(t *testing.T) {
	const q = math.Ln10 / 400
	to := func(rating float64) float64 { return (rating - 1500) * q / logisticScale }
	m, err := NewGlicko(numbered(2), 1, Glickman)
	if err != nil {
		t.Fatal(err)
	}
	m.mean[0], m.mean[1] = 0, to(1400)
	m.variance[0], m.variance[1] = math.Pow(200*q/logisticScale, 2), math.Pow(30*q/logisticScale, 2)
	// Glickman's g(RD) and E, from his formulas with his own constants.
	g := 1 / math.Sqrt(1+3*q*q*30*30/(math.Pi*math.Pi))
	e := 1 / (1 + math.Pow(10, -g*(1500-1400)/400))
	if math.Abs(g-0.9955) > 1e-4 || math.Abs(e-0.639) > 1e-3 {
		t.Fatalf("g = %v, E = %v; Glickman prints .9955 and .639", g, e)
	}
	d2 := 1 / (q * q * g * g * e * (1 - e))
	rating := 1500 + q/(1/40000.0+1/d2)*g*(1-e)
	deviation := math.Sqrt(1 / (1/40000.0 + 1/d2))
	observeAll(t, m, []palate.Vote{{Left: 0, Right: 1, Weight: 1}})
	near(t, "rating", m.mean[0]*logisticScale/q+1500, rating, 1e-12)
	near(t, "deviation", math.Sqrt(m.variance[0])*logisticScale/q, deviation, 1e-12)
}

// BenchmarkVote takes one vote; its cost must grow as n² and not with the
// number of votes.
func BenchmarkVote(b *testing.B) {
	for _, n := range []int{250, 500, 1000, 2000} {
		for _, before := range []int{0, 2000} {
			for _, revisits := range []int{0, 10} {
				m := newLinked(b, n, &LinkedOptions{Revisits: revisits})
				observeAll(b, m, someVotes(n, before, 7))
				votes := someVotes(n, 1000, 8)
				b.Run(fmt.Sprintf("n=%d/after=%d/revisits=%d", n, before, revisits), func(b *testing.B) {
					k := 0
					for b.Loop() {
						if err := m.Observe(votes[k%len(votes)]); err != nil {
							b.Fatal(err)
						}
						m.UtilitiesTo(b.Context(), make([]float64, n), make([]float64, n), -1) // as who chooses the next pair does
						k++
					}
				})
			}
		}
	}
}
