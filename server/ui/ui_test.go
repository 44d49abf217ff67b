package ui_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"palate/server"
	"palate/server/ui"
	"palate/server/web"
	"palate/store/sqlite"
)

// site is a server with its pages, on a database of its own.
func site(t *testing.T, o server.Options) (*server.Service, *httptest.Server) {
	t.Helper()
	return siteWith(t, o, func(svc *server.Service, s *httptest.Server) {
		s.Config.Handler = handler(t, svc, web.Options{})
		s.Start()
	})
}

// proxied is a site behind a proxy with HTTPS, which hands on what is below a path of its
// own: the pages without that path, and the rest with it.
func proxied(t *testing.T, o server.Options) (*server.Service, *httptest.Server) {
	t.Helper()
	return siteWith(t, o, func(svc *server.Service, s *httptest.Server) {
		at := "https://" + s.Listener.Addr().String() + "/some/where"
		h := handler(t, svc, web.Options{URL: strings.Replace(at, "127.0.0.1", host, 1), Proxies: 1})
		mux := http.NewServeMux()
		mux.Handle("/some/where/b/", http.StripPrefix("/some/where", h))
		mux.Handle("/some/where/", h)
		s.Config.Handler = mux
		s.StartTLS()
		s.URL = at
	})
}

// handler is that of a service with its pages.
func handler(t *testing.T, svc *server.Service, o web.Options) http.Handler {
	t.Helper()
	front := web.New(svc, o)
	pages, err := ui.New(svc, front, ui.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return front.Handler(pages)
}

// siteWith is a server that begin starts.
func siteWith(t *testing.T, o server.Options, begin func(*server.Service, *httptest.Server)) (*server.Service, *httptest.Server) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "palate.db"))
	if err != nil {
		t.Fatal(err)
	}
	svc, err := server.New(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(nil)
	begin(svc, s)
	t.Cleanup(func() {
		svc.Close() // ends the streams
		s.CloseClientConnections()
		s.Close()
		st.Close()
	})
	return svc, s
}
