package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"palate"
	"palate/infer"
	"palate/metric"
)

// partly draws items of whose utility a share of the variance is a smooth function of
// their features, votes on pairs at random, and further votes to predict.
func partly(t testing.TB, items, features, votes int, share float64) (d *palate.Dataset, truth []float64, further []palate.Vote) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 77))
	f := &palate.Features{Rows: items, Cols: features, Data: make([]float64, items*features)}
	for i := range f.Data {
		f.Data[i] = rng.NormFloat64()
	}
	truth = make([]float64, items)
	for range 40 { // waves, about one to the spread of the items
		phase, height := 2*math.Pi*rng.Float64(), rng.NormFloat64()
		wave := make([]float64, features)
		for j := range wave {
			wave[j] = rng.NormFloat64() / math.Sqrt(float64(features))
		}
		for i := range truth {
			at := phase
			for j, w := range wave {
				at += w * f.Data[i*features+j]
			}
			truth[i] += height * math.Cos(at)
		}
	}
	mean, sd := stat.MeanStdDev(truth, nil)
	for i, x := range truth {
		truth[i] = 1.5 * (math.Sqrt(share)*(x-mean)/sd + math.Sqrt(1-share)*rng.NormFloat64())
	}
	b := palate.NewBuilder()
	for i := range items {
		b.Item(fmt.Sprintf("i%d", i))
	}
	for j := range features {
		f.Names = append(f.Names, fmt.Sprintf("x%d", j))
	}
	b.SetItemFeatures(f)
	for k := range votes + 5000 {
		v := palate.Vote{User: -1, Weight: 1, Left: rng.IntN(items), Outcome: palate.Right}
		v.Right = (v.Left + 1 + rng.IntN(items-1)) % items
		if truth[v.Left]-truth[v.Right]+rng.NormFloat64() > 0 {
			v.Outcome = palate.Left
		}
		if k >= votes {
			further = append(further, v)
		} else if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d, truth, further
}

// told is how well a model knows the truth: τ, and accuracy and loss of further votes.
func told(t testing.TB, m *Single, truth []float64, further []palate.Vote) (tau, accuracy, loss float64) {
	mean := make([]float64, len(truth))
	m.UtilitiesTo(t.Context(), mean, make([]float64, len(truth)), -1)
	for _, v := range further {
		p := m.Prefer(-1, v.Left, v.Right)
		if v.Outcome == palate.Right {
			p = 1 - p
		}
		if p > 0.5 {
			accuracy += 1 / float64(len(further))
		}
		loss -= math.Log(p) / float64(len(further))
	}
	return metric.KendallTauB(mean, truth), accuracy, loss
}

// A fit of items whose features tell none, half and all of them, on inducing points; 1x
// is enough. The largest takes minutes.
func BenchmarkOwnParts(b *testing.B) {
	for _, c := range []struct{ items, votesEach, inducing int }{{400, 10, 100}, {5000, 10, 300}, {20000, 20, 200}, {100000, 20, 200}} {
		for _, share := range []float64{0, 0.5, 1} {
			b.Run(fmt.Sprintf("%d/%g", c.items, share), func(b *testing.B) {
				d, truth, further := partly(b, c.items, 8, c.items*c.votesEach/2, share)
				b.ResetTimer()
				for range b.N {
					m, err := FitSingle(b.Context(), d, &Options{Inducing: c.inducing})
					if err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					tau, accuracy, loss := told(b, m, truth, further)
					b.ReportMetric(tau, "tau")
					b.ReportMetric(accuracy, "accuracy")
					b.ReportMetric(loss, "loss")
					b.StartTimer()
				}
			})
		}
	}
}

// ownShare is what of an item's prior variance is its own.
func ownShare(m *Single) float64 {
	p := m.kernel.Params()
	of, own := math.Exp(p[0]), math.Exp(p[len(p)-1])
	return own / (of + own)
}

