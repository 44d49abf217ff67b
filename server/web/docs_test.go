package web

import (
	"net/http"
	"strings"
	"testing"

	"palate/server"
)

// TestDocs: the interface is described by a page that needs nothing from elsewhere, under
// the policy of all pages; every operation is on it.
func TestDocs(t *testing.T) {
	s := startSite(t, server.Options{})
	p := s.program(t, "")
	code, text := p.do("GET", "/api/docs", "")
	if code != http.StatusOK {
		t.Fatal(code, text)
	}
	for _, want := range []string{"POST /api/boards", "GET /api/boards/{board}/board", "POST /api/boards/{board}/webhooks", "Only items that have this in their name."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not on the page", want)
		}
	}
	for _, bad := range []string{"<script", "style=", "http://", "https://", "<style"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is on the page", bad)
		}
	}
	if code, text := p.do("GET", "/api/docs.css", ""); code != http.StatusOK || !strings.Contains(text, "main{") {
		t.Error(code, text)
	}
}

// TestErrorsAreJSON: whatever is wrong with a request to the interface, it is said as JSON.
func TestErrorsAreJSON(t *testing.T) {
	s := startSite(t, server.Options{})
	for _, q := range [][2]string{
		{"GET", "/api"}, {"GET", "/api/"}, {"GET", "/api/nothing"}, {"DELETE", "/api/boards"}, {"PUT", "/api/boards/x"}, {"GET", "/api/boards/none"}, {"GET", "/api//boards/none"},
		{"GET", "/api/boards/../boards/none"}, {"POST", "/api/boards"}, {"POST", "/api/boards/none/tell"}, {"GET", "/api/boards/none/board?limit=many"}, {"GET", "/api/boards/" + strings.Repeat("x", 100)},
		{"GET", "/api/boards/none/media"}, {"GET", "/api/docs/x"}, {"POST", "/api/docs"}, {"GET", "/api/boards/%ff"}, {"GET", "/api/boards/none/webhooks"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), q[0], s.URL+q[1], strings.NewReader("{"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if kind := answer.Header.Get("Content-Type"); answer.StatusCode < 400 || !strings.Contains(kind, "json") {
			t.Errorf("%v: %d as %s", q, answer.StatusCode, kind)
		}
	}
}
