package model

import (
	"fmt"
	"slices"

	"palate/population"
)

// memberHeader is a member of a family, and classHeader a class of it.
type memberHeader struct {
	Name      string        `json:"name"`
	Weight    float64       `json:"weight"`
	Threshold float64       `json:"tie_threshold,omitempty"`
	Classes   []classHeader `json:"classes"`
}

type classHeader struct {
	Share  float64 `json:"share"`
	Scale  float64 `json:"own_variance"`
	Kernel float64 `json:"kernel_share,omitempty"` // share of own_variance that a kernel has
	Spread float64 `json:"mean_variance"`
	Rank   int     `json:"rank"`
}

// saveFamily writes what all classes of all members have, one after the other.
func (m *Population) saveFamily(a *arrayWriter) {
	n, pairs := len(m.ids), m.family.People().NumPairs()
	var mean, open, tau, nu []float64
	var rank, classes int
	factors := make([][]float64, n)
	for _, f := range m.family.Members {
		for _, c := range f.Classes {
			p := c.Prior.(*population.LowRank)
			mean, tau, nu = append(mean, p.T...), append(tau, c.Engine.Tau...), append(nu, c.Engine.Nu...)
			if open = append(open, p.Own...); p.Own == nil {
				open = append(open, make([]float64, n)...)
			}
			for i := range factors {
				factors[i] = append(factors[i], p.A[i*p.D:(i+1)*p.D]...)
			}
			rank += p.D
			classes++
		}
	}
	a.floats("mean", mean, classes, n)
	a.floats("factors", slices.Concat(factors...), n, rank)
	if m.items.Trained() < n {
		a.floats("own_variance", open, classes, n)
	}
	a.floats("site_tau", tau, classes, pairs)
	a.floats("site_nu", nu, classes, pairs)
}

// family returns the members, of which arrays say the rest.
func (h *populationHeader) family() (*population.Family, error) {
	if h.Members == nil {
		return population.Alone(nil, nil, h.Spread, h.Threshold), nil
	}
	f := &population.Family{}
	for i, x := range h.Members {
		m := &population.Member{Name: x.Name, Weight: x.Weight, Threshold: x.Threshold}
		if x.Name == "" || !(x.Weight >= 0 && x.Weight <= 1) || !(x.Threshold >= 0) || len(x.Classes) == 0 {
			return nil, fmt.Errorf("model.json: member %d: weight %g, tie threshold %g, %d classes", i, x.Weight, x.Threshold, len(x.Classes))
		}
		for _, c := range x.Classes {
			if !(c.Share > 0 && c.Share <= 1) || !(c.Scale > 0) || !(c.Kernel >= 0 && c.Kernel < 1) || !(c.Spread >= 0) || c.Rank < 0 {
				return nil, fmt.Errorf("model.json: member %d: a class of share %g, own variance %g, kernel share %g, variance of the mean %g, rank %d", i, c.Share, c.Scale, c.Kernel, c.Spread, c.Rank)
			}
			m.Classes = append(m.Classes, population.Class{Share: c.Share, Spread: c.Spread, Prior: &population.LowRank{Scale: c.Scale, Share: c.Kernel, D: c.Rank}})
		}
		if err := m.Check(); err != nil {
			return nil, fmt.Errorf("model.json: member %d: %w", i, err)
		}
		f.Members = append(f.Members, m)
	}
	return f, nil
}

// loadFamily reads what saveFamily wrote of the classes' means and factors.
func (m *Population) loadFamily(a *arrayReader, n int) error {
	var all []*population.LowRank
	rank := 0
	for _, f := range m.family.Members {
		for _, c := range f.Classes {
			p := c.Prior.(*population.LowRank)
			all = append(all, p)
			rank += p.D
		}
	}
	mean, factors := a.floats("mean", len(all), n), a.floats("factors", n, rank)
	var open []float64
	if a.has("own_variance") {
		open = a.floats("own_variance", len(all), n)
	}
	if a.err != nil {
		return a.err
	}
	at := 0
	for k, p := range all {
		if p.Items, p.T = m.items, mean[k*n:(k+1)*n]; open != nil {
			p.Own = open[k*n : (k+1)*n]
		}
		for i := range n {
			p.A = append(p.A, factors[i*rank+at:i*rank+at+p.D]...)
		}
		at += p.D
	}
	return nil
}
