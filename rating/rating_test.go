package rating

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"palate/internal/num"
)

// at is a fit of some rows as it begins, with factors, to be inferred by hand.
func at(t *testing.T, o world, seed uint64) *Fit {
	t.Helper()
	rows, _ := o.draw(seed)
	s := scaleOf(t, rows)
	r, err := gather(o.items, o.people, rows, s)
	if err != nil {
		t.Fatal(err)
	}
	f := start(r, s)
	if o.factors > 0 {
		f = f.with(o.factors, 1)
	}
	rng := rand.New(rand.NewPCG(seed, 9))
	for i := range o.items {
		f.Items[i*(1+f.Factors)] = 0.5 * rng.NormFloat64()
	}
	for u := range f.Spreads {
		f.Spreads[u] = math.Exp(0.3 * rng.NormFloat64())
	}
	return f
}

func settle(t *testing.T, f *Fit) float64 {
	t.Helper()
	if err := f.infer(context.Background(), 200, 0.9); err != nil {
		t.Fatal(err)
	}
	return f.Evidence
}

// Without factors a person is an offset alone: the evidence is an integral in one dimension.
func TestEvidenceIsQuadrature(t *testing.T) {
	f := at(t, world{items: 6, people: 3, each: 4, votes: 2, classes: 4, offset: 0.5}, 1)
	settle(t, f)
	x, w := num.GaussHermite(64)
	r := f.rows
	for u := range r.people {
		var sum float64
		for k, z := range x {
			lp := 0.0
			for p := r.start[u]; p < r.start[u+1]; p++ {
				m := f.Items[r.item[p]]
				if o := r.other[p]; o >= 0 {
					m -= f.Items[o]
				} else {
					m += math.Sqrt(f.Offset) * z
				}
				lp += f.tilt(r, p, f.Spreads[u], m, 0).LogZ
			}
			sum += w[k] * math.Exp(lp)
		}
		var one person
		lo, hi := r.start[u], r.start[u+1]
		one.fill(f.of(), r, lo, hi)
		one.solve(r.weight[lo:hi], f.tau[lo:hi], f.nu[lo:hi], f.Offset)
		got, _, _ := one.sweep(&f.Answering, r, lo, f.Spreads[u], r.weight[lo:hi], f.tau[lo:hi], f.nu[lo:hi], f.cm[lo:hi], f.cv[lo:hi], 0)
		near(t, "evidence", got, math.Log(sum), 0.003)
	}
}

// Where nothing but the likelihood changes the evidence changes by its terms alone, and where
// the items do, by what regress sets to nought.
func TestEvidenceHasItsSlopes(t *testing.T) {
	const h = 1e-4
	fresh := func() *Fit {
		return at(t, world{items: 7, people: 5, each: 5, votes: 3, factors: 2, classes: 4, offset: 0.5, taste: 0.6}, 3)
	}
	f := fresh()
	settle(t, f)
	places := f.places(f.rows)
	grad := make([]float64, places.n)
	for u := range f.rows.people {
		for p := f.rows.start[u]; p < f.rows.start[u+1]; p++ {
			f.slopes(f.rows, p, f.Spreads[u], f.cm[p], f.cv[p], places, grad)
		}
	}
	difference := func(move func(f *Fit, by float64)) float64 {
		up, down := fresh(), fresh()
		move(up, h)
		move(down, -h)
		return (settle(t, up) - settle(t, down)) / (2 * h)
	}
	for k := range f.Cuts {
		near(t, "cut point", grad[k], difference(func(f *Fit, by float64) { f.Cuts[k] += by }), 1e-4)
	}
	near(t, "noise of votes", grad[places.vote], difference(func(f *Fit, by float64) { f.Vote *= math.Exp(by) }), 1e-4)

	// At items that are left alone by regress under a flat prior, the evidence is flat.
	q := 1 + f.Factors
	for i := range 2 {
		for c := range q {
			want := difference(func(f *Fit, by float64) { f.Items[i*q+c] += by })
			var got float64
			for _, p := range f.rows.of[i] {
				u := int(f.rows.user[p])
				sign := 1.0
				if int(f.rows.other[p]) == i {
					sign = -1
				}
				var one person
				lo := f.rows.start[u]
				one.fill(f.of(), f.rows, lo, f.rows.start[u+1])
				one.solve(f.rows.weight[lo:], f.tau[lo:], f.nu[lo:], f.Offset)
				j := int(p) - lo
				if c == 0 {
					got += sign * (f.nu[p] - f.tau[p]*one.mm[j])
					continue
				}
				var cross float64 // of the form and w_c
				for a, x := range one.x[j*q : j*q+q] {
					cross += x * one.cov[a*q+c-1]
				}
				got += sign * ((f.nu[p]-f.tau[p]*one.mm[j])*one.mean[c-1] - f.tau[p]*cross)
			}
			near(t, "item", got, want, 1e-4)
		}
	}
}

