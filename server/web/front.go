package web

import (
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"

	"palate/server"
)

// Options are the settings of a Front; the zero value is useful.
type Options struct {
	// Log takes structured records; nil: slog.Default.
	Log *slog.Logger
	// URL is the address at which people reach the server, as
	// https://vote.example.org; empty: that of each request. Cookies are for HTTPS
	// only when it begins with https. Its path, as of https://example.org/vote, is before
	// all addresses; a proxy may take it off or leave it.
	URL string
	// TLS says that the server itself speaks HTTPS.
	TLS bool
	// Frames are the sites that may show pages in frames.
	Frames []string
	// Local says that a model is served to programs of this machine alone, whoever asks: they
	// ask by its address. A page whose name was made to stand for it asks by that name.
	Local bool
	// Proxies is the number of proxies in front, whose X-Forwarded-For is believed.
	Proxies int
}

// Front is a service as HTTP.
type Front struct {
	svc      *server.Service
	allow    func(address string) error // says why a request is one too many
	options  Options
	log      *slog.Logger
	requests [6]atomic.Int64 // by first digit of the status
	limits   *limiter
	base     string // path of the URL, without a slash at its end
	policy   string
	pages    Pages // nil: none
}

// New returns the front of a service.
func New(svc *server.Service, o Options) *Front {
	f := newFront(o, svc.Allow)
	f.svc = svc
	return f
}

// newFront returns one without a service, which lets those requests pass that allow does.
func newFront(o Options, allow func(address string) error) *Front {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Front{allow: allow, options: o, log: o.Log, limits: newLimiter(), base: baseOf(o.URL), policy: policyFor(o.Frames)}
}

// writeMetrics writes the requests that were counted, as the service does the rest.
func (f *Front) writeMetrics(w io.Writer) {
	fmt.Fprint(w, "# HELP palate_requests_total Requests by class of status.\n# TYPE palate_requests_total counter\n")
	for d := 1; d < len(f.requests); d++ {
		fmt.Fprintf(w, "palate_requests_total{class=\"%dxx\"} %d\n", d, f.requests[d].Load())
	}
}
