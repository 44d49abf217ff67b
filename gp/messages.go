package gp

import "math"

// Messages are what items tell each other of their precisions along a Laplacian: belief
// propagation. What i tells j is τx/(τ+x), where x is the precision of i but for what
// j tells it. Without loops they are exact, 1/Total being the diagonal of A⁻¹.
type Messages struct {
	Total []float64    // of every item its precision
	Tell  [][2]float64 // of every pair what its first item tells the second, and the second the first
}

// NewMessages are those of items that tell all they have.
func (l *Laplacian) NewMessages() *Messages {
	m := &Messages{Total: make([]float64, len(l.diag)), Tell: make([][2]float64, len(l.pairs))}
	for k, t := range l.tau {
		m.Tell[k] = [2]float64{t, t}
	}
	return m
}

// Propagate passes messages along the pairs in turn until none changes an item's
// precision by more than tolerance, as a share of it.
func (l *Laplacian) Propagate(m *Messages, tolerance float64) {
	copy(m.Total, l.base)
	for k, p := range l.pairs {
		m.Total[p[0]] += m.Tell[k][1]
		m.Total[p[1]] += m.Tell[k][0]
	}
	for range maxRounds {
		var worst float64
		for k, p := range l.pairs {
			t, tell := l.tau[k], &m.Tell[k]
			x, y := m.Total[p[0]]-tell[1], m.Total[p[1]]-tell[0]
			a, b := 0.0, 0.0
			if t > 0 {
				a, b = t*x/(t+x), t*y/(t+y)
			}
			da, db := a-tell[0], b-tell[1]
			m.Total[p[0]] += db
			m.Total[p[1]] += da
			worst = max(worst, math.Abs(db)/m.Total[p[0]], math.Abs(da)/m.Total[p[1]])
			*tell = [2]float64{a, b}
		}
		if worst <= tolerance {
			return
		}
	}
}

// maxRounds bounds those of belief propagation, which converges under a diagonally
// dominant precision; slowly only along chains of items with hardly any prior.
const maxRounds = 1000

// pair returns the determinant of the precision of pair k alone, and the two items'
// precisions without each other.
func (l *Laplacian) pair(m *Messages, k int) (det, x, y float64) {
	p, tell, t := l.pairs[k], m.Tell[k], l.tau[k]
	x, y = m.Total[p[0]]-tell[1], m.Total[p[1]]-tell[0]
	return x*y + t*(x+y), x, y
}

// PairVariance returns the variance of the difference of pair k.
func (l *Laplacian) PairVariance(m *Messages, k int) float64 {
	det, x, y := l.pair(m, k)
	return (x + y) / det
}

// logDet returns Bethe's log |A| = Σ_pairs (log |A_ij| − log x_i − log x_j) + Σ_i log x_i,
// with A_ij the precision of the pair alone.
func (l *Laplacian) logDet(m *Messages) (sum float64) {
	for _, x := range m.Total {
		sum += math.Log(x)
	}
	for k, p := range l.pairs {
		if l.tau[k] > 0 {
			det, _, _ := l.pair(m, k)
			sum += math.Log(det / (m.Total[p[0]] * m.Total[p[1]]))
		}
	}
	return sum
}

// Common is what loops add to belief propagation first of all: the constant of every
// component, which votes do not see. The rows of A⁻¹P sum to one; what of a row lies
// three steps and more away is as good as even over the component.
type Common struct {
	of    []int32   // of every item its component
	tree  []bool    // a component without loops: nothing is missing
	prior []float64 // Σ P of a component
	Item  []float64 // by component: what every entry of A⁻¹ lacks
	Pair  []float64 // by component: the factor of the variances of its pairs
}

// NewCommon prepares for the components of a graph.
func (g *Comparisons) NewCommon() *Common {
	c := &Common{}
	var n int
	c.of, n = g.components()
	edges := make([]int, n)
	for _, i := range c.of {
		edges[i]++
	}
	for _, p := range g.pairs {
		edges[c.of[p[0]]]--
	}
	c.tree, c.prior = make([]bool, n), make([]float64, n)
	c.Item, c.Pair = make([]float64, n), make([]float64, n)
	for k, e := range edges {
		c.tree[k] = e > 0
	}
	return c
}

