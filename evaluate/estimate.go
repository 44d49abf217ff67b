package evaluate

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"palate/internal/num"
	"palate/metric"
)

// Estimate is a figure with its standard error and interval, NaN where there is
// none.
type Estimate struct{ Value, SE, Lo, Hi float64 }

// mean estimates Σ w·x / Σ w over the cases whose x is a number; units vary
// together.
func (e *exam) mean(x []float64, level float64) Estimate {
	var sum, total float64
	for k, v := range x {
		if !math.IsNaN(v) {
			sum += e.w[k] * v
			total += e.w[k]
		}
	}
	m := sum / total
	off := make([]float64, e.units)
	for k, v := range x {
		if !math.IsNaN(v) && e.w[k] > 0 {
			off[e.unit[k]] += e.w[k] * (v - m) / total
		}
	}
	var square float64
	for _, o := range off {
		square += o * o
	}
	n := float64(e.units)
	return within(m, math.Sqrt(square*n/(n-1)), n, level)
}

// within is an estimate with Student's interval from n units.
func within(m, se, n, level float64) Estimate {
	if n < 2 {
		return Estimate{m, math.NaN(), math.NaN(), math.NaN()}
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile((1 + level) / 2)
	return Estimate{m, se, m - t*se, m + t*se}
}

// losses of every case.
func (e *exam) losses(p []float64) (right, entropy, brier []float64) {
	right, entropy, brier = make([]float64, len(p)), make([]float64, len(p)), make([]float64, len(p))
	for k := range p {
		c, y := p[k:k+1], e.y[k:k+1]
		right[k], entropy[k], brier[k] = metric.Accuracy(c, y, nil), metric.CrossEntropy(c, y, nil), metric.Brier(c, y, nil)
	}
	return right, entropy, brier
}

func (e *exam) score(m Method, p, taus []float64, o *Options) Score {
	right, entropy, brier := e.losses(p)
	s := Score{Method: m.Name, Yardstick: m.Yardstick}
	s.Accuracy, s.CrossEntropy, s.Brier = e.mean(right, o.Level), e.mean(entropy, o.Level), e.mean(brier, o.Level)
	p, y := favourites(p, e.y)
	s.Reliability = metric.Reliability(p, y, e.w, 2*o.Bins)[o.Bins:]
	s.ECE = e.calibration(p, y, metric.ECE(s.Reliability), o)
	var sum, square, n float64
	for _, t := range taus {
		if !math.IsNaN(t) {
			sum, square, n = sum+t, square+t*t, n+1
		}
	}
	mean := sum / n
	s.Tau = within(mean, math.Sqrt(max(square/n-mean*mean, 0)/(n-1)), n, o.Level)
	if !math.IsNaN(s.Tau.Lo) {
		s.Tau.Lo, s.Tau.Hi = max(s.Tau.Lo, -1), min(s.Tau.Hi, 1)
	}
	return s
}

// favourites sees every case from the side of the item that was given the better
// chance: which side is called left is an accident, and always the same one where
// a file lists winners first.
func favourites(p, y []float64) (chance, won []float64) {
	chance, won = make([]float64, len(p)), make([]float64, len(p))
	for k := range p {
		switch {
		case p[k] > 0.5:
			chance[k], won[k] = p[k], y[k]
		case p[k] < 0.5:
			chance[k], won[k] = 1-p[k], 1-y[k]
		default:
			chance[k], won[k] = 0.5, 0.5
		}
	}
	return chance, won
}

// calibration puts an interval around the calibration error: units are drawn
// anew, with Poisson counts, and the interval is what the draws fall short of
// twice the error by. Chance alone makes a calibration error, and drawing anew adds
// to it: of a model without fault the draws may all be above the error itself,
// which then ends the interval.
func (e *exam) calibration(p, y []float64, ece float64, o *Options) Estimate {
	if e.units < 2 {
		return Estimate{ece, math.NaN(), math.NaN(), math.NaN()}
	}
	// One sum for every unit and bin: resampling needs no more.
	type cell struct {
		bin         int
		weight, gap float64
	}
	cells := make([][]cell, e.units)
	for k := range p {
		bin := min(int((2*p[k]-1)*float64(o.Bins)), o.Bins-1)
		of := &cells[e.unit[k]]
		i := slices.IndexFunc(*of, func(c cell) bool { return c.bin == bin })
		if i < 0 {
			i = len(*of)
			*of = append(*of, cell{bin: bin})
		}
		(*of)[i].weight += e.w[k]
		(*of)[i].gap += e.w[k] * (y[k] - p[k])
	}
	draws := make([]float64, o.Resamples)
	num.Parallel(len(draws), 8, func(lo, hi int) {
		weight, gap := make([]float64, o.Bins), make([]float64, o.Bins)
		for r := lo; r < hi; r++ {
			rng := rand.New(rand.NewPCG(o.Seed, uint64(r)))
			clear(weight)
			clear(gap)
			for _, of := range cells {
				n := poisson(rng)
				for _, c := range of {
					weight[c.bin] += n * c.weight
					gap[c.bin] += n * c.gap
				}
			}
			var off, total float64
			for b := range gap {
				off += math.Abs(gap[b])
				total += weight[b]
			}
			draws[r] = off / total
		}
	})
	draws = slices.DeleteFunc(draws, math.IsNaN) // of few units all may be left out
	if len(draws) == 0 {
		return Estimate{ece, math.NaN(), math.NaN(), math.NaN()}
	}
	var mean, square float64
	for _, x := range draws {
		mean += x / float64(len(draws))
	}
	for _, x := range draws {
		square += (x - mean) * (x - mean) / float64(len(draws))
	}
	slices.Sort(draws)
	at := func(q float64) float64 { return draws[min(int(q*float64(len(draws))), len(draws)-1)] }
	lo, hi := max(2*ece-at((1+o.Level)/2), 0), min(2*ece-at((1-o.Level)/2), 1)
	return Estimate{ece, math.Sqrt(square), min(lo, ece), max(hi, ece)}
}

// poisson draws a count of mean 1, by multiplying uniforms (Knuth).
func poisson(rng *rand.Rand) float64 {
	n := 0.0
	for p := rng.Float64(); p > 1/math.E; p *= rng.Float64() {
		n++
	}
	return n
}
