package population

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/kernel"
)

// Lengths returns kernels to choose from: one at half, once and twice its
// length-scales, which are all its parameters.
func Lengths(k kernel.Kernel) []kernel.Kernel {
	var all []kernel.Kernel
	for _, f := range []float64{0.5, 1, 2} {
		logs := k.Params()
		for i := range logs {
			logs[i] += math.Log(f)
		}
		all = append(all, k.With(logs))
	}
	return all
}

// ChooseKernel returns which of some kernels over item features tells most of
// people who were not learnt from, and the evidence of their votes under each: a
// fifth of the persons, in the population of the others. The objective of the
// fit itself picks wrong.
func ChooseKernel(ctx context.Context, people *People, features *mat.Dense, kernels []kernel.Kernel, o *Options) (best int, evidence []float64, err error) {
	const part = 5
	order := rand.New(rand.NewPCG(o.Seed, 0x1e7)).Perm(people.Len())
	cut := people.Len() / part
	if cut == 0 {
		return 0, nil, nil
	}
	unseen, err := people.Subset(order[:cut])
	if err != nil {
		return 0, nil, err
	}
	others, err := people.Subset(order[cut:])
	if err != nil {
		return 0, nil, err
	}
	work := *o
	work.HeldOut, work.Progress, work.Checkpoint, work.Resume = nil, nil, nil, nil
	for _, k := range kernels {
		l, _, err := Learn(ctx, others, NewItems(people.items, features, k, nil), nil, 0, &work)
		if err != nil {
			return 0, nil, err
		}
		s := work.Settings
		if s.Likelihood == nil {
			s.Likelihood = Voting(l.Threshold)
		}
		e, err := NewEngine(unseen, s)
		if err != nil {
			return 0, nil, err
		}
		z, _, err := e.Evaluate(ctx, l)
		if err != nil {
			return 0, nil, err
		}
		evidence = append(evidence, z)
	}
	return slices.Index(evidence, slices.Max(evidence)), evidence, nil
}
