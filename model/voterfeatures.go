package model

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"palate"
	crowds "palate/crowd"
	"palate/gp"
	"palate/kernel"
)

// voterFeatures turns the features of voters into what leads their tastes: the
// columns themselves, brought to mean zero and mean square one over those who
// voted, and the weights of a kernel over them on inducing voters, for tastes
// that do not go along a straight line. CROWD has the kernel only.
type voterFeatures struct {
	centre, width []float64
	kernel        kernel.Kernel // nil without
	z             *mat.Dense    // inducing voters
	middle        []float64     // mean of the kernel's weights
	prior         *gp.Prior
}

// inducingVoters is how many there are, CROWD's M_u: tastes that change with
// features so fast that they need more are hardly to be learnt from votes.
const inducingVoters = 40

// whoVoted tells users who did from those who did not.
func whoVoted(users int, v *crowds.Votes) []bool {
	voted := make([]bool, users)
	for k := range v.Voters() {
		if u := v.Owner(k); u >= 0 {
			voted[u] = true
		}
	}
	return voted
}

// newVoterFeatures learns the scaling from those who voted.
func newVoterFeatures(f *palate.Features, voted []bool, o *CrowdOptions, rng *rand.Rand) (*voterFeatures, error) {
	v := &voterFeatures{}
	v.centre, v.width = standards(f, voted)
	points := kernel.Dense(v.points(f, voted))
	if v.kernel = o.VoterKernel; v.kernel == nil {
		v.kernel = cmp.Or(o.Features, &FeatureKernel{}).at(points, rng)
	}
	v.z = kernel.KMeans(points, min(inducingVoters, points.Len()), kernel.KMeansOptions{}, rng)
	return v, v.centreOn(points)
}

// standards returns mean and standard deviation of every feature over those who
// voted, the latter 1 for one that is the same for all. Means are taken from the
// first value on, so that of equal ones no rounding is left.
func standards(f *palate.Features, voted []bool) (centre, width []float64) {
	centre, width = make([]float64, f.Cols), make([]float64, f.Cols)
	var first []float64
	var n float64
	each := func(do func(j int, x float64)) {
		for u, ok := range voted {
			if ok {
				for j, x := range f.Row(u) {
					do(j, x)
				}
			}
		}
	}
	for u, ok := range voted {
		if ok {
			n++
			if first == nil {
				first = f.Row(u)
			}
		}
	}
	copy(centre, first)
	each(func(j int, x float64) { centre[j] += (x - first[j]) / n })
	each(func(j int, x float64) { width[j] += (x - centre[j]) * (x - centre[j]) / n })
	for j, s := range width {
		if width[j] = math.Sqrt(s); s == 0 {
			width[j] = 1
		}
	}
	return centre, width
}

// points are the scaled features of those who voted.
func (v *voterFeatures) points(f *palate.Features, voted []bool) *mat.Dense {
	var rows []float64
	for u, ok := range voted {
		if ok {
			rows = append(rows, standardised(f.Row(u), v.centre, v.width)...)
		}
	}
	return mat.NewDense(len(rows)/f.Cols, f.Cols, rows)
}

// centreOn sets what follows from the kernel.
func (v *voterFeatures) centreOn(voted kernel.Points) error {
	if err := v.setPrior(); err != nil {
		return err
	}
	weights := v.prior.Project(voted)
	v.middle = make([]float64, v.prior.Dim())
	for k := range voted.Len() {
		for j, w := range weights.RawRowView(k) {
			v.middle[j] += w / float64(voted.Len())
		}
	}
	return nil
}

// with returns the same at other parameters of the kernel.
func (v *voterFeatures) with(params []float64, voted *mat.Dense) (*voterFeatures, error) {
	o := *v
	o.kernel = v.kernel.With(params)
	return &o, o.centreOn(kernel.Dense(voted))
}

// gradient returns the derivatives in the kernel's log-parameters of what has a
// given slope in what leads the tastes of those who voted: CROWD (41), through the
// weights on all inducing voters. The weights are centred, so their slopes are.
func (v *voterFeatures) gradient(slope, voted *mat.Dense) ([]float64, error) {
	p, err := gp.Inducing(v.kernel, kernel.Dense(voted), kernel.Dense(v.z))
	if err != nil {
		return nil, fmt.Errorf("model: features of voters: %w", err)
	}
	n, _ := voted.Dims()
	s := gp.Sensitivity{Features: mat.NewDense(n, len(v.middle), nil)}
	for j := range v.middle {
		column := mat.Col(nil, len(v.centre)+j, slope)
		mean := floats.Sum(column) / float64(n)
		floats.AddConst(-mean, column)
		s.Features.SetCol(j, column)
	}
	return p.KernelGrad(s, &gp.Rows{}), nil
}

func (v *voterFeatures) setPrior() (err error) {
	z := kernel.Dense(v.z)
	if v.prior, err = gp.Inducing(v.kernel, z, z); err != nil {
		return fmt.Errorf("model: features of voters: %w", err)
	}
	return nil
}

// encode returns what leads the tastes of people with these features, a row
// each.
func (v *voterFeatures) encode(rows int, row func(int) []float64) *mat.Dense {
	cols, m := len(v.centre), len(v.middle)
	out := mat.NewDense(rows, cols+m, nil)
	x := mat.NewDense(rows, cols, nil)
	for u := range rows {
		x.SetRow(u, standardised(row(u), v.centre, v.width))
	}
	weights := v.prior.Project(kernel.Dense(x))
	for u := range rows {
		to := out.RawRowView(u)
		copy(to, x.RawRowView(u))
		for j, w := range weights.RawRowView(u) {
			to[cols+j] = w - v.middle[j]
		}
	}
	return out
}

// about is what the engine is told: every column has a relevance of its own, the
// kernel one.
func (v *voterFeatures) about(f *palate.Features) *crowds.About {
	groups := make([]int, len(v.centre)+len(v.middle))
	for j := range groups {
		groups[j] = min(j, len(v.centre))
	}
	return &crowds.About{Features: v.encode(f.Rows, f.Row), Groups: groups}
}
