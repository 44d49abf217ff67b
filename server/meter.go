package server

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"time"
)

// meter counts what happens.
type meter struct {
	votes, repeated, refused, imported atomic.Int64
	hooks, hooksFailed                 atomic.Int64
	asks, tells, refits, populations   timing
	phases                             [phases]timing
}

// timing is a histogram of durations.
type timing struct {
	count [len(edges) + 1]atomic.Int64
	nanos atomic.Int64
}

// edges of the histograms, in seconds.
var edges = [...]float64{0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10}

func (t *timing) observe(d time.Duration) {
	k := 0
	for k < len(edges) && d.Seconds() > edges[k] {
		k++
	}
	t.count[k].Add(1)
	t.nanos.Add(int64(d))
}

// write writes a histogram; labels end with a comma.
func (t *timing) write(w io.Writer, name, labels string) {
	var sum int64
	for k := range t.count {
		sum += t.count[k].Load()
		edge := "+Inf"
		if k < len(edges) {
			edge = fmt.Sprint(edges[k])
		}
		fmt.Fprintf(w, "%s_bucket{%sle=%q} %d\n", name, labels, edge, sum)
	}
	of := ""
	if labels != "" {
		of = "{" + strings.TrimSuffix(labels, ",") + "}"
	}
	fmt.Fprintf(w, "%s_sum%s %g\n%s_count%s %d\n", name, of, time.Duration(t.nanos.Load()).Seconds(), name, of, sum)
}

// WriteMetrics writes what was counted, in Prometheus's text format.
func (s *Service) WriteMetrics(w io.Writer) {
	counter := func(name, help string, value int64) {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s counter\n%s %d\n", name, help, name, name, value)
	}
	m := &s.meter
	counter("palate_votes_total", "Votes, skips and undos stored.", m.votes.Load())
	counter("palate_votes_repeated_total", "Votes told again, which count once.", m.repeated.Load())
	counter("palate_votes_imported_total", "Votes stored from files.", m.imported.Load())
	counter("palate_votes_refused_total", "Votes that could not be stored.", m.refused.Load())
	counter("palate_webhook_events_total", "Events that webhooks took.", m.hooks.Load())
	counter("palate_webhook_failures_total", "Messages that webhooks did not take, and are told again.", m.hooksFailed.Load())
	for _, h := range []struct {
		name, help string
		t          *timing
	}{
		{"palate_ask_seconds", "Time to choose a pair.", &m.asks},
		{"palate_tell_seconds", "Time to store and fold in a vote.", &m.tells},
		{"palate_refit_seconds", "Time of a refit.", &m.refits},
		{"palate_population_seconds", "Time to learn a population.", &m.populations},
	} {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s histogram\n", h.name, h.help, h.name)
		h.t.write(w, h.name, "")
	}
	m.writePhases(w)
	boards := s.all()
	var pending, unsaved int
	var oldest float64
	for _, l := range boards {
		l.mu.RLock()
		pending += l.pending
		if l.unsaved != nil {
			unsaved++
		}
		if l.pending > 0 && !l.fitted.IsZero() {
			oldest = max(oldest, time.Since(l.fitted).Seconds())
		}
		l.mu.RUnlock()
	}
	gauge := func(name, help string, value float64) {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s gauge\n%s %g\n", name, help, name, name, value)
	}
	gauge("palate_boards", "Boards in memory.", float64(len(boards)))
	gauge("palate_pending_votes", "Votes folded in since the last refit of their board.", float64(pending))
	gauge("palate_unsaved_fits", "Boards whose last fit is not kept yet.", float64(unsaved))
	gauge("palate_refit_age_seconds", "Age of the oldest fit of a board with news.", oldest)
	gauge("palate_listeners", "Open event streams.", float64(s.hub.listeners()))
}
