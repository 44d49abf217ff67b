package drift

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

// The evidence of a kind of process with its parameters integrated out, and the mean of their
// logarithms, are those of a sum over a fine grid, but for tails that the lattice leaves out.
func TestIntegrate(t *testing.T) {
	const by = 0.25
	for name, k := range map[string]int{"still": 0, "walk": 3} {
		v, _ := world(processes()[name], 6, 6, 12, rand.New(rand.NewPCG(4, 1)))
		l := &learning{graph: newGraph(v), span: v.Times[5] - v.Times[0], fit: &Fit{}}
		var sum, log float64
		mean := make([]float64, 2)
		moves := []float64{math.Inf(-1)}
		if k > 0 {
			moves = nil
			for x := -5.0; x < 2; x += by {
				moves = append(moves, x)
			}
		}
		for stay := -4.0; stay < 3; stay += by {
			for _, move := range moves {
				p := members[k]
				p.Stay, p.Move = math.Exp(stay), math.Exp(move)
				l.w.set(p)
				if ok, err := l.converge(context.Background(), 1e-3, 200); !ok || err != nil {
					t.Fatalf("%s, %+v: %v, %v", name, p, ok, err)
				}
				value := l.evidence() + l.logPrior(p)
				if sum == 0 {
					log = value
				}
				w := math.Exp(value - log)
				sum += w
				for i, x := range l.numbers(p) {
					mean[i] += w * x
				}
			}
		}
		log += math.Log(sum)
		for range len(l.numbers(members[k])) {
			log += math.Log(by)
		}
		_, about, got, err := l.member(context.Background(), k, members[k])
		if err != nil {
			t.Fatal(err)
		}
		off := []float64{-mean[0] / sum, -mean[1] / sum}
		var weight float64
		for _, m := range about {
			weight += m.Weight
			for i, x := range l.numbers(m.Process) {
				off[i] += m.Weight * x
			}
		}
		t.Logf("%s: evidence %.3f, by the lattice %.3f; means off by %.3f", name, log, got, off)
		if math.Abs(got-log) > 0.2 || math.Abs(off[0]) > 0.1 || math.Abs(off[1]) > 0.15 || math.Abs(weight-1) > 1e-12 {
			t.Errorf("%s: evidence %.3f, by the lattice %.3f; means off by %.3f; weights sum to %g", name, log, got, off, weight)
		}
	}
}
