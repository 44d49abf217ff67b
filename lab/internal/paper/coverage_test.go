package paper

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/stat"

	"palate"
	"palate/model"
)

// BenchmarkRankings measures, on the SUSHI data in PALATE_DATA, how often the 95 %
// intervals of a board made of 50 or 200 rankings hold the scores that all 5,000 give,
// and the cross-entropy of the pairs of the other rankings: with rankings as wholes, and
// with their pairs as votes of their own. The figures of docs/formats.md.
func BenchmarkRankings(b *testing.B) {
	folder := Folder(os.Getenv("PALATE_DATA"))
	if folder == "" {
		b.Skip("the data sets may not be passed on: set PALATE_DATA to the folder they are in to measure")
	}
	all, _, err := LoadSushi(folder)
	if err != nil {
		b.Fatal(err)
	}
	board := func(people []int, whole bool) (*model.Single, *model.Board) {
		d := all.votes(b, people)
		if whole {
			d = d.Tempered()
		}
		m, err := model.FitSingle(b.Context(), d, nil)
		if err != nil {
			b.Fatal(err)
		}
		ranked, err := model.NewBoard(b.Context(), m, -1, nil)
		if err != nil {
			b.Fatal(err)
		}
		return m, ranked
	}
	for _, whole := range []bool{true, false} {
		_, full := board(rand.New(rand.NewPCG(1, 1)).Perm(len(all.Orders)), whole)
		truth := map[int]float64{}
		for _, r := range full.Groups[0].Rows {
			truth[r.Item] = r.Score
		}
		for _, n := range []int{50, 200} {
			b.Run(fmt.Sprintf("%d/whole=%v", n, whole), func(b *testing.B) {
				const samples = 40
				for range b.N {
					var held, loss []float64
					for seed := range samples {
						order := rand.New(rand.NewPCG(uint64(seed), uint64(n))).Perm(len(all.Orders))
						m, ranked := board(order[:n], whole)
						var in float64
						for _, r := range ranked.Groups[0].Rows {
							if x := truth[r.Item]; r.Lo <= x && x <= r.Hi {
								in += 1 / float64(len(truth))
							}
						}
						held = append(held, in)
						rest := all.votes(b, order[n:])
						loss = append(loss, crossEntropy(m, rest))
					}
					for name, x := range map[string][]float64{"held": held, "nats": loss} {
						mean, sd := stat.MeanStdDev(x, nil)
						b.ReportMetric(mean, name)
						b.ReportMetric(stat.StdErr(sd, samples), name+"-error")
					}
				}
			})
		}
	}
}

// votes returns the pairs of some people's rankings, those of one as one answer.
func (r *Rankings) votes(t testing.TB, people []int) *palate.Dataset {
	b := palate.NewBuilder()
	for _, id := range r.Items {
		b.Item(id)
	}
	for _, u := range people {
		group := b.NewGroup()
		for k, winner := range r.Orders[u] {
			for _, loser := range r.Orders[u][k+1:] {
				if err := b.Add(palate.Vote{User: -1, Left: winner, Right: loser, Weight: 1, Group: group}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// crossEntropy of the votes of d, in all of which the left item wins.
func crossEntropy(m *model.Single, d *palate.Dataset) (nats float64) {
	n := d.NumItems()
	logs := make([][]float64, n)
	for i := range logs {
		logs[i] = make([]float64, n)
		for j := range logs {
			if i != j {
				logs[i][j] = math.Log(m.Prefer(-1, i, j))
			}
		}
	}
	for _, v := range d.Votes() {
		nats -= logs[v.Left][v.Right] / float64(d.NumVotes())
	}
	return nats
}
