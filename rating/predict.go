package rating

import (
	"math"
	"math/rand/v2"

	"palate/internal/num"
)

// Person is what is known of somebody.
type Person struct {
	Mean   []float64 // w, then o
	Cov    []float64
	Spread float64
	f      *Fit
}

// Person returns what is known of person u.
func (f *Fit) Person(u int) *Person {
	q := 1 + f.Factors
	return &Person{f.Mean[u*q : (u+1)*q], f.Cov[u*q*q : (u+1)*q*q], f.Spreads[u], f}
}

// NewPerson is somebody nothing is known of.
func (f *Fit) NewPerson() *Person {
	q := 1 + f.Factors
	p := &Person{make([]float64, q), make([]float64, q*q), 1, f}
	for c := range f.Factors {
		p.Cov[c*(q+1)] = 1
	}
	p.Cov[q*q-1] = f.Offset
	return p
}

// FoldIn infers somebody new from what they say, whatever users the rows name: items and
// how people answer stay as they are, at O(d²) a row.
func (f *Fit) FoldIn(in []Row) (*Person, error) {
	own := make([]Row, len(in))
	for k, x := range in {
		x.User = 0
		own[k] = x
	}
	r, err := gather(len(f.Items)/(1+f.Factors), 1, own, f.Scale)
	if err != nil {
		return nil, err
	}
	g := *f
	g.rows = r
	n, q := r.len(), 1+f.Factors
	g.tau, g.nu, g.cm, g.cv = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	g.Mean, g.Cov, g.Spreads = make([]float64, q), make([]float64, q*q), []float64{1}
	var w person
	w.fill(g.of(), r, 0, n)
	w.solve(r.weight, g.tau, g.nu, f.Offset)
	for range foldRounds {
		before := g.Spreads[0]
		for range foldSweeps {
			_, change, _ := w.sweep(&g.Answering, r, 0, before, r.weight, g.tau, g.nu, g.cm, g.cv, 0.9)
			w.solve(r.weight, g.tau, g.nu, f.Offset)
			if change < 1e-6 {
				break
			}
		}
		if f.Spread > 0 && r.rated {
			g.Spreads[0], _ = g.spread(r, 0, n, before, g.cm, g.cv)
		}
		if math.Abs(math.Log(g.Spreads[0]/before)) < 1e-4 {
			break
		}
	}
	return &Person{append([]float64(nil), w.mean...), append([]float64(nil), w.cov...), g.Spreads[0], f}, nil
}

const (
	foldRounds = 20
	foldSweeps = 30
)

// form is mean and variance of a row over μ_i and V_i, times one and of the other items less.
func (p *Person) form(x []float64, items ...int) (mean, variance float64) {
	k := p.f.Factors
	q := 1 + k
	for a := range q {
		mean += x[a] * p.Mean[a]
		for b := range q {
			variance += x[a] * x[b] * p.Cov[a*q+b]
		}
	}
	for _, i := range items {
		variance += p.f.unsure(i, p.Mean, p.Cov)
	}
	return mean, variance
}

// unsure is how much of the variance of what somebody makes of an item is the item's.
func (f *Fit) unsure(i int, mean, cov []float64) float64 {
	q := 1 + f.Factors
	open := f.Open[i*q*q : (i+1)*q*q]
	variance := open[0]
	for a, x := range mean[:q-1] {
		row := open[(1+a)*q : (2+a)*q]
		sum := row[0] + x*row[1+a]*0.5
		for b, y := range mean[:a] {
			sum += y * row[1+b]
		}
		variance += 2*x*sum + cov[a*q+a]*row[1+a]
		for b, c := range cov[a*q : a*q+a] {
			variance += 2 * c * row[1+b]
		}
	}
	return variance
}

// Utility returns mean and variance of what the person makes of an item.
func (p *Person) Utility(i int) (mean, variance float64) {
	q := 1 + p.f.Factors
	b := p.f.Items[i*q : (i+1)*q]
	x := append(append(make([]float64, 0, q), b[1:]...), 0)
	mean, variance = p.form(x, i)
	return mean + b[0], variance
}

