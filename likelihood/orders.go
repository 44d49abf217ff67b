package likelihood

import (
	"math"
	"slices"

	"palate/internal/num"
)

// Orders are answers that put items in an order: each lists levels, the best first, and every
// item of a level is above every item of the next by more than the margin. What is compared
// is a draw of each item, u ~ N(f, Noise²), independent given the utilities f, so that the
// chance of an order is a chain of integrals over one variable each. With G_j(x) the chance
// that the levels from j on are in order and below x, and g_j its slope,
//
//	G_j(x) = ∫_{b<x} g_{j+1}(b) Π_i [Φ_i(x) − Φ_i(b)] db,
//
// over the items i of level j, which for one item is ∫_{b<x} φ_i(b) G_{j+1}(b) db. Integrals are
// sums over a grid that all answers share.
type Orders struct {
	noise   float64
	nodes   []node
	answers [][][]int // levels of places in nodes
}

// node is an item at a depth: margins are taken off by raising items of lower levels.
type node struct {
	item  int
	raise float64
}

// NewOrders prepares to find the chances of answers, given the levels of each. Noise is the
// deviation of a draw.
func NewOrders(answers [][][]int, margin, noise float64) *Orders {
	o := &Orders{noise: noise}
	at := map[node]int{}
	for _, levels := range answers {
		placed := make([][]int, len(levels))
		for depth, items := range levels {
			for _, i := range items {
				n := node{i, float64(depth) * margin}
				k, ok := at[n]
				if !ok {
					k = len(o.nodes)
					at[n] = k
					o.nodes = append(o.nodes, n)
				}
				placed[depth] = append(placed[depth], k)
			}
		}
		o.answers = append(o.answers, placed)
	}
	return o
}

// Grids go from orderReach deviations of a draw below the least utility to as many above the
// largest, in steps of orderStep deviations: chances above 10⁻⁴ are right to one part in
// 200, those of rankings of five alike items to one in 5000. Far-fetched orders of very many
// items may have none.
const (
	orderReach = 5
	orderStep  = 0.4
)

// OrderRoom is what one goroutine needs to find chances of orders.
type OrderRoom struct {
	density, below [][]float64 // of every node, on the grid
	from           []float64   // where the grid begins, from its mean
	precision      float64     // of a draw
	flat           []float64
	g, cum         []float64 // of a level, and of the one above it
	nextG, nextCum []float64
}

// LogProbs writes the logarithm of the chance of each answer at utilities f.
func (o *Orders) LogProbs(dst, f []float64, room *OrderRoom) {
	if len(o.nodes) == 0 {
		return
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, n := range o.nodes {
		lo, hi = min(lo, f[n.item]+n.raise), max(hi, f[n.item]+n.raise)
	}
	lo -= orderReach * o.noise
	step := orderStep * o.noise
	points := 2 + int((hi+orderReach*o.noise-lo)/step)
	room.grow(len(o.nodes), points)
	room.precision = 1 / (o.noise * o.noise)
	for k, n := range o.nodes {
		room.from[k] = lo - f[n.item] - n.raise
		tabulate(room.density[k], room.below[k], room.from[k], step, o.noise)
	}
	for a, levels := range o.answers {
		dst[a] = room.logProb(levels, step)
	}
}

func (r *OrderRoom) grow(nodes, points int) {
	need := (2*nodes + 4) * points
	r.flat = slices.Grow(r.flat[:0], need)[:need]
	rest := r.flat
	take := func() (x []float64) {
		x, rest = rest[:points:points], rest[points:]
		return x
	}
	r.from = slices.Grow(r.from[:0], nodes)[:nodes]
	r.density, r.below = r.density[:0], r.below[:0]
	for range nodes {
		r.density, r.below = append(r.density, take()), append(r.below, take())
	}
	r.g, r.cum, r.nextG, r.nextCum = take(), take(), take(), take()
}

// tabulate writes the density and the distribution of a normal on a grid that begins at x.
func tabulate(density, below []float64, x, step, noise float64) {
	for k := range density {
		z := (x + float64(k)*step) / noise
		density[k] = math.Exp(-0.5*z*z) / (noise * math.Sqrt(2*math.Pi))
		below[k] = num.Phi(z)
	}
}

// logProb is that of one order.
func (r *OrderRoom) logProb(levels [][]int, step float64) (log float64) {
	last := len(levels) - 1
	r.lowest(levels[last])
	for j := last - 1; j > 0; j-- {
		if r.g, r.cum, r.nextG, r.nextCum = r.nextG, r.nextCum, r.g, r.cum; len(levels[j]) == 1 {
			r.one(levels[j][0], step)
		} else {
			r.several(levels[j], step, j > 1 || len(levels[0]) > 1)
		}
		if top := r.cum[len(r.cum)-1]; top < 1e-100 { // long orders are unlikely
			if top == 0 {
				return math.Inf(-1)
			}
			for x := range r.cum {
				r.g[x] /= top
				r.cum[x] /= top
			}
			log += math.Log(top)
		}
	}
	var sum float64
	if top := levels[0]; len(top) == 1 {
		for x, d := range r.density[top[0]] {
			sum += d * r.cum[x]
		}
	} else {
		for x, d := range r.g {
			for _, i := range top {
				d *= 1 - r.below[i][x]
			}
			sum += d
		}
	}
	return log + math.Log(sum*step)
}

// lowest sets G and g to those of the last level, Π Φ_i.
func (r *OrderRoom) lowest(items []int) {
	for x := range r.cum {
		c, g := 1.0, 0.0
		for _, i := range items {
			below := r.below[i][x]
			c, g = c*below, g*below+c*r.density[i][x]
		}
		r.cum[x], r.g[x] = c, g
	}
}

// one puts an item above those of G and g. The slope of φG is φ'G + φg, by which the
// trapezoids of its integral are mended at their ends (Euler and Maclaurin).
func (r *OrderRoom) one(item int, step float64) {
	density, from := r.density[item], r.from[item]
	var sum, before, bentBefore float64
	for x, d := range density {
		g := d * r.nextCum[x]
		bent := d*r.nextG[x] - (from+float64(x)*step)*r.precision*g
		sum += max(0, 0.5*step*(before+g)+step*step/12*(bentBefore-bent))
		r.g[x], r.cum[x] = g, sum
		before, bentBefore = g, bent
	}
}

// several puts items above those of G and g, in no order among themselves. The slope is not
// needed below a single item at the top.
func (r *OrderRoom) several(items []int, step float64, sloped bool) {
	for x := range r.cum {
		var cum, slope float64
		if !sloped {
			for b, c := range r.nextG[:x] {
				for _, i := range items {
					c *= r.below[i][x] - r.below[i][b]
				}
				cum += c
			}
			r.cum[x] = step * cum
			continue
		}
		for b, next := range r.nextG[:x] {
			c, g := next, 0.0
			for _, i := range items {
				between := r.below[i][x] - r.below[i][b]
				c, g = c*between, g*between+c*r.density[i][x]
			}
			cum += c
			slope += g
		}
		if len(items) == 2 { // the slope's sum ends at a corner
			slope += step / 6 * r.nextG[x] * r.density[items[0]][x] * r.density[items[1]][x]
		}
		r.cum[x], r.g[x] = step*cum, step*slope
	}
}
