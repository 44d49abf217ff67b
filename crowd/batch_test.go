package crowd

import (
	"math"
	"slices"
	"testing"
)

// A voter inferred as one of a population is the voter that natural-gradient
// steps in the dimensions find, with fewer votes than dimensions and with more; and
// the covariance that follows from what is kept is that of the fit.
func TestVotersOfBatches(t *testing.T) {
	const items = 9
	for name, prior := range priors(t, items) {
		for _, each := range []int{4, 40} {
			for _, plain := range []bool{false, true} {
				for _, weight := range []float64{1.5, 2, 2.5} {
					tallies := draw(3, 12, items, each, true)
					tallies[1].Weight, tallies[2].Weight = 3, weight
					v := mustVotes(t, items, tallies)
					o := &Options{Factors: 3, NoOwn: plain, KeepFactors: true, MaxSweeps: 8, ByBound: true}
					l := mustFit(t, v, prior, o)
					b, err := l.take(t.Context(), v, prior, o, settledSweeps)
					if err != nil {
						t.Fatal(err)
					}
					if err := b.infer(t.Context(), 1e-10, 2000); err != nil {
						t.Fatal(err)
					}
					got := *b.engine
					b.w, b.cov, b.logDet = slices.Clone(b.w), slices.Clone(b.cov), slices.Clone(b.logDet)
					for u := range b.Voters() {
						b.resetVoter(u)
					}
					b.evaluate()
					b.updateVoters(t.Context(), 2000, 0) // as far as rounding lets it go
					far := func(a, b []float64) (most float64) {
						for i, x := range a {
							most = math.Max(most, math.Abs(x-b[i]))
						}
						return most
					}
					if w, cov, det := far(got.w, b.w), far(got.cov, b.cov), far(got.logDet, b.logDet); !(w < 1e-5 && cov < 1e-5 && det < 1e-5) {
						t.Errorf("%s, %d votes, one of them %g times, plain %v: means differ by %g, covariances by %g, their determinants by %g", name, each, weight, plain, w, cov, det)
					}
					recalled := &Learnt{engine: &got}
					recalled.on(prior)
					for u := range recalled.Voters() {
						if _, cov := recalled.weights(u); far(recalled.covarianceFromSites(u), cov) > 1e-11 {
							t.Errorf("%s, %d votes, plain %v: voter %d has another covariance when recalled, by %g", name, each, plain, u, far(recalled.covarianceFromSites(u), cov))
						}
					}
				}
			}
		}
	}
}

// What batches learn has no covariances, and predicts as though it had, from a file
// as well.
func TestCompact(t *testing.T) {
	const items = 9
	for name, prior := range priors(t, items) {
		v := mustVotes(t, items, draw(6, 60, items, 7, false))
		l := mustFit(t, v, prior, &Options{Factors: 2, MaxSweeps: 10, Stochastic: &Stochastic{Batch: 20, Passes: 3, Seed: 1}})
		if !l.compact() {
			t.Errorf("%s: %d covariances are kept", name, len(l.cov))
		}
		full := *l.engine
		full.covStart = []int{0}
		for u := range l.Voters() {
			_, cov := l.weights(u)
			full.cov, full.covStart = append(full.cov, cov...), append(full.covStart, full.covStart[u]+len(cov))
		}
		whole, back := &Learnt{engine: &full}, mustArrays(t, prior, l)
		for u := range l.Voters() {
			m, s := whole.Form(u, pair(1, 4))
			m2, s2 := back.Form(u, pair(1, 4))
			if math.Abs(m-m2) > 1e-12 || math.Abs(s-s2) > 1e-10*s {
				t.Errorf("%s: voter %d: %v ± %v, read back %v ± %v", name, u, m, s, m2, s2)
			}
		}
		bad := l.Arrays()
		bad.VotePrecision = bad.VotePrecision[1:]
		if _, err := FromArrays(prior, bad); err == nil {
			t.Errorf("%s: a vote without precision is accepted", name)
		}
	}
}
