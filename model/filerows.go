package model

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
)

// saveRows writes features and inducing points, and what was observed with its sites.
func (m *Single) saveRows(a *arrayWriter) {
	a.matrix("features", m.features)
	a.matrix("inducing", m.z)
	rows := m.obs.rows.Len()
	pairs, tau, nu, kind := make([]int64, 0, 2*rows), make([]float64, rows), make([]float64, rows), make([]uint8, rows)
	for r, s := range m.result.Sites {
		index, _ := m.obs.rows.Row(r)
		pairs = append(pairs, int64(index[0]), int64(index[1]))
		tau[r], nu[r], kind[r] = s.Tau, s.Nu, uint8(m.obs.outcome[r])
	}
	writeArray(a, "pairs", pairs, rows, 2)
	writeArray(a, "outcome", kind, rows)
	a.floats("count", m.obs.count, rows)
	if m.obs.power != nil {
		a.floats("power", m.obs.power, rows)
	}
	if m.obs.group != nil {
		writeArray(a, "voter", numbers(m.obs.group), rows)
	}
	if m.obs.answer != nil {
		writeArray(a, "answer", numbers(m.obs.answer), rows)
	}
	if m.obs.context != nil {
		context := mat.NewDense(rows, len(m.obs.effects), nil)
		for r := range rows {
			m.obs.context.Scatter(r, 1, context.RawRowView(r))
		}
		a.matrix("context", context)
	}
	m.saveHabits(a)
	a.floats("site_tau", tau, rows)
	a.floats("site_nu", nu, rows)
}

// numbers are some as files have them.
func numbers(of []int) []int64 {
	out := make([]int64, len(of))
	for i, x := range of {
		out[i] = int64(x)
	}
	return out
}

// loadRows reads what was observed of n items, with its sites.
func (m *Single) loadRows(a *arrayReader, n int) {
	pairs, shape := readArray[int64](a, "pairs")
	if a.err != nil {
		return
	}
	if len(shape) != 2 || shape[1] != 2 || shape[0] == 0 {
		a.err = fmt.Errorf("pairs.npy: shape %v", shape)
		return
	}
	rows := shape[0]
	kind, _ := readArray[uint8](a, "outcome")
	tau, nu, count := a.floats("site_tau", rows), a.floats("site_nu", rows), a.floats("count", rows)
	m.obs = &observations{count: count}
	if a.has("power") {
		m.obs.power = a.floats("power", rows)
	}
	if a.has("voter") {
		m.obs.group = a.numbers("voter", rows)
	}
	if a.has("answer") {
		if m.obs.answer = a.numbers("answer", rows); a.err == nil {
			a.err = m.obs.checkAnswers()
		}
	}
	if a.err == nil && len(kind) != rows {
		a.err = fmt.Errorf("outcome.npy: %d entries for %d rows", len(kind), rows)
	}
	if a.err != nil {
		return
	}
	m.result = &infer.Result{Sites: make([]gp.Site, rows)}
	for r := range rows {
		i, j := pairs[2*r], pairs[2*r+1]
		if m.own && tau[r] < 0 {
			a.err = fmt.Errorf("site_tau.npy: row %d is %g", r, tau[r])
			return
		}
		if i < 0 || j < 0 || i >= int64(n) || j >= int64(n) || i == j || kind[r] > uint8(tied) {
			a.err = fmt.Errorf("pairs.npy: row %d: items %d and %d of %d, outcome %d", r, i, j, n, kind[r])
			return
		}
		m.obs.rows.AppendPair(int(i), int(j))
		m.obs.outcome = append(m.obs.outcome, outcome(kind[r]))
		m.obs.ties = m.obs.ties || outcome(kind[r]) == tied
		m.result.Sites[r] = gp.Site{Tau: tau[r], Nu: nu[r]}
	}
}
