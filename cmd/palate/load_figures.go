package main

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

// figures are what load measures.
type figures struct {
	Acknowledged int     `json:"acknowledged"`
	Seconds      float64 `json:"seconds"`
	PerSecond    float64 `json:"per_second"`
	Ask          summary `json:"ask_ms"`
	Tell         summary `json:"tell_ms"`
	Lost         int     `json:"lost"`
	Twice        int     `json:"twice"`
	Unheard      int     `json:"unheard"` // stored, but the acknowledgement was lost
	Refused      int     `json:"refused"` // with 503 or 429, and told again
	Failed       int     `json:"failed"`
	Why          string  `json:"why,omitempty"` // of the first failure
	Kills        int     `json:"kills,omitempty"`
	// KillsInImport are those after which the import had stored votes since the one before.
	KillsInImport int     `json:"kills_in_import,omitempty"`
	Difference    float64 `json:"difference"` // of boards from fresh fits, at most

	Imported      int     `json:"imported,omitempty"`
	ImportSeconds float64 `json:"import_seconds,omitempty"`

	Backups int `json:"backups,omitempty"`

	Watch *watchFigures `json:"watch,omitempty"`
	Touch *touchFigures `json:"touch,omitempty"`

	asks, tells durations
	mu          sync.Mutex
}

func newFigures() *figures { return &figures{} }

// heard counts what a server refuses just now.
func (f *figures) heard(err error) error {
	if r, ok := err.(*refusal); ok && (r.status == http.StatusServiceUnavailable || r.status == http.StatusTooManyRequests) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.Refused++
	}
	return err
}

func (f *figures) failed(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Failed++; f.Failed == 1 {
		f.Why = err.Error()
	}
}

// durations gathers durations.
type durations struct {
	mu  sync.Mutex
	all []float64 // in milliseconds
}

func (t *durations) add(d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = append(t.all, 1000*d.Seconds())
}

// summary of durations, in milliseconds.
type summary struct {
	P50 float64 `json:"p50"`
	P90 float64 `json:"p90"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

func (t *durations) summary() summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.all) == 0 {
		return summary{}
	}
	slices.Sort(t.all)
	at := func(share float64) float64 { return t.all[min(len(t.all)-1, int(share*float64(len(t.all))))] }
	return summary{at(0.5), at(0.9), at(0.99), t.all[len(t.all)-1]}
}
