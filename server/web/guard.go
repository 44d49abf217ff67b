package web

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"runtime/debug"
	"strings"
	"time"

	"palate/server"
)

// slowRequest is the time from which on a request is logged with where its time went,
// streams apart.
const slowRequest = time.Second

// Guard puts the checks that every request passes before a handler: size, rate
// by address, cross-origin requests (CSRF), and the headers of answers, a strict
// Content-Security-Policy among them. It logs and counts, too.
func (f *Front) Guard(h http.Handler) http.Handler {
	// A browser says where a request comes from, by Sec-Fetch-Site or Origin: what
	// changes something must come from our own pages. Programs say neither.
	origin := http.NewCrossOriginProtection()
	if u, err := url.Parse(f.options.URL); err == nil && u.Host != "" {
		// Proxies may exchange the name by which the request was made.
		if err := origin.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
			f.log.Error("the server's own address", "error", err)
		}
	}
	origin.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.refuse(w, r, http.StatusForbidden, "this came from another site's page, or through a proxy that hides where it came from: open the board by its own address and try again")
	}))
	checked := origin.Handler(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		r = f.unbased(r)
		spent := func() []any { return nil } // where the time went
		out := &answer{ResponseWriter: w, status: http.StatusOK, begins: f.based}
		head := w.Header()
		head.Set("Content-Security-Policy", f.policy)
		head.Set("X-Content-Type-Options", "nosniff")
		head.Set("Cache-Control", "no-store") // but for pictures, and what comes with the binary
		// Links hold secrets, which other sites must not see. Our own pages must say
		// where they are: without a referrer browsers hide the origin of forms, too.
		head.Set("Referrer-Policy", "same-origin")
		if len(f.options.Frames) == 0 { // which knows of no lists
			head.Set("X-Frame-Options", "DENY")
		}
		head.Set("Cross-Origin-Resource-Policy", "same-origin")
		if f.secure() {
			head.Set("Strict-Transport-Security", "max-age=31536000")
			head.Set("Cross-Origin-Opener-Policy", "same-origin") // which browsers want of HTTPS only
		}
		defer func() {
			switch p := recover(); p {
			case nil:
			case http.ErrAbortHandler:
				panic(p)
			case errBusy:
				f.refuse(out, r, http.StatusServiceUnavailable, errBusy.Error()+": try again in a moment")
			default:
				f.log.Error("panic", "path", r.Pattern, "error", fmt.Sprint(p), "stack", string(debug.Stack()))
				if !out.begun {
					f.refuse(out, r, http.StatusInternalServerError, "something went wrong on the server")
				}
			}
			f.requests[min(max(out.status/100, 1), 5)].Add(1)
			level := slog.LevelDebug
			if out.status >= 500 {
				level = slog.LevelWarn
			}
			// The pattern, not the path, which may hold a secret; and no address.
			took := time.Since(began)
			about := []any{"method", r.Method, "path", r.Pattern, "status", out.status, "seconds", took.Seconds()}
			if says := "request"; took > slowRequest && f.limits.named(r.Pattern).Time > 0 {
				f.log.Log(r.Context(), max(level, slog.LevelInfo), "slow "+says, append(about, spent()...)...)
			} else {
				f.log.Log(r.Context(), level, says, append(about, spent()...)...)
			}
		}()
		if under := strings.HasPrefix(r.URL.Path, "/api/"); under && path.Clean(r.URL.Path) != strings.TrimSuffix(r.URL.Path, "/") {
			f.refuse(out, r, http.StatusNotFound, "there is nothing at this address")
			return
		}
		if f.allow(f.from(r)) != nil {
			head.Set("Retry-After", "10")
			f.refuse(out, r, http.StatusTooManyRequests, "too many requests from your address: wait a moment")
			return
		}
		bound, release := f.limits.bind(out, r)
		defer release()
		ctx, trace := server.WithTrace(bound.Context())
		bound = bound.WithContext(ctx)
		spent = trace.Spent
		sent, end := compressed(out, bound)
		defer end()
		checked.ServeHTTP(sent, bound)
		if r.Pattern = bound.Pattern; out.status >= 500 && broken(ctx) {
			out.status = StatusGone // for the log and the counts
		}
	})
}

// from returns the address that a request comes from, as a name for limits.
func (f *Front) from(r *http.Request) string {
	if n := f.options.Proxies; n > 0 {
		hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
		if len(hops) >= n {
			return customer(strings.TrimSpace(hops[len(hops)-n]))
		}
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return customer(host)
}

// customer returns an address, or of one of version 6 the network, which is one
// customer's; the port that some proxies say is another one for every connection.
func customer(host string) string {
	if at, err := netip.ParseAddrPort(host); err == nil {
		host = at.Addr().String()
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return host
	}
	if ip = ip.Unmap().WithZone(""); ip.Is6() {
		return netip.PrefixFrom(ip, 64).Masked().String()
	}
	return ip.String()
}

// answer notes the status of a response.
type answer struct {
	http.ResponseWriter
	status int
	begun  bool
	begins func(http.Header) // is told of the headers before they leave
}

// WriteHeader sends the status, once: an answer that broke off when its reader went away has one.
func (a *answer) WriteHeader(status int) {
	if a.begun {
		return
	}
	a.status, a.begun = status, true
	a.begins(a.Header())
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(b []byte) (int, error) {
	a.begun = true
	return a.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
