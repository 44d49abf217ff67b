package rating

import (
	"context"
	"math"
	"testing"
)

// centredCoverage is how many of the items' centred utilities are within 95 % intervals.
func centredCoverage(t *testing.T, c *Consensus, mu []float64) (in int) {
	t.Helper()
	n := len(mu)
	row, total, truth, mean := make([]float64, n), 0.0, 0.0, 0.0
	for i := range n {
		for j := range n {
			row[i] += c.Cov[i*n+j] / float64(n)
		}
		total += row[i] / float64(n)
		truth += mu[i] / float64(n)
		mean += c.Mean[i] / float64(n)
	}
	for i := range n {
		if sd := math.Sqrt(c.Var[i] - 2*row[i] + total); math.Abs(mu[i]-truth-c.Mean[i]+mean) < 1.96*sd {
			in++
		}
	}
	return in
}

// Intervals of the consensus hold as often as they say, of ratings and of ratings with votes.
func TestConsensusIsCalibrated(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	for _, o := range []world{
		{items: 20, people: 50, each: 8, classes: 5, offset: 0.5, spread: 0.3},
		{items: 20, people: 50, each: 4, votes: 6, classes: 5, offset: 0.5, spread: 0.3},
	} {
		in, all := 0, 0
		for seed := range uint64(200) {
			rows, mu := o.draw(10000 + seed)
			f, err := Learn(context.Background(), o.items, o.people, rows, scaleOf(t, rows), nil)
			if err != nil {
				t.Fatal(err)
			}
			c, err := f.Consensus(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			in += centredCoverage(t, c, mu)
			all += len(mu)
		}
		share := float64(in) / float64(all)
		t.Logf("%+v: 95 %% intervals hold %.3f of the time", o, share)
		if share < 0.93 || share > 0.97 {
			t.Error("not .93 to .97")
		}
	}
}
