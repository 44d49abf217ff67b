package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"

	"palate"
	"palate/internal/num"
)

// madeUp is a crowd that is known: utilities of a consensus with a deviation of 1, and
// what its voters add to it.
type madeUp struct {
	name                 string
	voters, items, votes int
	own                  float64 // deviation of a voter's own tastes
	factors              int     // of taste, with a deviation of 1.5 altogether
}

// draw returns votes to learn from and the true utilities, voter by voter.
func (c madeUp) draw(t testing.TB, rng *rand.Rand) (*palate.Dataset, [][]float64) {
	consensus := make([]float64, c.items)
	loadings := make([][]float64, c.factors)
	normals := func(to []float64, sd float64) {
		for i := range to {
			to[i] += sd * rng.NormFloat64()
		}
	}
	normals(consensus, 1)
	for k := range loadings {
		loadings[k] = make([]float64, c.items)
		normals(loadings[k], 1.5/math.Sqrt(float64(c.factors)))
	}
	b := palate.NewBuilder()
	for i := range c.items {
		b.Item(fmt.Sprint("item", i))
	}
	truth := make([][]float64, c.voters)
	for u := range truth {
		b.User(fmt.Sprint("voter", u))
		truth[u] = append([]float64(nil), consensus...)
		normals(truth[u], c.own)
		for _, l := range loadings {
			w := rng.NormFloat64()
			for i := range l {
				truth[u][i] += w * l[i]
			}
		}
	}
	for range c.votes {
		if err := b.Add(c.vote(truth, rng)); err != nil {
			t.Fatal(err)
		}
	}
	d := built(t, b)
	return d, truth
}

// vote is one of any voter on any pair; the left item wins.
func (c madeUp) vote(truth [][]float64, rng *rand.Rand) palate.Vote {
	v := palate.Vote{User: rng.IntN(c.voters), Left: rng.IntN(c.items), Weight: 1}
	v.Right = (v.Left + 1 + rng.IntN(c.items-1)) % c.items
	if f := truth[v.User]; rng.Float64() > num.Phi(f[v.Left]-f[v.Right]) {
		v.Left, v.Right = v.Right, v.Left
	}
	return v
}

// BenchmarkMadeUpCrowds measures the cross-entropy of 4,000 new votes by the voters of
// made-up crowds, over eight of each: under the truth, and by how much more under several
// models. The table of docs/models.md.
func BenchmarkMadeUpCrowds(b *testing.B) {
	const crowds, fresh = 8, 4000
	for _, c := range []madeUp{
		{name: "alike", voters: 20, items: 12, votes: 400},
		{name: "own tastes", voters: 50, items: 12, votes: 1000, own: 1},
		{name: "two factors", voters: 50, items: 20, votes: 1000, factors: 2},
	} {
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				loss := map[string][]float64{}
				for seed := range crowds {
					rng := rand.New(rand.NewPCG(uint64(seed+1), 0x3ade))
					d, truth := c.draw(b, rng)
					later := make([]palate.Vote, fresh)
					for k := range later {
						later[k] = c.vote(truth, rng)
					}
					var known float64
					for _, v := range later {
						known -= math.Log(num.Phi(truth[v.User][v.Left] - truth[v.User][v.Right]))
					}
					loss["truth"] = append(loss["truth"], known/fresh)
					for name, fit := range map[string]func(context.Context) (Predictor, error){
						"wide": func(ctx context.Context) (Predictor, error) {
							return FitCrowd(ctx, d, &CrowdOptions{Tastes: WideTastes})
						},
						"chosen":     func(ctx context.Context) (Predictor, error) { return FitCrowd(ctx, d, nil) },
						"single":     func(ctx context.Context) (Predictor, error) { return FitSingle(ctx, d, nil) },
						"population": func(ctx context.Context) (Predictor, error) { return FitPopulation(ctx, d, nil) },
					} {
						m, err := fit(b.Context())
						if err != nil {
							b.Fatal(err)
						}
						var sum float64
						for _, v := range later {
							sum -= math.Log(m.Prefer(v.User, v.Left, v.Right))
						}
						loss[name] = append(loss[name], (sum-known)/fresh)
					}
				}
				for name, x := range loss {
					mean, sd := stat.MeanStdDev(x, nil)
					b.ReportMetric(mean, name)
					b.ReportMetric(stat.StdErr(sd, crowds), name+"-error")
				}
			}
		})
	}
}
