package tune

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
)

// field are points of the space to begin with, and what is believed of each.
type field struct {
	space    *Space
	points   []Point
	features *mat.Dense
	mean     []float64
}

// field draws points of the space; half of them are near those that were liked.
func (s *Search) field(b *Belief, rng *rand.Rand) *field {
	f := &field{space: s.Space}
	for range candidates / 2 {
		f.points = append(f.points, s.Space.Sample(rng))
	}
	var liked []Point
	for _, d := range s.Log.Duels {
		switch d.Answer {
		case palate.Left:
			liked = append(liked, d.Left)
		case palate.Right:
			liked = append(liked, d.Right)
		}
	}
	liked = liked[max(0, len(liked)-candidates/4):]
	if s.Space.Start != nil {
		liked = append(liked, s.Space.Start)
	}
	f.points = append(f.points, liked...)
	f.measure(b)
	good := f.points
	if order := f.order(f.mean); len(order) > 8 {
		good = nil
		for _, i := range order[:8] {
			good = append(good, f.points[i])
		}
	}
	for k := range candidates / 2 {
		f.points = append(f.points, s.Space.nudge(good[k%len(good)], rng))
	}
	f.measure(b)
	return f
}

// measure finds out what is believed of all points.
func (f *field) measure(b *Belief) {
	n := len(f.points)
	f.features = mat.NewDense(n, f.space.features, nil)
	for i, x := range f.points {
		f.space.featuresTo(f.features.RawRowView(i), x)
	}
	f.mean = make([]float64, n)
	for _, g := range b.draws {
		num.Axpy(1/float64(len(b.draws)), g.means(f.features), f.mean)
	}
}

// order sorts points by a score, the highest first.
func (f *field) order(score []float64) []int {
	order := num.Indices(len(score))
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case score[a] > score[b]:
			return -1
		case score[a] < score[b]:
			return 1
		}
		return 0
	})
	return order
}

// rivals returns the n points that promise most beside another, by the expected utility of the
// better one of the two. None is near one before it, so that they are of all of the space.
func (f *field) rivals(b *Belief, other Point, n int) (list []int) {
	worth := make([]float64, len(f.points))
	to := f.space.Features(other)
	for _, g := range b.draws {
		mean, variance, at := g.beside(f.features, to)
		for i := range worth {
			worth[i] += betterOf(mean[i], at, variance[i])
		}
	}
	near := rivalDistance * rivalDistance * float64(len(f.space.Varying()))
	for _, i := range f.order(worth) {
		x := f.features.RawRowView(i)
		if !slices.ContainsFunc(list, func(k int) bool { return distance(x, f.features.RawRowView(k)) < near }) {
			list = append(list, i)
		}
		if len(list) == n {
			break
		}
	}
	return list
}

// rivalDistance is how far apart rivals are, a parameter.
const rivalDistance = 0.2

// best returns the point of the highest expected utility, climbed to from so many of the field.
func (f *field) best(b *Belief, from int) Point {
	c := climber{f.space, b.mean, 2 * climbSteps}
	var best *spot
	for _, i := range f.order(f.mean)[:min(from, len(f.points))] {
		if p := c.climb([]Point{f.points[i]}); best == nil || p.value > best.value {
			best = p
		}
	}
	return best.points[0]
}

// drawn returns the best point of the field under a utility drawn from what is believed.
func (f *field) drawn(b *Belief, rng *rand.Rand) Point {
	mean, cov := b.draws[rng.IntN(len(b.draws))].joint(f.features)
	return f.points[highest(drawJoint(mean, cov, 1, rng)[0])]
}

// drawJoint draws from a Gaussian.
func drawJoint(mean []float64, cov *mat.SymDense, n int, rng *rand.Rand) [][]float64 {
	draws := make([][]float64, n)
	chol, err := num.NewCholesky(cov)
	for k := range draws {
		draws[k] = slices.Clone(mean)
		z := make([]float64, len(mean))
		for i := range z {
			z[i] = rng.NormFloat64()
		}
		if err != nil { // nothing is left to be unsure of
			continue
		}
		l := chol.L().RawTriangular()
		for i := range z {
			draws[k][i] += num.Dot(l.Data[i*l.Stride:i*l.Stride+i+1], z[:i+1])
		}
	}
	return draws
}

// nudge returns a point of the space near another.
func (s *Space) nudge(x Point, rng *rand.Rand) Point {
	far := math.Pow(10, -2.5*rng.Float64()) // from .003 to 1 of the bounds
	way := make([]float64, len(s.moving))
	for k := range way {
		way[k] = rng.NormFloat64() * 0.5
	}
	without(way, s.equal)
	u := s.units(x)
	y := slices.Clone(x)
	if len(way) > 0 {
		for k := range way { // sideways along the bounds rather than out
			if to := u[k] + far*way[k]; len(s.equal) == 0 && (to < 0 || to > 1) {
				way[k] = 0
			}
		}
		if z, _, ok := s.along(x, u, way, far); ok {
			y = slices.Clone(z)
		}
	}
	for _, j := range s.discrete {
		if rng.IntN(2*len(s.discrete)) == 0 || len(way) == 0 && rng.IntN(len(s.discrete)) == 0 {
			near := s.Parameters[j].near(y[j])
			was := y[j]
			y[j] = near[rng.IntN(len(near))]
			if !s.feasible(y) {
				y[j] = was
			}
		}
	}
	return y
}
