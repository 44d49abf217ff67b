package web

import (
	"net/http/httptest"
	"strings"
	"testing"
)

// What is sent as a form, as curl -d does by itself, is refused with what to send.
func TestForms(t *testing.T) {
	h := aModel(t)
	for _, c := range []struct {
		sent, accepted string
		code           int
		says           string
	}{
		{form, "*/*", 415, "send JSON with Content-Type: application/json"},
		{form + "; charset=utf-8", "", 415, "send JSON with Content-Type: application/json"},
		{"text/plain", "", 415, "unknown content type: text/plain"},
		{"application/json", "*/*", 200, `"p_left":[`},
		{"", "", 200, `"p_left":[`},
	} {
		r := httptest.NewRequest("POST", "/api/model/predict", strings.NewReader(`{"left":["i1"],"right":["i2"]}`))
		r.Header.Set("Content-Type", c.sent)
		r.Header.Set("Accept", c.accepted)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%q for %q: %d %s, want %d with %s", c.sent, c.accepted, w.Code, w.Body, c.code, c.says)
		}
		if w.Code == 200 && !strings.Contains(w.Header().Get("Content-Type"), "json") {
			t.Errorf("%q for %q: answered as %s", c.sent, c.accepted, w.Header().Get("Content-Type"))
		}
	}
}