// Difference returns mean and variance of the utility of one item less that of another.
func (p *Person) Difference(i, j int) (mean, variance float64) {
	q := 1 + p.f.Factors
	a, b := p.f.Items[i*q:(i+1)*q], p.f.Items[j*q:(j+1)*q]
	x := make([]float64, q)
	for c := range p.f.Factors {
		x[c] = a[1+c] - b[1+c]
	}
	mean, variance = p.form(x, i, j)
	return mean + a[0] - b[0], variance
}

// Prefer returns the probability that the person votes for i rather than j, where it is not a
// tie.
func (p *Person) Prefer(i, j int) float64 {
	mean, variance := p.Difference(i, j)
	win := p.f.vote(false)
	up, down := win.Tilt(mean, variance).LogZ, win.Tilt(-mean, variance).LogZ
	return num.Sigmoid(up - down)
}

// rates is mean and variance of what the person would rate an item by.
func (p *Person) rates(i int) (mean, variance float64) {
	q := 1 + p.f.Factors
	b := p.f.Items[i*q : (i+1)*q]
	x := append(append(make([]float64, 0, q), b[1:]...), 1)
	mean, variance = p.form(x, i)
	return mean + b[0], variance
}

// Chances returns the probability of every class for a rating of an item, from the worst on.
// Of numbers there are none.
func (p *Person) Chances(i int) []float64 {
	mean, variance := p.rates(i)
	out := make([]float64, len(p.f.Cuts)+1)
	if len(p.f.Cuts) == 0 {
		return nil
	}
	for k := range out {
		out[k] = math.Exp(p.f.rating(k, p.Spread).Tilt(mean, variance).LogZ)
	}
	return out
}

// Expect returns mean and deviation of the person's rating of an item, as ratings are given.
func (p *Person) Expect(i int) (mean, sd float64) {
	s := p.f.Scale
	if s.Numbers() {
		mean, variance := p.rates(i)
		unit := s.Unit * p.f.Unit / p.Spread
		return s.Centre + s.sign()*unit*mean, unit * math.Sqrt(variance+noise*noise)
	}
	var square float64
	for k, c := range p.Chances(i) {
		mean += c * s.Values[k]
		square += c * s.Values[k] * s.Values[k]
	}
	return mean, math.Sqrt(max(square-mean*mean, 0))
}

// LogProb returns the log probability of a rating of an item; of numbers, the log density.
func (p *Person) LogProb(i int, rating float64) float64 {
	s := p.f.Scale
	if s.Numbers() {
		mean, sd := p.Expect(i)
		z := (rating - mean) / sd
		return -0.5*z*z - math.Log(sd) - 0.5*math.Log(2*math.Pi)
	}
	mean, variance := p.rates(i)
	return p.f.rating(s.Class(rating), p.Spread).Tilt(mean, variance).LogZ
}

// Draw sets dst to a draw of the person's utilities of all items, in a unit that is not known for
// sure.
func (p *Person) Draw(dst []float64, rng *rand.Rand) {
	q := 1 + p.f.Factors
	root := append([]float64(nil), p.Cov...)
	g := append([]float64(nil), p.Mean...)
	if _, ok := num.Factor(root, q); ok {
		white := make([]float64, q)
		for a := range q {
			white[a] = rng.NormFloat64()
			g[a] += num.Dot(root[a*q:a*q+a+1], white[:a+1])
		}
	}
	h := append([]float64{1}, g[:q-1]...)
	for i := range dst {
		b, open := p.f.Items[i*q:(i+1)*q], p.f.Open[i*q*q:(i+1)*q*q]
		var variance float64
		for a, x := range h {
			variance += x * num.Dot(open[a*q:(a+1)*q], h)
		}
		dst[i] = num.Dot(b, h) + math.Sqrt(max(variance, 0))*rng.NormFloat64()
	}
	unit := math.Exp(math.Sqrt(p.f.Blur) * rng.NormFloat64())
	for i := range dst {
		dst[i] *= unit
	}
}
