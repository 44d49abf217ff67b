package population

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// rooted is a population by a root of its covariance, n×r, or by the covariance
// itself, with noise in every pair.
type rooted struct {
	root  *mat.Dense
	mean  []float64
	whole bool // by the covariance
}

func (p *rooted) Fill(w *Person, u int, items []int32) {
	m, mean := len(items), w.Mean()
	_, r := p.root.Dims()
	for i, item := range items {
		mean[i] = p.mean[item]
	}
	for k := range w.Noise() {
		w.noise[k] = 0.3 * float64(k%3)
	}
	if !p.whole {
		root := w.Root(r)
		for i, item := range items {
			copy(root[i*r:], p.root.RawRowView(int(item)))
		}
		return
	}
	cov := w.Cov()
	for i, a := range items {
		for j, b := range items {
			cov[i*m+j] = num.Dot(p.root.RawRowView(int(a)), p.root.RawRowView(int(b)))
		}
	}
}

// everything collects all that a Person tells.
type everything struct{ pull, stretch []float64 }

func (c *everything) Size(m int) int { return 1 + m }

func (c *everything) Collect(dst []float64, w *Person, _ int, _ []int32) {
	dst[0] = w.Stretch()
	copy(dst[1:], w.Pull())
}

func (c *everything) Add(src []float64, _ int, _ []int32) {
	c.stretch, c.pull = append(c.stretch, src[0]), append(c.pull, src[1:]...)
}

// A root of the covariance leads to the same as the covariance, in the space of its
// columns and in that of pairs, whichever are more: items, pairs or columns.
func TestRootSpace(t *testing.T) {
	const items = 7
	for _, r := range []int{items, 12, 40} {
		for _, votes := range []int{3, 12, 60} {
			for _, s := range []Settings{{}, {Likelihood: Voting(0.2)}} {
				t.Run(fmt.Sprintf("%d columns, %d votes, %t", r, votes, s.Likelihood == nil), func(t *testing.T) {
					rng := rand.New(rand.NewPCG(uint64(r), uint64(votes)))
					p := &rooted{root: features(rng, items, r), mean: make([]float64, items)}
					p.root.Scale(1/math.Sqrt(float64(r)), p.root)
					for i := range p.mean {
						p.mean[i] = rng.NormFloat64()
					}
					people := mustPeople(t, items, draw(rng, 6, items, votes, s.Likelihood != nil))
					s.Tolerance, s.MaxSweeps = 1e-12, 2000
					run := func(whole bool) (float64, *everything) {
						p.whole = whole
						c := &everything{}
						f, stats, err := mustEngine(t, people, s).Evaluate(context.Background(), p, c)
						if err != nil || stats.Unconverged > 0 {
							t.Fatal(err, stats)
						}
						return f, c
					}
					got, a := run(false)
					want, b := run(true)
					if math.Abs(got-want) > 1e-9*math.Abs(want) {
						t.Errorf("evidence %.12g, by the covariance %.12g", got, want)
					}
					for k, x := range b.pull {
						if math.Abs(a.pull[k]-x) > 1e-7 {
							t.Errorf("pull %d is %.10g, by the covariance %.10g", k, a.pull[k], x)
						}
					}
					for k, x := range b.stretch {
						if math.Abs(a.stretch[k]-x) > 1e-7 {
							t.Errorf("stretch of person %d is %.10g, by the covariance %.10g", k, a.stretch[k], x)
						}
					}
				})
			}
		}
	}
}

// known are people of whom everything is known: a root without columns.
type known []float64

func (k known) Fill(w *Person, _ int, items []int32) {
	w.Root(0)
	for i, item := range items {
		w.Mean()[i] = k[item]
	}
}

// The evidence of somebody of whom everything is known is the probability of the votes.
func TestRootWithoutColumns(t *testing.T) {
	const items = 5
	rng := rand.New(rand.NewPCG(3, 4))
	mean := make(known, items)
	for i := range mean {
		mean[i] = rng.NormFloat64()
	}
	for _, votes := range []int{2, 30} {
		people := mustPeople(t, items, draw(rng, 4, items, votes, false))
		got, stats, err := mustEngine(t, people, Settings{Tolerance: 1e-12}).Evaluate(t.Context(), mean, &everything{})
		if err != nil || stats.Unconverged > 0 {
			t.Fatal(err, stats)
		}
		var want float64
		for u := range people.Len() {
			v, at := people.votes(u), people.Items(u)
			for p := range v.win {
				want += v.countOf(p) * num.LogPhi(mean[at[v.win[p]]]-mean[at[v.lose[p]]])
			}
		}
		if math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%d votes: evidence %v, want %v", votes, got, want)
		}
	}
}
