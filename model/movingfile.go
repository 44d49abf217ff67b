package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"time"

	"palate/drift"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
)

// movingHeader is model.json of a Moving.
type movingHeader struct {
	heading
	Periods    Periods        `json:"periods"`
	First      int64          `json:"first_microseconds"` // of the first vote, since 1970
	Width      int64          `json:"width_nanoseconds,omitempty"`
	Linked     bool           `json:"linked,omitempty"`
	Likelihood string         `json:"likelihood"`
	Threshold  float64        `json:"tie_threshold,omitempty"`
	Process    drift.Process  `json:"process"` // the likeliest
	Members    []movingMember `json:"members"`
	Objective  float64        `json:"objective"`
	Status     infer.Status   `json:"status"`
	Stats      infer.Stats    `json:"stats"`
	Total      float64        `json:"votes"`
	Ties       float64        `json:"ties,omitempty"`
}

// movingMember is a process, its weight, and the number of what votes say under it.
type movingMember struct {
	drift.Process
	Weight float64 `json:"weight"`
	Said   int     `json:"said"`
}

// Save writes the model as a zip of model.json and .npy arrays: periods, states, pairs of
// states that votes compare, and for every kind of process what votes say of them.
func (m *Moving) Save(ctx context.Context, w io.Writer) error {
	h := movingHeader{
		heading: m.heading(m.Name()), Periods: m.periods, First: m.calendar.first.UnixMicro(), Width: int64(m.calendar.width), Linked: m.linked,
		Likelihood: likelihoodNames[m.voting.family], Threshold: m.voting.threshold, Process: m.process,
		Objective: m.fit.Objective, Status: m.fit.Status, Stats: m.fit.Stats, Total: m.fit.Votes, Ties: m.fit.Ties,
	}
	h.Version = movingVersion
	if slices.ContainsFunc(m.q.Members, func(x drift.Member) bool { return x.Process.Jumps }) {
		h.Version = jumpVersion
	}
	var said []*drift.Said
	for _, x := range m.q.Members {
		at := 0
		for at < len(said) && said[at] != x.Said {
			at++
		}
		if at == len(said) {
			said = append(said, x.Said)
		}
		h.Members = append(h.Members, movingMember{x.Process, x.Weight, at})
	}
	return m.save(ctx, w, m, h, func(a *arrayWriter) {
		writeFunc(a, "period_start", func(k int) int64 { return m.starts[k].UnixMicro() }, len(m.starts))
		a.floats("period_time", m.q.Times, len(m.q.Times))
		writeFunc(a, "state_period", func(k int) int64 { return int64(m.q.Period[k]) }, len(m.q.Period))
		writeFunc(a, "state_pairs", func(k int) int64 { return int64(m.q.Pairs[k/2][k%2]) }, len(m.q.Pairs), 2)
		if m.q.Stay != nil {
			a.floats("stay", m.q.Stay, len(m.q.Stay))
		}
		var tau, nu, siteTau, siteNu []float64 // a row for every kind of process
		for _, s := range said {
			tau, nu = append(tau, s.Tau...), append(nu, s.Nu...)
			for _, x := range s.Site {
				siteTau, siteNu = append(siteTau, x.Tau), append(siteNu, x.Nu)
			}
		}
		a.floats("state_tau", tau, len(said), len(m.q.Period))
		a.floats("state_nu", nu, len(said), len(m.q.Period))
		a.floats("site_tau", siteTau, len(said), len(m.q.Pairs))
		a.floats("site_nu", siteNu, len(said), len(m.q.Pairs))
		var mean, variance []float64 // a row for every process that jumps
		rows := 0
		for _, x := range m.q.Members {
			if x.Hops != nil {
				rows++
			}
			for _, h := range x.Hops {
				mean, variance = append(mean, h.Mean), append(variance, h.Variance)
			}
		}
		if rows > 0 {
			a.floats("hop_mean", mean, rows, len(m.q.Period))
			a.floats("hop_variance", variance, rows, len(m.q.Period))
		}
	})
}

