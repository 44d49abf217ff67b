package kernel

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// KMeansOptions are the settings of KMeans; zeros mean the defaults.
type KMeansOptions struct {
	Iterations int // rounds at most; 0: 25, or 100 mini-batches
	// FullBelow is the number of points up to which every round sees all of them
	// (Lloyd); beyond, each sees a random batch. 0: 20000.
	FullBelow int
	Batch     int // points in a mini-batch; 0: 2048 or 4k, whichever is more
}

// lloydTol stops Lloyd's rounds when the summed squared distance falls by less
// than this share.
const lloydTol = 1e-4

// KMeans returns k cluster centres of x, one a row: k-means++ seeding (Arthur and
// Vassilvitskii 2007), then Lloyd's rounds, or mini-batches (Sculley 2010) when x
// is large. It returns fewer centres when x has fewer distinct points, and never
// two equal ones among the seeds. Distances are in the units of the features.
func KMeans(x Points, k int, o KMeansOptions, rng *rand.Rand) *mat.Dense {
	if k < 1 || x.n == 0 || x.d == 0 {
		panic(fmt.Sprintf("kernel: %d centres of %d points with %d features", k, x.n, x.d))
	}
	o.FullBelow = cmp.Or(o.FullBelow, 20000)
	if o.Batch == 0 {
		o.Batch = max(2048, 4*k)
	}
	o.Batch = min(o.Batch, x.n)
	if x.n <= o.FullBelow {
		o.Iterations = cmp.Or(o.Iterations, 25)
		c := seedCentres(x, k, rng)
		lloyd(x, c, o.Iterations)
		return c
	}
	o.Iterations = cmp.Or(o.Iterations, 100)
	seeds := x.Subset(sample(x.n, min(x.n, max(o.FullBelow/2, 10*k)), rng))
	c := seedCentres(seeds, k, rng)
	miniBatches(x, c, o, rng)
	return c
}

// seedCentres draws each centre with probability proportional to the squared
// distance from the nearest one so far.
func seedCentres(x Points, k int, rng *rand.Rand) *mat.Dense {
	c := mat.NewDense(min(k, x.n), x.d, nil)
	nearest := make([]float64, x.n)
	for i := range nearest {
		nearest[i] = math.Inf(1)
	}
	pick := rng.IntN(x.n)
	rows := 0
	for {
		centre := c.RawRowView(rows)
		x.copyRow(centre, pick)
		rows++
		if rows == c.RawMatrix().Rows {
			return c
		}
		norm := squaredNorm(centre)
		eachBlock(x.n, x.n*x.d, noBuffers, func(_ struct{}, _, lo, hi int) {
			for i := lo; i < hi; i++ {
				nearest[i] = min(nearest[i], x.squaredDistance(i, centre, norm))
			}
		})
		nearest[pick] = 0
		if pick = draw(nearest, rng); pick < 0 {
			return mat.DenseCopyOf(c.Slice(0, rows, 0, x.d))
		}
	}
}

// draw returns an index with probability proportional to w, or −1 when all are 0.
func draw(w []float64, rng *rand.Rand) int {
	var total float64
	for _, v := range w {
		total += v
	}
	if total == 0 {
		return -1
	}
	u := rng.Float64() * total
	last := -1
	for i, v := range w {
		if v == 0 {
			continue
		}
		last = i
		if u -= v; u < 0 {
			break
		}
	}
	return last
}

// lloyd moves the centres to the means of their points until the clusters settle.
// A centre without points stays where it is.
func lloyd(x Points, c *mat.Dense, iterations int) {
	k, _ := c.Dims()
	prev := math.Inf(1)
	for range iterations {
		member, cost := assign(x, c)
		if cost >= prev*(1-lloydTol) {
			return
		}
		prev = cost
		clusters := groups(member, k)
		eachBlock(k, x.n*x.d, noBuffers, func(_ struct{}, _, lo, hi int) {
			for a := lo; a < hi; a++ {
				if len(clusters[a]) > 0 {
					x.meanTo(c.RawRowView(a), clusters[a])
				}
			}
		})
	}
}

// miniBatches moves each centre towards the points of random batches, by one over
// the number of points it has seen.
func miniBatches(x Points, c *mat.Dense, o KMeansOptions, rng *rand.Rand) {
	k, d := c.Dims()
	seen := make([]float64, k)
	mean := make([]float64, d)
	idx := make([]int, o.Batch)
	for range o.Iterations {
		for b := range idx {
			idx[b] = rng.IntN(x.n)
		}
		slices.Sort(idx)
		batch := x.Subset(idx)
		member, _ := assign(batch, c)
		for a, cluster := range groups(member, k) {
			if len(cluster) == 0 {
				continue
			}
			batch.meanTo(mean, cluster)
			seen[a] += float64(len(cluster))
			step := float64(len(cluster)) / seen[a]
			for f, v := range c.RawRowView(a) {
				c.RawRowView(a)[f] = v + step*(mean[f]-v)
			}
		}
	}
}

// assign returns the nearest centre of every point, the first among equals, and
// the sum of squared distances. It compares |c|² − 2x·c, so that the work is a
// matrix product.
func assign(x Points, c *mat.Dense) (member []int, cost float64) {
	k, _ := c.Dims()
	norm := make([]float64, k)
	for a := range norm {
		norm[a] = squaredNorm(c.RawRowView(a))
	}
	member = make([]int, x.n)
	costs := make([]float64, x.n)
	eachBlock(x.n, x.n*k*x.d, noBuffers, func(_ struct{}, _, lo, hi int) {
		dots := x.dots(lo, hi, c)
		for i := lo; i < hi; i++ {
			best, at := math.Inf(1), 0
			for a, v := range dots.RawRowView(i - lo) {
				if s := norm[a] - 2*v; s < best {
					best, at = s, a
				}
			}
			member[i] = at
			costs[i] = x.squaredDistance(i, c.RawRowView(at), norm[at])
		}
	})
	for _, v := range costs {
		cost += v
	}
	return member, cost
}

// groups lists the points of every cluster in ascending order.
func groups(member []int, k int) [][]int {
	out := make([][]int, k)
	for i, a := range member {
		out[a] = append(out[a], i)
	}
	return out
}

func noBuffers() struct{} { return struct{}{} }
