package ui_test

import (
	"net/http/httptest"
	"path/filepath"
	"testing"

	"palate/server"
	"palate/server/ui"
	"palate/server/web"
	"palate/store/sqlite"
)

// site is a server with its pages, on a database of its own.
func site(t *testing.T, o server.Options) (*server.Service, *httptest.Server) {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "palate.db"))
	if err != nil {
		t.Fatal(err)
	}
	svc, err := server.New(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	front := web.New(svc, web.Options{})
	pages, err := ui.New(svc, front, ui.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(front.Handler(pages))
	t.Cleanup(func() {
		svc.Close() // ends the streams
		s.CloseClientConnections()
		s.Close()
		st.Close()
	})
	return svc, s
}
