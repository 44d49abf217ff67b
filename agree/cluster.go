package agree

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/kernel"
)

const (
	restarts     = 3
	emRounds     = 100
	emGain       = 1e-5    // of the log likelihood, per vote, below which EM stops
	clusterVotes = 100_000 // clusters are learnt from so many votes, those of the busiest voters, and from
	clusterCells = 2e7     // so many voters times items at most
	pseudo       = 0.5     // wins and losses of each item against one of score 0, beforehand
)

// mixture is K Bradley–Terry models, and the share of voters of each.
type mixture struct {
	d      *palate.Dataset
	voters []voter
	wins   [][]win // of each voter
	total  float64
	share  []float64
	score  [][]float64 // by cluster, then item
	resp   [][]float64 // by voter, then cluster
	logLik float64
	// learned are the voters that it was learnt from, and order its clusters, the
	// largest first.
	learned, order []int
}

// win is one item over another, by weight; a tie is half a win for each.
type win struct {
	a, b   int32
	weight float64
}

// cluster finds the number of clusters of the smallest BIC.
func (a *Agreement) cluster(ctx context.Context, d *palate.Dataset, voters []voter, r *residuals, o Options) (*mixture, error) {
	base := newMixture(d, voters)
	learners := base.learners()
	seen := map[int32]bool{}
	for _, w := range base.wins {
		for _, x := range w {
			seen[x.a], seen[x.b] = true, true
		}
	}
	var best *mixture
	one, least := 0.0, math.Inf(1)
	var tried []float64
	for k := 1; k <= min(o.Clusters, len(voters)/2); k++ {
		m, err := base.fit(ctx, k, learners, r, o.Seed)
		if err != nil {
			return nil, err
		}
		free := float64(k*(len(seen)-1) + k - 1)
		bic := free*math.Log(base.total) - 2*m.logLik
		if tried = append(tried, -bic/2); k == 1 {
			one = bic
		}
		if bic < least {
			best, least = m, bic
		} else if k > 2 && bic > one { // further apart is worse still
			break
		}
	}
	if best == nil {
		var err error
		if best, err = base.fit(ctx, 1, learners, r, o.Seed); err != nil {
			return nil, err
		}
		one, least, tried = 0, 0, []float64{0}
	}
	a.ClusterGain = one - least
	total := num.LogSumExp(tried)
	for _, x := range tried {
		a.ClusterChance = append(a.ClusterChance, math.Exp(x-total))
	}
	best.learned = learners
	best.writeTo(a)
	return best, nil
}

func newMixture(d *palate.Dataset, voters []voter) *mixture {
	m := &mixture{d: d, voters: voters, wins: make([][]win, len(voters))}
	for k, v := range voters {
		for _, vote := range v.votes {
			x := d.Vote(vote)
			m.total += x.Weight
			if y := x.Outcome.Share(); y > 0 {
				m.wins[k] = append(m.wins[k], win{int32(x.Left), int32(x.Right), y * x.Weight})
			}
			if y := x.Outcome.Share(); y < 1 {
				m.wins[k] = append(m.wins[k], win{int32(x.Right), int32(x.Left), (1 - y) * x.Weight})
			}
		}
	}
	return m
}

// learners are the voters with the most votes, as many as the limits allow.
func (m *mixture) learners() []int {
	order := num.Indices(len(m.voters))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(m.wins[b]), len(m.wins[a])) })
	votes, n := 0, 0
	for ; n < len(order) && votes < clusterVotes && n*m.d.NumItems() < clusterCells; n++ {
		votes += len(m.wins[order[n]])
	}
	slices.Sort(order[:n])
	return order[:n]
}

// fit runs EM from several starts and returns the best, seen by all voters.
func (m *mixture) fit(ctx context.Context, k int, learners []int, r *residuals, seed uint64) (*mixture, error) {
	var best *mixture
	starts := restarts
	if k == 1 {
		starts = 1
	}
	for s := range starts {
		t := &mixture{d: m.d, voters: m.voters, wins: m.wins, total: m.total}
		t.begin(k, learners, r, rand.New(rand.NewPCG(seed, uint64(100*k+s))))
		was := math.Inf(-1)
		for round := range emRounds {
			t.maximise(learners)
			t.expect(learners)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if round > 5 && t.logLik-was < emGain*t.total {
				break
			}
			was = t.logLik
		}
		if best == nil || t.logLik > best.logLik {
			best = t
		}
	}
	all := num.Indices(len(m.voters))
	best.expect(all)
	return best, nil
}

