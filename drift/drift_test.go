package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/kernel"
	"palate/likelihood"
)

// processes are one of every kind.
func processes() map[string]Process {
	return map[string]Process{
		"still":  {Stay: 0.8},
		"rough":  {Stay: 0.7, Move: 0.6, Length: 4},
		"smooth": {Stay: 0.7, Move: 0.6, Length: 6, Smooth: true},
		"walk":   {Stay: 0.7, Move: 0.25, Walk: true},
	}
}

// world draws votes of items that move by a process, so many a period, and returns utilities
// by item and period.
func world(p Process, items, periods, votes int, rng *rand.Rand) (*Votes, [][]float64) {
	v := &Votes{Items: items, Kinds: []likelihood.Scalar{likelihood.Probit{}}}
	var q Posterior
	q.Items = items
	q.chain.start = make([]int32, 1)
	for t := range periods {
		v.Times = append(v.Times, float64(t)*1.1)
	}
	for range items {
		q.chain.time = append(append(q.chain.time, 0), v.Times...)
		q.chain.start = append(q.chain.start, int32(len(q.chain.time)))
	}
	w := newPassage(&q.chain)
	w.set(p)
	x := make([]float64, len(q.chain.time))
	w.draw(x, rng)
	f := make([][]float64, items)
	for i := range f {
		f[i] = x[int(q.chain.start[i])+1 : q.chain.start[i+1]]
	}
	at := map[Row]float64{}
	for t := range periods {
		for range votes {
			a := rng.IntN(items)
			b := (a + 1 + rng.IntN(items-1)) % items
			if f[a][t]-f[b][t]+rng.NormFloat64() < 0 {
				a, b = b, a
			}
			at[Row{Period: int32(t), A: int32(a), B: int32(b)}]++
		}
	}
	for r, n := range at {
		r.Count = n
		v.Rows = append(v.Rows, r)
	}
	return v, f
}

// dense is expectation propagation with the covariance of all states.
func dense(t *testing.T, g *graph, p Process) *infer.Result {
	t.Helper()
	n := len(g.chain.time)
	cov := mat.NewSymDense(n, nil)
	for i := range g.Items {
		from, to := g.chain.start[i], g.chain.start[i+1]
		for s := from; s < to; s++ {
			for u := from; u <= s; u++ {
				c := p.Stay * p.Stay
				if lag := g.chain.time[s] - g.chain.time[u]; u > from {
					x := math.Sqrt(3) * lag / p.Length
					switch {
					case p.Walk:
						c += p.Move * p.Move * (g.chain.time[u] - g.chain.time[from])
					case p.Smooth:
						c += p.Move * p.Move * (1 + x) * math.Exp(-x)
					case p.Move > 0:
						c += p.Move * p.Move * math.Exp(-lag/p.Length)
					}
				}
				cov.SetSym(int(s), int(u), c)
			}
		}
	}
	return g.under(t, cov)
}

