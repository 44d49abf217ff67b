package web

import (
	"net/http/httptest"
	"testing"

	"palate/server"
)

// What is answered is kept by nobody on the way: votes, links, what a board says now.
func TestAnswersAreNotKept(t *testing.T) {
	s := setScene(t, server.Options{})
	h := s.front.Handler(nil)
	for _, path := range []string{s.api(""), s.api("/export"), s.api("/voters"), s.api("/board"), s.api("/nothing"), "/livez", "/nothing"} {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("Authorization", "Bearer "+s.secret)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: %d, Cache-Control: %s", path, w.Code, got)
		}
	}
}
