package model

import (
	"cmp"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
	"palate/kernel"
)

// FeatureKernel is a kernel over features at the length-scales of the median
// heuristic. The zero value is a Matérn 3/2 of the Euclidean distance by
// kernel.MedianDefault.
type FeatureKernel struct {
	Shape       kernel.Shape
	Combination kernel.Combination
	Median      kernel.MedianRule
}

// at returns the kernel over some points.
func (f FeatureKernel) at(x kernel.Points, rng *rand.Rand) kernel.Kernel {
	return kernel.NewStationary(f.Shape, f.Combination, f.lengths(x, rng))
}

// lengths are the length-scales over some points.
func (f FeatureKernel) lengths(x kernel.Points, rng *rand.Rand) []float64 {
	return kernel.MedianHeuristic(x, kernel.MedianOptions{Rule: f.Median, Combine: f.Combination}, rng)
}

// settles reports whether the kernel over features is settled by the evidence: its shape,
// its length-scales, and how much of utilities is linear in the features. The published update
// has no objective to settle it by, and with links of many items that takes long.
func (o *Options) settles(items int) bool {
	_, linearised := o.Rule.(infer.Linearised)
	return o.Kernel == nil && o.Features == nil && !linearised && (o.Links == nil || items <= shapedItems)
}

// featurePrior is what kernels over the features of a Single are made of, for as long as it is
// learnt.
type featurePrior struct {
	settled bool            // by the evidence, see Options.Features
	medians []float64       // length-scales at the start
	blocks  [][]int         // features that belong together, without those that tell no items apart
	beside  []kernel.Kernel // that know nothing of features
}

// setFeatures chooses the kernel over features, beside others.
func (m *Single) setFeatures(f *palate.Features, beside []kernel.Kernel, rng *rand.Rand) {
	o := &m.options
	medians := cmp.Or(o.Features, &FeatureKernel{}).lengths(m.x, rng)
	m.over = featurePrior{o.settles(len(m.ids)), medians, blocksOf(f.Blocks, medians), beside}
	m.kernel = m.kernelOf(cmp.Or(o.Features, &FeatureKernel{}).Shape)
}

// The shapes that are compared, each from where the one before it ended. A rougher one finds
// short length-scales that a smoother one does not see from far away, and a smoother one is taken
// if its evidence is higher by comparedGain. Above shapedItems items the first is taken.
const shapedItems = 500

// The objective is climbed for as long as it grows by settledGain, and by comparedGain until it is
// known which shape is better, on sites of the tolerance settledRough: it is flat in sites where
// they settle.
const (
	settledRough = 1e-2
	settledGain  = 0.1
	comparedGain = 0.5
)

func settledShapes() []kernel.Shape { return []kernel.Shape{kernel.Matern32, kernel.SE} }

// separateLengths is the number of features of a block up to which each has a length-scale of
// its own to learn; above, those of the block move together.
const separateLengths = 20

// kernelOf is the kernel over features of a shape, at the start of learning. One that is
// settled by the evidence has a linear term beside the shape; unless utilities are smooth
// items have parts of their own.
func (m *Single) kernelOf(shape kernel.Shape) kernel.Kernel {
	o := &m.options
	var k kernel.Kernel = kernel.NewStationary(shape, cmp.Or(o.Features, &FeatureKernel{}).Combination, m.over.medians)
	if o.Smoothness == Smooth && !m.over.settled {
		return k
	}
	terms := []kernel.Kernel{kernel.Scale(partStart, k)}
	if m.over.settled {
		terms = append(terms, kernel.Scale(partStart, kernel.NewLinear(deviations(m.features, m.over.blocks))))
	}
	terms = append(terms, m.over.beside...)
	if o.Smoothness != Smooth {
		terms = append(terms, kernel.Scale(partStart, kernel.Identity{}))
	}
	return kernel.Sum(terms...)
}

// deviations are those of features, times the root of their number in a block, so that the dot
// product in these units is about one for every block; Endless where there are none.
func deviations(features *mat.Dense, blocks [][]int) []float64 {
	n, d := features.Dims()
	lengths := make([]float64, d)
	for k := range lengths {
		lengths[k] = kernel.Endless
	}
	for _, block := range blocks {
		for _, k := range block {
			var mean, squares float64
			for i := range n {
				mean += features.At(i, k) / float64(n)
			}
			for i := range n {
				gap := features.At(i, k) - mean
				squares += gap * gap / float64(n)
			}
			if squares > 0 {
				lengths[k] = math.Sqrt(squares * float64(len(block)))
			}
		}
	}
	return lengths
}

// blocksOf are the features that belong together, given the sizes of blocks and length-scales;
// those that tell no items apart are left out.
func blocksOf(sizes []int, lengths []float64) (blocks [][]int) {
	if sizes == nil {
		sizes = []int{len(lengths)}
	}
	from := 0
	for _, n := range sizes {
		var block []int
		for k := from; k < from+n; k++ {
			if lengths[k] < kernel.Endless {
				block = append(block, k)
			}
		}
		if from += n; block != nil {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// settledParameters are those of a kernel that is settled by the evidence, and where among
// its parameters they are: length-scales, one a feature or one a block; the linear term, one
// a block; those of links; and what is each item's own.
func (m *Single) settledParameters() (params []parameter, index [][]int) {
	at := m.kernel.Params()
	names := m.kernel.ParamNames()
	cols := m.x.Dim()
	add := func(first int, features []int, lo, hi, deviation, rate float64) {
		which := make([]int, len(features))
		for i, k := range features {
			which[i] = first + k
		}
		p := parameter{name: names[which[0]], lo: at[which[0]] - math.Log(lo), hi: at[which[0]] + math.Log(hi), at: at[which[0]], deviation: deviation, rate: rate}
		params, index = append(params, p), append(index, which)
	}
	for _, block := range m.over.blocks {
		if len(block) > separateLengths {
			add(1, block, lengthLo, lengthHi, 0, 0)
			continue
		}
		for _, k := range block {
			add(1, []int{k}, lengthLo, lengthHi, 0, 0)
		}
	}
	root := math.Sqrt(shareRange)
	for _, block := range m.over.blocks {
		add(2+cols, block, root, root, -2, linearRate)
	}
	for k, name := range names {
		if ofLinks(name) {
			add(k, []int{0}, lengthLo, lengthHi, 0, 0)
		}
	}
	if m.options.Smoothness != Smooth {
		add(len(at)-1, []int{0}, shareRange, shareRange, 1, partRate)
	}
	return params, index
}

// partStart is the variance at which parts of utilities start.
const partStart = 0.5

// shareRange bounds the variance of a part of utilities, as a factor of where it starts.
const shareRange = 1e3

// logPartPrior is the log density of the deviation of a part of utilities, a Gamma of a rate
// in units of the noise of a vote, given the logarithm of its square, and the slope in that. It
// is the density of the deviation itself, so that a part that the votes do not call for all but
// vanishes, and its shape keeps a few votes from leaving no part at all.
func logPartPrior(log, rate float64) (lp, slope float64) {
	d := rate * math.Exp(0.5*log)
	more := partMode * rate // the shape, less one
	return 0.5*more*log - d, 0.5 * (more - d)
}

// The priors of parts have one mode. That of the linear part has a higher rate: where utilities
// jump or level off a line tells known items nearly as well as the other parts, and new ones worse.
const (
	partMode   = 0.2
	partRate   = 1
	linearRate = 2
)
