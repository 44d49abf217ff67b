package model

import (
	"sync"

	crowds "palate/crowd"
	"palate/gp"
)

// crowdForms are what the utilities of single items are made of, for all voters of a crowd:
// found when they are first asked for, as asking for every voter's best items does again and
// again.
type crowdForms struct {
	mu    sync.Mutex
	means [][]float64 // of all items, in the consensus and in each factor
	parts map[int]crowds.Parts
	unit  float64 // of the consensus; 0: not yet
}

// Unit is by how much the consensus is to be multiplied to be in units of the noise of
// a new voter's vote, by the items of the fit.
func (m *Crowd) Unit() float64 {
	m.forms.mu.Lock()
	defer m.forms.mu.Unlock()
	if m.forms.unit == 0 {
		m.forms.unit = m.learnt.Unit(m.trained)
	}
	return m.forms.unit
}

// meansOf returns the means of all items.
func (c *crowdForms) meansOf(l *crowds.Learnt) [][]float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.means == nil {
		c.means = l.Means()
	}
	return c.means
}

// utility returns mean and variance of an item's utility to a voter of what was learnt,
// which has the consensus and the factors that these forms are of.
func (c *crowdForms) utility(l *crowds.Learnt, voter, item int) (mean, variance float64) {
	var rows gp.Rows
	rows.AppendUnit(item)
	c.mu.Lock()
	parts, ok := c.parts[item]
	c.mu.Unlock()
	if !ok {
		parts = l.Parts(&rows)
		c.mu.Lock()
		if c.parts == nil {
			c.parts = map[int]crowds.Parts{}
		}
		c.parts[item] = parts
		c.mu.Unlock()
	}
	m, v := l.FormsWith(voter, &rows, parts)
	return m[0], v[0]
}

// meansTo sets dst to the means of all items to a user.
func (m *Crowd) meansTo(dst []float64, user int) {
	if user < 0 {
		for i := range dst {
			dst[i], _ = m.Utility(user, i)
		}
		return
	}
	l, v := m.voterOf(user)
	l.MeansTo(dst, v, m.forms.meansOf(m.learnt))
}

func (l crowdAlone) meansTo(dst []float64, _ int) { l.v.l.MeansTo(dst, 0, l.v.m.forms.meansOf(l.v.l)) }
