package paper

import (
	"fmt"
	"math"

	"palate"
	"palate/internal/num"
	"palate/metric"
)

// Measure is one thing measured on a split.
type Measure int

const (
	Acc     Measure = iota
	CE              // nats
	Bits            // cross-entropy in bits
	Tau             // pooled over users
	TauUser         // mean over users
	ECE
	CPU  // seconds of the fit, and of features where they are learnt for it
	Peak // megabytes
	numMeasures
)

// Measures lists all measures.
func Measures() []Measure {
	all := make([]Measure, numMeasures)
	for k := range all {
		all[k] = Measure(k)
	}
	return all
}

// String returns the name used in tables and JSON.
func (m Measure) String() string {
	return [numMeasures]string{"acc", "ce", "bits", "tau", "tau_user", "ece", "cpu_s", "peak_mb"}[m]
}

// ascending reports whether more is better.
func (m Measure) ascending() bool { return m == Acc || m == Tau || m == TauUser }

// Figures holds a number for each measure, NaN where it does not apply.
type Figures [numMeasures]float64

func noFigures() (f Figures) {
	for k := range f {
		f[k] = math.NaN()
	}
	return f
}

// Trial is how one method did on one split.
type Trial struct {
	Figures
	// Reliability is the split's share of the pooled reliability curve.
	Reliability []metric.Bin
	// people are each user's test votes, for errors where there is one split.
	people []person
}

// measure compares what a fitted method says with what it has not seen.
func measure(p Predictor, s *Split) (Trial, error) {
	t := Trial{Figures: noFigures()}
	chance, won := make([]float64, len(s.Test)), make([]float64, len(s.Test))
	num.Parallel(len(s.Test), 64, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			v := s.Test[k]
			chance[k] = p.Prefer(v.User, v.Left, v.Right)
			if v.Outcome == palate.Left {
				won[k] = 1
			}
		}
	})
	for k, c := range chance {
		if !(c >= 0 && c <= 1) {
			return t, fmt.Errorf("test vote %d: predicted probability %v", k, c)
		}
	}
	t.Figures[Acc] = metric.Accuracy(chance, won, nil)
	t.Figures[CE] = metric.CrossEntropy(chance, won, nil)
	t.Figures[Bits] = metric.CrossEntropyBits(chance, won, nil)
	t.Reliability = metric.Reliability(chance, won, nil, metric.Bins)
	t.Figures[ECE] = metric.ECE(t.Reliability)
	t.people = byPerson(s.Test, chance, won)
	t.Figures[Tau], t.Figures[TauUser] = orders(p, s.lists())
	return t, nil
}

// orders returns τ-b of utilities against gold ranks, in one list over all users and as the mean of each user's own.
// A user for whom all items are the same counts as 0; when that is so for everybody there is no τ.
func orders(p Predictor, gold []List) (pooled, each float64) {
	taus := make([]float64, len(gold))
	utilities := make([][]float64, len(gold))
	num.Parallel(len(gold), 16, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			for _, item := range gold[u].Items {
				mean, _ := p.Utility(gold[u].User, item)
				utilities[u] = append(utilities[u], mean)
			}
			taus[u] = metric.KendallTauB(gold[u].Score, utilities[u])
		}
	})
	var x, y []float64
	var sum float64
	told := false
	for u, tau := range taus {
		x, y = append(x, gold[u].Score...), append(y, utilities[u]...)
		if !math.IsNaN(tau) {
			sum += tau
			told = true
		}
	}
	if !told {
		return math.NaN(), math.NaN()
	}
	return metric.KendallTauB(x, y), sum / float64(len(gold))
}

// pool adds reliability curves up.
func pool(trials []Trial, but int) []metric.Bin {
	var sum []metric.Bin
	for k, t := range trials {
		if k == but {
			continue
		}
		if sum == nil {
			sum = make([]metric.Bin, len(t.Reliability))
		}
		for i, b := range t.Reliability {
			s := &sum[i]
			s.Lo, s.Hi = b.Lo, b.Hi
			if b.Weight > 0 {
				s.Weight += b.Weight
				s.Predicted += b.Weight * b.Predicted
				s.Observed += b.Weight * b.Observed
			}
		}
	}
	for i := range sum {
		s := &sum[i]
		s.Predicted /= s.Weight
		s.Observed /= s.Weight
	}
	return sum
}
