package model

import (
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"

	"palate/infer"
	"palate/internal/num"
	"palate/metric"
)

// On data drawn from the model, 15 items and 60 votes, the 90 % intervals of
// the centred utilities cover what they say, and pair probabilities come true
// as often as they say. Figures of all rules are printed with -v.
func TestCalibration(t *testing.T) {
	const items, votes, level = 15, 60, 0.9
	runs := 1000
	if testing.Short() {
		runs = 100
	}
	all := []struct {
		name string
		rule infer.Rule
	}{{"EP", infer.EP{}}, {"VI", infer.VI{}}, {"Laplace", infer.Laplace{}}, {"Linearised", infer.Linearised{}}}
	half := num.Quantile((1 + level) / 2)

	for _, variance := range []float64{1, 4, 25} {
		rules := all
		if variance < 25 && !testing.Verbose() { // at which others than EP are held to nothing
			rules = all[:1]
		}
		covered := make([][]int, len(rules))
		for k := range covered {
			covered[k] = make([]int, runs)
		}
		mended, ess := make([]int, runs), make([]float64, runs)
		prob, won := make([][]float64, runs), make([][]float64, runs)
		var failed sync.Map
		num.Parallel(runs, 1, func(run, _ int) {
			d, truth, err := Simulate(t.Context(), SimulateOptions{
				Items: items, Votes: votes, Spread: math.Sqrt(variance), Seed: uint64(run) + uint64(1e6*variance),
			})
			if err != nil {
				failed.Store(run, err)
				return
			}
			want := centred(truth.Consensus)
			for k, r := range rules {
				m, err := FitSingle(t.Context(), d, &Options{Rule: r.rule, Scale: 1 / variance})
				if err != nil {
					failed.Store(run, err)
					return
				}
				q := m.result.Posterior
				mean, cov := centred(q.Utilities()), q.Covariance()
				total := 0.0
				rows := make([]float64, items)
				for i := range items {
					for j := range items {
						rows[i] += cov.At(i, j) / items
					}
					total += rows[i] / items
				}
				for i := range items {
					sd := math.Sqrt(cov.At(i, i) - 2*rows[i] + total)
					if math.Abs(mean[i]-want[i]) <= half*sd {
						covered[k][run]++
					}
				}
				if k > 0 {
					continue
				}
				// Further duels, and the board's own intervals.
				for a := range items {
					b := (a + 1 + run%7) % items
					prob[run] = append(prob[run], m.Prefer(-1, a, b))
					u := num.Phi(truth.Consensus[a] - truth.Consensus[b])
					y := 0.0
					if uniform(run, a) < u {
						y = 1
					}
					won[run] = append(won[run], y)
				}
				board := boardOf(t, m, -1, &BoardOptions{Draws: 2000, Level: level, Seed: uint64(run)})
				ess[run] = board.ESS
				for _, row := range board.Groups[0].Rows {
					if row.Lo <= want[row.Item] && want[row.Item] <= row.Hi {
						mended[run]++
					}
				}
			}
		})
		failed.Range(func(run, err any) bool { t.Errorf("run %v: %v", run, err); return true })

		share := func(hits []int) float64 {
			n := 0
			for _, h := range hits {
				n += h
			}
			return float64(n) / float64(items*runs)
		}
		var line []string
		cover := map[string]float64{}
		for k, r := range rules {
			cover[r.name] = share(covered[k])
			line = append(line, fmt.Sprintf("%s %.3f", r.name, cover[r.name]))
		}
		var meanESS float64
		for _, e := range ess {
			meanESS += e / float64(runs)
		}
		t.Logf("prior variance %2g: coverage of 90 %% intervals: %s; mended board %.3f (ESS %.0f of 2000)",
			variance, strings.Join(line, ", "), share(mended), meanESS)

		if c := cover["EP"]; c < 0.87 || c > 0.92 {
			t.Errorf("variance %g: EP covers %.3f", variance, c)
		}
		if c := share(mended); math.Abs(c-level) > 0.015 {
			t.Errorf("variance %g: mended boards cover %.3f", variance, c)
		}
		if variance == 25 {
			for _, r := range rules[1:] {
				if math.Abs(cover[r.name]-level) < math.Abs(cover["EP"]-level) {
					t.Errorf("at variance 25 %s (%.3f) is nearer to 90 %% than EP (%.3f)", r.name, cover[r.name], cover["EP"])
				}
			}
		}
		var p, y []float64
		for run := range runs {
			p, y = append(p, prob[run]...), append(y, won[run]...)
		}
		checkReliability(t, variance, p, y)
	}
}

// checkReliability compares every bin of the reliability curve with its noise.
func checkReliability(t *testing.T, variance float64, p, won []float64) {
	t.Helper()
	bins := metric.Reliability(p, won, nil, 10)
	for _, b := range bins {
		if b.Weight < 50 {
			continue
		}
		noise := math.Sqrt(b.Predicted * (1 - b.Predicted) / b.Weight)
		if math.Abs(b.Observed-b.Predicted) > 4*noise {
			t.Errorf("variance %g: of %.0f duels called at %.3f, %.3f were won (noise %.3f)", variance, b.Weight, b.Predicted, b.Observed, noise)
		}
	}
	t.Logf("prior variance %2g: reliability %s", variance, fmt.Sprint(bins))
}

func centred(f []float64) []float64 {
	var mean float64
	for _, x := range f {
		mean += x / float64(len(f))
	}
	out := make([]float64, len(f))
	for i, x := range f {
		out[i] = x - mean
	}
	return out
}

// uniform is a reproducible number in (0, 1) for a pair of indices.
func uniform(a, b int) float64 {
	x := uint64(a)*0x9e3779b97f4a7c15 + uint64(b)*0xbf58476d1ce4e5b9 + 0x94d049bb133111eb
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return (float64(x>>11) + 0.5) / (1 << 53)
}