// Through inducing points items are ranked as with a weight an item, whatever features
// tell of them, and by any rule and schedule; and how much that is, is learnt alike.
func TestOwnParts(t *testing.T) {
	const items = 120
	for _, share := range []float64{0, 0.5, 1} {
		d, truth, _ := partly(t, items, 2, 8*items, share)
		tau := func(m *Single) float64 {
			x, _, _ := told(t, m, truth, nil)
			return x
		}
		dense := fit(t, d, nil)
		for name, o := range map[string]*Options{
			"EP":         {},
			"VI":         {Rule: infer.VI{}},
			"Stochastic": {Schedule: infer.Stochastic{Batch: 100, Steps: 150}},
		} {
			o.Inducing = 40
			m := fit(t, d, o)
			if got, want := tau(m), tau(dense); got < want-0.02 {
				t.Errorf("share %g, %s: τ %.3f, dense %.3f", share, name, got, want)
			}
			if got, want := ownShare(m), ownShare(dense); math.Abs(got-want) > 0.12 {
				t.Errorf("share %g, %s: %.2f of the variance is the items' own, dense %.2f", share, name, got, want)
			}
		}
	}
}

// What is not known of a new item is as much as its features do not tell, its own part
// among it; draws say so too, and votes have narrowed it for old ones.
func TestOwnPartOfNewItem(t *testing.T) {
	d, _, _ := partly(t, 60, 2, 1200, 0.3)
	m := fit(t, d, &Options{Inducing: 20})
	e, err := m.Extend([]string{"new"}, mat.DenseCopyOf(m.features.Slice(0, 1, 0, 2)))
	if err != nil {
		t.Fatal(err)
	}
	p := m.kernel.Params()
	own := math.Exp(p[len(p)-1]) / m.Fit().Scale
	_, known := e.Utility(-1, 0)
	_, v := e.Utility(-1, 60)
	if v < own || known > 0.5*own {
		t.Errorf("variances: new %.3f, known %.3f, own parts %.3f", v, known, own)
	}
	draws := drawsOf(t, e, -1, 1000, rand.New(rand.NewPCG(1, 1)))
	var mean, square float64
	n, _ := draws.F.Dims()
	for k := range n {
		x := draws.F.At(k, 60)
		mean += x / float64(n)
		square += x * x / float64(n)
	}
	near(t, "variance of draws", (square-mean*mean)/v, 1, 0.2)
}

// A file from before own parts opens with what it had, to the bit.
func TestFileWithoutOwnParts(t *testing.T) {
	d, _, _ := partly(t, 12, 2, 90, 0.5)
	fitted := fit(t, d, &Options{Inducing: 5})
	m := *fitted
	m.own = false
	p, err := m.prior(m.kernel)
	if err != nil {
		t.Fatal(err)
	}
	if m.result, err = infer.Run(t.Context(), m.problem(p, m.Fit().Scale, m.voting, 0), nil); err != nil {
		t.Fatal(err)
	}
	l := reopened(t, &m)
	if l.(*Single).own {
		t.Error("own parts in a file without")
	}
	for i := 1; i < 12; i++ {
		if got, want := l.Prefer(-1, 0, i), m.Prefer(-1, 0, i); got != want {
			t.Errorf("item %d: %g, was %g", i, got, want)
		}
	}
}

// Votes that come after the fit are learnt from as with a weight an item.
func TestOwnPartsOnline(t *testing.T) {
	d, _, _ := partly(t, 40, 2, 300, 0.5)
	m := fit(t, d, &Options{Inducing: 15})
	o, err := m.Online()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		got, _ := o.Utility(-1, i)
		want, _ := m.Utility(-1, i)
		near(t, "utility", got, want, 1e-6)
	}
	before := o.Prefer(-1, 3, 7)
	for range 5 {
		if err := o.Observe(palate.Vote{User: -1, Weight: 1, Left: 3, Right: 7, Outcome: palate.Left}); err != nil {
			t.Fatal(err)
		}
	}
	if after := o.Prefer(-1, 3, 7); after <= before {
		t.Errorf("five votes for it: %.3f, was %.3f", after, before)
	}
}
