package web

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"palate/server"
	"palate/store"
)

// Handler serves the JSON interface at /api, its description at
// /api/openapi.json, /healthz, /metrics, pictures at /b/BOARD/media/DIGEST, and
// pages, if there are any, everywhere else; all behind Guard.
func (f *Front) Handler(pages http.Handler) http.Handler {
	mux := http.NewServeMux()
	f.api(mux)
	mux.HandleFunc("GET /healthz", f.health)
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		f.svc.WriteMetrics(w)
		f.writeMetrics(w)
	})
	mux.HandleFunc("GET /b/{board}/media/{digest}", f.media)
	mux.HandleFunc("GET "+callback, f.called)
	if pages == nil {
		pages = http.NotFoundHandler()
	}
	mux.Handle("/", pages)
	return f.Guard(mux)
}

// health says whether votes can be stored.
func (f *Front) health(w http.ResponseWriter, r *http.Request) {
	if err := f.svc.Check(r.Context()); err != nil {
		f.log.Error("not healthy", "error", err)
		http.Error(w, "the store cannot be written to", http.StatusServiceUnavailable)
		return
	}
	fmt.Fprintln(w, "ok")
}

// media serves a picture, as nothing but a picture.
func (f *Front) media(w http.ResponseWriter, r *http.Request) {
	m, err := f.svc.Media(r.Context(), r.PathValue("board"), r.PathValue("digest"))
	if err != nil {
		code, says := status(err)
		http.Error(w, says, code)
		return
	}
	h := w.Header()
	h.Set("Content-Type", m.Type)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Content-Disposition", "inline")
	h.Set("Cache-Control", "private, max-age=31536000, immutable")
	w.Write(m.Bytes)
}

// called is where the identity provider sends people back to.
func (f *Front) called(w http.ResponseWriter, r *http.Request) {
	board, err := f.endSSO(w, r)
	if err != nil {
		code, says := status(err)
		if code == http.StatusInternalServerError {
			f.log.Error("login", "error", err)
		}
		http.Error(w, says, code)
		return
	}
	http.Redirect(w, r, "/b/"+board, http.StatusSeeOther)
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
	case errors.Is(err, server.ErrDone):
		return http.StatusGone, strings.TrimPrefix(err.Error(), "server: ")
	case errors.Is(err, server.ErrForbidden):
		return http.StatusForbidden, strings.TrimPrefix(err.Error(), "server: ")
	case errors.As(err, &large):
		return http.StatusRequestEntityTooLarge, fmt.Sprintf("more than %d bytes", large.Limit)
	case errors.Is(err, server.ErrInvalid):
		return http.StatusUnprocessableEntity, strings.TrimPrefix(err.Error(), "server: ")
	case errors.Is(err, context.Canceled):
		return StatusGone, "nobody is waiting for the answer any more"
	}
	return http.StatusInternalServerError, "something went wrong on the server"
}
