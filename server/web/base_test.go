package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"palate/server"
)

// TestBase: below a path of its own, whether a proxy takes it off or leaves it, the
// addresses that people are given are below it.
func TestBase(t *testing.T) {
	for _, address := range []string{"ftp://a", "https://", "https://a/b", "https://a/api/x", "https://a/x?y", "https://a/x%20y", "https://a/x//y", "https://u@a/", "x"} {
		if CheckURL(address) == nil {
			t.Errorf("%s is an address", address)
		}
	}
	for _, address := range []string{"", "https://a", "https://a/", "http://a:8080/vote", "https://a/vote/here/"} {
		if err := CheckURL(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, site := range []string{"example.org", "https://a b", "https://a;script-src", "https://a/path", "javascript://x", "*", "https://a'"} {
		if CheckFrame(site) == nil {
			t.Errorf("%s may show pages in frames", site)
		}
	}
	svc := startSite(t, server.Options{}).svc
	front := New(svc, Options{URL: "https://example.org/vote/", Frames: []string{"https://blog.example.org"}})
	h := front.Handler(nil)
	for path, code := range map[string]int{"/vote/livez": 200, "/livez": 200, "/vote": 404, "/votes": 404, "/vote/vote/livez": 404, "/vote/api/openapi.json": 200, "/vote/api/nothing": 404} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != code {
			t.Errorf("%s: %d, not %d", path, w.Code, code)
		}
		if strings.HasSuffix(path, "openapi.json") && !strings.Contains(w.Body.String(), `"url":"/vote"`) {
			t.Errorf("%s does not say where the server is", path)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'self' https://blog.example.org;") || w.Header().Get("X-Frame-Options") != "" {
			t.Errorf("%s: %s", path, csp)
		}
	}
}
