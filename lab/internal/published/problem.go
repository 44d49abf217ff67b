package published

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/kernel"
	"palate/likelihood"
)

// Vote is one voter's choice of one item over another.
type Vote struct {
	Voter     int
	Win, Lose int
	Weight    float64 // 0 stands for 1
}

func (v Vote) weight() float64 {
	if v.Weight == 0 {
		return 1
	}
	return v.Weight
}

// Space is where functions live: the points they are known at, their covariance
// and, if there are any, the inducing points by which they are seen.
type Space struct {
	Points   kernel.Points
	Kernel   kernel.Kernel // nil: points have nothing to do with one another
	Inducing *mat.Dense    // nil: the points themselves
}

func (s Space) prior() (*gp.Prior, error) {
	switch {
	case s.Kernel == nil:
		return gp.White(s.Points.Len()), nil
	case s.Inducing == nil:
		return gp.Dense(s.Kernel, s.Points)
	}
	return gp.Inducing(s.Kernel, s.Points, kernel.Dense(s.Inducing))
}

// Problem is what there is to learn from.
type Problem struct {
	Votes         []Vote
	Items, Voters Space
	// Likelihood of every vote as a function of z, which must be an observation
	// (likelihood.Observer); nil stands for likelihood.Probit for all.
	Likelihood []likelihood.Scalar
}

// observer returns how vote k is read.
func (p *Problem) observer(k int) likelihood.Observer {
	if p.Likelihood == nil {
		return likelihood.Probit{}
	}
	return p.Likelihood[k].(likelihood.Observer)
}

func (p *Problem) scalar(k int) likelihood.Scalar {
	if p.Likelihood == nil {
		return likelihood.Probit{}
	}
	return p.Likelihood[k]
}

func (p *Problem) check() error {
	if len(p.Votes) == 0 {
		return fmt.Errorf("published: no votes to learn from")
	}
	items, voters := p.Items.Points.Len(), p.Voters.Points.Len()
	for k, v := range p.Votes {
		if v.Voter < 0 || v.Voter >= voters || v.Win < 0 || v.Win >= items || v.Lose < 0 || v.Lose >= items || v.Win == v.Lose {
			return fmt.Errorf("published: vote %d: voter %d of %d, items %d and %d of %d", k, v.Voter, voters, v.Win, v.Lose, items)
		}
		if !(v.Weight >= 0) {
			return fmt.Errorf("published: vote %d: weight %v", k, v.Weight)
		}
	}
	if p.Likelihood != nil && len(p.Likelihood) != len(p.Votes) {
		panic(fmt.Sprintf("published: %d likelihoods for %d votes", len(p.Likelihood), len(p.Votes)))
	}
	for k, l := range p.Likelihood {
		if _, ok := l.(likelihood.Observer); !ok {
			return fmt.Errorf("published: vote %d: %T is not an observation of a function of z", k, l)
		}
	}
	return nil
}
