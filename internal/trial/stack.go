package trial

import "math"

// Leading returns those of some candidates that were tried which are not worse than the best
// of them by more than two standard errors, in their order.
func (t *Trial) Leading(names []string) (lead []string) {
	best := t.Best(names)
	for _, n := range names {
		if gain, se := t.Gain(best, n); n == best || !(gain > 2*se) {
			lead = append(lead, n)
		}
	}
	return lead
}

// Best returns the one of some candidates that were tried with the least loss.
func (t *Trial) Best(names []string) string {
	best := names[0]
	for _, n := range names[1:] {
		if t.Mean(n) < t.Mean(best) {
			best = n
		}
	}
	return best
}

// Stack returns the weights by which the mean of the chances that candidates give predicts
// the votes best (Yao, Vehtari, Simpson and Gelman 2018), under a Dirichlet prior of so many votes
// for each: weights differ from its own only by what many votes say. They are the most likely ones,
// by EM, which finds them wherever it starts.
func (t *Trial) Stack(names []string, prior []float64) []float64 {
	weight := make([]float64, len(names))
	for k := range weight {
		weight[k] = 1 / float64(len(names))
	}
	for range 10_000 {
		share := make([]float64, len(names))
		total := 0.0
		for i, v := range t.held {
			mean := 0.0
			for k, n := range names {
				mean += weight[k] * t.chance[n][i]
			}
			for k, n := range names {
				share[k] += v.Weight * weight[k] * t.chance[n][i] / max(mean, 1e-12)
			}
		}
		for k := range share {
			share[k] += prior[k]
			total += share[k]
		}
		moved := 0.0
		for k := range share {
			share[k] /= total
			moved = max(moved, math.Abs(share[k]-weight[k]))
		}
		if weight = share; moved < 1e-9 {
			break
		}
	}
	return weight
}

// Mix adds the mean of candidates that were tried, by weights, as one more.
func (t *Trial) Mix(name string, names []string, weight []float64) {
	all := make([]float64, len(t.held))
	for k, n := range names {
		for i, x := range t.chance[n] {
			all[i] += weight[k] * x
		}
	}
	t.chance[name] = all
}