// Of returns the component of item i.
func (c *Common) Of(i int32) int32 { return c.of[i] }

// Find sets Item and Pair under messages that have settled. Σ τ_p v_p + tr PA⁻¹ is the
// number of items, so that what items gain pairs lose.
func (c *Common) Find(l *Laplacian, m *Messages) {
	n := len(l.diag)
	near, far := make([]float64, n), make([]float64, n)
	// The share q of what j has that reaches i.
	share := func(k int) (toFirst, toSecond float64) {
		_, x, y := l.pair(m, k)
		t := l.tau[k]
		if t == 0 {
			return 0, 0
		}
		return t / (t + y), t / (t + x)
	}
	for k, p := range l.pairs {
		a, b := share(k)
		near[p[0]] += a * l.prec[p[1]]
		near[p[1]] += b * l.prec[p[0]]
	}
	clear(c.prior)
	clear(c.Item)
	clear(c.Pair)
	for k, p := range l.pairs {
		a, b := share(k)
		far[p[0]] += a * (near[p[1]] - b*l.prec[p[0]])
		far[p[1]] += b * (near[p[0]] - a*l.prec[p[1]])
		c.Pair[c.of[p[0]]] += l.tau[k] * l.PairVariance(m, k)
	}
	for i, p := range l.prec {
		k := c.of[i]
		c.prior[k] += p
		c.Item[k] += p * (1 - (p+near[i]+far[i])/m.Total[i])
	}
	for k, p := range c.prior {
		fit := c.Pair[k]
		c.Pair[k] = 1
		if c.tree[k] || fit == 0 {
			c.Item[k] = 0
			continue
		}
		c.Item[k] = max(0, c.Item[k]/(p*p))
		c.Pair[k] = max(0.5, 1-c.Item[k]*p/fit)
	}
}

// logDet is what the constants add to Bethe's log |A|: log(1−λ) + λ + λ²/2, where λ is
// the Perron root of the map of mean messages of a component, whose walks of one and two
// steps close no loop.
func (c *Common) logDet(l *Laplacian, m *Messages) (sum float64) {
	n := len(c.Item)
	say, pass := make([][2]float64, len(l.pairs)), make([][2]float64, len(l.pairs))
	for k, p := range l.pairs {
		if !c.tree[c.of[p[0]]] {
			say[k] = m.Tell[k]
		}
		_, x, y := l.pair(m, k)
		if t := l.tau[k]; t > 0 {
			pass[k] = [2]float64{t / (t + x), t / (t + y)}
		}
	}
	heard, root, last := make([]float64, len(l.diag)), make([]float64, n), make([]float64, n)
	along, square := make([]float64, n), make([]float64, n)
	for range perronRounds {
		clear(heard)
		clear(along)
		clear(square)
		for k, p := range l.pairs {
			heard[p[0]] += say[k][1]
			heard[p[1]] += say[k][0]
		}
		for k, p := range l.pairs {
			old, by := say[k], pass[k]
			if by[0] == 0 {
				continue
			}
			next := [2]float64{by[0] * (heard[p[0]] - old[1]), by[1] * (heard[p[1]] - old[0])}
			of := c.of[p[0]]
			along[of] += next[0]*old[0] + next[1]*old[1]
			square[of] += old[0]*old[0] + old[1]*old[1]
			say[k] = next
		}
		var worst float64
		for k := range root {
			if square[k] > 0 {
				root[k] = min(along[k]/square[k], 1-1e-12)
				worst = max(worst, math.Abs(root[k]-last[k])/(1-root[k]))
				square[k] = 1 / math.Sqrt(square[k])
			}
		}
		if worst < 1e-5 {
			break
		}
		copy(last, root)
		for k, p := range l.pairs {
			by := square[c.of[p[0]]]
			say[k][0] *= by
			say[k][1] *= by
		}
	}
	for _, x := range root {
		sum += math.Log1p(-x) + x + x*x/2
	}
	return sum
}

// LogDet returns log |A| by belief propagation, with what the constants add.
func (l *Laplacian) LogDet(m *Messages, c *Common) float64 { return l.logDet(m) + c.logDet(l, m) }

// perronRounds bounds the steps to Perron roots.
const perronRounds = 300
