package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/kernel"
	"palate/likelihood"
)

// grouped are made-up votes of groups on items, sorted by group; the last rows stand
// alone.
func grouped(items, groups, votes int, noise float64) (rows *gp.Rows, group []int, lik []likelihood.Scalar, count []float64) {
	rng := rand.New(rand.NewPCG(7, uint64(items)))
	rows = &gp.Rows{}
	for g := range groups + 1 {
		of := g
		if g == groups {
			of = -1
		}
		for range votes {
			a := rng.IntN(items)
			b := (a + 1 + rng.IntN(items-1)) % items
			rows.AppendPair(a, b)
			group = append(group, of)
			l := likelihood.Scalar(likelihood.Probit{Offset: 0.2, Noise: noise})
			if rng.IntN(4) == 0 {
				l = likelihood.Tie{Threshold: 0.2, Noise: noise}
			}
			lik, count = append(lik, l), append(count, float64(1+rng.IntN(2)))
		}
	}
	return rows, group, lik, count
}

// Effects that are integrated out are those of a prior in which every form of a group
// is a coordinate: the same evidence, and the same posterior of the utilities.
func TestEffectsAreCorrelatedForms(t *testing.T) {
	const items, groups, votes, scale = 5, 3, 12, 0.7
	for _, e := range []Effects{
		{Own: 0.6}, {Repeat: 0.5}, {Own: 0.8, Repeat: 0.4},
		{Spread: []float64{0.3, 0, 0.5}}, {Own: 0.6, Spread: []float64{0.3, 0.2, 0}},
		{Vary: []float64{0.2, 0.3, 0}, Spread: []float64{0.3, 0, 0.4}},
		{Own: 0.8, Repeat: 0.4, Vary: []float64{0, 0.3, 0.1}, Spread: []float64{0.3, 0.2, 0.1}},
	} {
		noise := math.Sqrt(1 - e.Repeat)
		rows, group, lik, count := grouped(items, groups, votes, noise)
		e.Group = group
		if e.Spread != nil { // a side, a number that some have, and another
			e.Context = sided(rows.Len())
		}
		var sharp []likelihood.Scalar // rows that stand alone have all of the noise
		for r, l := range lik {
			if group[r] < 0 {
				switch x := l.(type) {
				case likelihood.Probit:
					x.Noise = 1
					l = x
				case likelihood.Tie:
					x.Noise = 1
					l = x
				}
			}
			sharp = append(sharp, l)
		}
		got, err := Run(t.Context(), &Problem{Prior: gp.White(items), Rows: rows, Likelihood: sharp, Count: count, Scale: scale, Effects: &e}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// Coordinates: the utilities, then every row's form.
		n := rows.Len()
		k := mat.NewSymDense(items+n, nil)
		cover := func(i, j int) float64 { // of utilities
			if i == j {
				return 1 / scale
			}
			return 0
		}
		var whole gp.Rows
		for r := range n {
			whole.AppendUnit(items + r)
			index, coef := rows.Row(r)
			for i := range items {
				k.SetSym(i, i, 1/scale)
				k.SetSym(i, items+r, coef[0]*cover(i, index[0])+coef[1]*cover(i, index[1]))
			}
			for s := range r + 1 {
				other, sign := rows.Row(s)
				var v float64
				same := group[r] == group[s] && group[r] >= 0
				for a, i := range index {
					for b, j := range other {
						c := cover(i, j)
						if same && i == j {
							c += e.Own
						}
						v += coef[a] * sign[b] * c
					}
				}
				for c, spread := range e.Spread {
					if spread > 0 {
						if same && e.Vary != nil {
							spread += e.Vary[c]
						}
						v += spread * coefficient(e.Context, r, c) * coefficient(e.Context, s, c)
					}
				}
				if same && index[0] == other[0] && index[1] == other[1] {
					v += e.Repeat
				}
				if same && index[0] == other[1] && index[1] == other[0] {
					v -= e.Repeat
				}
				k.SetSym(items+r, items+s, v)
			}
		}
		for i := range items + n {
			k.SetSym(i, i, k.At(i, i)+1e-10)
		}
		prior, err := gp.Covariance(k)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Run(t.Context(), &Problem{Prior: prior, Rows: &whole, Likelihood: sharp, Count: count}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Objective-want.Objective) > 1e-6 {
			t.Errorf("%v: evidence %v, want %v", e, got.Objective, want.Objective)
		}
		gf, wf := got.Posterior.Utilities(), want.Posterior.Utilities()
		gc, wc := got.Posterior.Covariance(), want.Posterior.Covariance()
		for i := range items {
			if math.Abs(gf[i]-wf[i]) > 1e-6 || math.Abs(gc.At(i, i)-wc.At(i, i)) > 1e-6 {
				t.Errorf("%v: item %d is %v (%v), want %v (%v)", e, i, gf[i], gc.At(i, i), wf[i], wc.At(i, i))
			}
		}
	}
}

// sided are made-up rows of a context of three effects: a side, a number that some have,
// and one that all do.
func sided(n int) *gp.Rows {
	rng := rand.New(rand.NewPCG(8, uint64(n)))
	rows := &gp.Rows{}
	for r := range n {
		index, coef := []int{0, 2}, []float64{float64(1 - 2*rng.IntN(2)), rng.NormFloat64()}
		if r%3 == 0 {
			index, coef = append(index, 1), append(coef, rng.NormFloat64())
		}
		rows.Append(index, coef)
	}
	return rows
}

// coefficient is that of an effect in a row; 0 where it has none.
func coefficient(rows *gp.Rows, r, effect int) float64 {
	index, coef := rows.Row(r)
	if k := slices.Index(index, effect); k >= 0 {
		return coef[k]
	}
	return 0
}

// Effects of the context are what is known of coordinates of their own: the same
// means and deviations.
func TestContextHasPosterior(t *testing.T) {
	const items, n = 5, 36
	rows, group, lik, count := grouped(items, 3, n/4, 1)
	spread := []float64{0.3, 0.2, 0.5}
	context := sided(n)
	got, err := Run(t.Context(), &Problem{Prior: gp.White(items), Rows: rows, Likelihood: lik, Count: count, Effects: &Effects{Group: group, Own: 1e-12, Context: context, Spread: spread}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var whole gp.Rows
	for r := range n {
		index, coef := rows.Row(r)
		effect, x := context.Row(r)
		index, coef = slices.Clip(index), slices.Clip(coef)
		for k, c := range effect {
			index, coef = append(index, items+c), append(coef, x[k]*math.Sqrt(spread[c]))
		}
		whole.Append(index, coef)
	}
	want, err := Run(t.Context(), &Problem{Prior: gp.White(items + 3), Rows: &whole, Likelihood: lik, Count: count}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(got.Objective-want.Objective) > 1e-6 {
		t.Errorf("evidence %v, want %v", got.Objective, want.Objective)
	}
	mean, sd := got.Context().Effects(got.Posterior)
	f, cov := want.Posterior.Utilities(), want.Posterior.Covariance()
	for c, v := range spread {
		m, s := math.Sqrt(v)*f[items+c], math.Sqrt(v*cov.At(items+c, items+c))
		if math.Abs(mean[c]-m) > 1e-6 || math.Abs(sd[c]-s) > 1e-6 {
			t.Errorf("effect %d is %v ± %v, want %v ± %v", c, mean[c], sd[c], m, s)
		}
	}
	if d := got.Posterior.LogDet() + got.Context().LogDet() - want.Posterior.LogDet(); math.Abs(d) > 1e-6 {
		t.Errorf("log determinants differ by %v", d)
	}
	if d := got.Posterior.Pull() + got.Context().Pull() - want.Posterior.Pull(); math.Abs(d) > 1e-6 {
		t.Errorf("pulls differ by %v", d)
	}
}

// Without variance effects are none, and with little next to none.
func TestEffectsVanish(t *testing.T) {
	rows, group, lik, count := grouped(6, 4, 10, 1)
	run := func(e *Effects) *Result {
		r, err := Run(t.Context(), &Problem{Prior: gp.White(6), Rows: rows, Likelihood: lik, Count: count, Effects: e}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	none, zero, little := run(nil), run(&Effects{Group: group}), run(&Effects{Group: group, Own: 1e-9})
	if none.Objective != zero.Objective || !slices.Equal(none.Posterior.Utilities(), zero.Posterior.Utilities()) {
		t.Error("effects without variance change the result")
	}
	if d := math.Abs(none.Objective - little.Objective); d > 1e-6 {
		t.Errorf("effects of variance 1e-9 change the evidence by %v", d)
	}
}

// The derivatives of the evidence in scale, kernel and the variance of own tastes are
// those of differences.
func TestEffectGradients(t *testing.T) {
	const items = 6
	rows, group, lik, count := grouped(items, 4, 15, 1)
	x := mat.NewDense(items, 1, []float64{0, 0.3, 1, 1.2, 2, 2.9})
	context := sided(rows.Len())
	at := func(scale, own, length, vary float64) *Result {
		prior, err := gp.Dense(kernel.Sum(kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{length}), kernel.Identity{}), kernel.Dense(x))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(t.Context(), &Problem{Prior: prior, Rows: rows, Likelihood: lik, Count: count, Scale: scale, Effects: &Effects{Group: group, Own: own, Context: context, Spread: []float64{0.3, 0.4, 0}, Vary: []float64{0, vary, 0}}}, &Settings{Tolerance: 1e-11})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := at(0.8, 0.5, 0.7, 0.2)
	sens := r.Sensitivity()
	p := r.Posterior.Prior
	const h = 1e-4
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"scale", -p.LogScale(sens, nil), (at(0.8*math.Exp(h), 0.5, 0.7, 0.2).Objective - at(0.8*math.Exp(-h), 0.5, 0.7, 0.2).Objective) / (2 * h)},
		{"own", r.OwnSlope(), (at(0.8, 0.5+h, 0.7, 0.2).Objective - at(0.8, 0.5-h, 0.7, 0.2).Objective) / (2 * h)},
		{"vary", r.VarySlope(1), (at(0.8, 0.5, 0.7, 0.2+h).Objective - at(0.8, 0.5, 0.7, 0.2-h).Objective) / (2 * h)},
		{"length", p.KernelGrad(sens, rows)[0], (at(0.8, 0.5, 0.7*math.Exp(h), 0.2).Objective - at(0.8, 0.5, 0.7*math.Exp(-h), 0.2).Objective) / (2 * h)},
	} {
		if math.Abs(c.got-c.want) > 1e-5*(1+math.Abs(c.want)) {
			t.Errorf("%s: slope %v, by differences %v", c.name, c.got, c.want)
		}
	}
}
