package judging

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// Anchor is an item whose score is known from elsewhere, such as an earlier round.
type Anchor struct {
	Item      string
	Score, SE float64 // SE 0: the score is exact
}

// mostAnchors is the most anchors that a scale is bound to.
const mostAnchors = 200

// Anchored is an anchor, and where the judgements and the other anchors put it.
type Anchored struct {
	Anchor
	Judged, SD float64 // without what is known of it, and the deviation of the difference; NaN of fewer than three
	Z          float64 // the difference, in deviations
	Misfit     bool    // beyond what the worst of so many anchors is one time in twenty
}

// Link is how scores went over to the scale of anchors: score' = Offset + Slope · score.
type Link struct {
	Slope, SlopeSD   float64
	Offset, OffsetSD float64
	Anchors          []Anchored // the one that fits worst first
	// P is the chance that one of so many anchors fits as badly where all fit, at most; NaN
	// with two anchors.
	P float64
}

// Equate moves scores to the scale of anchors, of which there are two at least; those that
// were not judged are left out. It is linear equating through the posterior. With scores
// f ~ N(m, C) by the judgements, and known scores
//
//	a = α + β f + e,   e ~ N(0, diag(SE²))
//
// of the anchors, β has its posterior on a grid, under a wide prior about the ratio of
// deviations and with α and f integrated out; α follows from β, and f from both by the rule
// of Matheron: what is known of the anchors moves all items that hang together with them. Each
// anchor is held to what the others say of it, slope and all.
func (s *Scores) Equate(anchors []Anchor) (*Link, error) {
	e, err := s.newEquating(anchors)
	if err != nil {
		return nil, err
	}
	nodes, err := e.nodes()
	if err != nil {
		return nil, err
	}
	link := e.move(s, e.posterior(nodes))
	e.misfits(link, nodes)
	return link, nil
}

// equating is what is known of the scores of anchors.
type equating struct {
	anchors []Anchor
	items   []int // of the anchors
	known   []float64
	mean    []float64     // m of the anchors
	cov     *mat.SymDense // C of the anchors
	across  *mat.Dense    // C of all items with the anchors
}

func (s *Scores) newEquating(anchors []Anchor) (*equating, error) {
	e := &equating{}
	in := map[int]bool{}
	for _, i := range s.group {
		in[i] = true
	}
	least, most := math.Inf(1), math.Inf(-1)
	for _, a := range slices.SortedFunc(slices.Values(anchors), func(a, b Anchor) int { return cmp.Compare(a.Item, b.Item) }) {
		i, ok := s.number[a.Item]
		if !ok || !in[i] {
			continue
		}
		if math.IsInf(a.Score, 0) || math.IsNaN(a.Score) || !(a.SE >= 0) || math.IsInf(a.SE, 0) {
			return nil, fmt.Errorf("judging: anchor %s: a score of %v with a standard error of %v", a.Item, a.Score, a.SE)
		}
		e.anchors, e.items, e.known = append(e.anchors, a), append(e.items, i), append(e.known, a.Score)
		least, most = min(least, a.Score), max(most, a.Score)
	}
	switch n := len(e.items); {
	case n < 2:
		return nil, fmt.Errorf("judging: %d of %d anchors were judged; a scale takes two", n, len(anchors))
	case n > mostAnchors:
		return nil, fmt.Errorf("judging: %d anchors; at most %d bind a scale", n, mostAnchors)
	case least == most:
		return nil, fmt.Errorf("judging: all anchors have the score %v; a scale takes two that differ", least)
	}
	n := len(e.items)
	e.mean = make([]float64, n)
	e.cov, e.across = mat.NewSymDense(n, nil), mat.NewDense(len(s.ids), n, nil)
	all := make([]float64, len(s.ids))
	for k, w := range s.weight {
		num.Axpy(w, s.draws.RawRowView(k), all)
	}
	for j, i := range e.items {
		e.mean[j] = all[i]
	}
	off := make([]float64, len(all))
	for k, w := range s.weight {
		for i, x := range s.draws.RawRowView(k) {
			off[i] = x - all[i]
		}
		for i, x := range off {
			row := e.across.RawRowView(i)
			for j, at := range e.items {
				row[j] += w * x * off[at]
			}
		}
	}
	for j, i := range e.items {
		for l := range j + 1 {
			e.cov.SetSym(j, l, e.across.At(i, l))
		}
	}
	return e, nil
}

// node is a slope, with what follows from it.
type node struct {
	slope    float64
	log      float64 // of its probability, up to a constant
	offset   float64
	offsetSD float64
	factor   *num.Cholesky // of β²C + diag(SE²)
	off      []float64     // by how much each anchor is off what the others say
	variance []float64     // variances of off
}

// without is the log of the probability without what is known of an anchor, up to a constant.
func (n *node) without(j int) float64 {
	return n.log + (math.Log(n.variance[j])+n.off[j]*n.off[j]/n.variance[j])/2
}

// slopeSpread is the deviation of the logarithm of the slope beforehand, about the ratio of
// deviations.
const slopeSpread = 2

// usual is the ratio of the deviation of the known scores to that of the judged ones.
func (e *equating) usual() float64 {
	var known, judged float64
	for j := range e.known {
		for l := range j {
			a, m := e.known[j]-e.known[l], e.mean[j]-e.mean[l]
			known += a * a
			judged += m*m + e.cov.At(j, j) + e.cov.At(l, l) - 2*e.cov.At(j, l)
		}
	}
	return math.Sqrt(known / judged)
}

