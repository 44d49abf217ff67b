package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"palate/server"
	"palate/store"
)

// Pages are what people see: a handler of their addresses, which can also say why
// something was refused.
type Pages interface {
	http.Handler
	Refuse(w http.ResponseWriter, r *http.Request, code int, says string)
}

// Handler serves the JSON interface at /api, its description at
// /api/openapi.json and for people at /api/docs, /livez, /readyz (also as /healthz), /metrics, pictures at /b/BOARD/media/DIGEST, and
// pages, if there are any, everywhere else; all behind Guard.
func (f *Front) Handler(pages Pages) http.Handler {
	f.pages = pages
	mux := http.NewServeMux()
	f.api(mux)
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", f.ready)
	mux.HandleFunc("GET /healthz", f.ready)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		f.svc.WriteMetrics(w)
		f.writeMetrics(w)
	})
	mux.HandleFunc("GET /b/{board}/media/{digest}", f.media)
	nothing := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.refuse(w, r, http.StatusNotFound, "there is nothing at this address")
	})
	mux.Handle("/api/", nothing)
	mux.Handle("/api", nothing)
	if pages != nil {
		mux.Handle("/", pages)
	} else {
		mux.Handle("/", nothing)
	}
	return f.Guard(mux)
}

// ready says whether a vote could be stored now.
func (f *Front) ready(w http.ResponseWriter, r *http.Request) {
	if err := f.svc.Ready(r.Context()); err != nil {
		f.log.Error("not ready", "error", err)
		http.Error(w, "no vote could be stored now", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// media serves a picture, as nothing but a picture.
func (f *Front) media(w http.ResponseWriter, r *http.Request) {
	m, err := f.svc.Media(r.Context(), r.PathValue("board"), r.PathValue("digest"))
	if err != nil {
		code, says := f.failure(err)
		f.refuse(w, r, code, says)
		return
	}
	h := w.Header()
	h.Set("Content-Type", m.Type)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", "inline")
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Write(m.Bytes)
}

// StatusGone is the code, which only logs and counts see, of a request that was given
// up before it had an answer: it is not the server's fault.
const StatusGone = 499

// status returns the code and the sentence that an error stands for.
func status(err error) (int, string) {
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, store.ErrNotFound):
		return http.StatusNotFound, strings.TrimPrefix(err.Error(), "store: ")
	case errors.Is(err, store.ErrExists):
		return http.StatusConflict, strings.TrimPrefix(err.Error(), "store: ")
	case errors.Is(err, store.ErrUnavailable):
		return http.StatusServiceUnavailable, "the store cannot be written to just now; what was told may be told again"
	case errors.Is(err, server.ErrTooMany):
		return http.StatusTooManyRequests, err.Error()
	case errors.Is(err, server.ErrClosed), errors.Is(err, server.ErrNothing), errors.Is(err, server.ErrStale):
		return http.StatusConflict, strings.TrimPrefix(err.Error(), "server: ")
	case errors.Is(err, server.ErrDone), errors.Is(err, server.ErrQuota):
		return http.StatusGone, strings.TrimPrefix(err.Error(), "server: ")
	case errors.Is(err, server.ErrForbidden):
		return http.StatusForbidden, strings.TrimPrefix(err.Error(), "server: ")
	case errors.Is(err, context.DeadlineExceeded):
		return http.StatusServiceUnavailable, "this took too long"
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d bytes", large.Limit)
	case errors.Is(err, server.ErrInvalid):
		return http.StatusUnprocessableEntity, strings.TrimPrefix(err.Error(), "server: ")
	case errors.Is(err, context.Canceled):
		return StatusGone, "nobody is waiting for the answer any more"
	}
	return http.StatusInternalServerError, "something went wrong on the server"
}

// refuse says why there is no answer: as JSON below /api, as a page elsewhere.
func (f *Front) refuse(w http.ResponseWriter, r *http.Request, code int, says string) {
	if code == http.StatusServiceUnavailable || code == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "10")
	}
	switch {
	case r.URL.Path == "/api" || strings.HasPrefix(r.URL.Path, "/api/"):
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(code)
		json.NewEncoder(w).Encode(huma.NewError(code, says)) // an error means that the reader has gone
	case f.pages != nil:
		f.pages.Refuse(w, r, code, says)
	default:
		http.Error(w, says, code)
	}
}