// begin assigns learners by k-means of their residuals, softly.
func (m *mixture) begin(k int, learners []int, r *residuals, rng *rand.Rand) {
	m.share, m.score, m.resp = make([]float64, k), make([][]float64, k), make([][]float64, len(m.voters))
	for c := range k {
		m.score[c] = make([]float64, m.d.NumItems())
	}
	x := mat.NewDense(len(learners), m.d.NumItems(), nil)
	for i, u := range learners {
		for item, dev := range r.deviation[u] {
			x.Set(i, item, dev)
		}
	}
	centres := kernel.KMeans(kernel.Dense(x), k, kernel.KMeansOptions{Iterations: 10}, rng)
	found, _ := centres.Dims()
	for i, u := range learners {
		near, least := 0, math.Inf(1)
		for c := range found {
			if dist := floats.Distance(x.RawRowView(i), centres.RawRowView(c), 2); dist < least {
				near, least = c, dist
			}
		}
		m.resp[u] = make([]float64, k)
		for c := range k {
			m.resp[u][c] = 0.1 / float64(k)
		}
		m.resp[u][near] += 0.9
	}
}

// maximise sets shares and scores by the responsibilities.
func (m *mixture) maximise(learners []int) {
	num.Parallel(len(m.share), 1, func(lo, hi int) {
		for c := lo; c < hi; c++ {
			m.share[c] = 0
			for _, u := range learners {
				m.share[c] += m.resp[u][c]
			}
			m.climb(m.score[c], c, learners, 3)
		}
	})
	floats.Scale(1/floats.Sum(m.share), m.share)
}

// climb takes the scores of a cluster some minorise–maximise steps on (Hunter
// 2004), which never lower the likelihood.
func (m *mixture) climb(score []float64, c int, learners []int, steps int) {
	n := len(score)
	strength, wins, need := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, s := range score {
		strength[i] = math.Exp(s)
	}
	for range steps {
		for i := range need {
			wins[i], need[i] = pseudo, 2*pseudo/(strength[i]+1)
		}
		for _, u := range learners {
			for _, w := range m.wins[u] {
				x := m.resp[u][c] * w.weight
				wins[w.a] += x
				x /= strength[w.a] + strength[w.b]
				need[w.a] += x
				need[w.b] += x
			}
		}
		for i := range strength {
			strength[i] = wins[i] / need[i]
		}
	}
	for i, s := range strength {
		score[i] = math.Log(s)
	}
}

// without returns the scores of a cluster, the largest being 0, by the votes of all
// but one voter.
func (m *mixture) without(voter, cluster int) []float64 {
	c := m.order[cluster]
	others := slices.DeleteFunc(slices.Clone(m.learned), func(u int) bool { return u == voter })
	score := slices.Clone(m.score[c])
	m.climb(score, c, others, 20)
	return score
}

// expect sets the responsibilities of voters, and the log likelihood.
func (m *mixture) expect(voters []int) {
	logs := make([]float64, len(voters))
	num.Parallel(len(voters), 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			u := voters[i]
			if m.resp[u] == nil {
				m.resp[u] = make([]float64, len(m.share))
			}
			for c := range m.share {
				l := math.Log(m.share[c])
				for _, w := range m.wins[u] {
					l += w.weight * num.LogSigmoid(m.score[c][w.a]-m.score[c][w.b])
				}
				m.resp[u][c] = l
			}
			logs[i] = num.LogSumExp(m.resp[u])
			for c, l := range m.resp[u] {
				m.resp[u][c] = math.Exp(l - logs[i])
			}
		}
	})
	m.logLik = floats.Sum(logs)
}

// writeTo writes clusters, the largest first, and who is in which.
func (m *mixture) writeTo(a *Agreement) {
	order := num.Indices(len(m.share))
	total := make([]float64, len(m.share))
	for _, r := range m.resp {
		floats.Add(total, r)
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(total[y], total[x]) })
	m.order = order
	place := make([]int, len(order))
	for k, c := range order {
		place[c] = k
		ranking := num.Indices(m.d.NumItems())
		slices.SortStableFunc(ranking, func(x, y int) int { return cmp.Compare(m.score[c][y], m.score[c][x]) })
		a.Clusters = append(a.Clusters, Cluster{Share: total[c] / float64(len(m.voters)), Ranking: ranking, Scores: m.score[c]})
	}
	for u, r := range m.resp {
		c := floats.MaxIdx(r)
		a.Voters[u].Cluster, a.Voters[u].Membership = place[c], r[c]
		a.Clusters[place[c]].Voters++
	}
}