func TestLearnFindsTheWorld(t *testing.T) {
	o := world{items: 30, people: 120, each: 12, factors: 1, classes: 5, offset: 0.6, spread: 0.3, taste: 0.8}
	rows, mu := o.draw(2)
	f, err := Learn(context.Background(), o.items, o.people, rows, scaleOf(t, rows), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !f.Converged || f.Factors == 0 || f.Skipped > 0 {
		t.Errorf("converged %v after %d rounds with %d factors, %d improper cavities", f.Converged, f.Rounds, f.Factors, f.Skipped)
	}
	near(t, "offsets", math.Sqrt(f.Offset), 0.6, 0.25)
	near(t, "spreads", f.Spread, 0.3, 0.15)
	for k, c := range f.Cuts[1:] {
		near(t, "class", c-f.Cuts[k], 1, 0.25)
	}
	var xy, xx, yy, mx, my float64
	for i, m := range mu {
		x := f.Items[i*(1+f.Factors)]
		mx, my = mx+x/float64(o.items), my+m/float64(o.items)
	}
	for i, m := range mu {
		x := f.Items[i*(1+f.Factors)]
		xy, xx, yy = xy+(x-mx)*(m-my), xx+(x-mx)*(x-mx), yy+(m-my)*(m-my)
	}
	if r := xy / math.Sqrt(xx*yy); r < 0.93 {
		t.Errorf("correlation with the truth %.3f", r)
	}
	p := f.Person(3)
	var sum float64
	for _, c := range p.Chances(4) {
		sum += c
	}
	near(t, "chances", sum, 1, 1e-12)
	near(t, "both ways", p.Prefer(1, 2)+p.Prefer(2, 1), 1, 1e-12)
}

func TestOrderAndGoroutinesDoNotMatter(t *testing.T) {
	o := world{items: 12, people: 40, each: 6, votes: 2, factors: 1, classes: 5, offset: 0.5, taste: 0.8}
	rows, _ := o.draw(4)
	learn := func() *Fit {
		f, err := Learn(context.Background(), o.items, o.people, rows, scaleOf(t, rows), &Options{Factors: 2, MaxRounds: 12})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a := learn()
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if b := learn(); !reflect.DeepEqual(a.Items, b.Items) || !reflect.DeepEqual(a.Mean, b.Mean) || a.Evidence != b.Evidence {
		t.Error("the order of rows, or goroutines, changed the fit")
	}
}

// Ratings times a factor, or with a constant added, are the same ratings; turned round, they
// are the same with everything turned round.
func TestUnitsDoNotMatter(t *testing.T) {
	o := world{items: 12, people: 40, each: 6, classes: 5, offset: 0.5}
	rows, _ := o.draw(6)
	learn := func(of func(float64) float64, numbers, reversed bool) *Fit {
		in, values := append([]Row(nil), rows...), []float64(nil)
		for k := range in {
			in[k].Rating = of(in[k].Rating)
			values = append(values, in[k].Rating)
		}
		s, err := NewScale(values, 0, reversed)
		if numbers {
			s, err = NewNumbers(values, reversed)
		}
		if err != nil {
			t.Fatal(err)
		}
		f, err := Learn(context.Background(), o.items, o.people, in, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	for _, numbers := range []bool{false, true} {
		plain := learn(func(x float64) float64 { return x }, numbers, false)
		other := learn(func(x float64) float64 { return 20*x - 7 }, numbers, false)
		turned := learn(func(x float64) float64 { return -x }, numbers, true)
		for i := range o.items {
			near(t, "item", other.Items[i], plain.Items[i], 1e-9)
			near(t, "item turned round", turned.Items[i], plain.Items[i], 1e-9)
			a, sa := plain.Person(3).Expect(i)
			b, sb := other.Person(3).Expect(i)
			c, sc := turned.Person(3).Expect(i)
			near(t, "expected", b, 20*a-7, 1e-8)
			near(t, "its deviation", sb, 20*sa, 1e-8)
			near(t, "expected, turned round", c, -a, 1e-8)
			near(t, "its deviation, turned round", sc, sa, 1e-8)
		}
	}
}

func TestFoldInIsThePersonInside(t *testing.T) {
	o := world{items: 15, people: 60, each: 8, factors: 1, classes: 5, offset: 0.5, spread: 0.3, taste: 0.9}
	rows, _ := o.draw(8)
	f, err := Learn(context.Background(), o.items, o.people, rows, scaleOf(t, rows), &Options{SameScale: true})
	if err != nil {
		t.Fatal(err)
	}
	f.Spread = 0
	settle(t, f)
	var own []Row
	for _, r := range rows {
		if r.User == 7 {
			own = append(own, r)
		}
	}
	p, err := f.FoldIn(own)
	if err != nil {
		t.Fatal(err)
	}
	in := f.Person(7)
	for i := range o.items {
		a, va := p.Utility(i)
		b, vb := in.Utility(i)
		near(t, "utility", a, b, 1e-4)
		near(t, "its variance", va, vb, 1e-4)
	}
}

func TestScaleOfManyValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var values []float64
	for range 1000 {
		values = append(values, math.Round(100*rng.NormFloat64())/10)
	}
	for _, classes := range []int{2, 5, 0} {
		s, err := NewScale(values, classes, false)
		if err != nil {
			t.Fatal(err)
		}
		want := classes
		want = cmp.Or(want, mostClasses)
		count := make([]int, len(s.Values))
		for _, y := range values {
			count[s.Class(y)]++
		}
		for k, n := range count {
			if len(count) != want || n < len(values)/want/2 {
				t.Errorf("class %d of %d has %d of %d ratings", k, len(count), n, len(values))
			}
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
	}
	if _, err := NewScale([]float64{3, 3}, 0, false); err == nil {
		t.Error("a scale of one value")
	}
}
