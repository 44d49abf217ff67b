package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"palate/server"
	"palate/store/sqlite"
)

// fuzzed is a board that requests are thrown at.
func fuzzed(f *testing.F) (h http.Handler, board, secret string) {
	st, err := sqlite.Open(f.Context(), filepath.Join(f.TempDir(), "x.db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { st.Close() })
	s := siteOn(f, st, server.Options{}, Options{}, nil)
	made, err := s.svc.Create(f.Context(), server.NewBoard{Items: []server.NewItem{{ID: "i0"}, {ID: "i1"}, {ID: "i2"}, {ID: "i3"}}})
	if err != nil {
		f.Fatal(err)
	}
	return s.front.Handler(nil), made.Board.ID, made.Secret
}

// FuzzJSON throws bodies at the operations that take JSON: none is the server's
// fault.
func FuzzJSON(f *testing.F) {
	h, board, secret := fuzzed(f)
	for _, body := range []string{
		`{"voter":"ann"}`, `{"voter":"ann","left":"i0","right":"i1","key":"1","outcome":"left","reason":"r","seconds":1}`, `{"items":[{"id":"x","kind":"link","url":"http://a"}]}`,
		`{"closed":false,"settings":{"goal":"top-3","explore":0.5}}`, `{"item":"i1","reason":"r"}`, `{"names":["a"],"group":"g"}`, `{"name":"t","scopes":["read"]}`, fourItems, `{`, `null`, "\xff",
	} {
		for k := range 9 {
			f.Add(k, body)
		}
	}
	f.Fuzz(func(t *testing.T, which int, body string) {
		b := "/api/boards/" + board
		ops := [][2]string{{"POST", "/api/boards"}, {"POST", b + "/ask"}, {"POST", b + "/tell"}, {"POST", b + "/undo"}, {"POST", b + "/items"}, {"PATCH", b}, {"POST", b + "/exclude"}, {"POST", b + "/invitations"}, {"POST", b + "/tokens"}}
		o := ops[uint(which)%uint(len(ops))]
		r := httptest.NewRequest(o[0], o[1], strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+secret)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%s %s %q: %d %s", o[0], o[1], body, w.Code, w.Body)
		}
	})
}

// FuzzUpload throws files at the operations that take them: what is served in
// the end is a picture, whatever came in.
func FuzzUpload(f *testing.F) {
	h, board, secret := fuzzed(f)
	f.Add(true, "a.png", picture(f))
	f.Add(true, "../x", []byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"))
	f.Add(true, "", []byte("<svg onload=alert(1)>"))
	f.Add(true, "w", []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"))
	f.Add(false, "votes.csv", []byte("user,left,right,winner\nann,i0,i1,left\n"))
	f.Add(false, "votes.parquet", []byte("PAR1"))
	f.Add(false, "x.soc", []byte("1,2,3"))
	f.Fuzz(func(t *testing.T, picture bool, name string, file []byte) {
		what := "/import?"
		if picture {
			what = "/images?"
		}
		r := httptest.NewRequest("POST", "/api/boards/"+board+what+url.Values{"name": {name}}.Encode(), bytes.NewReader(file))
		r.Header.Set("Content-Type", "application/octet-stream")
		r.Header.Set("Authorization", "Bearer "+secret)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if w.Code >= 500 {
			t.Errorf("%s %q: %d %s", what, file, w.Code, w.Body)
		}
		if picture && w.Code == http.StatusOK {
			var item ItemJSON
			if err := json.Unmarshal(w.Body.Bytes(), &item); err != nil {
				t.Fatal(err)
			}
			w = httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", item.Media, nil))
			if kind := w.Header().Get("Content-Type"); kind != "image/png" && kind != "image/jpeg" {
				t.Errorf("%q became %s", file, kind)
			}
		}
	})
}
