package explain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/kernel"
	"palate/model"
)

// Options are the settings of explanations; nil means the defaults.
type Options struct {
	Level float64 // of intervals; 0 stands for 0.95
	Seed  uint64
}

func (o *Options) level() float64 {
	if o == nil || o.Level == 0 {
		return 0.95
	}
	return o.Level
}

func (o *Options) seed() uint64 {
	if o == nil {
		return 0
	}
	return o.Seed
}

// z is how many deviations an interval reaches to either side.
func (o *Options) z() float64 { return math.Sqrt2 * math.Erfinv(o.level()) }

// Estimate is a number with its interval.
type Estimate struct{ Value, Lo, Hi float64 }

// Dependence is how utility goes with one feature, in the mean over items, in units of the noise of
// a vote.
type Dependence struct {
	Feature Feature
	At      []Setting
	Effect  []Estimate // at each, less the mean over items
	// Importance is the standard deviation of the effect over items.
	Importance Estimate
	// Matters is the chance that the effect is not the same at all settings.
	Matters float64
	// Slope is that of the straight line through the effect, for one deviation more of a scalar
	// feature, and Deviation what that is in the units of the table; nil of others.
	Slope     *Estimate
	Deviation float64
	// Length is the length-scale in units of the table, of a scalar feature where it was
	// learnt or set: differences well below it hardly matter. Infinite: none do.
	Length float64

	mean []float64
	cov  *mat.SymDense
	z    float64
}

// mostItems is the number of items that dependences are means over, if there are more evenly chosen
// by name.
const mostItems = 50

// Dependences are those of all features that differ between items, the most important first.
func Dependences(ctx context.Context, m model.Featured, features []Feature, o *Options) ([]*Dependence, error) {
	x, lengths := m.Features(), lengthsOf(m)
	items := sample(x, m.ItemID)
	var all []*Dependence
	for k := range features {
		f := &features[k]
		at := f.settings(x, m.ItemID)
		if len(at) < 2 {
			continue
		}
		rows := mat.NewDense(len(at)*len(items), cols(x), nil)
		for a, s := range at {
			for b, i := range items {
				row := rows.RawRowView(a*len(items) + b)
				copy(row, x.RawRowView(i))
				copy(row[f.first:], s.block)
			}
		}
		g, err := m.PartialDependence(ctx, rows, len(items), f.columns())
		if err != nil {
			return nil, err
		}
		d, err := newDependence(f, at, g, o, rand.New(rand.NewPCG(o.seed(), uint64(f.first))))
		if err != nil {
			return nil, err
		}
		if d.Length = math.Inf(1); f.Scalar() && lengths != nil {
			d.Length = f.sd * lengths[f.first%len(lengths)]
		}
		all = append(all, d)
	}
	slices.SortStableFunc(all, func(a, b *Dependence) int { return cmp.Compare(b.Importance.Value, a.Importance.Value) })
	return all, nil
}

func cols(x *mat.Dense) int {
	_, c := x.Dims()
	return c
}

// sample are the items that dependences are means over.
func sample(x *mat.Dense, name func(int) string) []int {
	n, _ := x.Dims()
	all := num.Indices(n)
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(name(a), name(b)) })
	few := min(n, mostItems)
	out := make([]int, few)
	for k := range out {
		out[k] = all[k*n/few]
	}
	return out
}

// lengthsOf are the length-scales of encoded columns, of the term that is not linear.
func lengthsOf(m model.Featured) []float64 {
	for _, r := range m.Relevances() {
		if r.Linear {
			continue
		}
		out := slices.Clone(r.Lengths)
		for j, l := range out {
			if !kernel.HasEnd(l) {
				out[j] = math.Inf(1)
			}
		}
		return out
	}
	return nil
}

// newDependence centres what is known of a function at the settings.
func newDependence(f *Feature, at []Setting, g *model.PartialDependence, o *Options, rng *rand.Rand) (*Dependence, error) {
	d := &Dependence{Feature: *f, At: at, z: o.z(), mean: centred(g.Mean, at), cov: centredCov(g.Cov, at)}
	for k, m := range d.mean {
		reach := d.z * math.Sqrt(max(d.cov.At(k, k), 0))
		d.Effect = append(d.Effect, Estimate{m, m - reach, m + reach})
	}
	d.Matters = 1 / (1 + math.Exp(-logOdds(d.mean, d.cov, centredCov(g.Before, at))))
	sizes, err := d.sizes(rng)
	if err != nil {
		return nil, fmt.Errorf("explain: %s: %w", f.Name, err)
	}
	d.Importance = withFlat(sizes, d.Matters, o.level())
	if f.Scalar() {
		var mean, square float64
		for _, s := range at {
			mean += s.Weight * s.Value
		}
		for _, s := range at {
			square += s.Weight * (s.Value - mean) * (s.Value - mean)
		}
		d.Deviation = math.Sqrt(square)
		form := make([]float64, len(at))
		for k, s := range at {
			form[k] = s.Weight * (s.Value - mean) / d.Deviation
		}
		e := d.form(form)
		d.Slope = &e
	}
	return d, nil
}

// Contrast is by how much the utility at one setting is above that at another.
func (d *Dependence) Contrast(at, from int) Estimate {
	form := make([]float64, len(d.At))
	form[at]++
	form[from]--
	return d.form(form)
}

// Matter reports whether the interval of the importance begins above zero.
func (d *Dependence) Matter() bool { return d.Importance.Lo > 0 }

// form is a linear form of the effects.
func (d *Dependence) form(c []float64) Estimate {
	v := mat.NewVecDense(len(c), c)
	mean, reach := num.Dot(c, d.mean), d.z*math.Sqrt(max(mat.Inner(v, d.cov, v), 0))
	return Estimate{mean, mean - reach, mean + reach}
}

// centred takes from numbers their mean over the weights.
func centred(x []float64, at []Setting) []float64 {
	var mean float64
	for k, s := range at {
		mean += s.Weight * x[k]
	}
	out := make([]float64, len(x))
	for k := range x {
		out[k] = x[k] - mean
	}
	return out
}

// centredCov is the covariance of what centred makes of numbers with a covariance.
func centredCov(c *mat.SymDense, at []Setting) *mat.SymDense {
	n := len(at)
	means, grand := make([]float64, n), 0.0
	for i := range n {
		for k, s := range at {
			means[i] += s.Weight * c.At(i, k)
		}
	}
	for k, s := range at {
		grand += s.Weight * means[k]
	}
	out := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			out.SetSym(i, j, c.At(i, j)-means[i]-means[j]+grand)
		}
	}
	return out
}