// loadMoving reads what Save wrote.
func loadMoving(z *zip.Reader, raw []byte) (*Moving, error) {
	var h movingHeader
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	b, err := h.base()
	if err != nil {
		return nil, err
	}
	m := &Moving{Base: b, periods: h.Periods, linked: h.Linked, process: h.Process, moments: &num.Lazy[*drift.Moments]{}, past: newPast()}
	if err := h.Periods.check(); err != nil || !(h.Threshold >= 0) || (h.Width > 0) != (h.Periods.Unit == "") {
		return nil, fmt.Errorf("model.json: periods %+v of %d nanoseconds, tie threshold %g: %w", h.Periods, h.Width, h.Threshold, err)
	}
	zone, _ := time.LoadLocation(h.Periods.Zone)
	m.calendar = calendar{unit: h.Periods.Unit, zone: zone, first: time.UnixMicro(h.First).UTC(), width: time.Duration(h.Width)}
	if m.voting.family, err = likelihoodNamed(h.Likelihood); err != nil {
		return nil, err
	}
	m.voting.threshold = h.Threshold
	m.fit = Fit{
		Objective: h.Objective, Kind: infer.LogEvidence.String(), Status: h.Status, Stats: h.Stats, Threshold: h.Threshold, Likelihood: m.voting.family,
		Votes: h.Total, Ties: h.Ties, Rule: "EP", Scale: 1 / (h.Process.Stay*h.Process.Stay + h.Process.Move*h.Process.Move),
	}
	if m.q, err = m.loadStates(&arrayReader{z: z}, h); err != nil {
		return nil, err
	}
	_, m.now = m.Range()
	return m, nil
}

// loadStates reads the arrays.
func (m *Moving) loadStates(a *arrayReader, h movingHeader) (*drift.Posterior, error) {
	m.votes = a.floats("votes", len(m.ids))
	times := a.vector("period_time")
	for _, x := range a.numbers("period_start", len(times)) {
		m.starts = append(m.starts, time.UnixMicro(int64(x)).In(m.calendar.zone))
	}
	states, _ := readArray[int64](a, "state_period")
	ends, _ := readArray[int64](a, "state_pairs")
	if a.err != nil {
		return nil, a.err
	}
	n := len(states)
	period := make([]int32, n)
	for s, p := range states {
		period[s] = int32(p)
	}
	pairs := make([][2]int32, len(ends)/2)
	for k := range pairs {
		pairs[k] = [2]int32{int32(ends[2*k]), int32(ends[2*k+1])}
	}
	var stay []float64
	if a.has("stay") {
		stay = a.vector("stay")
	}
	kinds := 0
	for _, x := range h.Members {
		if x.Said < 0 || x.Said > kinds {
			return nil, fmt.Errorf("model.json: a process by what is said under number %d, after %d", x.Said, kinds)
		}
		kinds = max(kinds, x.Said+1)
	}
	tau, nu := a.floats("state_tau", kinds, n), a.floats("state_nu", kinds, n)
	siteTau, siteNu := a.floats("site_tau", kinds, len(pairs)), a.floats("site_nu", kinds, len(pairs))
	if a.err != nil {
		return nil, a.err
	}
	said := make([]*drift.Said, kinds)
	for k := range said {
		said[k] = &drift.Said{Tau: tau[k*n : (k+1)*n], Nu: nu[k*n : (k+1)*n], Site: make([]gp.Site, len(pairs))}
		for j := range pairs {
			said[k].Site[j] = gp.Site{Tau: siteTau[k*len(pairs)+j], Nu: siteNu[k*len(pairs)+j]}
		}
	}
	jumps := 0
	for _, x := range h.Members {
		if x.Jumps {
			jumps++
		}
	}
	var mean, variance []float64
	if jumps > 0 {
		mean, variance = a.floats("hop_mean", jumps, n), a.floats("hop_variance", jumps, n)
		if a.err != nil {
			return nil, a.err
		}
	}
	var members []drift.Member
	for _, x := range h.Members {
		one := drift.Member{Process: x.Process, Weight: x.Weight, Said: said[x.Said]}
		if x.Jumps {
			for s := range n {
				one.Hops = append(one.Hops, drift.Hop{Mean: mean[s], Variance: variance[s]})
			}
			mean, variance = mean[n:], variance[n:]
		}
		members = append(members, one)
	}
	q, err := drift.NewPosterior(times, period, pairs, stay, members)
	switch {
	case err != nil:
		return nil, err
	case len(times) == 0 || len(members) == 0 || q.Items != len(m.ids) && q.Items != 2*len(m.ids):
		return nil, fmt.Errorf("state_period.npy: %d items in %d periods under %d processes, where there are %d items", q.Items, len(times), len(members), len(m.ids))
	}
	q.Shown = len(m.ids)
	return q, nil
}
