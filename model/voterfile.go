package model

import (
	"fmt"

	crowds "palate/crowd"
	"palate/kernel"
)

// saveVoters writes what features tell of voters.
func (m *Crowd) saveVoters(a *arrayWriter, l crowds.Arrays) {
	v := m.about
	if v == nil {
		return
	}
	a.floats("voter_feature_centre", v.centre, len(v.centre))
	a.floats("voter_feature_width", v.width, len(v.width))
	a.matrix("voter_inducing", v.z)
	a.floats("voter_kernel_centre", v.middle, len(v.middle))
	if f, c := l.Features, l.Factors; f > 0 {
		a.floats("lead", l.Lead, f, c)
		a.floats("lead_covariance", l.LeadCov, f, f)
		a.floats("lead_spread", l.Apart, c, c)
		a.floats("lead_relevance", l.Relevance, f)
	}
	var users []int64
	var lead []float64
	for u := range m.users {
		if x, ok := m.unheard[u]; ok {
			users, lead = append(users, int64(u)), append(lead, x...)
		}
	}
	writeArray(a, "unheard_user", users, len(users))
	a.floats("unheard_features", lead, len(users), len(v.centre)+len(v.middle))
}

// loadVoters reads what saveVoters wrote.
func (m *Crowd) loadVoters(a *arrayReader, k *kernel.Spec, l *crowds.Arrays) error {
	if k == nil {
		return nil
	}
	v := &voterFeatures{}
	var err error
	if v.kernel, err = kernel.FromSpec(*k); err != nil {
		return fmt.Errorf("model.json: voter_kernel: %w", err)
	}
	if v.z = a.matrix("voter_inducing"); a.err != nil {
		return a.err
	}
	inducing, cols := v.z.Dims()
	v.centre, v.width = a.floats("voter_feature_centre", cols), a.floats("voter_feature_width", cols)
	v.middle = a.floats("voter_kernel_centre", inducing)
	f, c := cols+inducing, l.Factors
	if c > 0 {
		l.Features = f
		l.Lead, l.LeadCov, l.Apart = a.floats("lead", f, c), a.floats("lead_covariance", f, f), a.floats("lead_spread", c, c)
		l.Relevance = a.floats("lead_relevance", f)
	}
	users, _ := readArray[int64](a, "unheard_user")
	lead := a.floats("unheard_features", len(users), f)
	if a.err != nil {
		return a.err
	}
	m.unheard = map[int][]float64{}
	for k, u := range users {
		if u < 0 || u >= int64(len(m.users)) {
			return fmt.Errorf("unheard_user.npy: user %d of %d", u, len(m.users))
		}
		m.unheard[int(u)] = lead[k*f : (k+1)*f]
	}
	m.about = v
	return v.setPrior()
}
