package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
)

// tossed are votes between eight items whose utilities have a spread, of none or of some
// voters who have tastes of a deviation.
func tossed(t *testing.T, spread, taste float64, voters int, seed uint64) *palate.Dataset {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	var u [8]float64
	for i := range u {
		u[i] = spread * rng.NormFloat64()
	}
	own := make([][8]float64, max(1, voters))
	for k := range own {
		for i := range own[k] {
			own[k][i] = taste * rng.NormFloat64()
		}
	}
	b := palate.NewBuilder()
	for k := range 300 {
		i := rng.IntN(len(u))
		j := (i + 1 + rng.IntN(len(u)-1)) % len(u)
		w, user := own[0], ""
		if voters > 0 {
			w, user = own[k%voters], strconv.Itoa(k%voters)
		}
		outcome := palate.Left
		if u[i]+w[i]-u[j]-w[j]+rng.NormFloat64() < 0 {
			outcome = palate.Right
		}
		if err := b.Say(user, strconv.Itoa(i), strconv.Itoa(j), outcome); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Votes of items that do not differ are seldom worth more than coins, and those of items that
// do always; also where voters have tastes of their own and there is no consensus.
func TestCoins(t *testing.T) {
	for _, c := range []struct {
		name          string
		taste         float64
		voters, seeds int
	}{{"pooled", 0, 0, 20}, {"voters", 1, 15, 8}} {
		worth, sum := 0, 0.0
		for seed := range uint64(c.seeds) {
			p := boardOf(t, fit(t, tossed(t, 0, c.taste, c.voters, seed), nil), -1, nil).Coins
			if sum += p / float64(c.seeds); p < 0.5 {
				worth++
			}
			if p := boardOf(t, fit(t, tossed(t, 2, c.taste, c.voters, seed), nil), -1, nil).Coins; p > 0.1 {
				t.Errorf("%s, seed %d: items that differ are coins with %.3f", c.name, seed, p)
			}
		}
		if worth > c.seeds/5 || sum < 0.7 {
			t.Errorf("%s: coins are coins with %.3f in the mean, and in %d of %d cases are rather not", c.name, sum, worth, c.seeds)
		}
	}
}

// The prior where items differ is a density, with its slope.
func TestScalePriorIsADensity(t *testing.T) {
	const h = 0.01
	p, sum := scalePrior{coins: true}, 0.0
	for x := -40.0; x < 40; x += h {
		lp, slope := p.logDensity(x)
		up, _ := p.logDensity(x + 1e-5)
		if sum += h * math.Exp(lp); math.Abs((up-lp)/1e-5-slope) > 1e-3 {
			t.Fatalf("at %g the slope is %g, and %g by a difference", x, slope, (up-lp)/1e-5)
		}
	}
	if math.Abs(sum-1) > 1e-3 {
		t.Errorf("it sums to %g", sum)
	}
}

// Of two items the chance that votes are coins, and of a vote, are those by quadrature over
// their difference and its scale.
func TestCoinsByQuadrature(t *testing.T) {
	prior := scalePrior{coins: true}
	for _, c := range [][2]int{{1, 1}, {3, 1}, {8, 1}, {20, 16}, {40, 18}} {
		b := palate.NewBuilder()
		for k := range c[0] + c[1] {
			winner, loser := "a", "b"
			if k >= c[0] {
				winner, loser = loser, winner
			}
			left, right, o := winner, loser, palate.Left
			if k%2 == 1 { // on either side
				left, right, o = loser, winner, palate.Right
			}
			if err := b.Say("", left, right, o); err != nil {
				t.Fatal(err)
			}
		}
		d, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		m := fit(t, d, nil)
		var evidence, win float64
		const h, grain = 0.1, 0.02
		for x := -14.0; x < 14; x += h {
			lp, _ := prior.logDensity(x)
			sd := math.Sqrt2 * math.Exp(-0.5*x)
			for z := -6.0; z <= 6; z += grain {
				chance := num.Phi(sd * z)
				mass := h * grain * math.Exp(lp-0.5*z*z+float64(c[0])*math.Log(2*chance)+float64(c[1])*math.Log(2*(1-chance))) / math.Sqrt(2*math.Pi)
				evidence += mass
				win += mass * chance
			}
		}
		coins := coinShare / (coinShare + (1-coinShare)*evidence)
		want := coins/2 + (1-coins)*win/evidence
		if got := boardOf(t, m, -1, nil).Coins; math.Abs(got-coins) > 0.03 {
			t.Errorf("%v: coins with %.4f, by quadrature %.4f", c, got, coins)
		}
		if got := m.Prefer(-1, 0, 1); math.Abs(got-want) > 0.02 {
			t.Errorf("%v: chance %.4f, by quadrature %.4f", c, got, want)
		}
	}
}

// given is a predictor of draws that are what they are.
type given struct {
	Predictor
	d Draws
}

func (g given) Draws(context.Context, int, int, *rand.Rand) (Draws, error) { return g.d, nil }

// Scores, deviations and intervals are those of draws in which items differ; ranks and chances
// are those of all.
func TestBoardsOfCoins(t *testing.T) {
	const draws = 600
	rng := rand.New(rand.NewPCG(5, 5))
	f, weight, alike := mat.NewDense(draws, 4, nil), make([]float64, draws), make([]bool, draws)
	other, rest := mat.NewDense(draws/2, 4, nil), make([]float64, draws/2)
	for k := range draws {
		weight[k], alike[k] = 1.0/draws, k%2 == 1
		for i := range 4 {
			x := rng.NormFloat64() - 2*float64(i)
			if alike[k] {
				f.Set(k, i, 1e-4*rng.NormFloat64())
				continue
			}
			f.Set(k, i, x)
			other.Set(k/2, i, x)
			rest[k/2] = 2.0 / draws
		}
	}
	d := tossed(t, 1, 0, 0, 1)
	m := fit(t, d, nil)
	both, alone := boardOf(t, given{only4{m}, Draws{F: f, Weight: weight, Alike: alike}}, -1, nil), boardOf(t, given{only4{m}, Draws{F: other, Weight: rest}}, -1, nil)
	if math.Abs(both.Coins-0.5) > 1e-9 || alone.Coins != 0 {
		t.Fatalf("coins with %g and %g", both.Coins, alone.Coins)
	}
	for r, x := range both.Groups[0].Rows {
		y := alone.Groups[0].Rows[r]
		if x.Item != y.Item || math.Abs(x.Score-y.Score) > 1e-9 || math.Abs(x.SD-y.SD) > 1e-9 || x.Lo != y.Lo || x.Hi != y.Hi {
			t.Errorf("row %d: %+v, and of draws in which items differ %+v", r, x, y)
		}
		if want := y.PBest/2 + 0.125; math.Abs(x.PBest-want) > 0.05 || x.Tier != 1 {
			t.Errorf("row %d: best with %.3f, not %.3f, in tier %d", r, x.PBest, want, x.Tier)
		}
	}
}

// only4 is a predictor of its first four items.
type only4 struct{ Predictor }

func (only4) NumItems() int   { return 4 }
func (only4) Groups() [][]int { return [][]int{num.Indices(4)} }

// What may be coins says so in its file and where it is averaged; a scale or a prior that was
// given, and the voters' own mean, leave nothing to coins.
func TestWhereCoinsAre(t *testing.T) {
	d := tossed(t, 0.2, 0, 0, 3)
	m := fit(t, d, nil)
	p := boardOf(t, m, -1, nil).Coins
	if again := boardOf(t, reopened(t, m), -1, nil).Coins; p < 0.05 || again != p {
		t.Errorf("coins with %g, and %g from the file", p, again)
	}
	for _, o := range []*Options{{Scale: 1}, {ScalePrior: scalePrior{}.asGamma()}} {
		if q := boardOf(t, fit(t, d, o), -1, nil).Coins; q != 0 {
			t.Errorf("%+v: coins with %g", o, q)
		}
	}
	a := &Average{}
	a.parts, a.weight = []Model{m, fit(t, d, &Options{Scale: 1})}, []float64{0.5, 0.5}
	all, err := a.mixture.Draws(t.Context(), -1, 2000, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		t.Fatal(err)
	}
	if got := all.Coins(); math.Abs(got-p/2) > 0.05 || !slices.Contains(all.Alike, true) {
		t.Errorf("half of it are coins with %g, not %g", got, p/2)
	}
	v, err := fit(t, tossed(t, 0, 1, 15, 2), nil).TheseVoters()
	if err != nil {
		t.Fatal(err)
	}
	if q := boardOf(t, v, -1, nil).Coins; q != 0 {
		t.Errorf("these voters differ in taste, and yet are coins with %g", q)
	}
}