// under is expectation propagation of the rows of g where states have a covariance.
func (g *graph) under(t *testing.T, cov *mat.SymDense) *infer.Result {
	t.Helper()
	prior, err := gp.Dense(kernel.NewTable(cov), kernel.Indexed(len(g.chain.time)))
	if err != nil {
		t.Fatal(err)
	}
	problem := &infer.Problem{Prior: prior, Rows: &gp.Rows{}}
	for _, x := range g.pairs {
		for _, r := range g.rows[x.from:x.to] {
			a, b := int(x.a), int(x.b)
			if side(r) < 0 {
				a, b = b, a
			}
			problem.Rows.AppendPair(a, b)
			problem.Likelihood, problem.Count = append(problem.Likelihood, g.Kinds[r.Kind]), append(problem.Count, r.Count)
		}
	}
	result, err := infer.Run(context.Background(), problem, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// settledAt is a graph at a process, and its posterior.
func settledAt(t *testing.T, v *Votes, p Process) (*graph, *Posterior) {
	t.Helper()
	g := newGraph(v)
	g.w.set(p)
	if ok, err := g.converge(context.Background(), 1e-7, 1000); err != nil || !ok {
		t.Fatalf("settled: %v, %v", ok, err)
	}
	var pairs [][2]int32
	for _, x := range g.pairs {
		pairs = append(pairs, [2]int32{x.a, x.b})
	}
	q, err := NewPosterior(v.Times, g.period, pairs, g.chain.stay, []Member{{p, 1, &Said{g.tau, g.nu, g.site}, g.w.hops()}})
	if err != nil {
		t.Fatal(err)
	}
	return g, q
}

// Along chains and votes, means and joint covariances are those of expectation propagation with
// the covariance of all states, and the evidence is off by what loops make of it.
func TestDense(t *testing.T) {
	for name, p := range processes() {
		for _, c := range []struct {
			items, periods, votes int
			mean, sd, evidence    float64
		}{
			{2, 10, 5, 0.05, 0.003, 1.5},
			{6, 8, 10, 0.03, 0.003, 0.8},
			{20, 10, 15, 0.02, 0.002, 0.5},
			{20, 10, 60, 0.02, 0.002, 1.5},
		} {
			v, _ := world(p, c.items, c.periods, c.votes, rand.New(rand.NewPCG(1, 2)))
			g, q := settledAt(t, v, p)
			d := dense(t, g, p)
			w := q.view(nil)
			at := make([]int32, len(g.tau))
			for s := range at {
				at[s] = int32(s)
			}
			mean, cov := q.system(w, &q.Members[0]).moments(at)
			u, exact := d.Posterior.Utilities(), d.Posterior.Covariance()
			var off, ratio float64
			for k := range at {
				sd := math.Sqrt(exact.At(k, k))
				off = max(off, math.Abs(mean[k]-u[k])/sd)
				ratio = max(ratio, math.Abs(math.Sqrt(cov.At(k, k))/sd-1))
			}
			e := g.evidence() - d.Objective
			t.Logf("%s %v: mean off by %.4f sd, sd by %.4f, evidence by %.3f", name, c, off, ratio, e)
			if off > c.mean || ratio > c.sd || math.Abs(e) > c.evidence {
				t.Errorf("%s %v: mean off by %.4f sd, sd by %.4f, evidence by %.3f", name, c, off, ratio, e)
			}
		}
	}
}

// What a file may have that is no posterior is refused.
func TestNewPosteriorRefuses(t *testing.T) {
	at := func(value float64) []float64 { return []float64{value, 0, 0, 0} }
	for name, spoil := range map[string]func(m *Member, stay []float64){
		"a precision below 0":      func(m *Member, _ []float64) { m.Tau = at(-1) },
		"an infinite precision":    func(m *Member, _ []float64) { m.Tau = at(math.Inf(1)) },
		"a pull that is no number": func(m *Member, _ []float64) { m.Nu = at(math.NaN()) },
		"a site without bounds":    func(m *Member, _ []float64) { m.Site[0].Nu = math.Inf(-1) },
		"a process without length": func(m *Member, _ []float64) { m.Process.Length = 0 },
		"no weight":                func(m *Member, _ []float64) { m.Weight = 0 },
		"hops of what jumps not":   func(m *Member, _ []float64) { m.Hops = make([]Hop, 4) },
		"a deviation below 0":      func(_ *Member, stay []float64) { stay[1] = -1 },
		"nothing":                  nil,
	} {
		m := Member{Process{Stay: 1, Move: 1, Length: 1}, 1, &Said{at(0), at(0), []gp.Site{{Tau: 1}}}, nil}
		stay := []float64{1, 1}
		if spoil != nil {
			spoil(&m, stay)
		}
		if _, err := NewPosterior([]float64{0}, []int32{-1, 0, -1, 0}, [][2]int32{{1, 3}}, stay, []Member{m}); (err == nil) != (spoil == nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