// nodes are slopes from small to large.
func (e *equating) nodes() (nodes []*node, err error) {
	usual := e.usual()
	const step, widest = 0.05, 80
	for at := -widest; at <= widest; at++ {
		x := float64(at) * step
		n, err := e.node(usual * math.Exp(x))
		if err != nil {
			return nil, err
		}
		n.log -= x * x / (2 * slopeSpread * slopeSpread)
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// shares turns logs of probabilities into probabilities that sum to one.
func shares(nodes []*node, log func(*node) float64) []float64 {
	p := make([]float64, len(nodes))
	for k, n := range nodes {
		p[k] = log(n)
	}
	total := num.LogSumExp(p)
	for k := range p {
		p[k] = math.Exp(p[k] - total)
	}
	return p
}

func (e *equating) node(slope float64) (*node, error) {
	n := &node{slope: slope}
	size := len(e.known)
	v := mat.NewSymDense(size, nil)
	for j := range size {
		for l := range j + 1 {
			v.SetSym(j, l, slope*slope*e.cov.At(j, l))
		}
		v.SetSym(j, j, v.At(j, j)+e.anchors[j].SE*e.anchors[j].SE)
	}
	var err error
	if n.factor, err = num.NewCholesky(v); err != nil {
		return nil, fmt.Errorf("judging: %w", err)
	}
	rest, ones := make([]float64, size), make([]float64, size)
	for j := range rest {
		rest[j], ones[j] = e.known[j]-slope*e.mean[j], 1
	}
	n.factor.SolveLVecTo(rest, rest)
	n.factor.SolveLVecTo(ones, ones)
	information := num.Dot(ones, ones)
	n.offset, n.offsetSD = num.Dot(ones, rest)/information, 1/math.Sqrt(information)
	n.log = -n.factor.LogDet()/2 - math.Log(information)/2 - (num.Dot(rest, rest)-n.offset*n.offset*information)/2
	// With P = V⁻¹ − V⁻¹11ᵀV⁻¹/1ᵀV⁻¹1 an anchor is off by (Pr)_j/P_jj, with the variance 1/P_jj.
	n.factor.SolveLTVecTo(ones, ones)
	inverse := mat.NewDense(size, size, nil)
	for j := range size {
		inverse.Set(j, j, 1)
	}
	n.factor.SolveTo(inverse, inverse)
	n.off, n.variance = make([]float64, size), make([]float64, size)
	for j := range size {
		row := inverse.RawRowView(j)
		var pull float64
		for l := range row {
			pull += row[l] * (e.known[l] - slope*e.mean[l] - n.offset)
		}
		precision := row[j] - ones[j]*ones[j]/information
		n.off[j], n.variance[j] = pull/precision, 1/precision
	}
	return n, nil
}

// weighed is a slope with its probability.
type weighed struct {
	*node
	share float64
}

// posterior leaves out slopes that do not matter.
func (e *equating) posterior(nodes []*node) (kept []weighed) {
	for k, p := range shares(nodes, func(n *node) float64 { return n.log }) {
		if p > 1e-8 {
			kept = append(kept, weighed{nodes[k], p})
		}
	}
	return kept
}

// move takes every draw to the scale of the anchors, by a slope and an offset of its own.
func (e *equating) move(s *Scores, nodes []weighed) *Link {
	link := &Link{}
	var slope2, offset2 float64
	pull := make([]float64, len(e.known))
	draws := float64(len(s.weight))
	at, sum := 0, nodes[0].share
	for done, k := range s.rng.Perm(len(s.weight)) { // so that slopes do not go with the order of draws
		for at < len(nodes)-1 && sum < (float64(done)+0.5)/draws {
			at++
			sum += nodes[at].share
		}
		n, f := nodes[at], s.draws.RawRowView(k)
		offset := n.offset + n.offsetSD*s.rng.NormFloat64()
		for j, i := range e.items {
			pull[j] = e.known[j] - offset - n.slope*f[i] - e.anchors[j].SE*s.rng.NormFloat64()
		}
		n.factor.SolveVecTo(pull, pull)
		for i := range f {
			f[i] = offset + n.slope*(f[i]+n.slope*num.Dot(e.across.RawRowView(i), pull))
		}
		w := s.weight[k]
		link.Slope += w * n.slope
		link.Offset += w * offset
		slope2 += w * n.slope * n.slope
		offset2 += w * offset * offset
	}
	link.SlopeSD = math.Sqrt(max(0, slope2-link.Slope*link.Slope))
	link.OffsetSD = math.Sqrt(max(0, offset2-link.Offset*link.Offset))
	return link
}

// misfits holds every anchor to what the judgements and the others say of it, over all slopes.
func (e *equating) misfits(link *Link, nodes []*node) {
	size := float64(len(e.known))
	link.P = math.NaN()
	for j, a := range e.anchors {
		x := Anchored{Anchor: a, Judged: math.NaN(), SD: math.NaN(), Z: math.NaN()}
		if size > 2 {
			var off, square, below float64
			for k, p := range shares(nodes, func(n *node) float64 { return n.without(j) }) {
				n := nodes[k]
				off += p * n.off[j]
				square += p * (n.variance[j] + n.off[j]*n.off[j])
				below += p * num.Phi(-math.Abs(n.off[j])/math.Sqrt(n.variance[j]))
			}
			x.Judged, x.SD = a.Score-off, math.Sqrt(square-off*off)
			x.Z = math.Copysign(-num.Quantile(min(below, 0.5)), off)
			if p := min(1, 2*below*size); !(p >= link.P) {
				link.P = p
			}
			x.Misfit = 2*below*size < 0.05
		}
		link.Anchors = append(link.Anchors, x)
	}
	slices.SortStableFunc(link.Anchors, func(a, b Anchored) int { return cmp.Compare(math.Abs(b.Z), math.Abs(a.Z)) })
}
