package kernel

import "math"

// OfFeatures returns the part of a kernel that sees features: sums without their terms that tell
// points apart by identity alone, such as links and what is each item's own. Nil where there is
// none.
func OfFeatures(k Kernel) Kernel {
	switch k := k.(type) {
	case *Stationary, *Linear:
		return k
	case *scaledKernel:
		if of := OfFeatures(k.kernel); of != nil {
			return &scaledKernel{k.logVariance, of}
		}
	case *sumKernel:
		var terms []Kernel
		for _, term := range k.terms {
			if of := OfFeatures(term); of != nil {
				terms = append(terms, of)
			}
		}
		if terms != nil {
			return Sum(terms...)
		}
	case *productKernel:
		terms := make([]Kernel, len(k.terms))
		for i, term := range k.terms {
			if terms[i] = OfFeatures(term); terms[i] == nil {
				return nil
			}
		}
		return Product(terms...)
	}
	return nil
}

// HasEnd reports whether a length-scale is one of a feature that tells points apart.
func HasEnd(length float64) bool { return length < endless }

// Relevance is what a term of a kernel says of features: how much of the variance is its own, and
// on which length-scales.
type Relevance struct {
	Linear   bool
	Shape    Shape // of a term that is not linear
	Variance float64
	Lengths  []float64 // of every feature, or one for all
}

// Relevances returns those of the terms that see features, each apart; terms of a product are left
// out.
func Relevances(k Kernel) (all []Relevance) {
	switch k := k.(type) {
	case *Stationary:
		return []Relevance{{Shape: k.shape, Variance: 1, Lengths: exps(k.lengths)}}
	case *Linear:
		return []Relevance{{Linear: true, Variance: 1, Lengths: exps(k.lengths)}}
	case *scaledKernel:
		all = Relevances(k.kernel)
		for i := range all {
			all[i].Variance *= math.Exp(k.logVariance)
		}
	case *sumKernel:
		for _, term := range k.terms {
			all = append(all, Relevances(term)...)
		}
	}
	return all
}

func exps(logs []float64) []float64 {
	out := make([]float64, len(logs))
	for i, l := range logs {
		out[i] = math.Exp(l)
	}
	return out
}
